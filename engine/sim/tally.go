package sim

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// tally is what is kept of the runs of an experiment. It is the same whatever the
// order in which they finished.
type tally struct {
	judge    judge
	scores   []score // by run
	done     int
	first    *engine.Outcome // of the finished runs
	firstRun int
	warnings map[string][2]int // the run and the place in it where each came first
	sent     wire.Traffic
}

func newTally(x Experiment, entry engine.AlgorithmEntry) *tally {
	return &tally{judge: newJudge(x, entry), scores: make([]score, x.Runs), warnings: map[string][2]int{}}
}

// add takes a finished run.
func (t *tally) add(run int, s score, o *engine.Outcome, sent wire.Traffic) {
	t.scores[run] = s
	t.done++
	if t.first == nil || run < t.firstRun {
		t.first, t.firstRun = o, run
	}
	for k, w := range o.Warnings {
		at := [2]int{run, k}
		if before, ok := t.warnings[w]; !ok || slices.Compare(at[:], before[:]) < 0 {
			t.warnings[w] = at
		}
	}
	t.sent.Add(sent)
}

// finished returns the scores of the runs that finished, in run order, and the
// numbers of the runs, from 1.
func (t *tally) finished() (scores []score, runs []int) {
	for run, s := range t.scores {
		if s.done {
			scores, runs = append(scores, s), append(runs, run+1)
		}
	}
	return scores, runs
}

// warned returns what the runs warned of, each once, by first appearance.
func (t *tally) warned() []string {
	return slices.SortedFunc(maps.Keys(t.warnings), func(a, b string) int {
		x, y := t.warnings[a], t.warnings[b]
		return cmp.Or(slices.Compare(x[:], y[:]), cmp.Compare(a, b))
	})
}
