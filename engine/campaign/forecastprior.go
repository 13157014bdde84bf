package campaign

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/model"
)

// A prior draws expected rewards of mean 0 whose covariance is the kernel.
type prior struct {
	m        *model.Model
	features *mat.Dense // N × r, normalised
	// N: what the features leave of ‖φ_i‖², which each arm draws by itself; nil where they are exact
	rest []float64
}

// priorRank is the rank of the features where arms are too many for exact ones. Then the covariance of two
// arms is off by at most √(rest_i·rest_j), and no variance is off.
const priorRank = 256

func priorOf(m *model.Model) (prior, error) {
	if m.Features != nil {
		return prior{m: m, features: m.Features}, nil
	}
	s, err := m.Stopped(priorRank, 0)
	return prior{m: m, features: s.Features, rest: s.Rest}, err
}

// draw returns expected rewards of N arms under scale times the kernel, reward units.
func (p prior) draw(rng *rand.Rand, scale float64) []float64 {
	n, rank := p.features.Dims()
	z := make([]float64, rank)
	for k := range z {
		z[k] = rng.NormFloat64()
	}
	root, out := math.Sqrt(p.m.Scale*scale), make([]float64, n)
	for i := range out {
		for k, f := range p.features.RawRowView(i) {
			out[i] += root * f * z[k]
		}
		if p.rest != nil {
			out[i] += root * math.Sqrt(max(0, p.rest[i])) * rng.NormFloat64()
		}
	}
	return out
}

// firstOf returns the first arm that is the same to the kernel; an arm itself where there are too many to
// compare.
func (p prior) firstOf(i int) int {
	if p.m.Layout == nil {
		return i
	}
	return p.m.Layout.First[i]
}

// contrast returns half the mean square of the difference of two arms of a task that differ to the
// kernel, squared reward units: of n arms with features φ_i it is Σ |φ_i - φ̄|²/(n - 1).
func (p prior) contrast(lo, hi int) float64 {
	var centre []float64
	var arms []int
	for i := lo; i < hi; i++ {
		if first := p.firstOf(i); first != i && first >= lo {
			continue
		}
		arms = append(arms, i)
		f := p.features.RawRowView(i)
		if centre == nil {
			centre = make([]float64, len(f))
		}
		for k, x := range f {
			centre[k] += x
		}
	}
	if len(arms) < 2 {
		return 0
	}
	sum, n := 0.0, float64(len(arms))
	for _, i := range arms {
		for k, x := range p.features.RawRowView(i) {
			d := x - centre[k]/n
			sum += d * d
		}
		if p.rest != nil {
			sum += max(0, p.rest[i]) * (n - 1) / n
		}
	}
	return p.m.Scale * sum / (n - 1)
}
