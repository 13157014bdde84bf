package engine

import (
	"fmt"
	"slices"
	"strings"
)

// Explanation shows how far a run is and what decided each arm: the first run of a result, as it
// stood at its end or when it was interrupted.
type Explanation struct {
	Mode      string `json:"mode"`
	Algorithm string `json:"algorithm"`
	Problem   string `json:"problem"`
	Status    Status `json:"status"` // of the result
	Asked     int    `json:"runs_asked"`
	Goal      string `json:"goal,omitempty"` // of the result: "min" where lower rewards are better

	Rounds  int     `json:"rounds"`
	Samples float64 `json:"samples"` // all agents together
	// further samples, all agents together, until all tasks of the run are decided
	Remaining float64           `json:"remaining"`
	Tasks     []TaskExplanation `json:"tasks"` // in task order
}

// TaskExplanation explains one task.
type TaskExplanation struct {
	Progress Progress `json:"progress"`
	// those that may still be the answer, Progress.Leader included, when there are several
	Arms []string      `json:"arms,omitempty"`
	Left []Elimination `json:"left,omitempty"` // the others, in the order in which they left
}

// Explain explains the first run of a result, or one of its tasks. It is an error when the result
// has no such task or no run.
func Explain(r Result, task string) (Explanation, error) {
	out := Explanation{Mode: r.Mode, Algorithm: r.Algorithm, Problem: r.Problem, Status: r.Status, Asked: r.Asked, Goal: r.Goal,
		Rounds: len(r.Trace), Remaining: r.Remaining}
	if len(r.Answers) == 0 {
		return out, fmt.Errorf("the result has no answers: no run got that far")
	}
	if len(r.Progress) != len(r.Answers) {
		return out, fmt.Errorf("the result does not say how far its tasks are; it was made by an earlier version or by other means")
	}
	for _, round := range r.Trace {
		out.Samples += float64(round.Pulls)
	}
	var names []string
	for v, a := range r.Answers {
		names = append(names, a.Task)
		if task != "" && a.Task != task {
			continue
		}
		s := TaskExplanation{Progress: r.Progress[v], Arms: a.Candidates}
		for _, e := range r.Eliminations {
			if e.Task == a.Task {
				s.Left = append(s.Left, e)
			}
		}
		out.Tasks = append(out.Tasks, s)
	}
	if len(out.Tasks) == 0 {
		return out, fmt.Errorf("no task is called %q; there are %s", task, named(names))
	}
	return out, nil
}

// Open returns the tasks that are not decided.
func (x Explanation) Open() []TaskExplanation {
	return slices.DeleteFunc(slices.Clone(x.Tasks), func(s TaskExplanation) bool { return s.Progress.Decided })
}

// Faint reports whether the gap of an open task still lies within twice its standard error, so that
// the samples it takes are very uncertain.
func (p Progress) Faint() bool { return !p.Decided && p.Gap < 2*p.Error }

// named lists names, the first few of many and how many more there are.
func named(names []string) string {
	const most = 8
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
