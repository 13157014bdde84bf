package report

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
)

// compareFootnotes returns the warnings of results side by side, one sentence a kind with the names
// of the results that have it, which are the bound ones where there are some.
func compareFootnotes(results []engine.Result, bound []string) []string {
	var all []engine.Warning
	rows := map[engine.WarningKind][]int{}
	for i, r := range results {
		for _, alike := range byKind(r.Warnings) {
			rows[alike[0].Kind] = append(rows[alike[0].Kind], i)
		}
		all = append(all, r.Warnings...)
	}
	var out []string
	for _, alike := range byKind(all) {
		which := ""
		if differ(alike) && alike[0].Named() {
			which = "; this is of the first"
		}
		out = append(out, fmt.Sprintf("Warning: %s (%s%s).", engine.WarningText(alike...), namesOf(results, bound, rows[alike[0].Kind]), which))
	}
	return out
}

// namesOf names some of several results: by the names that they are bound to, or by the algorithm,
// with the row where several results have the same.
func namesOf(results []engine.Result, bound []string, rows []int) string {
	switch {
	case len(rows) < len(results) || len(rows) < 2:
	case len(rows) == 2:
		return "both"
	default:
		return "all"
	}
	count := map[string]int{}
	for _, r := range results {
		count[r.Algorithm]++
	}
	var names []string
	for _, i := range rows {
		name := markedName(results[i].Algorithm)
		if bound != nil && bound[i] != "" {
			name = bound[i]
		} else if count[results[i].Algorithm] > 1 {
			name = fmt.Sprintf("%s in row %d", name, i+1)
		}
		names = append(names, name)
	}
	return join(names, len(names))
}

// decidedTasks returns how many tasks a result decided, of its first run.
func decidedTasks(r engine.Result) (decided, tasks int) {
	for _, a := range r.Answers {
		if a.Decided {
			decided++
		}
	}
	return decided, len(r.Answers)
}

// someUndecided reports whether a result with a guarantee left a task undecided, so that the
// guarantee, which is for decided answers, is not one for all.
func someUndecided(results []engine.Result) bool {
	for _, r := range results {
		backed := r.Standing != "" && r.Standing != engine.StandingNone
		if decided, tasks := decidedTasks(r); backed && decided < tasks {
			return true
		}
	}
	return false
}
