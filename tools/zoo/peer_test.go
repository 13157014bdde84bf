//go:build unix

package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// scripted is a method of another project that pulls the first arm of every task until each budget is spent, and picks it;
// or, after its first pull, what broken says.
const scripted = `
import json, sys
for line in sys.stdin:
    t = json.loads(line)
    first = [t["task_of"].index(v) for v in range(len(t["tasks"]))]
    had = 0
    for budget in t["budgets"]:
        print(json.dumps({"pull": first * (budget - had)}), flush=True)
        rewards = json.loads(sys.stdin.readline())["rewards"]
        assert len(rewards) == len(first) * (budget - had)
        had = budget
        print(json.dumps(BROKEN or {"picks": first}), flush=True)
    print(json.dumps({"decisions": 7, "cpu": 0.5, "peak": 3}), flush=True)
`

func TestAdapter(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not there")
	}
	all, _ := tablesOf(t)
	w := all[slices.IndexFunc(all, func(x table) bool { return x.Name == "treatments" })].world(0)
	for broken, want := range map[string]string{
		"None": "", `{"pull": [99999]}`: "pulled cell 99999 of 40", `{"pull": None}`: "without pulls", `"text"`: "wrote", "exit()": "ended",
	} {
		script := filepath.Join(t.TempDir(), "adapter.py")
		if err := os.WriteFile(script, []byte(strings.Replace(scripted, "BROKEN", broken, 1)), 0o666); err != nil {
			t.Fatal(err)
		}
		a := &adapter{python: python, script: script, method: "scripted"}
		ctx, cancel := context.WithCancel(context.Background())
		r, err := a.run(ctx, w, 0, "scripted", []int{2, 5})
		if want == "" {
			if err == nil {
				r, err = a.run(ctx, w, 1, "scripted", []int{2, 5}) // the process serves every run
			}
			if err != nil || r.decisions != 7 || r.cpu != 0.5 || r.pulls[1] != 25 || r.check(w, []int{2, 5}) != nil {
				t.Errorf("%+v, %v", r, err)
			}
		} else if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %q", broken, err, want)
		}
		cancel()
	}
}

// A run in which a method gives up is left out, and one that does so again and again ends its table.
func TestGivesUp(t *testing.T) {
	all, _ := tablesOf(t)
	every := methods("../..", t.TempDir())
	means := every[slices.IndexFunc(every, func(m method) bool { return m.Name == "means" })]
	j := job{table: all[slices.IndexFunc(all, func(x table) bool { return x.Name == "treatments" })], method: means}
	for _, c := range []struct {
		gives func(run int) bool
		want  int
		ends  bool
	}{
		{func(run int) bool { return run == 1 }, 7, false},
		{func(run int) bool { return run > 0 }, 1, true},
	} {
		j.method.run = func(ctx context.Context, w *world, run int, name string, budgets []int) (result, error) {
			if c.gives(run) {
				return result{}, errGaveUp
			}
			return means.run(ctx, w, run, name, budgets)
		}
		folder := t.TempDir()
		err := j.run(t.Context(), folder, 8, time.Minute)
		k, _, readErr := readKept(keptPath(folder, "treatments", "means"))
		if readErr != nil || len(k.runs) != c.want || errors.Is(err, errGaveUp) != c.ends {
			t.Errorf("%d runs, %v and %v; want %d, an end: %v", len(k.runs), err, readErr, c.want, c.ends)
		}
	}
}
