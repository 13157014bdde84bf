package plain

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Rewards returns φᵀtheta of every arm.
func (ref *Reference) Rewards(theta *mat.VecDense) []float64 {
	out := make([]float64, len(ref.Phi))
	for i, f := range ref.Phi {
		out[i] = mat.Dot(f, theta)
	}
	return out
}

// SameDecisions compares candidate sets exactly and estimates of candidates to
// 1e-6: both solve the same equations, once in a Cholesky factor of the Gram
// matrix and once in the explicit features, at condition numbers up to 1e7.
func SameDecisions(t *testing.T, p *problem.Problem, got, want [][]int, estimates, rewards []float64) {
	t.Helper()
	for v := range want {
		if !slices.Equal(got[v], want[v]) {
			t.Fatalf("%s, task %d: candidates %v, in feature space %v", p.Name, v, got[v], want[v])
		}
		for _, i := range want[v] {
			// Decided tasks are not sampled any more: compare differences of open ones.
			if j := want[v][0]; math.Abs((estimates[i]-estimates[j])-(rewards[i]-rewards[j])) > 1e-6 {
				t.Errorf("%s, arm %d: estimated difference %g, in feature space %g", p.Name, i, estimates[i]-estimates[j], rewards[i]-rewards[j])
			}
		}
	}
}

// CheckShare compares the pulls of task v with its share, in number and in what
// they are worth to its own pairs under its own arms. Optimal weights are not
// unique, so only their value can be compared.
func (ref *Reference) CheckShare(t *testing.T, v int, set, counts []int, share float64) {
	t.Helper()
	p := ref.P
	lo, hi := p.ArmsOf(v)
	sum, lambda := 0.0, make([]float64, p.N())
	for i := lo; i < hi; i++ {
		sum += float64(counts[i])
		lambda[i] = float64(counts[i]) / share
	}
	if len(set) < 2 {
		if sum != 0 {
			t.Errorf("%s, task %d: %g pulls, but it is decided", p.Name, v, sum)
		}
		return
	}
	// Apportioning rounds each of the task's arms by less than one pull.
	if math.Abs(sum-share) > float64(hi-lo) {
		t.Errorf("%s, task %d: %g pulls, an equal share is %g", p.Name, v, sum, share)
	}
	own := NewReference(p.Only(v), ref.ridge)
	local := make([]int, len(set))
	for k, i := range set {
		local[k] = i - lo
	}
	// In the joint model's unit of noise, the largest of all tasks.
	unit := Sq(p.LargestNoise() / own.P.LargestNoise())
	best := own.Omega(t, local) / unit
	if got := own.LargestVariance(lambda[lo:hi], [][]int{local}) / unit; got > best*(1+2/math.Sqrt(share)) {
		t.Errorf("%s, task %d: the largest variance of its own pairs is %g, the best %g", p.Name, v, got, best)
	}
}
