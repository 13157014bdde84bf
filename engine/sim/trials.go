package sim

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/internal/wire"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Trials is an experiment with its model. Its runs can be made in parts, also on several machines; Run makes all runs in
// one process.
type Trials struct {
	x     Experiment
	asked *problem.Problem // problem as given to Prepare; x.Problem is the version that runs use
	entry algorithms.Entry
	model *model.Model
	judge judge // judge of run 0; see judgeOf
}

// Prepare checks an experiment and computes its model. If ctx ends, computations of the model in later runs end, too. It
// returns an error for invalid experiments and if ctx ends.
func Prepare(ctx context.Context, x Experiment) (_ *Trials, err error) {
	defer try.Caught(&err)
	if x.Runs < 1 {
		return nil, fmt.Errorf("runs must be at least 1, got %d", x.Runs)
	}
	entry := try.Of(x.question().Suited())
	x.Algorithm = entry.Name
	x.Memory = cmp.Or(x.Memory, new(model.Memory))
	asked := x.Problem
	switch x.natural = x.Draw == nil; {
	case x.natural && problem.DrawsMeans(asked.Noise.Environment):
		tell := func(share float64) {
			if x.Progress != nil {
				x.Progress(Step{Total: x.Runs, Believing: share})
			}
		}
		x.believed = try.Of(believe(ctx, asked, x.Seed, x.Memory, tell))
		x.Problem = x.believed.unknown(asked)
		if kind := x.Options.Ridge.Kind; entry.Regression == algorithms.RegressionRidge && (kind == engine.RidgeAuto || kind == "") {
			// the choice of an unstated ξ needs rewards for norm, gaps and hardness
			x.Problem.Mean = x.believed.within(x.Problem, x.believed.average())
		}
	case x.natural:
		x.Draw = try.Of(DrawerOf(asked))
	}
	x.Workers = x.atOnce(ctx)
	ctx = cores.Share(ctx, x.Workers)
	m, _ := try.Two(x.model(ctx))
	// check the options before any run, so that wrong ones give one error
	if _, err := x.question().On(m); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Algorithm, err)
	}
	return &Trials{x: x, asked: asked, entry: entry, model: m, judge: newJudge(x, x.truth(0), entry)}, nil
}

// judgeOf returns the judge of a run.
func (t *Trials) judgeOf(run int) judge {
	if t.x.believed == nil || run == 0 {
		return t.judge
	}
	return newJudge(t.x, t.x.truth(run), t.entry)
}

// RunPart makes the runs from ≤ run < to, counted from 0. If ctx is cancelled or a run fails, it returns the finished part and the error.
// It may be called from several goroutines unless the experiment reports progress.
func (t *Trials) RunPart(ctx context.Context, from, to int) (*Part, error) {
	if from < 0 || to > t.x.Runs || from >= to {
		return nil, fmt.Errorf("an experiment of %d runs has no part from %d to %d", t.x.Runs, from, to)
	}
	totals, err := t.repeat(ctx, from, to)
	totals.explain()
	return &Part{totals}, err
}

// Result returns the result of the runs in some parts. No run may be in two parts. For parts with all runs, it equals the
// result of Run bit by bit. If parts are missing, as after an interrupt, it summarises the others. If ctx has ended, the
// comparison with the theory gets a little extra time, and the trials cannot be used further.
func (t *Trials) Result(ctx context.Context, parts ...*Part) engine.Result {
	all := newTally(0, t.x.Runs)
	for _, p := range parts {
		all.join(p.tally)
	}
	ctx, cancel := t.late(ctx)
	defer cancel()
	return t.summary(ctx, all)
}

// summaryTime is the time limit for the summary of an interrupted experiment: half of the time that an interrupt may take.
const summaryTime = 100 * time.Millisecond

// late returns the context for the summary: ctx or, if ctx has ended, a new one with a short deadline. The model then uses
// the new one.
func (t *Trials) late(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTime)
	t.model.Until(late)
	return late, cancel
}

// repeat makes the runs from ≤ run < to on several goroutines, and returns the tally of the finished runs. If a run fails,
// it ends the others and returns the error as well.
func (t *Trials) repeat(ctx context.Context, from, to int) (*tally, error) {
	x, totals := t.x, newTally(from, to)
	if x.Progress != nil {
		x.Progress(Step{Total: to - from})
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next := atomic.Int64{}
	next.Store(int64(from))
	var wg sync.WaitGroup
	var mu sync.Mutex
	for range min(x.Workers, to-from) {
		wg.Go(func() {
			for {
				run := int(next.Add(1)) - 1
				if run >= to || ctx.Err() != nil {
					return
				}
				made, err := x.one(ctx, t.entry, t.model, run)
				s := t.judgeOf(run).score(&made.outcome)
				if err != nil {
					mu.Lock()
					totals.leave(run, s, made)
					mu.Unlock()
					cancel(fmt.Errorf("%s, run %d: %w", x.Algorithm, run+1, err))
					return
				}
				mu.Lock()
				totals.add(run, s, made)
				if x.Each != nil {
					x.Each(run, &made.outcome, made.pulls)
				}
				if x.Progress != nil {
					x.Progress(Step{Done: totals.done, Total: to - from})
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil && totals.done < to-from {
		return totals, err
	}
	return totals, nil
}

// tally has what is kept of a range of runs. It does not depend on the order in which runs finished.
type tally struct {
	from       int     // number of the first run, from 0
	scores     []score // scores of the runs, starting with from
	done       int
	first      *shown                                          // first finished run
	unfinished *shown                                          // first run that was not finished but has at least one round; nil if there is none
	warnings   map[string]span                                 // warnings by kind and names
	misfits    finding[*engine.LackOfFit]                      // lack of fit of the kernel, in runs whose data reject it
	noises     finding[engine.Warning]                         // noise warnings, in runs whose data reject the noise model
	priors     finding[engine.Warning]                         // prior warnings, in runs whose data are implausible under the prior
	groups     [len(engine.GroupKinds)]finding[engine.Warning] // groups of noise scales, in the runs that used these last
	unspent    finding[string]                                 // reasons why a part of the budget was not spent
	sent       wire.Traffic
}

// warned is a warning, with the first run that has it and its position there.
type warned struct {
	Warning engine.Warning
	At      [2]int
}

// span has, of warnings that differ only in their numbers, those with the smallest and the largest numbers.
type span struct{ least, most warned }

// before reports whether w occurred before v.
func (w warned) before(v warned) bool { return slices.Compare(w.At[:], v.At[:]) < 0 }

// finding is evidence that some runs have.
type finding[T any] struct {
	first T // evidence of the first of these runs
	at    int
	runs  int
}

// take adds evidence from a number of further runs. run is the first of these runs, and first its evidence.
func (f *finding[T]) take(run int, first T, runs int) {
	if runs > 0 && (f.runs == 0 || run < f.at) {
		f.first, f.at = first, run
	}
	f.runs += runs
}

// join adds the evidence of another finding.
func (f *finding[T]) join(g finding[T]) { f.take(g.at, g.first, g.runs) }

// earlier returns the run with the smaller number. Either may be nil.
func earlier(a, b *shown) *shown {
	if a == nil || b != nil && b.Run < a.Run {
		return b
	}
	return a
}

func newTally(from, to int) *tally {
	return &tally{from: from, scores: make([]score, to-from), warnings: map[string]span{}}
}

// add records a finished run.
func (t *tally) add(run int, s score, m *made) {
	t.scores[run-t.from] = s
	t.done++
	t.first = earlier(t.first, m.shown(run, s))
	t.unspent.take(run, m.outcome.Unspent, indices.Indicator(m.outcome.Unspent != ""))
	doubted := false
	for k, w := range m.outcome.Warnings {
		if w.OfPrior() {
			if !doubted {
				t.priors.take(run, w, 1)
			}
			doubted = true
			continue
		}
		if at := slices.Index(engine.GroupKinds[:], w.Kind); at >= 0 {
			t.groups[at].take(run, w, 1)
			continue
		}
		t.warn(warned{w, [2]int{run, k}})
	}
	t.misfits.take(run, m.outcome.LackOfFit, indices.Indicator(m.outcome.LackOfFit != nil))
	if w := m.outcome.Noise; w != nil {
		t.noises.take(run, *w, 1)
	}
	t.sent.Add(m.sent)
}

// warn records a warning of a run, and updates the span of its kind and names.
func (t *tally) warn(w warned) {
	key := fmt.Sprintf("%s%q", w.Warning.Kind, w.Warning.Names)
	s, known := t.warnings[key]
	if c := slices.Compare(w.Warning.Numbers, s.least.Warning.Numbers); !known || c < 0 || c == 0 && w.before(s.least) {
		s.least = w
	}
	if c := slices.Compare(w.Warning.Numbers, s.most.Warning.Numbers); !known || c > 0 || c == 0 && w.before(s.most) {
		s.most = w
	}
	t.warnings[key] = s
}

// leave records an unfinished run, if it has a round and its number is the smallest so far.
func (t *tally) leave(run int, s score, m *made) {
	if len(m.outcome.Rounds) > 0 && (t.unfinished == nil || run < t.unfinished.Run) {
		t.unfinished = m.shown(run, s)
	}
}

// join adds the runs of another tally. The two must not have runs in common.
func (t *tally) join(p *tally) {
	copy(t.scores[p.from-t.from:], p.scores)
	t.done += p.done
	t.first, t.unfinished = earlier(t.first, p.first), earlier(t.unfinished, p.unfinished)
	for _, w := range p.warnings {
		t.warn(w.least)
		t.warn(w.most)
	}
	t.misfits.join(p.misfits)
	t.noises.join(p.noises)
	t.priors.join(p.priors)
	for k := range t.groups {
		t.groups[k].join(p.groups[k])
	}
	t.unspent.join(p.unspent)
	t.sent.Add(p.sent)
}

// finished returns the scores of the finished runs and their numbers from 1, in run order.
func (t *tally) finished() (scores []score, runs []int) {
	for k, s := range t.scores {
		if s.Done {
			scores, runs = append(scores, s), append(runs, t.from+k+1)
		}
	}
	return scores, runs
}

// byChance reports whether so many of the runs may reject a correct kernel by chance, if each test has level LackLevel.
func byChance(rejected, runs int) bool {
	tail := distuv.Binomial{N: float64(runs), P: engine.LackLevel}.Survival(float64(rejected) - 1)
	return tail > engine.LackLevel*(1+1e-9)
}

// rejected reports whether the data reject the kernel in more runs than chance explains.
func (t *tally) rejected() bool { return t.misfits.runs > 0 && !byChance(t.misfits.runs, t.done) }

// inOrder returns the warnings of the runs in order of first appearance. If warnings differ only in their numbers, it
// returns those with the smallest and the largest.
func (t *tally) inOrder() []warned {
	var out []warned
	for s := range maps.Values(t.warnings) {
		if out = append(out, s.least); slices.Compare(s.least.Warning.Numbers, s.most.Warning.Numbers) != 0 {
			out = append(out, s.most)
		}
	}
	slices.SortFunc(out, func(a, b warned) int { return slices.Compare(a.At[:], b.At[:]) })
	return out
}

// warned returns the warnings of the runs, without duplicates, in order of first appearance. Warnings about prior, noise
// and kernel follow if more runs have them than chance explains.
func (t *tally) warned() []engine.Warning {
	var out []engine.Warning
	out = append(out, lists.Map(t.inOrder(), func(w warned) engine.Warning { return w.Warning })...)
	if n := t.priors.runs; n > 0 && !byChance(n, t.done) {
		out = append(out, t.counted(t.priors))
	}
	if n := t.noises.runs; n > 0 && !byChance(n, t.done) {
		out = append(out, t.noises.first)
	}
	if t.rejected() {
		out = append(out, engine.Warning{Kind: engine.WarnLackOfFit, Numbers: []float64{float64(t.misfits.runs), float64(t.done)},
			LackOfFit: t.misfits.first})
	}
	for _, g := range t.groups {
		if g.runs > 0 {
			out = append(out, t.counted(g))
		}
	}
	return out
}

// counted returns the warning of the first of these runs, with their number and the number of all runs.
func (t *tally) counted(f finding[engine.Warning]) engine.Warning {
	w := f.first
	w.Numbers = append(slices.Clone(w.Numbers), float64(f.runs), float64(t.done))
	return w
}
