//go:build unix

package main

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// program writes a program of the shell that represents the one to measure.
func program(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

// The time and memory of a program include its children's; a failure or a timeout is reported.
func TestMeasure(t *testing.T) {
	if testing.Short() {
		t.Skip("commands that take a second are for the full run")
	}
	ctx := context.Background()
	work := `i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done`
	c, err := measure(ctx, program(t, work), "", time.Minute)
	if err != nil || c.failed() || c.seconds <= 0 || c.memory < 1e5 {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = measure(ctx, program(t, `cat >/dev/null; echo "first" >&2; echo "   = no such thing" >&2; echo "last" >&2; exit 1`), "p", time.Minute)
	if err != nil || c.trouble != "no such thing" || c.over {
		t.Errorf("%+v, %v", c, err)
	}
	c, err = measure(ctx, program(t, `while :; do :; done`), "", time.Second)
	if err != nil || !c.over || c.seconds < 0.75 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := measure(ctx, "./no-such-program", "", time.Second); err != nil {
		t.Logf("missing: %v", err) // the shell says so, which is trouble
	}
}

// A row has its cells at their sizes, marks what is above its budget, and the exponent that made it.
func TestSection(t *testing.T) {
	r := row{operation: operation{name: "work", unit: "arms", seconds: map[int]float64{1000: 2, 10_000: 5}, memory: map[int]float64{10_000: gib}}}
	for _, n := range []int{1000, 3000, 10_000} {
		r.cells = append(r.cells, cell{size: n, seconds: 0.001 * float64(n), memory: 20 * math.Sqrt(float64(n)) * (1 << 20)})
	}
	r.cells = append(r.cells, cell{size: 30_000, over: true, seconds: 60})
	got := section([]row{r, {operation: operation{name: "other", unit: "arms"}, cells: []cell{{size: 1000, trouble: "-:1:1: why"}}}}, time.Minute)
	for _, want := range []string{
		"| work | 1 s, 0.62 GiB (2 s) | 3 s, 1.1 GiB | 10 s, 2 GiB * (5 s, 1 GiB) | over 60 s | 1.00 / 0.50 |\n",
		"| other | refused |", "other, 1,000 arms: -:1:1: why",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	path := filepath.Join(t.TempDir(), "doc.md")
	if err := os.WriteFile(path, []byte("# A\n\n"+begin+"\nold\n"+end+"\n\n# B\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := replace(path, "new\n"); err != nil {
		t.Fatal(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "# A\n\n"+begin+"\nnew\n"+end+"\n\n# B\n" {
		t.Errorf("got %q", data)
	}
	if err := replace(path+".none", ""); err == nil {
		t.Error("a file that is not there is written")
	}
}
