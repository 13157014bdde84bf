package sim

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// summary returns the result of the finished runs, combined in run order. If no run finished, it shows the progress of the
// first started run.
func (ts *Trials) summary(ctx context.Context, t *tally) engine.Result {
	x, entry, model := ts.x, ts.entry, ts.model
	r := algorithms.Asked(entry, x.Problem, x.Options, x.Runs)
	r.Algorithm, r.Seed = x.Algorithm, x.Seed
	scores, runs := t.finished()
	shown, sent := t.first, t.sent
	switch {
	case t.done > 0:
		r.Runs, r.Status, r.Warnings, r.Unspent = t.done, scores[0].Status, t.warned(), t.unspent.first
	case t.unfinished == nil:
		return r
	default:
		scores, shown, sent = []score{t.unfinished.Score}, t.unfinished, t.unfinished.Sent
		r.Warnings = slices.Clone(t.unfinished.Warnings)
	}
	n, p := float64(len(scores)), x.Problem
	r.SamplesPerAgent = Mean(lists.Map(scores, func(s score) float64 { return s.Samples }))
	r.SamplesTotal = r.SamplesPerAgent.Mean * float64(p.V())
	r.Rounds = float64(lists.Sum(scores, func(s score) int { return s.Rounds })) / n
	r.MaxRounds = lists.Max(scores, func(s score) int { return s.Rounds })
	r.Messages, r.Bytes = float64(sent.Messages)/n, float64(sent.Merged)/n
	r.BytesRaw, r.BytesTheta = float64(sent.Raw)/n, float64(sent.Theta)/n
	if t.done > 0 {
		ts.graded(&r, scores)
	}
	ts.first(&r, shown)
	x.compare(ctx, &r, entry, model, t)
	if x.ForecastNorm && t.done > 0 {
		r.Warnings = append(r.Warnings, x.withNorm(r, entry, model)...)
	}
	if t.done == 0 {
		r.RatioToLowerBound = 0 // the ratio of an unfinished run would look too good
	} else if x.Detail {
		r.Theory = x.theory(ctx, entry, model)
		r.Detail = x.detail(ctx, entry, model, ts.judge.lost != nil, r.Ridge, scores, runs, r.Theory)
	}
	return r
}

// graded sets the statuses and the error rates of the finished runs.
func (ts *Trials) graded(r *engine.Result, scores []score) {
	counted := func(is func(score) bool) engine.Rate { return Proportion(lists.Count(scores, is), r.Runs) }
	for _, s := range scores {
		if worse(s.Status, r.Status) {
			r.Status = s.Status
		}
		r.DecidedTasks += s.Decided
	}
	r.Undecided = counted(func(s score) bool { return s.Undecided })
	if ts.judge.lost == nil {
		return
	}
	r.Errors = counted(func(s score) bool { return s.Wrong })
	r.DecidedErrors = counted(func(s score) bool { return s.WrongDecided })
	r.TaskErrors = Shares(lists.Map(scores, func(s score) int { return s.WrongTasks }), ts.x.Problem.V())
	r.Regret = Mean(lists.Map(scores, func(s score) float64 { return s.Regret }))
	r.RelativeRegret = Mean(lists.Map(scores, func(s score) float64 { return s.Relative }))
}

// first sets what the result displays of one run, from s.
func (ts *Trials) first(r *engine.Result, s *shown) {
	r.Answers = slices.Clone(s.Answers)
	r.Trace, r.Eliminations = s.Trace, s.Eliminations
	r.Progress, r.Remaining = slices.Clone(s.Progress), s.Remaining
	if ts.entry.DividedByV {
		divideByV(r)
	}
	if ts.judge.lost == nil {
		return
	}
	r.Drawn = ts.x.believed != nil
	r.FromKernel = r.Drawn && ts.x.believed.prior != nil
	r.Sampled = ts.x.Problem.Long != nil && !r.Drawn
	r.Answers = ts.judge.marked(r.Answers)
}

// divideByV divides predicted samples by V, as algorithms.Entry.DividedByV does with the samples taken.
func divideByV(r *engine.Result) {
	agents := float64(r.Tasks)
	for v := range r.Progress {
		if s := &r.Progress[v].Samples; *s > 0 {
			*s /= agents
		}
	}
	if r.Remaining > 0 {
		r.Remaining /= agents
	}
}

// compare sets ridge, lower bound and guarantee. It adds warnings if the runs contradict these, or are too few.
func (x Experiment) compare(ctx context.Context, r *engine.Result, entry algorithms.Entry, model *model.Model, t *tally) {
	terms, _ := model.Terms(x.Mode, x.Options) // the error is nil, since the runs used the same options
	if entry.Regularised() {
		if ridge, err := model.Designs().Ridge(x.Mode, terms); err == nil {
			r.Ridge = ridge
		}
	}
	if x.believed != nil && x.Problem.Mean != nil {
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnRidgeBelieved})
	}
	x.bounded(ctx, r, entry, model, terms)
	basis := algorithms.Basis{Model: model, Options: x.Options, Algorithm: entry, Result: *r, Rejected: t.rejected()}
	if x.believed == nil { // rewards drawn from a posterior have unknown true means, as in an experiment
		basis.Truth = &algorithms.Truth{Drawn: x.natural}
	}
	r.Standing, r.Guarantee = basis.Guarantee()
	r.Regime = basis.Regime()
	r.Warnings = append(r.Warnings, ofProblem(x.Problem, entry)...)
	if x.believed == nil { // otherwise the noise scales come from the same data as the check
		r.Warnings = append(r.Warnings, understated(x.Problem)...)
	}
	if p := x.Problem; entry.Backing == algorithms.BackingNormal && p.Noise.Environment == problem.EnvironmentResampled {
		if w := engine.SkewWarning(p, x.Options, p.Rewards, false); w != nil {
			r.Warnings = append(r.Warnings, *w)
		}
	}
	r.Warnings = append(r.Warnings, entry.UnusedWarnings(x.Problem, x.Options)...)
	if x.natural {
		r.Warnings = append(r.Warnings, engine.NoiseWarnings(x.Problem)...)
	}
	r.Warnings = append(r.Warnings, x.inert(*r, entry, model, terms)...)
}

// bounded sets NormBound. With fixed confidence it also sets the lower bound, and adds the warning about errors and delta.
func (x Experiment) bounded(ctx context.Context, r *engine.Result, entry algorithms.Entry, m *model.Model, terms model.Terms) {
	r.NormBound = x.Options.Norm * m.Unit
	if x.Mode == engine.ModeFC {
		x.bound(ctx, r, entry, m, terms)
		r.Warnings = append(r.Warnings, doubt(r.Errors, r.Delta)...)
	}
}

// ofProblem returns warnings about free kernel parameters, and about blocks that the algorithm ignores.
func ofProblem(p *problem.Problem, entry algorithms.Entry) (out []engine.Warning) {
	if free, err := p.Kernel.Free(); err == nil && len(free) > 0 {
		out = append(out, engine.Warning{Kind: engine.WarnFree})
	}
	if entry.Arranges(p) != nil {
		out = append(out, engine.Warning{Kind: engine.WarnBlocks, Names: []string{p.Block.Name, entry.Name}})
	}
	return out
}

// inert returns a warning if the kernel has full rank, so that agents cannot learn from each other's data. It returns no
// warning if the algorithm already has one or uses a bound on the norm.
func (x Experiment) inert(r engine.Result, entry algorithms.Entry, m *model.Model, terms model.Terms) []engine.Warning {
	if _, bounded := entry.BoundOf(m, terms); bounded {
		return nil
	}
	if unshared(r) || r.Mode != engine.ModeFC || !entry.Shares || !entry.Proven() || m.Problem.V() == 1 {
		return nil
	}
	return m.Relations().KernelWarnings()
}

// unshared reports whether the result warns that agents or arms did not share.
func unshared(r engine.Result) bool {
	return slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool {
		return w.Kind == engine.WarnTestsAlone || w.Kind == engine.WarnTestsAloneMany || w.Kind == engine.WarnTestsMeans
	})
}

// withNorm forecasts the samples of a result that did not share, if it had used the norm of the true means, rounded up to
// two digits. It returns nothing if the true means are unknown or there are more than forecastArms arms.
func (x Experiment) withNorm(r engine.Result, entry algorithms.Entry, m *model.Model) []engine.Warning {
	if !unshared(r) || x.believed != nil || x.Problem.Mean == nil || x.Options.Norm > 0 || x.Problem.N() > forecastArms {
		return nil
	}
	norm, err := m.Truth().Norm()
	if err != nil || norm == 0 {
		return nil
	}
	digit := math.Pow(10, math.Floor(math.Log10(norm))-1)
	opt := x.Options
	opt.Norm = math.Ceil(norm/digit) * digit
	terms, err := m.Terms(x.Mode, opt)
	if err != nil {
		return nil
	}
	total, used := entry.ForecastNorm(m, terms)
	if !used { // with so few dimensions the test ignores the norm
		return nil
	}
	with, without := total/float64(m.Problem.V()), r.SamplesPerAgent.Mean
	kind := engine.WarnNormWould
	if 2*with > without { // runs need up to twice the forecast
		kind = engine.WarnNormWouldNot
	}
	return []engine.Warning{{Kind: kind, Numbers: []float64{opt.Norm, with, without}}}
}

// Measures by which algorithms are compared.
const (
	MeasureSamples = "samples" // per agent
	MeasureError   = "error"   // fraction of runs with a wrong task
	MeasureRounds  = "rounds"
	MeasureRegret  = "regret" // reward units
)

// Measures returns all measures.
func Measures() []string { return []string{MeasureSamples, MeasureError, MeasureRounds, MeasureRegret} }

// sample has the values of a measure in the runs of one algorithm, or only a summary of them.
type sample struct {
	runs           int
	mean, variance float64     // mean, and variance of the mean; variance 0 for one run
	count          int         // number of wrong runs, for MeasureError
	proportion     bool        // whether values are 0 or 1, as for MeasureError
	values         []float64   // value of each run; nil if only the summary is known
	ids            [][2]uint64 // seed and number of each run
}

// sampleOf returns the values of a measure in results that differ only in the seed. It returns an error if the measure is
// unknown or a result lacks it.
func sampleOf(measure string, results ...engine.Result) (sample, error) {
	if !slices.Contains(Measures(), measure) {
		return sample{}, fmt.Errorf("the measure must be one of %s, got %q", quoted(Measures()), measure)
	}
	if len(results) == 0 {
		return sample{}, fmt.Errorf("no results are given")
	}
	s := sample{proportion: measure == MeasureError}
	for _, r := range results {
		switch {
		case r.Runs == 0:
			return s, fmt.Errorf("%s has no finished run", r.Algorithm)
		case (measure == MeasureError || measure == MeasureRegret) && r.Errors.Runs == 0:
			return s, fmt.Errorf("the %s of %s is unknown, because problem %q has no expected rewards", measure, r.Algorithm, r.Problem)
		case r.Detail == nil && len(results) == 1:
			return s.fromSummary(measure, r)
		case r.Detail == nil:
			return s, fmt.Errorf("%s was run with several seeds, but its single runs were not kept. So they cannot be pooled", r.Algorithm)
		}
		s.values = append(s.values, measured(measure, r.Detail)...)
		s.ids = append(s.ids, lists.Map(r.Detail.Run, func(run int) [2]uint64 { return [2]uint64{r.Seed, uint64(run)} })...)
		s.count += r.Errors.Count
	}
	s.runs = len(s.values)
	s.mean = stat.Mean(s.values, nil)
	if s.runs > 1 {
		s.variance = stat.Variance(s.values, nil) / float64(s.runs)
	}
	return s, nil
}

// fromSummary returns a sample without values of single runs, from the summary of a result. It computes the variance of
// the mean from its interval.
func (s sample) fromSummary(measure string, r engine.Result) (sample, error) {
	s.runs = r.Runs
	i := r.SamplesPerAgent
	switch measure {
	case MeasureRounds:
		return s, fmt.Errorf("the rounds of the single runs of %s were not kept", r.Algorithm)
	case MeasureError:
		s.count, s.mean = r.Errors.Count, r.Errors.Rate
		return s, nil
	case MeasureRegret:
		i = r.Regret
	}
	s.mean = i.Mean
	if s.runs > 1 {
		se := (i.CI95[1] - i.CI95[0]) / 2 / student(0.05, float64(s.runs-1))
		s.variance = se * se
	}
	return s, nil
}

// measured returns the value of the measure for each run.
func measured(measure string, d *engine.Detail) []float64 {
	return lists.Make(len(d.Run), func(k int) float64 {
		switch measure {
		case MeasureSamples:
			return d.Samples[k]
		case MeasureError:
			return float64(indices.Indicator(d.Wrong[k]))
		case MeasureRounds:
			return float64(d.Rounds[k])
		}
		return d.Regret[k]
	})
}

// student returns the quantile of Student's t that both tails together exceed with probability alpha.
func student(alpha, freedom float64) float64 {
	return distuv.StudentsT{Sigma: 1, Nu: freedom}.Quantile(1 - alpha/2)
}

// normal95 is the 97.5 % quantile of the standard normal distribution.
var normal95 = distuv.UnitNormal.Quantile(0.975)

// Mean returns the mean with its 95 % interval by Student's t over the values. For one value, or none, both ends equal the mean.
func Mean(values []float64) engine.Interval {
	if len(values) == 0 {
		return engine.Interval{}
	}
	mean, sd := stat.MeanStdDev(values, nil)
	if len(values) == 1 {
		return engine.Interval{Mean: mean, CI95: [2]float64{mean, mean}}
	}
	n := float64(len(values))
	half := distuv.StudentsT{Sigma: 1, Nu: n - 1}.Quantile(0.975) * sd / math.Sqrt(n)
	return engine.Interval{Mean: mean, CI95: [2]float64{mean - half, mean + half}}
}

// Proportion returns count/runs with its 95 % interval [Wilson 1927].
func Proportion(count, runs int) engine.Rate {
	if runs == 0 {
		return engine.Rate{}
	}
	p := float64(count) / float64(runs)
	return engine.Rate{Count: count, Runs: runs, Rate: p, CI95: wilson(p, float64(runs))}
}

// Shares returns the error rate over all (run, task) pairs, from the number of wrong tasks of each run. Its 95 % interval
// treats runs as clusters, because errors of tasks in a run may be correlated. It is Wilson's interval at the effective
// number of pairs [Korn and Graubard 1998; Dean and Pagano 2015]. That is the number of independent pairs that gives the
// observed variance between runs, but at least the number of runs and at most the number of pairs. For the variance, two
// runs are added, one in which all tasks are wrong and one in which none is, as in [Agresti and Caffo 2000]. So fractions
// that are all 0 or 1 have the interval of Proportion, and few wrong runs do not count as independent tasks.
func Shares(wrong []int, tasks int) engine.Rate {
	if len(wrong) == 0 || tasks == 0 {
		return engine.Rate{}
	}
	runs, count := float64(len(wrong)), 0
	sum, square := 1., 1.
	for _, w := range wrong {
		y := float64(w) / float64(tasks)
		count += w
		sum, square = sum+y, square+y*y
	}
	mean := sum / (runs + 2)
	variance := square/(runs+2) - mean*mean
	effective := min(max(runs, runs*mean*(1-mean)/variance), runs*float64(tasks))
	p := float64(count) / (runs * float64(tasks))
	return engine.Rate{Count: count, Runs: len(wrong) * tasks, Rate: p, CI95: wilson(p, effective)}
}

// wilson returns the 95 % interval of a relative frequency p of n trials.
func wilson(p, n float64) [2]float64 {
	z := normal95
	centre := (p + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	interval := [2]float64{centre - half, centre + half}
	if p == 0 {
		interval[0] = 0 // exactly 0: rounding would give 1e-19
	}
	if p == 1 {
		interval[1] = 1
	}
	return interval
}
