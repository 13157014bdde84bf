package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// sweepBlocks tells of sweep(...): one row per combination of swept values.
func sweepBlocks(s sim.Sweep) []Block {
	lead := fmt.Sprintf("%s over %s.", plural(len(s.Rows), "result"), join(s.Names, 6))
	out := []Block{Paragraph{Text: lead, Lead: true}}
	for _, w := range sweepWarnings(s) {
		out = append(out, Note{Text: w, Warning: true})
	}
	return append(out, sweepTable(s))
}

// sweepTable shows the measures that matter for the mode of the runs.
func sweepTable(s sim.Sweep) Table {
	t := Table{Caption: "Measured, " + strings.Join(s.Names, " by ")}
	for j, name := range s.Names {
		c := text(name, name)
		if len(s.Rows) > 0 {
			if _, ok := numeric(s.Rows[0].Values[j]); ok {
				c.Align = Right
			}
		}
		t.Columns = append(t.Columns, c)
	}
	unnamed := !slices.Contains(s.Names, "algorithm")
	if unnamed {
		t.Columns = append(t.Columns, text("algorithm", "algorithm"))
	}
	t.Columns = append(t.Columns, text("status", "Status"))
	names := []string{"samples", "ratio", "rounds", "bytes", "error"}
	if len(s.Rows) > 0 && s.Rows[0].Result.Mode == "fb" {
		names = []string{"samples", "rounds", "bytes", "error", "relative_regret"}
	}
	chosen := measuresNamed(names...)
	for _, m := range chosen {
		t.Columns = append(t.Columns, m.column())
	}
	for _, r := range s.Rows {
		var row []any
		for _, v := range r.Values {
			row = append(row, plain(v))
		}
		if unnamed {
			row = append(row, r.Result.Algorithm)
		}
		row = append(row, string(r.Result.Status))
		for _, m := range chosen {
			row = append(row, m.value(r.Result))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"Brackets are 95 % intervals (Student's t over runs; Wilson for error rates)."}
	return t.withoutEmptyColumns()
}

// sweepWarnings are the warnings of the runs, each once with how often it came.
func sweepWarnings(s sim.Sweep) []string {
	var texts []string
	count := map[string]int{}
	for _, r := range s.Rows {
		for _, w := range r.Result.Warnings {
			if count[w] == 0 {
				texts = append(texts, w)
			}
			count[w]++
		}
	}
	for i, w := range texts {
		texts[i] = fmt.Sprintf("%s (%d of %s)", w, count[w], plural(len(s.Rows), "result"))
	}
	return texts
}

// numeric is a swept value as a number, if it is one.
func numeric(v any) (float64, bool) {
	switch v := plain(v).(type) {
	case float64:
		return v, true
	case int:
		return float64(v), true
	case uint64:
		return float64(v), true
	}
	return 0, false
}
