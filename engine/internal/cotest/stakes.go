package cotest

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
)

// Bounded rewards are bet on in place of scores of normal or sub-Gaussian laws (docs/theory/bets.md): walks
// are capitals then, and noise scales only guide pulls.

// stake makes the walks capitals where the rewards have bounds.
func (a *coTest) stake() {
	limits, bounded := rounds.LimitsOf(a.Model)
	if !bounded || !a.opt.Bets(a.Model.Problem) {
		return
	}
	a.limits = &limits
	a.scales.Guide()
	stakes := sequential.NewStakes(a.epsilon, limits.Hi-limits.Lo)
	for _, c := range a.contests {
		for _, w := range c.walks {
			w.Stakes = stakes
		}
	}
}

// stakeHeight returns the logarithm of the capital at which an arm is out, above what rounding hides.
func stakeHeight(alpha float64) float64 { return math.Log(1/alpha) + 1e-9 }

// centre returns the number that the rewards of an arm are compared with, from data before the round.
func (a *coTest) centre(i int) float64 { return a.limits.Centre(a.estimates[i], a.Counts[i]) }
