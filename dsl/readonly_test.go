package dsl

import (
	"context"
	"os"
	"strings"
	"testing"
)

// TestReadOnly: if nothing may be written, the statement that would write is a mistake, and nothing before it runs.
func TestReadOnly(t *testing.T) {
	const head = "p = paper(case=1, gap=0.4)\n"
	for _, c := range []struct{ source, place, said string }{
		{head + `save(p, "../p.json")`, "2:9", `save: this run must not write files, such as "../p.json"`},
		{head + `plot(fc(p, delta=0.1, seed=1), file="x.svg")`, "2:37", `plot: this run must not write files, such as "x.svg"`},
		{head + `sweep(fc(p, delta=0.1, seed=1), gap=[0.4, 0.8], store="s.jsonl")`, "2:55", `sweep: this run must not write files, such as "s.jsonl"`},
		{head + "days = protocol(p, runs=0)\nstart(days, \"days\")", "3:1", "start: this run must not write files, such as a campaign's folder"},
		{`tell("days", file="x.csv")`, "1:1", "tell: this run must not write files, such as a campaign's folder"},
		{head + "name = \"x\"\nsave(p, \"{name}.json\")", "3:9", "this run must not write files"},
		{head + "bounds(p)\nr = fc(p, delta=0.1, seed=1)\nplot(r)", "", ""},
	} {
		folder := t.TempDir()
		script, errs := Parse("s.cope", c.source)
		if len(errs) > 0 {
			t.Fatal(errs)
		}
		displays, err := NewSession(Options{Folder: folder, ReadOnly: true}).Eval(context.Background(), script)
		if c.said == "" {
			if err != nil || len(displays) == 0 {
				t.Errorf("%s: %v", c.source, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.said) || !strings.Contains(err.Error(), "s.cope:"+c.place+":") ||
			!strings.Contains(err.Error(), "--no-write") || len(displays) > 0 {
			t.Errorf("%s\nsays %v, want %s at %s", c.source, err, c.said, c.place)
		}
		if left, _ := os.ReadDir(folder); len(left) > 0 {
			t.Errorf("%s: %v was written", c.source, left)
		}
	}
}
