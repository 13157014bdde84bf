package algorithms

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// tie is a gap too small for any run: the first of tied arms is formally the best.
const tie = 1e-9

// linearTies returns a problem of two tasks, each with arms e_1, e_2, e_3 and (e_1+e_3)/2 with rewards 0, -tie, -gap and -gap/2.
func linearTies(t testing.TB, gap float64) *problem.Problem {
	t.Helper()
	tasks := try.Of(kernels.NewPoints(nil, []string{"a", "b"}, [][]float64{nil, nil}))
	rows := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0.5}}
	rows, names := append(rows, rows...), []string{"1", "2", "3", "4", "1", "2", "3", "4"}
	arms := try.Of(kernels.NewPoints([]string{"x_1", "x_2", "x_3"}, names, rows))
	mean := []float64{0, -tie, -gap, -gap / 2, 0, -tie, -gap, -gap / 2}
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Linear{}}}}
	return try.Of(problem.New("linear ties", tasks, arms, []int{0, 0, 0, 0, 1, 1, 1, 1}, k, []float64{1}, mean))
}

// trial is one run whose pulls are disturbed.
type trial struct {
	t   testing.TB
	rng *rand.Rand
	s   *engine.Steps
	p   *problem.Problem
}

// batch draws rewards by their sufficient statistics.
func (r *trial) batch(counts []int, squares bool) engine.Batch {
	b := engine.Batch{Counts: counts, Means: make([]float64, len(counts))}
	if squares {
		b.Squares = make([]float64, len(counts))
	}
	for i, n := range counts {
		if n == 0 {
			continue
		}
		b.Means[i] = r.p.Mean[i] + r.rng.NormFloat64()/math.Sqrt(float64(n))
		if squares && n > 1 {
			b.Squares[i] = r.chi2(n - 1)
		}
	}
	return b
}

// chi2 draws χ² with this many degrees of freedom: exactly up to 30, then by the Wilson-Hilferty cube, whose error is far below the
// resolution of a test of these sizes.
func (r *trial) chi2(n int) float64 {
	if n > 30 {
		k := 2 / (9 * float64(n))
		x := 1 - k + math.Sqrt(k)*r.rng.NormFloat64()
		return float64(n) * x * x * x
	}
	sum := 0.0
	for range n {
		x := r.rng.NormFloat64()
		sum += x * x
	}
	return sum
}

// learn passes a round to the run.
func (r *trial) learn(b engine.Batch) {
	try.To(r.s.Learn(context.Background(), b))
}

// amend changes the counts of the open round and returns its plan.
func (r *trial) amend(counts []int) engine.Plan {
	try.To(r.s.Amend(counts))
	plan, _, _ := r.s.Next(context.Background())
	return plan
}

// thinned returns counts after keeping each pull with a probability.
func (r *trial) thinned(counts []int, keep float64) []int {
	out := make([]int, len(counts))
	for i, n := range counts {
		for range n {
			if r.rng.Float64() < keep {
				out[i]++
			}
		}
	}
	return out
}

// wrong reports whether an answer is not the best arm, or the best arm was eliminated.
func (r *trial) wrong(out engine.Outcome) bool {
	for v, a := range out.Answers {
		lo, hi := r.p.ArmsOf(v)
		best := -1
		for i := lo; i < hi; i++ {
			if best < 0 || r.p.Mean[i] > r.p.Mean[best] {
				best = i
			}
		}
		for i := lo; i < hi; i++ {
			if a.Decided && r.p.Arms.Names[i] == a.Arm && r.p.Mean[best] > r.p.Mean[i] {
				return true
			}
		}
		if !a.Decided && !slices.Contains(a.Candidates, r.p.Arms.Names[best]) {
			return true
		}
	}
	return false
}
