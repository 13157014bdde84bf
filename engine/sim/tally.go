package sim

import (
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// tally holds what is kept of the runs of an experiment. It is the same whatever the order in which
// they finished.
type tally struct {
	judge    judge
	scores   []score // by run
	done     int
	first    *made // of the finished runs
	firstRun int
	left     *made // of the runs that were left unfinished after some round, the first; nil without
	leftRun  int
	warnings map[string]warned // by what they read
	misfits  int               // runs whose data speak against the kernel
	misfit   *engine.LackOfFit // of the first of them
	misfitAt int
	priors   int            // runs whose data are not credible under their prior
	prior    engine.Warning // of the first of them
	priorAt  int
	unspent  string // why the first of the runs that left pulls of a budget did
	leftAt   int
	sent     wire.Traffic
}

// warned is a warning of the runs, with the run and the place in it where it came first.
type warned struct {
	engine.Warning
	at [2]int
}

func newTally(x Experiment, entry algorithms.Entry) *tally {
	return &tally{judge: newJudge(x, entry), scores: make([]score, x.Runs), warnings: map[string]warned{}}
}

// add takes a finished run.
func (t *tally) add(run int, s score, m *made) {
	t.scores[run] = s
	t.done++
	if t.first == nil || run < t.firstRun {
		t.first, t.firstRun = m, run
	}
	if why := m.outcome.Unspent; why != "" && (t.unspent == "" || run < t.leftAt) {
		t.unspent, t.leftAt = why, run
	}
	doubted := false
	for k, w := range m.outcome.Warnings {
		if w.OfPrior() {
			if !doubted {
				t.doubtPrior(run, w)
			}
			doubted = true
			continue
		}
		at := [2]int{run, k}
		if before, ok := t.warnings[w.String()]; !ok || slices.Compare(at[:], before.at[:]) < 0 {
			t.warnings[w.String()] = warned{w, at}
		}
	}
	if l := m.outcome.LackOfFit; l != nil {
		t.misfits++
		if t.misfit == nil || run < t.misfitAt {
			t.misfit, t.misfitAt = l, run
		}
	}
	t.sent.Add(m.sent)
}

// doubtPrior takes what a run says of its prior.
func (t *tally) doubtPrior(run int, w engine.Warning) {
	if t.priors == 0 || run < t.priorAt {
		t.prior, t.priorAt = w, run
	}
	t.priors++
}

// leave takes a run that was not finished.
func (t *tally) leave(run int, m *made) {
	if len(m.outcome.Rounds) > 0 && (t.left == nil || run < t.leftRun) {
		t.left, t.leftRun = m, run
	}
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

// byChance reports whether that many of the runs may well reject a kernel that fits: a test at
// level α does in α of them.
func byChance(rejected, runs int) bool {
	tail := distuv.Binomial{N: float64(runs), P: engine.LackLevel}.Survival(float64(rejected) - 1)
	return tail > engine.LackLevel*(1+1e-9)
}

// rejected reports whether the data speak against the kernel in more runs than chance explains.
func (t *tally) rejected() bool { return t.misfit != nil && !byChance(t.misfits, t.done) }

// warned returns what the runs warned of, each once, by first appearance, and then what
// speaks against the kernel.
func (t *tally) warned() []engine.Warning {
	var out []engine.Warning
	for _, w := range slices.SortedFunc(maps.Values(t.warnings), func(a, b warned) int { return slices.Compare(a.at[:], b.at[:]) }) {
		out = append(out, w.Warning)
	}
	if t.priors > 0 && !byChance(t.priors, t.done) {
		w := t.prior
		w.Numbers = append(slices.Clone(w.Numbers), float64(t.priors), float64(t.done))
		out = append(out, w)
	}
	if t.rejected() {
		out = append(out, engine.Warning{Kind: engine.WarnLackOfFit, Numbers: []float64{float64(t.misfits), float64(t.done)}, LackOfFit: t.misfit})
	}
	return out
}
