package bayes

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// posteriorOf returns the Gaussian-process posterior in its textbook form [RW06, eq. 2.23 and 2.24]
// with the kernel as prior covariance: means and covariance of all arms, reward units.
func posteriorOf(t *testing.T, p *problem.Problem, counts []int, means []float64) (mean []float64, covariance *mat.Dense) {
	t.Helper()
	gram := try.Of(p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf))
	n := p.N()
	k := mat.NewDense(n, n, nil)
	var seen []int
	for i := range n {
		gram.Row(k.RawRowView(i), i)
		if counts[i] > 0 {
			seen = append(seen, i)
		}
	}
	cross, inner, y := mat.NewDense(n, len(seen), nil), mat.NewDense(len(seen), len(seen), nil), mat.NewVecDense(len(seen), nil)
	for a, i := range seen {
		for j := range n {
			cross.Set(j, a, k.At(j, i))
		}
		for b, j := range seen {
			inner.Set(a, b, k.At(i, j))
		}
		inner.Set(a, a, inner.At(a, a)+p.Noise.Scales[i]*p.Noise.Scales[i]/float64(counts[i]))
		y.SetVec(a, means[i])
	}
	var solved, gain mat.Dense
	try.To(solved.Solve(inner, cross.T()))
	var m mat.VecDense
	m.MulVec(solved.T(), y)
	gain.Mul(cross, &solved)
	k.Sub(k, &gain)
	return m.RawVector().Data, k
}

// The rule stops by the posterior of the textbook, the easiest tasks first, as long as what all closed tasks may be
// wrong with is within their share of δ, and not before.
func TestCoBayesIsThePosterior(t *testing.T) {
	all := enginetest.Instances(t)
	if !testing.Short() {
		all = append(all, many(t, 300))
	}
	for _, p := range all {
		m := plain.ModelOf(t, p)
		const delta, epsilon = 0.1, 0.05
		alg := try.Of(plain.On(engine.ModeFC, NewCoBayesFC)(m, engine.Options{Delta: delta, Epsilon: epsilon, Level: engine.Level{Known: true}, Scale: 1}))
		a := alg.(*coBayes)
		rng := rand.New(rand.NewPCG(5, 5))
		for r := 1; r <= 12 && !a.Done(); r++ {
			open := model.Contrasting(a.Sets)
			plan := try.Of(a.Plan(t.Context()))
			try.To(a.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
			means := make([]float64, p.N())
			for i, c := range a.Counts {
				if c > 0 {
					means[i] = a.Sums[i] / float64(c)
				}
			}
			mean, cov := posteriorOf(t, p, a.Counts, means)
			for _, set := range open {
				for _, i := range set {
					if math.Abs(mean[i]-a.estimates[i]*m.Unit) > 1e-8 {
						t.Fatalf("%s, round %d: posterior mean %g of arm %d, want %g", p.Name, r, a.estimates[i]*m.Unit, i, mean[i])
					}
				}
				first := rounds.Leader(set, mean)
				v := p.TaskOf[first]
				if want, got := chanceOf(set, first, mean, cov, epsilon), a.tasks[v].risk; math.Abs(got-want) > 1e-6*want+1e-9 {
					t.Errorf("%s, round %d, task %d: a risk of %g, want %g", p.Name, r, v, got, want)
				}
				if len(a.Sets[v]) == 1 && a.Sets[v][0] != first {
					t.Errorf("%s, round %d, task %d: the answer is not the leader", p.Name, r, v)
				}
			}
			closed, used, least := 0., 0., math.Inf(1)
			for v, set := range a.Sets {
				used += a.spent[v]
				if len(set) == 1 {
					closed++
				} else {
					least = min(least, a.tasks[v].risk)
					if h := a.Hardest(v); (h.Statistic < h.Threshold) != (a.tasks[v].risk > a.share()) {
						t.Errorf("%s, round %d, task %d: evidence %g of %g at a risk of %g, of %g", p.Name, r, v, h.Statistic, h.Threshold,
							a.tasks[v].risk, a.share())
					}
				}
			}
			if each := delta / float64(p.V()); used > closed*each*(1+1e-9) || used+least <= (closed+1)*each {
				t.Errorf("%s, round %d: %g tasks closed at %g, the least risk open is %g, of %g each", p.Name, r, closed, used, least, each)
			}
		}
	}
}

// chanceOf returns the sum over the other arms of a set of the probability that the arm exceeds the first by more than epsilon.
func chanceOf(set []int, first int, mean []float64, covariance *mat.Dense, epsilon float64) (sum float64) {
	for _, i := range set {
		if i != first {
			sd := math.Sqrt(covariance.At(i, i) - 2*covariance.At(i, first) + covariance.At(first, first))
			sum += distuv.UnitNormal.Survival((mean[first] - mean[i] + epsilon) / sd)
		}
	}
	return min(1, sum)
}

// The forecast covariances equal the covariances after the pulls.
func TestForesight(t *testing.T) {
	for _, p := range append(enginetest.Instances(t), many(t, 300)) {
		m := plain.ModelOf(t, p)
		counts, pulls := make([]int, p.N()), []int{0, p.N() - 1, 2, 0}
		for i := range counts {
			if counts[i] = 1 + i%3; m.Many() && i%9 > 0 {
				counts[i] = 0
			}
		}
		posterior := func() *model.Estimator {
			total := 0
			for _, c := range counts {
				total += c
			}
			if m.Many() { // on the arms pulled
				post := try.Of(model.NewPosterior(m, model.Prior{Level: engine.Level{Known: true}, Scale: 1}, counts, make([]float64, p.N())))
				return post.Estimator
			}
			return try.Of(model.NewEstimator(m, m.Designs().GpRidge(total), counts))
		}
		f := &foresight{posterior: posterior(), precision: m.Precision}
		var watched []*outlook
		for _, set := range p.Groups() {
			watched = append(watched, f.watch(set, set[0], 10, known, apartFrom(t, f.posterior, set)))
		}
		for k, i := range pulls {
			o := watched[p.TaskOf[i]]
			o.update()
			o.pull(slices.Index(o.arms, i), k+1)
			counts[i] += k + 1
		}
		after := posterior()
		for _, o := range watched {
			o.update()
			for l, j := range o.arms {
				column := o.column(l)
				for k, i := range o.arms {
					foreseen := o.own[k] + o.own[l] - 2*column[k]
					if got := after.Variance(i, j); math.Abs(got-foreseen) > 1e-9*(1+got) {
						t.Fatalf("%s: variance of arms %d and %d is %g, foreseen %g", p.Name, i, j, got, foreseen)
					}
				}
			}
		}
	}
}

// apartFrom returns the variances of arms from the first of them.
func apartFrom(t *testing.T, e *model.Estimator, arms []int) []float64 {
	t.Helper()
	out := make([]float64, len(arms))
	try.To(e.VariancesFrom(out, arms, arms[0]))
	return out
}

// On instances that are drawn from the prior, errors are at most δ: there the posterior is right.
// So they are where level and scale are learned, on instances of any level and scale. Rewards stay
// what they are in the stated units of noise, known or not.
func TestCoBayesUnderItsPrior(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	const delta = 0.2
	features := plain.ModelOf(t, enginetest.Paper(t, 2, 0.8)) // which no instance changes
	const runs = 150.0
	rows := []struct {
		name         string
		unknown      string
		opt          engine.Options
		level, scale float64
	}{
		{"level and scale stated", "", engine.Options{Level: engine.Level{Known: true}, Scale: 1}, 0, 1},
		{"and noise unknown", problem.UnknownTask, engine.Options{Level: engine.Level{Known: true}, Scale: 1}, 0, 1},
		{"level unknown", "", engine.Options{Scale: 1}, 45, 1},
		{"level and scale learned", "", engine.Options{}, 45, 1},
		{"from a kernel 3 times too small", "", engine.Options{}, 45, 3},
		{"from a kernel 3 times too large", "", engine.Options{}, -7, 1. / 3},
		{"and noise unknown", problem.UnknownTask, engine.Options{}, 45, 1},
	}
	for _, row := range rows {
		wrong, doubted, samples := 0, 0, 0
		for seed := range uint64(runs) {
			p := enginetest.Paper(t, 2, 0.8)
			p.Noise.UnknownBy = row.unknown
			rng := rand.New(rand.NewPCG(seed, 9))
			theta := make([]float64, features.Rank())
			for k := range theta {
				theta[k] = math.Sqrt(row.scale) * rng.NormFloat64()
			}
			mean := make([]float64, p.N())
			for i := range mean {
				mean[i] = row.level + floats.Dot(features.Features.RawRowView(i), theta)
			}
			p.Mean = mean
			m := plain.ModelOf(t, p)
			opt := row.opt
			opt.Delta, opt.Epsilon = delta, 0.3*math.Sqrt(row.scale)
			alg, err := plain.On(engine.ModeFC, NewCoBayesFC)(m, opt)
			if err != nil {
				t.Fatal(err)
			}
			out, err := engine.Run(t.Context(), alg, enginetest.EnvironmentFunc(func(plan engine.Plan) engine.Batch {
				return enginetest.SquaresPull(rng, p, p.Noise.Scales, plan)
			}), engine.Options{})
			if err != nil || out.Status != engine.StatusDecided {
				t.Fatalf("%s: %s, %v", row.name, out.Status, err)
			}
			samples += out.Samples
			if slices.ContainsFunc(out.Warnings, engine.Warning.OfPrior) {
				doubted++
			}
			bad := false
			for v, set := range p.Groups() {
				best, got := math.Inf(-1), math.NaN()
				for _, i := range set {
					best = max(best, mean[i])
					if p.Arms.Names[i] == out.Answers[v].Arm {
						got = mean[i]
					}
				}
				bad = bad || !(best-got <= opt.Epsilon)
			}
			if bad {
				wrong++
			}
		}
		// 3.1 standard deviations above δ: exceeded with probability 0.001 at error rate δ.
		if limit := delta*runs + 3.1*math.Sqrt(runs*delta*(1-delta)); float64(wrong) > limit {
			t.Errorf("%s: %d of %g runs wrong, at most %.0f expected", row.name, wrong, runs, limit)
		}
		if wrong == 0 {
			t.Errorf("%s: no run of %g is wrong: the rule does not stop as early as delta = %g allows", row.name, runs, delta)
		}
		// The same of the check of the prior, which errs with probability LackLevel.
		if limit := engine.LackLevel*runs + 3.1*math.Sqrt(runs*engine.LackLevel); float64(doubted) > limit {
			t.Errorf("%s: %d of %g runs doubt a prior that is right, at most %.0f expected", row.name, doubted, runs, limit)
		}
		t.Logf("%s: %d of %g runs wrong, %d doubt the prior, %.1f samples", row.name, wrong, runs, doubted, float64(samples)/runs)
	}
}

// A level or a scale that is stated and wrong is reported after the first round, with what it is
// and what to do; a level and a scale that are learned are not. The rewards are measured: nothing
// is known of their means.
func TestWrongPriorIsDoubted(t *testing.T) {
	for _, row := range []struct {
		opt  engine.Options
		kind engine.WarningKind
	}{
		{engine.Options{Level: engine.Level{Known: true}, Scale: 1}, engine.WarnPriorLevel},
		{engine.Options{Level: engine.Level{Known: true, Value: 45}, Scale: 0.01}, engine.WarnPriorLevel},
		{engine.Options{Scale: 0.01}, engine.WarnPriorScale},
		{engine.Options{}, ""},
		{engine.Options{Level: engine.Level{Known: true, Value: 45}}, ""},
	} {
		p := enginetest.Paper(t, 2, 0.8)
		for i := range p.Mean {
			p.Mean[i] = 45 + 10*p.Mean[i]
		}
		measured := *p
		measured.Mean = nil
		a := try.Of(plain.On(engine.ModeFC, NewCoBayesFC)(plain.ModelOf(t, &measured), row.opt))
		rng := rand.New(rand.NewPCG(1, 1))
		plan := try.Of(a.Plan(t.Context()))
		try.To(a.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
		var got engine.WarningKind
		for _, w := range a.State().Warnings {
			if w.OfPrior() {
				got = w.Kind
				t.Log(w)
			}
		}
		if got != row.kind {
			t.Errorf("%+v: warning %q, want %q", row.opt, got, row.kind)
		}
	}
}
