package report

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// shownWarnings is how many warnings are shown unfolded: more are read by nobody.
const shownWarnings = 2

// warned shows warnings: the first ones, and all others folded, with their number.
func warned(sentences []string) (first, others []Block) {
	for _, w := range sentences[:min(shownWarnings, len(sentences))] {
		first = append(first, Note{Text: w, Warning: true})
	}
	if len(sentences) <= shownWarnings {
		return first, nil
	}
	t := Table{Caption: "Further warnings", Columns: []Column{text("warning", "Warning")}, Collapsed: true}
	for _, w := range sentences[shownWarnings:] {
		t.Rows = append(t.Rows, []any{w})
	}
	return first, []Block{t}
}

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
	for _, alike := range worstFirst(byKind(all)) {
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
	for _, alike := range worstFirst(byKind(r.Warnings)) {
		text := engine.WarningText(alike...)
		if len(alike) > 1 && alike[0].Named() {
			text += fmt.Sprintf(" (the first of %d such warnings)", len(alike))
		}
		out = append(out, text)
	}
	return out
}

// worst are the kinds of warnings by which answers are wrong, and so no number is worth much.
var worst = []engine.WarningKind{engine.WarnErrors, engine.WarnKernel, engine.WarnLackOfFit}

// worstFirst puts these kinds first, in that order, and leaves the order of the others.
func worstFirst(kinds [][]engine.Warning) [][]engine.Warning {
	rank := func(alike []engine.Warning) int {
		if k := slices.Index(worst, alike[0].Kind); k >= 0 {
			return k
		}
		return len(worst)
	}
	slices.SortStableFunc(kinds, func(a, b []engine.Warning) int { return rank(a) - rank(b) })
	return kinds
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
