package engine

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// posteriorOf is the Gaussian-process posterior in its textbook form [RW06, eq. 2.23 and 2.24]
// with the kernel as prior covariance: means and covariance of all arms, reward units.
func posteriorOf(t *testing.T, p *Problem, counts []int, means []float64) (mean []float64, covariance *mat.Dense) {
	t.Helper()
	gram, err := p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := solved.Solve(inner, cross.T()); err != nil {
		t.Fatal(err)
	}
	var m mat.VecDense
	m.MulVec(solved.T(), y)
	gain.Mul(cross, &solved)
	k.Sub(k, &gain)
	return m.RawVector().Data, k
}

// The rule stops by the posterior of the textbook, task by task at δ/V, and not before.
func TestCoBayesIsThePosterior(t *testing.T) {
	for _, p := range instances(t) {
		m := model(t, p)
		const delta, epsilon = 0.1, 0.05
		alg, err := NewCoBayesFC(m, Options{Delta: delta, Epsilon: epsilon})
		if err != nil {
			t.Fatal(err)
		}
		a := alg.(*coBayes)
		rng := rand.New(rand.NewPCG(5, 5))
		for r := 1; r <= 12 && !a.Done(); r++ {
			open := contrasting(a.alive)
			plan, err := a.Plan()
			if err != nil {
				t.Fatal(err)
			}
			if err := a.Learn(pull(rng, p, plan)); err != nil {
				t.Fatal(err)
			}
			means := make([]float64, p.N())
			for i, c := range a.counts {
				if c > 0 {
					means[i] = a.sums[i] / float64(c)
				}
			}
			mean, cov := posteriorOf(t, p, a.counts, means)
			for _, set := range open {
				first, risk := leader(set, mean), 0.0
				for _, i := range set {
					if math.Abs(mean[i]-a.estimates[i]*m.Unit) > 1e-8 {
						t.Fatalf("%s, round %d: posterior mean %g of arm %d, want %g", p.Name, r, a.estimates[i]*m.Unit, i, mean[i])
					}
					if sd := math.Sqrt(cov.At(i, i) + cov.At(first, first) - 2*cov.At(i, first)); i != first {
						risk += 0.5 * math.Erfc((epsilon-mean[i]+mean[first])/(sd*math.Sqrt2))
					}
				}
				v := p.TaskOf[first]
				if closed := len(a.alive[v]) == 1; closed != (risk <= delta/float64(p.V())) || closed && a.alive[v][0] != first {
					t.Errorf("%s, round %d, task %d: closed is %v at a risk of %g", p.Name, r, v, closed, risk)
				}
			}
		}
	}
}

// What is foreseen of the covariances is what they are when the pulls have been made.
func TestForesight(t *testing.T) {
	for _, p := range instances(t) {
		m := model(t, p)
		counts, pulls := make([]int, p.N()), []int{0, p.N() - 1, 2, 0}
		for i := range counts {
			counts[i] = 1 + i%3
		}
		posterior := func() *Estimator {
			total := 0
			for _, c := range counts {
				total += c
			}
			e, err := NewEstimator(m, m.gpRidge(total), counts)
			if err != nil {
				t.Fatal(err)
			}
			return e
		}
		f := newForesight(posterior(), m.Precision)
		var watched []*outlook
		for _, set := range p.Groups() {
			watched = append(watched, f.watch(set, set[0], 10, math.Inf(1)))
		}
		for k, i := range pulls {
			f.pull(i, k+1)
			counts[i] += k + 1
		}
		after := posterior()
		for _, o := range watched {
			for k, i := range o.arms {
				for l, j := range o.arms {
					foreseen := o.covariance[k][k] + o.covariance[l][l] - 2*o.covariance[k][l]
					if got := after.Variance(i, j); math.Abs(got-foreseen) > 1e-9*(1+got) {
						t.Fatalf("%s: variance of arms %d and %d is %g, foreseen %g", p.Name, i, j, got, foreseen)
					}
				}
			}
		}
	}
}

// On instances that are drawn from the prior, errors are at most δ: there the
// posterior is right. Rewards stay what they are in the stated units of noise, known or not.
func TestCoBayesUnderItsPrior(t *testing.T) {
	const delta, runs = 0.2, 400
	for _, unknown := range []string{"", UnknownTask} {
		wrong := 0
		for seed := range uint64(runs) {
			p := paper(t, 2, 0.8)
			p.Noise.UnknownBy = unknown
			m := model(t, p)
			rng := rand.New(rand.NewPCG(seed, 9))
			theta := make([]float64, m.Rank())
			for k := range theta {
				theta[k] = rng.NormFloat64()
			}
			mean := make([]float64, p.N())
			for i := range mean {
				mean[i] = dot(m.Features.RawRowView(i), theta)
			}
			p.Mean = mean
			m = model(t, p)
			alg, err := NewCoBayesFC(m, Options{Delta: delta, Epsilon: 0.3})
			if err != nil {
				t.Fatal(err)
			}
			out, err := Run(t.Context(), alg, environmentFunc(func(plan Plan) Batch {
				return spreadPull(rng, p, p.Noise.Scales, plan)
			}), Options{})
			if err != nil || out.Status != StatusDecided {
				t.Fatalf("%q: %s, %v", unknown, out.Status, err)
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
				bad = bad || !(best-got <= 0.3)
			}
			if bad {
				wrong++
			}
		}
		// 3.1 standard deviations above δ: exceeded with probability 0.001 at error rate δ.
		if limit := delta*runs + 3.1*math.Sqrt(runs*delta*(1-delta)); float64(wrong) > limit {
			t.Errorf("noise %q: %d of %d runs wrong, at most %.0f expected", unknown, wrong, runs, limit)
		}
		if wrong == 0 {
			t.Errorf("noise %q: no run of %d is wrong: the rule does not stop as early as delta = %g allows", unknown, runs, delta)
		}
		t.Logf("noise %q: %d of %d runs wrong", unknown, wrong, runs)
	}
}
