package bayes

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/model"
)

// foresight computes how posterior covariances change with pulls that are planned but not made:
// they depend on which arms are pulled, not on what that brings.
type foresight struct {
	white     *mat.Dense  // w_i·w_j is the posterior covariance of arms i and j before the pulls
	precision []float64   // 1/σ_i², normalised
	pulled    [][]float64 // u: one per choice, u_i u_j is what it takes from the covariance
	watched   []*outlook
}

// outlook holds the predicted covariances of one task.
type outlook struct {
	arms       []int
	leader     int         // position in arms
	covariance [][]float64 // of the arms, normalised
	freedom    float64     // degrees of freedom of the noise scales
	step       int         // pulls chosen at once
	left       int         // pulls that it may still get
}

// mostForeseen limits how often the pulls of a task are chosen in a round.
const mostForeseen = 16

func newForesight(posterior *model.Estimator, precision []float64) *foresight {
	return &foresight{white: posterior.White, precision: precision}
}

// watch keeps the covariances of the arms up to date; they must be watched before the
// first pull.
func (f *foresight) watch(arms []int, leader, most int, freedom float64) *outlook {
	o := &outlook{arms: arms, freedom: freedom, left: most, step: (most + mostForeseen - 1) / mostForeseen, covariance: make([][]float64, len(arms))}
	for k, i := range arms {
		if i == leader {
			o.leader = k
		}
		o.covariance[k] = make([]float64, len(arms))
		for l, j := range arms {
			o.covariance[k][l] = model.Dot(f.white.RawRowView(i), f.white.RawRowView(j))
		}
	}
	f.watched = append(f.watched, o)
	return o
}

// pull foresees n pulls of arm i.
func (f *foresight) pull(i, n int) {
	u, w := make([]float64, len(f.precision)), f.white.RawRowView(i)
	for _, o := range f.watched {
		for _, j := range o.arms {
			u[j] = model.Dot(w, f.white.RawRowView(j))
			for _, before := range f.pulled {
				u[j] -= before[i] * before[j]
			}
		}
	}
	scale := 1 / math.Sqrt(u[i]+1/(float64(n)*f.precision[i]))
	for j := range u {
		u[j] *= scale
	}
	f.pulled = append(f.pulled, u)
	for _, o := range f.watched {
		for k, row := range o.covariance {
			for l := range row {
				row[l] -= u[o.arms[k]] * u[o.arms[l]]
			}
		}
	}
}

// most returns the arm of o whose pull takes most from the variance between the leader and the
// rival at position r.
func (f *foresight) most(o *outlook, r int) int {
	best, largest := o.arms[o.leader], math.Inf(-1)
	for k, i := range o.arms {
		cov := o.covariance[k][o.leader] - o.covariance[k][r]
		if gain := cov * cov / (o.covariance[k][k] + 1/f.precision[i]); gain > largest {
			best, largest = i, gain
		}
	}
	return best
}

// chance returns the probability that the arm at position k exceeds the leader by more than
// epsilon, if the means stay what they are.
func (o *outlook) chance(k int, means []float64, epsilon float64) float64 {
	c := o.covariance
	if k == o.leader {
		return 0
	}
	variance := c[k][k] + c[o.leader][o.leader] - 2*c[k][o.leader]
	return exceeds(means[o.arms[k]]-means[o.arms[o.leader]], variance, epsilon, o.freedom)
}

// risk returns the sum of the chances of all arms.
func (o *outlook) risk(means []float64, epsilon float64) float64 {
	var sum float64
	for k := range o.arms {
		sum += o.chance(k, means, epsilon)
	}
	return sum
}

// rival returns the position of the arm with the largest chance.
func (o *outlook) rival(means []float64, epsilon float64) int {
	best, largest := 0, -1.0
	for k := range o.arms {
		if p := o.chance(k, means, epsilon); k != o.leader && p > largest {
			best, largest = k, p
		}
	}
	return best
}
