package campaign

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// A prior draws vectors of expected rewards with mean 0 whose covariance is the kernel.
type prior struct {
	m        *model.Model
	features *mat.Dense // N × r, normalised
	// N: the part of ‖φ_i‖² that the features do not explain, drawn independently for each arm; nil if the features are
	// exact
	rest []float64
}

// priorRank is the rank of the features if there are too many arms for exact ones. The covariance of two arms is then off
// by at most √(rest_i·rest_j), and variances are exact.
const priorRank = 256

// priorOf uses the exact features of the model if it has them. Otherwise it uses priorRank features and their remainder.
func priorOf(m *model.Model) (prior, error) {
	if m.Features != nil {
		return prior{m: m, features: m.Features}, nil
	}
	s, err := m.Stopped(priorRank, 0)
	return prior{m: m, features: s.Features, rest: s.Rest}, err
}

// draw returns the expected rewards of N arms under scale times the kernel, reward units. They are √(scale) Φz with
// standard normal z, plus an independent term for the remainder of each arm.
func (p prior) draw(rng *rand.Rand, scale float64) []float64 {
	n, rank := p.features.Dims()
	z := lists.Make(rank, func(int) float64 { return rng.NormFloat64() })
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

// firstOf returns the first arm with the same features as arm i for the kernel. It returns i if there are too many arms to
// compare.
func (p prior) firstOf(i int) int {
	if p.m.Layout == nil {
		return i
	}
	return p.m.Layout.First[i]
}

// contrast returns half the mean squared difference, under the kernel, of two arms of the task with arms lo ≤ i < hi, in
// squared reward units. Arms with the same features count once. For n arms with features φ_i it is Σ |φ_i - φ̄|²/(n - 1).
func (p prior) contrast(lo, hi int) float64 {
	// Σ φ_i, with one arm for each set of arms that the kernel cannot tell apart
	var centre []float64
	var arms []int
	for i := lo; i < hi; i++ {
		// skip an arm that equals an earlier arm of this task, but not one that equals an arm of another task
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
			// the mean squared deviation of n independent parts from their mean is (n - 1)/n of their variance
			sum += max(0, p.rest[i]) * (n - 1) / n
		}
	}
	return p.m.Scale * sum / (n - 1)
}

// loosened returns the problem with true means in which a share s of the variance between arms of a task is independent
// for each arm. mean holds N draws m_i of the prior; run is the number of the run, and seeds all random numbers. The new
// means are
//
//	μ_i = m̄ + √h (√(1-s) (m_i - m̄) + √(s c) z_i),  z_i ~ N(0, 1),
//
// where m̄ is the mean of m_i in the task. 2c is the mean squared difference of two arms of the task under the kernel; the
// share does not change it. The factor h of the task (spreads) changes it, but not on average. Over the runs, s has the density
// 6 s (1 - s), which avoids both extremes: a kernel that explains everything, and one that explains nothing [as the
// penalty of Chung et al. 2013 keeps a scale from 0]. The quantiles ½ - sin(asin(1 - 2u)/3) are taken at the fractional
// parts u of 1/2 + run/Φ, so that they are evenly spread even for few runs [Niederreiter 1992, sec. 3.1].
//
// A posterior that fits such a part expects deviations from the kernel. If a forecast drew rewards exactly from the kernel,
// it would be too optimistic: under a kernel with similar tasks, one arm would be the best in all tasks, and all tasks would
// find it together. Arms with the same features keep equal means. p is not changed.
func (from prior) loosened(p *problem.Problem, mean []float64, run int) *problem.Problem {
	rng := rand.New(rand.NewPCG(0x6f776e, uint64(run))) // "own"
	_, u := math.Modf(0.5 + float64(run)/math.Phi)
	share := 0.5 - math.Sin(math.Asin(1-2*u)/3)
	out := make([]float64, len(mean))
	spread := from.spreads(p, run)
	for v := range p.V() {
		lo, hi := p.ArmsOf(v)
		centre := lists.Sum(mean[lo:hi], func(x float64) float64 { return x / float64(hi-lo) })
		own := math.Sqrt(share * from.contrast(lo, hi))
		z := map[int]float64{} // by the first of the arms with the same features
		for i := lo; i < hi; i++ {
			first := from.firstOf(i)
			if _, drawn := z[first]; !drawn {
				z[first] = rng.NormFloat64()
			}
			out[i] = centre + math.Sqrt(spread[v])*(math.Sqrt(1-share)*(mean[i]-centre)+own*z[first])
		}
	}
	return plan.Supposed(p, out)
}

// statesNoise reports whether the problem states one noise scale, which bounds the noise of all arms. It is false for
// scales estimated from data, which each arm has, and for guesses, which may be too low or too high.
func statesNoise(p *problem.Problem) bool {
	n := p.Noise
	return n.Known == problem.NoiseStated && n.UnknownBy == "" && n.SD == nil
}

// scattered returns the noise standard deviation of each arm in a run, reward units. In each task the variance is a share
// u of the stated variance, and u is uniform between 0 and 1.
//
// A stated scale is sub-Gaussian, and so at least the standard deviation [Vershynin 2018, prop. 2.5.2]. The true noise of
// a task may be lower, and this matters. If a posterior assumes more noise than there is, it separates similar arms later,
// and its campaigns take longer. Tests need fewer samples.
func scattered(p *problem.Problem, run int) []float64 {
	rng := rand.New(rand.NewPCG(0x6e6f697365, uint64(run))) // "noise"
	out := slices.Clone(p.Noise.Scales)
	for v := range p.V() {
		lo, hi := p.ArmsOf(v)
		root := math.Sqrt(rng.Float64())
		for i := lo; i < hi; i++ {
			out[i] *= root
		}
	}
	return out
}

// spreads returns, for each task, the factor h of the variance between its arms, uniform between 0 and 2. In some tasks
// nearly all arms are then equal, for example if no arm reacts, and in others they differ more. The kernel gives only the
// mean variance over all tasks. Tasks that are the same for the kernel have the same factor.
func (from prior) spreads(p *problem.Problem, run int) []float64 {
	rng := rand.New(rand.NewPCG(0x737072656164, uint64(run))) // "spread"
	out := make([]float64, p.V())
	known := map[int]float64{} // by the first arm with the same features as the task's first arm
	for v := range out {
		lo, _ := p.ArmsOf(v)
		h := 2 * rng.Float64()
		if other, found := known[from.firstOf(lo)]; found {
			h = other
		}
		known[from.firstOf(lo)], out[v] = h, h
	}
	return out
}
