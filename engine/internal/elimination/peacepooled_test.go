package elimination

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The elimination of [KJKJ20]'s public code on one task, transcribed in explicit features:
// the sums over all rounds, and every proper prefix tried.
func TestReferencePeacePooled(t *testing.T) {
	several := 0 // answers among several candidates, which the last estimate decides
	for _, p := range enginetest.Instances(t) {
		for v := range p.V() {
			// Few pulls bring the best estimates to sets of every kind.
			budgets := []int{3000, 60, 60, 60, 60}
			if testing.Short() {
				budgets = budgets[1:2]
			}
			for seed, budget := range budgets {
				if len(checkPeacePooled(t, p.Only(v), budget, uint64(seed))) > 1 {
					several++
				}
			}
		}
	}
	if several == 0 {
		t.Error("every run ended with one candidate: the answer among several was not tested")
	}
}

// checkPeacePooled compares a run with the transcription and returns the candidates left.
func checkPeacePooled(t *testing.T, p *problem.Problem, budget int, seed uint64) []int {
	t.Helper()
	m := plain.ModelOf(t, p)
	alg := try.Of(plain.On(engine.ModeFB, newPooledPeace)(m, engine.Options{Budget: budget, Ridge: engine.Ridge{Kind: engine.RidgeValue}}))
	ref := newListing(p, plain.LeastSquares)
	gamma := func(set []int) float64 { return ref.width(t, slices.Sorted(slices.Values(set))).Value / 4 }
	left := ref.Sets[0]
	count := int(math.Ceil(max(math.Log2(gamma(left)), 2)))
	if alg.rounds != count || alg.pulls != budget/count {
		t.Errorf("%s: %d rounds of %d pulls, want %d of %d", p.Name, alg.rounds, alg.pulls, count, budget/count)
	}
	rng := rand.New(rand.NewPCG(6, seed))
	all := engine.Batch{Counts: make([]int, p.N()), Means: make([]float64, p.N())}
	var rewards []float64
	for r := 0; r < count && len(left) > 1; r++ {
		plan := try.Of(alg.Plan(t.Context()))
		if plan.Pulls() != budget/count {
			t.Errorf("%s, round %d: %d pulls, want %d", p.Name, r+1, plan.Pulls(), budget/count)
		}
		b := enginetest.Pull(rng, p, plan)
		try.To(alg.Learn(t.Context(), b))
		for i, c := range b.Counts {
			if c > 0 {
				sum := float64(all.Counts[i])*all.Means[i] + float64(c)*b.Means[i]
				all.Counts[i] += c
				all.Means[i] = sum / float64(all.Counts[i])
			}
		}
		theta, _ := ref.LeastSquares(all)
		rewards = ref.Rewards(theta)
		left = cutPooled(left, rewards, gamma)
		sameDecisions(t, p, alg.Sets, [][]int{left}, alg.estimates, rewards)
	}
	if !alg.Done() {
		t.Errorf("%s: not done after %d rounds with %v left", p.Name, count, left)
	}
	first := rounds.Leader(left, rewards)
	// Least squares leaves no bias, so levels compare as well as differences.
	answer, want := alg.Answers()[0], rewards[first]*p.LargestNoise()
	if answer.Leader != p.Arms.Names[first] || math.Abs(answer.Estimate-want) > 1e-6 {
		t.Errorf("%s: %s with %g, in feature space %s with %g", p.Name, answer.Leader, answer.Estimate, p.Arms.Names[first], want)
	}
	return left
}

// cutPooled returns the part of a set that a round leaves: the longest proper prefix of at most half
// the set's width, rounded up and at least 1.
func cutPooled(set []int, rewards []float64, gamma func([]int) float64) []int {
	if len(set) < 3 {
		return set
	}
	sorted := slices.Clone(set)
	slices.SortStableFunc(sorted, func(i, j int) int { return cmp.Compare(rewards[j], rewards[i]) })
	threshold, keep := max(math.Ceil(gamma(set)/2), 1), 1
	for k := 2; k < len(sorted); k++ {
		if gamma(sorted[:k]) <= threshold {
			keep = k
		}
	}
	return slices.Sorted(slices.Values(sorted[:keep]))
}
