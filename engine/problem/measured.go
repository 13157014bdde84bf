package problem

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// CheckReward reports a reward that nothing can be computed with, be it told, sent or corrected: it is
// a number of a size up to kernels.Largest, as in tables. It holds for means of rewards, too.
func CheckReward(reward float64) error {
	if !(math.Abs(reward) <= kernels.Largest) {
		return fmt.Errorf("a reward is a number from -1e100 to 1e100, got %g", reward)
	}
	return nil
}

// CheckRewards reports a count of rewards, their mean and their squares Σ (reward - mean)² that cannot
// come from rewards which CheckReward passes.
func CheckRewards(count int, mean, squares float64) error {
	if count < 1 {
		return fmt.Errorf("the count must be at least 1, got %d", count)
	}
	if err := CheckReward(mean); err != nil {
		return err
	}
	const most = kernels.Largest * kernels.Largest * (1 + 1e-9) // of the squared rewards' mean, with room for rounding
	if !(squares >= 0 && squares/float64(count)+mean*mean <= most) {
		return fmt.Errorf("rewards from -1e100 to 1e100 have squares of 0 or more, and %d of them with mean %g cannot have %g", count, mean,
			squares)
	}
	return nil
}

// EnvironmentMeasured is the environment of rewards that are measured: nothing is known of how they
// come about, and none can be drawn.
const EnvironmentMeasured = "measured"

// Experimental returns the problem as an experimenter has it, whose rewards are measured: what a
// simulation would know of the truth, the expected rewards and those to draw from, is left out. The
// scales of the noise stay as they are stated or were estimated from pilot data.
func (p *Problem) Experimental() *Problem {
	q := *p
	q.Mean, q.Partial, q.Rewards = nil, nil, nil
	q.Noise.Environment, q.Noise.Strength = EnvironmentMeasured, 0
	return &q
}
