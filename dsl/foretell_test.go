package dsl

import (
	"fmt"
	"strings"
	"testing"
)

// A schedule that takes very many samples on many arms says so before it samples, and others say nothing.
func TestForetold(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	folder := t.TempDir()
	rows := "task,arm,x_1,mean\n"
	// 210 arms at gaps of 1e-4: a schedule that uses the smallest gap takes very long.
	for i := range 210 {
		rows += fmt.Sprintf("t,a%d,%d,%g\n", i, i, 1e-4*float64(i))
	}
	written(t, folder, "many.csv", rows)
	for call, want := range map[string]string{
		`fc(p, algorithm="CoKernelFC", max_rounds=1)`:                "CoKernelFC is expected to need about",
		`fc(p, algorithm="CoKernelFC", epsilon=1, max_rounds=1)`:     "",
		`fc(p, algorithm="CoTestFC", epsilon=0.001, max_samples=99)`: "",
	} {
		told := ""
		s := NewSession(Options{Folder: folder, Notice: func(line string) { told += line + "\n" }, Noted: func(string) {}})
		must(t, s, `p = problem("many.csv", kernel=arm(linear(bias=1)), noise=1)`+"\nr = "+call)
		if !strings.Contains(told, want) || want == "" && told != "" {
			t.Errorf("%s: told %q, want %q", call, told, want)
		}
	}
}
