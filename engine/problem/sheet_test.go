package problem

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A table may call the column of its arms task: a sheet with its columns has the names that the table has.
func TestSheetWhoseArmsAreCalledTask(t *testing.T) {
	for _, own := range []Long{{Task: []string{"site"}, Arm: []string{"task"}, Reward: "y"}, {Task: []string{"arm"}, Arm: []string{"task"}, Reward: "y"}} {
		data := strings.Join([]string{own.Task[0] + ",task,y", "Gent,left,1", "Oslo,right,2", ""}, "\n")
		s, _ := try.Two(ReadSheet(t.Context(), "sheet.csv", []byte(data), &own, []string{"id", "reward"}, []string{"task", "arm", "reward"}))
		for k, want := range [][2]string{{"Gent", "left"}, {"Oslo", "right"}} {
			if r := s.Rows[k]; r.Text("task") != want[0] || r.Text("arm") != want[1] {
				t.Errorf("task %q, arm %q; want %q", r.Text("task"), r.Text("arm"), want)
			}
		}
	}
}

// asked is a context that counts how often it is asked whether it ended, which it does after a number of questions.
type asked struct {
	context.Context
	times, ends int
}

func (a *asked) Err() error {
	if a.times++; a.times > a.ends {
		return context.Canceled
	}
	return nil
}

// An interrupt is heard within each 100 kB of a large sheet, whatever its form.
func TestSheetHearsAnInterrupt(t *testing.T) {
	own := Long{Task: []string{"site"}, Arm: []string{"resin"}, Reward: "y"}
	for _, text := range []string{"id,reward\n" + strings.Repeat("GAY0M0,0.41\n", 1e5), "site,resin,y\n" + strings.Repeat("Gent,left,1\n", 1e5), "id,reward\n" + strings.Repeat("\n", 1e6)} {
		read := func(ends int) (*asked, error) {
			ctx := &asked{Context: t.Context(), ends: ends}
			_, _, err := ReadSheet(ctx, "sheet.csv", []byte(text), &own, []string{"id", "reward"}, []string{"task", "arm", "reward"})
			return ctx, err
		}
		whole, err := read(1e9)
		if err != nil || whole.times < len(text)/100_000 {
			t.Errorf("%.20q: %d bytes, asked %d times: %v", text, len(text), whole.times, err)
		}
		for _, n := range []int{0, whole.times / 2, whole.times - 1} {
			if _, err := read(n); !errors.Is(err, context.Canceled) {
				t.Errorf("%.20q: an interrupt after %d of %d questions: %v", text, n, whole.times, err)
			}
		}
	}
}
