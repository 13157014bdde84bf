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
		alg, err := plain.On(engine.ModeFB, NewGPUCB)(plain.ModelOf(t, p), ofPapers)
		if err != nil {
			t.Fatal(err)
		}
		ref, rng := plain.NewReference(p, 0), rand.New(rand.NewPCG(3, 4))
		all := engine.Batch{Counts: make([]int, p.N()), Means: make([]float64, p.N())}
		var mean []float64
		rounds := 0
		for ; !alg.Done(); rounds++ {
			plan, err := alg.Plan(t.Context())
			if err != nil {
				t.Fatal(err)
			}
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
			if err := alg.Learn(t.Context(), b); err != nil {
				t.Fatal(err)
			}
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
		built, err := plain.On(engine.ModeFB, NewTopTwoThompson)(plain.ModelOf(t, p), ofPapers)
		if err != nil {
			t.Fatal(err)
		}
		alg, rng := built.(*budgeted), rand.New(rand.NewPCG(3, 4))
		for range 4 {
			plan, err := alg.Plan(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := alg.Learn(t.Context(), enginetest.Pull(rng, p, plan)); err != nil {
				t.Fatal(err)
			}
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
