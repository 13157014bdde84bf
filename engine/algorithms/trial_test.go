package algorithms

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// tie is a gap too small for any run: the first of tied arms is formally the best.
const tie = 1e-9

// linearTies returns a problem of two tasks, each with arms e_1, e_2, e_3 and (e_1+e_3)/2 with rewards 0, -tie, -gap and -gap/2.
func linearTies(t testing.TB, gap float64) *problem.Problem {
	t.Helper()
	tasks, err := kernels.NewPoints(nil, []string{"a", "b"}, [][]float64{nil, nil})
	if err != nil {
		t.Fatal(err)
	}
	rows := [][]float64{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0.5, 0, 0.5}}
	rows, names := append(rows, rows...), []string{"1", "2", "3", "4", "1", "2", "3", "4"}
	arms, err := kernels.NewPoints([]string{"x_1", "x_2", "x_3"}, names, rows)
	if err != nil {
		t.Fatal(err)
	}
	mean := []float64{0, -tie, -gap, -gap / 2, 0, -tie, -gap, -gap / 2}
	k := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Linear{}}}}
	p, err := problem.New("linear ties", tasks, arms, []int{0, 0, 0, 0, 1, 1, 1, 1}, k, []float64{1}, mean)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// trial is one run whose pulls or question are disturbed.
type trial struct {
	t       testing.TB
	rng     *rand.Rand
	s       *engine.Steps
	p       *problem.Problem
	counts  []int     // pulls so far
	sums    []float64 // sums of their rewards
	gone    []bool    // withdrawn
	epsilon float64
	extend  func() (engine.Algorithm, *problem.Problem, []int)
	state   int // of the disturbance
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

// learn passes a round to the run and stores the rewards that the experimenter sees.
func (r *trial) learn(b engine.Batch) {
	if err := r.s.Learn(context.Background(), b); err != nil {
		r.t.Fatal(err)
	}
	for i, n := range b.Counts {
		r.counts[i] += n
		r.sums[i] += float64(n) * b.Means[i]
	}
}

// amend changes the counts of the open round and returns its plan.
func (r *trial) amend(counts []int) engine.Plan {
	if err := r.s.Amend(counts); err != nil {
		r.t.Fatal(err)
	}
	plan, _, _ := r.s.Next(context.Background())
	return plan
}

// ahead returns the estimated lead of arm i over arm j, in standard errors; 0 before data.
func (r *trial) ahead(i, j int) float64 {
	if r.counts[i] == 0 || r.counts[j] == 0 {
		return 0
	}
	gap := r.sums[i]/float64(r.counts[i]) - r.sums[j]/float64(r.counts[j])
	return gap / math.Sqrt(1/float64(r.counts[i])+1/float64(r.counts[j]))
}

// withdraw removes an arm.
func (r *trial) withdraw(i int) {
	if !r.gone[i] {
		if err := r.s.Withdraw(i); err != nil {
			r.t.Fatal(err)
		}
		r.gone[i] = true
	}
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

// add extends the problem.
func (r *trial) add() {
	alg, p, at := r.extend()
	if err := r.s.Extend(alg, at); err != nil {
		r.t.Fatal(err)
	}
	counts, sums, gone := make([]int, p.N()), make([]float64, p.N()), make([]bool, p.N())
	for k, i := range at {
		counts[i], sums[i], gone[i] = r.counts[k], r.sums[k], r.gone[k]
	}
	r.p, r.counts, r.sums, r.gone = p, counts, sums, gone
}

// wrong reports whether an answer is more than epsilon below the best remaining arm, or the best arm was withdrawn.
func (r *trial) wrong(out engine.Outcome) bool {
	for v, a := range out.Answers {
		lo, hi := r.p.ArmsOf(v)
		best := -1
		for i := lo; i < hi; i++ {
			if !r.gone[i] && (best < 0 || r.p.Mean[i] > r.p.Mean[best]) {
				best = i
			}
		}
		for i := lo; i < hi; i++ {
			if a.Decided && r.p.Arms.Names[i] == a.Arm && r.p.Mean[best]-r.p.Mean[i] > r.epsilon {
				return true
			}
		}
		if !a.Decided && r.epsilon == 0 && !slices.Contains(a.Candidates, r.p.Arms.Names[best]) {
			return true
		}
	}
	return false
}
