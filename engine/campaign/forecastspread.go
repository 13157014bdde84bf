package campaign

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// statesNoise reports whether one scale of the noise is stated, which bounds it. Scales that data gave are
// those of the arms, and guesses may be wrong either way.
func statesNoise(p *problem.Problem) bool {
	n := p.Noise
	return n.Known == problem.NoiseStated && n.UnknownBy == "" && n.SD == nil
}

// scattered returns the standard deviations that the noise of the arms has in a run, reward units: of
// each task a share u of the stated variance, evenly from 0 to 1.
//
// A stated scale is sub-Gaussian, and so at least the standard deviation [Vershynin 2018, prop. 2.5.2].
// How far tasks are below it nobody states, and it counts: where a posterior expects more noise than
// there is, no luck of the noise parts arms that are alike, and its campaigns take longer; tests need fewer
// samples.
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

// spreads returns for each task the factor h of the variance between its arms, evenly from 0 to 2: in
// some tasks nearly all arms do the same, as where nothing reacts, and in others they are further apart. A kernel says
// how far apart they are in the mean of all tasks. Tasks that are one to the kernel have one factor.
func (from prior) spreads(p *problem.Problem, run int) []float64 {
	rng := rand.New(rand.NewPCG(0x737072656164, uint64(run))) // "spread"
	out := make([]float64, p.V())
	known := map[int]float64{} // by the first arm that is the same as the task's first
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
