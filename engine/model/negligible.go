package model

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Negligible returns how far expected rewards may be off a function of the kernel's space, in reward
// units, for a guarantee under that function to hold for them (docs/theory/norm.md, "Expected rewards that
// were rounded"): a thousandth of the smallest lead of a best arm beyond epsilon, or η = 2σ·share/√samples
// where that is larger and below half of that lead. With normal rewards of standard deviations ≥ σ
// and |μ - f| ≤ η, a wrong answer is more likely under μ than under f by share at most (Pinsker). samples
// is the expected number of pulls, all agents together; 0 leaves η out.
func (m *Model) Negligible(epsilon, share, samples float64) (float64, error) {
	known, err := m.known()
	if err != nil {
		return 0, err
	}
	lead := m.leastLead(known, epsilon) * m.Unit
	within := decisive * lead
	if e := m.Problem.Noise.Environment; samples > 0 && (e == problem.EnvironmentGaussian || e == "") {
		within = max(within, min(2*slices.Min(m.Problem.Noise.Deviations())*share/math.Sqrt(samples), lead/2))
	}
	return within, nil
}

const (
	// witnessMost is the most arms whose factor is taken as far as witnessWork allows, N·rank² products;
	// beyond, to witnessLeast, which designs take, too.
	witnessMost  = 3000
	witnessWork  = 6e9
	witnessLeast = 128
	// witnessShare is the part of δ that expected rewards off a witness may cost.
	witnessShare = 1.0 / 50
	// costlyShare is the part that it may cost when the guarantee says so.
	costlyShare = 1.0 / 4
)

// Witnessed reports whether Witness finds one.
func (m *Model) Witnessed(opt engine.Options, samples float64) bool {
	_, found := m.Witness(opt, samples)
	return found
}

// Witness reports whether a function of the kernel's space within the stated norm was found that is so
// near to the known expected rewards that a guarantee under it holds for them (see Negligible; samples as
// there), and what of δ their distance costs beside: 0, or a quarter of it where rewards were rounded
// coarsely. Then nothing need be factored whole. A stated misfit is the distance that may be. It looks for
// one only where arms are many; false otherwise, which says nothing.
func (m *Model) Witness(opt engine.Options, samples float64) (cost float64, found bool) {
	n := m.Problem.N()
	if n <= eagerArms || opt.Norm <= 0 || opt.Robust || m.Problem.Mean == nil {
		return 0, false
	}
	if opt.Misfit > 0 {
		near, found, err := m.Closest(opt.Norm)
		return 0, err == nil && found && near.Misfit <= opt.Misfit
	}
	rank, fitted := witnessLeast, [2]int{witnessLeast / 2, witnessLeast}
	if n <= witnessMost {
		rank, fitted = min(n, int(math.Sqrt(witnessWork/float64(n)))), m.fitRanks()
	}
	for _, share := range []float64{witnessShare, costlyShare} {
		within, err := m.Negligible(opt.Epsilon, share*opt.Delta, samples)
		if err != nil {
			return 0, false
		}
		if share == witnessShare {
			if near, err := m.Near(within, rank); err == nil && near.Misfit <= within && near.Norm <= opt.Norm {
				return 0, true
			}
			continue
		}
		for _, rank := range fitted {
			if fits, err := m.fitsWithin(within, opt.Norm, rank); err == nil && fits {
				return share * opt.Delta, true
			}
		}
	}
	return 0, false
}
