package sim

import (
	"fmt"
	"maps"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// tally holds what is kept of some runs of an experiment, from one to another. It is the same
// whatever the order in which they finished.
type tally struct {
	from     int     // number of the first of the runs, from 0
	scores   []score // of the runs from there
	done     int
	first    *shown            // of the finished runs
	left     *shown            // of the runs that were left unfinished after some round, the first; nil without
	warnings map[string]span   // by kind and names
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

// span holds, of warnings that differ in their numbers alone, the least and the largest.
type span struct{ least, most warned }

// before reports whether the warning came earlier than another.
func (w warned) before(v warned) bool { return slices.Compare(w.at[:], v.at[:]) < 0 }

func newTally(from, to int) *tally {
	return &tally{from: from, scores: make([]score, to-from), warnings: map[string]span{}}
}

// add takes a finished run.
func (t *tally) add(run int, s score, m *made) {
	t.scores[run-t.from] = s
	t.done++
	if t.first == nil || run < t.first.run {
		t.first = m.shown(run, s)
	}
	if why := m.outcome.Unspent; why != "" {
		t.leaveUnspent(run, why)
	}
	doubted := false
	for k, w := range m.outcome.Warnings {
		if w.OfPrior() {
			if !doubted {
				t.doubtPrior(run, w, 1)
			}
			doubted = true
			continue
		}
		t.warn(warned{w, [2]int{run, k}})
	}
	if l := m.outcome.LackOfFit; l != nil {
		t.miss(run, l, 1)
	}
	t.sent.Add(m.sent)
}

// warn takes a warning of a run.
func (t *tally) warn(w warned) {
	key := fmt.Sprintf("%s%q", w.Kind, w.Names)
	s, known := t.warnings[key]
	if c := slices.Compare(w.Numbers, s.least.Numbers); !known || c < 0 || c == 0 && w.before(s.least) {
		s.least = w
	}
	if c := slices.Compare(w.Numbers, s.most.Numbers); !known || c > 0 || c == 0 && w.before(s.most) {
		s.most = w
	}
	t.warnings[key] = s
}

// doubtPrior takes what a run says of its prior, the first of that many.
func (t *tally) doubtPrior(run int, w engine.Warning, runs int) {
	if t.priors == 0 || run < t.priorAt {
		t.prior, t.priorAt = w, run
	}
	t.priors += runs
}

// miss takes what speaks against the kernel in a run, the first of that many.
func (t *tally) miss(run int, l *engine.LackOfFit, runs int) {
	if t.misfit == nil || run < t.misfitAt {
		t.misfit, t.misfitAt = l, run
	}
	t.misfits += runs
}

// leaveUnspent takes why a run left pulls of its budget.
func (t *tally) leaveUnspent(run int, why string) {
	if t.unspent == "" || run < t.leftAt {
		t.unspent, t.leftAt = why, run
	}
}

// leave takes a run that was not finished.
func (t *tally) leave(run int, s score, m *made) {
	if len(m.outcome.Rounds) > 0 && (t.left == nil || run < t.left.run) {
		t.left = m.shown(run, s)
	}
}

// join takes the runs of another tally, none of which is there already.
func (t *tally) join(p *tally) {
	copy(t.scores[p.from-t.from:], p.scores)
	t.done += p.done
	if p.first != nil && (t.first == nil || p.first.run < t.first.run) {
		t.first = p.first
	}
	if p.left != nil && (t.left == nil || p.left.run < t.left.run) {
		t.left = p.left
	}
	for _, w := range p.warnings {
		t.warn(w.least)
		t.warn(w.most)
	}
	if p.misfits > 0 {
		t.miss(p.misfitAt, p.misfit, p.misfits)
	}
	if p.priors > 0 {
		t.doubtPrior(p.priorAt, p.prior, p.priors)
	}
	if p.unspent != "" {
		t.leaveUnspent(p.leftAt, p.unspent)
	}
	t.sent.Add(p.sent)
}

// finished returns the scores of the runs that finished, in run order, and the
// numbers of the runs, from 1.
func (t *tally) finished() (scores []score, runs []int) {
	for k, s := range t.scores {
		if s.Done {
			scores, runs = append(scores, s), append(runs, t.from+k+1)
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

// inOrder returns the warnings of the runs by first appearance: of those that differ in their numbers alone
// two at most, which is the range.
func (t *tally) inOrder() []warned {
	var out []warned
	for s := range maps.Values(t.warnings) {
		if out = append(out, s.least); slices.Compare(s.least.Numbers, s.most.Numbers) != 0 {
			out = append(out, s.most)
		}
	}
	slices.SortFunc(out, func(a, b warned) int { return slices.Compare(a.at[:], b.at[:]) })
	return out
}

// warned returns what the runs warned of, each once, by first appearance, and then what
// speaks against the kernel.
func (t *tally) warned() []engine.Warning {
	var out []engine.Warning
	for _, w := range t.inOrder() {
		out = append(out, w.Warning)
	}
	if t.priors > 0 && !byChance(t.priors, t.done) {
		w := t.prior
		w.Numbers = append(slices.Clone(w.Numbers), float64(t.priors), float64(t.done))
		out = append(out, w)
	}
	if t.rejected() {
		out = append(out, engine.Warning{Kind: engine.WarnLackOfFit, Numbers: []float64{float64(t.misfits), float64(t.done)},
			LackOfFit: t.misfit})
	}
	return out
}
