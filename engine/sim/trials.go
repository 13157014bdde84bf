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
)

// Trials is an experiment that is ready to be run, in parts and in several places: its problem is bound
// to the kernel. Run makes all of it in one place.
type Trials struct {
	x     Experiment
	asked *problem.Problem // of the experiment, before x has what its runs know of it
	entry algorithms.Entry
	model *model.Model
	judge judge // of the first run; see judgeOf
}

// Prepare checks an experiment and makes it ready. The context also ends what the model computes in
// later runs.
func Prepare(ctx context.Context, x Experiment) (*Trials, error) {
	if x.Runs < 1 {
		return nil, fmt.Errorf("runs must be at least 1, got %d", x.Runs)
	}
	entry, err := x.question().Suited()
	if err != nil {
		return nil, err
	}
	x.Algorithm = entry.Name
	x.Memory = cmp.Or(x.Memory, new(model.Memory))
	asked := x.Problem
	switch x.natural = x.Draw == nil; {
	case x.natural && asked.Noise.Environment == problem.EnvironmentPosterior:
		tell := func(share float64) {
			if x.Progress != nil {
				x.Progress(Step{Total: x.Runs, Believing: share})
			}
		}
		if x.believed, err = believe(ctx, asked, x.Memory, tell); err != nil {
			return nil, err
		}
		x.Problem = x.believed.unknown(asked)
		if kind := x.Options.Ridge.Kind; entry.Regression == algorithms.RegressionRidge && (kind == engine.RidgeAuto || kind == "") {
			// norm, gaps and hardness, by which ξ is chosen where nobody states it
			x.Problem.Mean = x.believed.average()
		}
	case x.natural:
		if x.Draw, err = DrawerOf(asked); err != nil {
			return nil, err
		}
	}
	x.Workers = x.atOnce(ctx)
	ctx = cores.Share(ctx, x.Workers)
	m, _, err := x.model(ctx)
	if err != nil {
		return nil, err
	}
	// before any run: wrong options fail once
	if _, err := x.question().On(m); err != nil {
		return nil, fmt.Errorf("%s: %w", x.Algorithm, err)
	}
	return &Trials{x: x, asked: asked, entry: entry, model: m, judge: newJudge(x, x.truth(0), entry)}, nil
}

// Experiment returns what was prepared.
func (t *Trials) Experiment() Experiment {
	x := t.x
	x.Problem = t.asked
	return x
}

// judgeOf returns the judge of a run.
func (t *Trials) judgeOf(run int) judge {
	if t.x.believed == nil || run == 0 {
		return t.judge
	}
	return newJudge(t.x, t.x.truth(run), t.entry)
}

// Key returns the key by which a Store finds the result. It is an error where the experiment has a
// Draw of its own.
func (t *Trials) Key(ctx context.Context) (string, error) {
	x := t.Experiment()
	if x.natural {
		x.Draw = nil
	}
	return x.keyOf(ctx, t.model)
}

// RunPart makes the runs from one to another, from included and to not, counted from 0. When the
// context is cancelled, or a run fails, the finished part comes with the error. It may be
// called from several goroutines, unless the experiment reports its progress.
func (t *Trials) RunPart(ctx context.Context, from, to int) (*Part, error) {
	if from < 0 || to > t.x.Runs || from >= to {
		return nil, fmt.Errorf("an experiment of %d runs has no part from %d to %d", t.x.Runs, from, to)
	}
	totals, err := t.repeat(ctx, from, to)
	totals.explain()
	return &Part{totals}, err
}

// Result returns the summary of the runs of some parts, in whatever order they come: of all runs it is
// the result of Run, bit by bit. Parts that are missing leave the summary of the parts that are there, as
// after an interrupt. The same part twice counts once; it is an error where two parts share some of
// their runs only. After the end of the context the comparison with the theory gets a little extra
// time, and the trials are then used up.
func (t *Trials) Result(ctx context.Context, parts ...*Part) (engine.Result, error) {
	all, err := joined(t.x.Runs, parts)
	if err != nil {
		return engine.Result{}, err
	}
	ctx, cancel := t.late(ctx)
	defer cancel()
	return t.summary(ctx, all), nil
}

// summaryTime limits the summary of an interrupted experiment: half of the time that an interrupt may take.
const summaryTime = 100 * time.Millisecond

// late returns the context of the summary: after an interrupt one that has not ended yet, to which
// the model goes over.
func (t *Trials) late(ctx context.Context) (context.Context, context.CancelFunc) {
	if ctx.Err() == nil {
		return ctx, func() {}
	}
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), summaryTime)
	t.model.Until(late)
	return late, cancel
}

// repeat makes the runs on the workers and tallies those that finish.
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

// tally holds what is kept of some runs of an experiment, from one to another. It is the same
// whatever the order in which they finished.
type tally struct {
	from       int     // number of the first of the runs, from 0
	scores     []score // of the runs from there
	done       int
	first      *shown                     // of the finished runs
	unfinished *shown                     // of the runs that were left unfinished after some round, the first; nil without
	warnings   map[string]span            // by kind and names
	misfits    finding[*engine.LackOfFit] // of runs whose data speak against the kernel
	noises     finding[engine.Warning]    // of runs whose data speak against the assumed noise
	priors     finding[engine.Warning]    // of runs whose data are not credible under their prior
	unspent    finding[string]            // why runs left pulls of a budget
	sent       wire.Traffic
}

// warned is a warning of the runs, with the run and the place in it where it came first.
type warned struct {
	Warning engine.Warning
	At      [2]int
}

// span holds, of warnings that differ in their numbers alone, the least and the largest.
type span struct{ least, most warned }

// before reports whether the warning came earlier than another.
func (w warned) before(v warned) bool { return slices.Compare(w.At[:], v.At[:]) < 0 }

// finding is something that was found in some runs.
type finding[T any] struct {
	first T // of the first of them
	at    int
	runs  int
}

// take adds what was found in more runs; run is the first.
func (f *finding[T]) take(run int, first T, runs int) {
	if runs > 0 && (f.runs == 0 || run < f.at) {
		f.first, f.at = first, run
	}
	f.runs += runs
}

// join adds what was found in other runs.
func (f *finding[T]) join(g finding[T]) { f.take(g.at, g.first, g.runs) }

// earlier returns the one of two runs that came first; either may be nil.
func earlier(a, b *shown) *shown {
	if a == nil || b != nil && b.Run < a.Run {
		return b
	}
	return a
}

func newTally(from, to int) *tally {
	return &tally{from: from, scores: make([]score, to-from), warnings: map[string]span{}}
}

// add takes a finished run.
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
		t.warn(warned{w, [2]int{run, k}})
	}
	t.misfits.take(run, m.outcome.LackOfFit, indices.Indicator(m.outcome.LackOfFit != nil))
	if w := m.outcome.Noise; w != nil {
		t.noises.take(run, *w, 1)
	}
	t.sent.Add(m.sent)
}

// warn takes a warning of a run.
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

// leave takes a run that was not finished.
func (t *tally) leave(run int, s score, m *made) {
	if len(m.outcome.Rounds) > 0 && (t.unfinished == nil || run < t.unfinished.Run) {
		t.unfinished = m.shown(run, s)
	}
}

// join takes the runs of another tally, all new to this one.
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
	t.unspent.join(p.unspent)
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
func (t *tally) rejected() bool { return t.misfits.runs > 0 && !byChance(t.misfits.runs, t.done) }

// inOrder returns the warnings of the runs by first appearance: of warnings that differ in their numbers alone
// two at most, which is the range.
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

// warned returns what the runs warned of, each once, by first appearance, and then what
// speaks against the kernel.
func (t *tally) warned() []engine.Warning {
	var out []engine.Warning
	out = append(out, lists.Map(t.inOrder(), func(w warned) engine.Warning { return w.Warning })...)
	if n := t.priors.runs; n > 0 && !byChance(n, t.done) {
		w := t.priors.first
		w.Numbers = append(slices.Clone(w.Numbers), float64(n), float64(t.done))
		out = append(out, w)
	}
	if n := t.noises.runs; n > 0 && !byChance(n, t.done) {
		out = append(out, t.noises.first)
	}
	if t.rejected() {
		out = append(out, engine.Warning{Kind: engine.WarnLackOfFit, Numbers: []float64{float64(t.misfits.runs), float64(t.done)},
			LackOfFit: t.misfits.first})
	}
	return out
}
