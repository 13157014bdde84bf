package report

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// sweepWarnings returns the warnings of the runs, one sentence a kind with how many results have
// it.
func sweepWarnings(s sim.Sweep) []string {
	var all []engine.Warning
	results := map[engine.WarningKind]int{}
	for _, r := range s.Rows {
		for _, alike := range byKind(r.Result.Warnings) {
			results[alike[0].Kind]++
		}
		all = append(all, r.Result.Warnings...)
	}
	var out []string
	for _, alike := range byKind(all) {
		first, which := alike[0], ""
		if first.Named() && differ(alike) {
			which = "; this is of the first"
		}
		out = append(out, fmt.Sprintf("%s (%d of %s%s)", engine.WarningText(alike...), results[first.Kind], plural(len(s.Rows), "result"), which))
	}
	return out
}

// differ reports whether warnings of a kind do not all read the same.
func differ(alike []engine.Warning) bool {
	return slices.ContainsFunc(alike, func(w engine.Warning) bool { return !w.Same(alike[0]) })
}

// resultWarnings returns the warnings of one result; what is said of several tasks alone is
// said once.
func resultWarnings(r engine.Result) []string {
	var out []string
	for _, alike := range byKind(r.Warnings) {
		text := engine.WarningText(alike...)
		if len(alike) > 1 && alike[0].Named() {
			text += fmt.Sprintf(" (the first of %d such warnings)", len(alike))
		}
		out = append(out, text)
	}
	return out
}

// byKind groups warnings of one kind, by first appearance.
func byKind(warnings []engine.Warning) [][]engine.Warning {
	var out [][]engine.Warning
	for _, w := range warnings {
		at := slices.IndexFunc(out, func(alike []engine.Warning) bool { return alike[0].Kind == w.Kind })
		if at < 0 {
			at, out = len(out), append(out, nil)
		}
		out[at] = append(out[at], w)
	}
	return out
}
