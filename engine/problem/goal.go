package problem

import (
	"fmt"
	"slices"
)

// The values of Problem.Goal.
const (
	GoalMax = ""    // the best arm has the highest expected reward
	GoalMin = "min" // the best arm has the lowest
)

// checkGoal reports a goal that is neither of the two.
func checkGoal(goal string) error {
	if goal != GoalMax && goal != GoalMin {
		return fmt.Errorf("the goal must be %q, or %q for the highest expected reward, got %q", GoalMin, GoalMax, goal)
	}
	return nil
}

// Minimised returns the same problem with the goal GoalMin: the lowest expected reward of the data
// is the best. It panics if the problem has that goal already.
//
// This is where the signs of a table change on their way in, and engine.Steps is where those of
// rewards do. Algorithms and theory maximise; what they give back in rewards, and not in differences
// of rewards, Turned gives the sign of the data.
func (p *Problem) Minimised() *Problem {
	if p.Goal == GoalMin {
		panic("problem: the goal is min already")
	}
	q := *p
	q.Goal = GoalMin
	q.Mean = q.turned(p.Mean)
	q.Partial = q.turned(p.Partial)
	q.Rows = slices.Clone(p.Rows)
	for k := range q.Rows {
		q.Rows[k].Reward = q.Turned(q.Rows[k].Reward)
	}
	if p.Rewards != nil {
		q.Rewards = make([][]float64, len(p.Rewards))
		for i, rewards := range p.Rewards {
			q.Rewards[i] = q.turned(rewards)
		}
	}
	q.Noise.Bounds = q.TurnedBounds(p.Noise.Bounds)
	return &q
}

// Turned returns a reward with its sign changed if Goal is GoalMin. It makes a reward of the data
// one of which higher is better, and back.
func (p *Problem) Turned(reward float64) float64 { return Turned(p.Goal, reward) }

// Turned is Problem.Turned of a problem with that goal.
func Turned(goal string, reward float64) float64 {
	if goal == GoalMin {
		return 0 - reward // not -reward: 0 has no sign
	}
	return reward
}

// turned returns some rewards, each Turned; nil for nil.
func (p *Problem) turned(rewards []float64) []float64 {
	if rewards == nil {
		return nil
	}
	out := make([]float64, len(rewards))
	for i, r := range rewards {
		out[i] = p.Turned(r)
	}
	return out
}

// TurnedBounds returns two rewards, the lower one first, each Turned; nil for nil.
func (p *Problem) TurnedBounds(bounds *[2]float64) *[2]float64 {
	if bounds == nil || p.Goal != GoalMin {
		return bounds
	}
	return &[2]float64{p.Turned(bounds[1]), p.Turned(bounds[0])}
}

// TwoRewards returns the only rewards that EnvironmentBernoulli draws, the lower one first.
func (p *Problem) TwoRewards() (lo, hi float64) {
	b := p.Noise.Bounds
	if b == nil {
		b = p.TurnedBounds(&[2]float64{0, 1})
	}
	return b[0], b[1]
}
