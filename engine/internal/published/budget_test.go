package published

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// ofPapers is the prior of the papers: the kernel itself, around 0.
var ofPapers = engine.Options{Budget: 25, Delta: 0.1, Level: engine.Level{Known: true}, Scale: 1}

// densely returns the posterior of a Gaussian process by the Gram matrix of all arms [SKKS10, eq. (1)-(3)].
func densely(r *plain.Reference, all engine.Batch) (mean []float64, covariance *mat.Dense) {
	n := r.P.N()
	var pulled []int
	for i, c := range all.Counts {
		if c > 0 {
			pulled = append(pulled, i)
		}
	}
	gram := func(rows, columns []int) *mat.Dense {
		out := mat.NewDense(len(rows), len(columns), nil)
		for k, i := range rows {
			for l, j := range columns {
				out.Set(k, l, mat.Dot(r.Phi[i], r.Phi[j]))
			}
		}
		return out
	}
	every := make([]int, n)
	for i := range every {
		every[i] = i
	}
	noisy, y := gram(pulled, pulled), mat.NewVecDense(len(pulled), nil)
	for k, i := range pulled {
		noisy.Set(k, k, noisy.At(k, k)+plain.Sq(r.P.Noise.Scales[i])/float64(all.Counts[i]))
		y.SetVec(k, all.Means[i])
	}
	var inverse, half, explained mat.Dense
	if err := inverse.Inverse(noisy); err != nil && !plain.IllConditioned(err) {
		panic(err)
	}
	cross := gram(every, pulled)
	half.Mul(cross, &inverse)
	explained.Mul(&half, cross.T())
	covariance = gram(every, every)
	covariance.Sub(covariance, &explained)
	var m mat.VecDense
	m.MulVec(&half, y)
	return m.RawVector().Data, covariance
}

// GP-UCB pulls the arm of each task with the largest upper confidence bound of the dense posterior, and recommends the largest mean.
func TestReferenceGPUCB(t *testing.T) {
	for _, p := range enginetest.Instances(t) {
		alg := try.Of(plain.On(engine.ModeFB, NewGPUCB)(plain.ModelOf(t, p), ofPapers))
		ref, rng := plain.NewReference(p, 0), rand.New(rand.NewPCG(3, 4))
		all := engine.Batch{Counts: make([]int, p.N()), Means: make([]float64, p.N())}
		var mean []float64
		rounds := 0
		for ; !alg.Done(); rounds++ {
			plan := try.Of(alg.Plan(t.Context()))
			if rounds > 0 {
				var covariance *mat.Dense
				mean, covariance = densely(ref, all)
				beta := 2 * math.Log(float64(p.N())*plain.Sq(float64(rounds+1)*math.Pi)/6/ofPapers.Delta)
				for v := range p.V() {
					lo, hi := p.ArmsOf(v)
					bound := func(i int) float64 { return mean[i] + math.Sqrt(beta*covariance.At(i, i)) }
					most := math.Inf(-1)
					for i := lo; i < hi; i++ {
						most = max(most, bound(i))
					}
					if got := lo + slices.Index(plan.Counts[lo:hi], 1); bound(got) < most-1e-9 {
						t.Errorf("%s, round %d, task %d: an arm with bound %g, the largest is %g", p.Name, rounds+1, v, bound(got), most)
					}
				}
			}
			b := enginetest.Pull(rng, p, plan)
			try.To(alg.Learn(t.Context(), b))
			for i, c := range b.Counts {
				if c > 0 {
					sum := all.Means[i]*float64(all.Counts[i]) + b.Means[i]*float64(c)
					all.Counts[i] += c
					all.Means[i] = sum / float64(all.Counts[i])
				}
			}
		}
		if mean, _ = densely(ref, all); rounds != ofPapers.Budget {
			t.Errorf("%s: %d rounds, want %d", p.Name, rounds, ofPapers.Budget)
		}
		for v, a := range alg.State().Answers {
			lo, hi := p.ArmsOf(v)
			if most := slices.Max(mean[lo:hi]); math.Abs(a.Estimate-most) > 1e-8 {
				t.Errorf("%s, task %d: estimate %g, densely %g", p.Name, v, a.Estimate, most)
			}
		}
	}
}

// Top-two Thompson sampling pulls arm i with probability α_i (½ + ½ Σ_{j≠i} α_j/(1 - α_j)), for the probabilities α of being best under the
// dense posterior [Russo16, Section 3.3].
func TestReferenceTopTwoThompson(t *testing.T) {
	const draws = 20_000
	for _, p := range enginetest.Instances(t) {
		built := try.Of(plain.On(engine.ModeFB, NewTopTwoThompson)(plain.ModelOf(t, p), ofPapers))
		alg, rng := built.(*budgeted), rand.New(rand.NewPCG(3, 4))
		for range 4 {
			plan := try.Of(alg.Plan(t.Context()))
			try.To(alg.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
		}
		mean, covariance := densely(plain.NewReference(p, 0), engine.Batch{Counts: alg.pool.Counts, Means: alg.pool.Means()})
		lo, hi := p.ArmsOf(1)
		n := hi - lo
		own := mat.NewSymDense(n, nil)
		for k := range n {
			for l := range n {
				own.SetSym(k, l, covariance.At(lo+k, lo+l))
			}
			own.SetSym(k, k, own.At(k, k)+1e-12)
		}
		var chol mat.Cholesky
		if !chol.Factorize(own) {
			t.Fatalf("%s: the posterior has no Cholesky factor", p.Name)
		}
		var lower mat.TriDense
		chol.LTo(&lower)
		alpha, z, x := make([]float64, n), mat.NewVecDense(n, nil), new(mat.VecDense)
		for range draws {
			for k := range n {
				z.SetVec(k, rng.NormFloat64())
			}
			x.MulVec(&lower, z)
			best := 0
			for k := range n {
				if mean[lo+k]+x.AtVec(k) > mean[lo+best]+x.AtVec(best) {
					best = k
				}
			}
			alpha[best] += 1. / draws
		}
		got := make([]float64, n)
		for _, i := range (topTwo{}).choose(alg, 1, draws) {
			got[i-lo] += 1. / draws
		}
		for k, a := range alpha {
			sum := 0.0
			for l, other := range alpha {
				if l != k {
					sum += other / (1 - other)
				}
			}
			// five standard errors of both simulations
			if want := a * (1 + sum) / 2; math.Abs(got[k]-want) > 5*math.Sqrt(2*0.25/draws) {
				t.Errorf("%s, arm %d: pulled with frequency %.4f, want %.4f", p.Name, k, got[k], want)
			}
		}
	}
}

// expectedGain returns E max_k (mean_k + slope_k Z) - max_k mean_k by the trapezoidal rule.
func expectedGain(mean, slope []float64) (sum float64) {
	const step = 0.005
	most := slices.Max(mean)
	for z := -9.0; z <= 9; z += step {
		largest := math.Inf(-1)
		for k := range mean {
			largest = max(largest, mean[k]+slope[k]*z)
		}
		sum += (largest - most) * math.Exp(-z*z/2)
	}
	return sum * step / math.Sqrt(2*math.Pi)
}

// The sum over crossings is the expectation, for random lines, equal slopes and equal means.
func TestAppendGains(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		n := 1 + rng.IntN(8)
		mean, slope, lines := make([]float64, n), make([]float64, n), make([]line, n)
		for k := range mean {
			mean[k], slope[k] = math.Round(4*rng.NormFloat64())/4, math.Round(4*rng.NormFloat64())/4
			lines[k] = line{mean: mean[k], slope: slope[k]}
		}
		got := 0.0
		for _, term := range appendGains(nil, lines) {
			got += math.Exp(term)
		}
		if want := expectedGain(mean, slope); math.Abs(got-want) > 1e-4 {
			t.Errorf("means %v, slopes %v: %g, by quadrature %g", mean, slope, got, want)
		}
	}
	// by mpmath: log(φ(z) - z Φ(-z))
	for z, want := range map[float64]float64{0: -0.918938533204673, 29.999: -457.694587813344, 30.001: -457.754720705652, 1000: -500014.734452091} {
		if got := logLoss(z); math.Abs(got-want) > 1e-9*math.Abs(want) {
			t.Errorf("log loss of %g is %.15g, want %.15g", z, got, want)
		}
	}
}

// The knowledge gradient pulls the arm of each task whose reward most increases the expected largest means of all tasks under the dense
// posterior [FPD09, Section 4].
func TestReferenceKnowledgeGradient(t *testing.T) {
	for _, p := range enginetest.Instances(t) {
		alg := try.Of(plain.On(engine.ModeFB, NewKnowledgeGradient)(plain.ModelOf(t, p), ofPapers))
		ref, rng := plain.NewReference(p, 0), rand.New(rand.NewPCG(3, 4))
		for round := 0; round < 8; round++ {
			plan := try.Of(alg.Plan(t.Context()))
			if round > 0 {
				pool := alg.(*budgeted).pool
				mean, covariance := densely(ref, engine.Batch{Counts: pool.Counts, Means: pool.Means()})
				gain := func(x int) (sum float64) {
					slope := make([]float64, p.N())
					for i := range slope {
						slope[i] = covariance.At(i, x) / math.Sqrt(covariance.At(x, x)+plain.Sq(p.Noise.Scales[x]))
					}
					for v := range p.V() {
						lo, hi := p.ArmsOf(v)
						sum += expectedGain(mean[lo:hi], slope[lo:hi])
					}
					return sum
				}
				for v := range p.V() {
					lo, hi := p.ArmsOf(v)
					most := 0.0
					for i := lo; i < hi; i++ {
						most = max(most, gain(i))
					}
					if got := lo + slices.Index(plan.Counts[lo:hi], 1); gain(got) < most-1e-5 {
						t.Errorf("%s, round %d, task %d: an arm with gain %g, the largest is %g", p.Name, round+1, v, gain(got), most)
					}
				}
			}
			try.To(alg.Learn(t.Context(), enginetest.Pull(rng, p, plan)))
		}
	}
}

// OCBA pulls each arm once, and then the arm farthest below its target by the sample means [CLYC00, Theorem 1].
func TestReferenceOCBA(t *testing.T) {
	for _, p := range enginetest.Instances(t) {
		opt := engine.Options{Budget: 40}
		alg := try.Of(plain.On(engine.ModeFB, NewOCBA)(plain.ModelOf(t, p), opt))
		rng := rand.New(rand.NewPCG(3, 4))
		counts, sums := make([]float64, p.N()), make([]float64, p.N())
		mean := func(i int) float64 { return sums[i] / counts[i] }
		best := func(v int) int {
			lo, hi := p.ArmsOf(v)
			out := lo
			for i := lo; i < hi; i++ {
				if counts[i] > 0 && (counts[out] == 0 || mean(i) > mean(out)) {
					out = i
				}
			}
			return out
		}
		for !alg.Done() {
			plan := try.Of(alg.Plan(t.Context()))
			for v := range p.V() {
				lo, hi := p.ArmsOf(v)
				got, total := lo+slices.Index(plan.Counts[lo:hi], 1), 0.0
				for i := lo; i < hi; i++ {
					total += counts[i]
				}
				if total < float64(hi-lo) {
					if counts[got] > 0 {
						t.Errorf("%s, pull %g of task %d: pulls an arm again, and others have no pulls", p.Name, total+1, v)
					}
					continue
				}
				b, ofBest, sum := best(v), 0.0, 0.0
				ratio := make([]float64, p.N())
				for i := lo; i < hi; i++ {
					if i != b {
						ratio[i] = plain.Sq(p.Noise.Scales[i] / (mean(b) - mean(i)))
						ofBest += plain.Sq(ratio[i] / p.Noise.Scales[i])
						sum += ratio[i]
					}
				}
				ratio[b] = p.Noise.Scales[b] * math.Sqrt(ofBest)
				sum += ratio[b]
				lag := func(i int) float64 { return ratio[i]/sum*(total+1) - counts[i] }
				most := math.Inf(-1)
				for i := lo; i < hi; i++ {
					most = max(most, lag(i))
				}
				if lag(got) < most-1e-8 {
					t.Errorf("%s, pull %g of task %d: an arm that lags %g pulls, another lags %g", p.Name, total+1, v, lag(got), most)
				}
			}
			batch := enginetest.Pull(rng, p, plan)
			try.To(alg.Learn(t.Context(), batch))
			for i, c := range batch.Counts {
				if c > 0 {
					counts[i] += float64(c)
					sums[i] += batch.Means[i] * float64(c)
				}
			}
		}
		for v, a := range alg.State().Answers {
			if b := best(v); a.Leader != p.Arms.Names[b] || math.Abs(a.Estimate-mean(b)) > 1e-9 {
				t.Errorf("%s, task %d: %s with estimate %g, plainly %s with %g", p.Name, v, a.Leader, a.Estimate, p.Arms.Names[b], mean(b))
			}
		}
	}
}

// Arms with equal sample means and their leader share the pulls after the first ones.
func TestOCBAOnTies(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.4)
	built := try.Of(plain.On(engine.ModeFB, NewOCBA)(plain.ModelOf(t, p), engine.Options{Budget: 100, Batch: 50}))
	plan := try.Of(built.Plan(t.Context()))
	equal := engine.Batch{Counts: plan.Counts, Means: make([]float64, p.N())}
	lo, hi := p.ArmsOf(0)
	equal.Means[hi-1] = -1
	try.To(built.Learn(t.Context(), equal))
	plan = try.Of(built.Plan(t.Context()))
	n := hi - lo
	for i := lo; i < hi-1; i++ {
		if got := plan.Counts[i] + equal.Counts[i]; got < 100/(n+2) || i > lo && got > 100/(n-1) {
			t.Errorf("%d of 100 pulls of arm %d of %d tied ones", got, i-lo, n-1)
		}
	}
	if plan.Counts[hi-1] > 0 {
		t.Errorf("%d further pulls of the worst arm", plan.Counts[hi-1])
	}
}

// Replicas with the same rewards choose alike, and batches spend the budget exactly.
func TestBudgetIsSpent(t *testing.T) {
	p := enginetest.Paper(t, 2, 0.4)
	for _, batch := range []int{0, 4, 100} {
		opt := engine.Options{Budget: 10, Batch: batch}
		out := enginetest.Replicas(t, p, opt, 5, func() (engine.Algorithm, error) {
			return plain.On(engine.ModeFB, NewTopTwoThompson)(plain.ModelOf(t, p), opt)
		})
		if want := map[int]int{0: 10, 4: 3, 100: 1}[batch]; out.Samples != 50 || len(out.Rounds) != want {
			t.Errorf("batch %d: %d pulls in %d rounds, want 50 in %d", batch, out.Samples, len(out.Rounds), want)
		}
	}
}
