package bayes

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// plainAnyOf is the sum of anyOf with all values drawn, one draw after another.
func plainAnyOf(p *model.Posterior, set []int, leader int, chances []float64) float64 {
	var rivals []int
	added := 0.0
	for k, c := range chances {
		if c > 0 {
			rivals = append(rivals, k)
		}
	}
	slices.SortStableFunc(rivals, func(x, y int) int { return cmp.Compare(chances[y], chances[x]) })
	for _, k := range rivals[min(unionRivals, len(rivals)):] {
		added += chances[k]
	}
	rivals = rivals[:min(unionRivals, len(rivals))]
	n := len(rivals)
	arms, sum := []int{leader}, 0.0
	for _, k := range rivals {
		arms, sum = append(arms, set[k]), sum+chances[k]
	}
	all, lead := p.CovarianceMatrix(arms), mat.NewSymDense(n, nil)
	for r := range n {
		for l := range n {
			lead.SetSym(r, l, all.At(r+1, l+1)-all.At(r+1, 0)-all.At(l+1, 0)+all.At(0, 0))
		}
	}
	correlation := mat.NewSymDense(n, nil)
	for r := range n {
		for l := range n {
			correlation.SetSym(r, l, lead.At(r, l)/math.Sqrt(lead.At(r, r)*lead.At(l, l)))
		}
		correlation.SetSym(r, r, 1+1e-9)
	}
	var factor mat.Cholesky
	factor.Factorize(correlation)
	var lower mat.TriDense
	factor.LTo(&lower)
	rng := rand.New(rand.NewPCG(19, 231))
	shares := 0.0
	for d := range unionDraws {
		z := mat.NewVecDense(n, nil)
		for k := range n {
			z.SetVec(k, rng.NormFloat64())
		}
		u, x := rng.Float64(), mat.NewVecDense(n, nil)
		x.MulVec(&lower, z)
		r, passed := 0, chances[rivals[0]]
		for (float64(d)+0.5)/unionDraws*sum > passed && r < n-1 {
			r++
			passed += chances[rivals[r]]
		}
		shift, exceed := upper(u*chances[rivals[r]])-x.AtVec(r), 1.0
		for k := range n {
			if k != r && x.AtVec(k)+correlation.At(k, r)*shift > upper(chances[rivals[k]]) {
				exceed++
			}
		}
		shares += 1 / exceed
	}
	return sum*shares/unionDraws + added
}

// Draws that bounds decide count as they do when each value is drawn, also of fewer and more rivals than are drawn, and of some that
// are likely.
func TestAnyOfDraws(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	for _, n := range []int{3, 12, 20} {
		p := enginetest.Unrelated(t, 3, make([]float64, n)).WithKernel(rough)
		m, err := model.New(p, 0)
		if err != nil {
			t.Fatal(err)
		}
		for trial := range 20 {
			counts, rewards := make([]int, p.N()), make([]float64, p.N())
			for i := range counts {
				counts[i], rewards[i] = 1+rng.IntN(4), rng.NormFloat64()
			}
			of, err := model.NewPosterior(m, model.Prior{}.OnPulled(), counts, rewards)
			if err != nil {
				t.Fatal(err)
			}
			set := p.Groups()[trial%3]
			leader, chances := set[trial%n], make([]float64, n)
			likely := math.Exp(-3 * rng.Float64() * float64(trial%4))
			for k, i := range set {
				if i != leader {
					chances[k] = likely * rng.Float64()
				}
			}
			got, want := anyOf(of, set, leader, chances, new(unionSpace)), plainAnyOf(of, set, leader, chances)
			if math.Abs(got-want) > 1e-12*want {
				t.Errorf("%d arms, trial %d: %v, drawn one by one %v", n, trial, got, want)
			}
		}
	}
}
