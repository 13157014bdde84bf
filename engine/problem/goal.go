package problem

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The values of Problem.Goal.
const (
	GoalMax = ""    // the best arm has the highest expected reward
	GoalMin = "min" // the best arm has the lowest expected reward
)

// checkGoal returns an error if goal is neither GoalMax nor GoalMin.
func checkGoal(goal string) error {
	if goal != GoalMax && goal != GoalMin {
		return fmt.Errorf("the goal must be %q, or %q for the highest expected reward, got %q", GoalMin, GoalMax, goal)
	}
	return nil
}

// Minimised returns the same problem with the goal GoalMin: the arm with the lowest expected reward is the best. It
// panics if the problem already has this goal. Algorithms and theory always maximise. So this function changes the signs
// of the table, and engine.Steps changes the signs of rewards. Turned converts a reward in a result back to the sign of
// the data; differences of rewards need no conversion.
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
		q.Rows[k].Reward, q.Rows[k].Censored = q.Turned(q.Rows[k].Reward), -q.Rows[k].Censored
	}
	if p.Rewards != nil {
		q.Rewards = lists.Map(p.Rewards, q.turned)
	}
	q.Noise.Bounds = q.TurnedBounds(p.Noise.Bounds)
	return &q
}

// Turned changes the sign of a reward if Goal is GoalMin, so that higher is better. A second call restores the reward.
func (p *Problem) Turned(reward float64) float64 { return Turned(p.Goal, reward) }

// Turned is Problem.Turned for a problem with this goal.
func Turned(goal string, reward float64) float64 {
	if goal == GoalMin {
		return 0 - reward // 0 - reward, because -0 would be printed with a sign
	}
	return reward
}

// turned returns Turned of each reward; nil for nil.
func (p *Problem) turned(rewards []float64) []float64 {
	if rewards == nil {
		return nil
	}
	return lists.Map(rewards, p.Turned)
}

// TurnedBounds returns Turned of the two bounds, the lower one first; nil for nil.
func (p *Problem) TurnedBounds(bounds *[2]float64) *[2]float64 {
	if bounds == nil || p.Goal != GoalMin {
		return bounds
	}
	return &[2]float64{p.Turned(bounds[1]), p.Turned(bounds[0])}
}

// TwoRewards returns the two rewards that EnvironmentBernoulli draws, the lower one first.
func (p *Problem) TwoRewards() (lo, hi float64) {
	b := cmp.Or(p.Noise.Bounds, p.TurnedBounds(&[2]float64{0, 1}))
	return b[0], b[1]
}

// CheckReward returns an error for a reward that is not finite or larger than kernels.Largest. Sheets, messages and corrections use
// it, for single rewards and means, with the limits of tables.
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
	const most = kernels.Largest * kernels.Largest * (1 + 1e-9) // limit on the mean of squared rewards, with a margin for rounding
	if !(squares >= 0 && squares/float64(count)+mean*mean <= most) {
		return fmt.Errorf("rewards from -1e100 to 1e100 have squares of 0 or more, and %d of them with mean %g cannot have %g", count, mean,
			squares)
	}
	return nil
}

// EnvironmentMeasured is the environment of measured rewards. Their distribution is unknown, so that no rewards can be
// simulated.
const EnvironmentMeasured = "measured"

// Experimental returns the problem as an experimenter knows it. It removes what only a simulation knows: expected rewards and the
// rewards to draw from. Noise scales keep the stated values or the estimates from pilot data.
func (p *Problem) Experimental() *Problem {
	q := *p
	q.Mean, q.Partial, q.Rewards = nil, nil, nil
	q.Noise.Environment = EnvironmentMeasured
	return &q
}

// unknown returns the indices of the unknown numbers (NaN).
func unknown(numbers []float64) []int {
	return indices.Where(len(numbers), func(i int) bool { return math.IsNaN(numbers[i]) })
}

// unmeasured returns the arms without an expected reward; none if no arm has one.
func (p *Problem) unmeasured() []int {
	return unknown(p.Partial)
}

// Unmeasured names the arms without an expected reward, and what to do, as a sentence without a full stop. It returns "" if all arms
// have an expected reward, or none has.
func (p *Problem) Unmeasured() string {
	const most = 8
	missing := p.unmeasured()
	if missing == nil {
		return ""
	}
	words := lists.Map(missing[:min(most, len(missing))], p.Where)
	if more := len(missing) - most; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	verb := "are"
	if len(missing) == 1 {
		verb = "is"
	}
	return fmt.Sprintf("%d of %d arms %s not measured: %s. Measure them, or write unmeasured=\"drop\" in problem(…) to leave them out",
		len(missing), p.N(), verb, strings.Join(words, "; "))
}

// Measured returns the problem of the arms with known expected rewards, without tasks that have no such arm. It returns p itself if
// all are known, or none. The name of the new problem says that it has only measured arms.
func (p *Problem) Measured() *Problem {
	if missing := p.unmeasured(); missing == nil {
		return p
	}
	known := func(i int) bool { return !math.IsNaN(p.Partial[i]) }
	tasks := slices.Compact(lists.Map(indices.Where(p.N(), known), func(i int) int { return p.TaskOf[i] }))
	q := p.only(tasks, known)
	q.Name = fmt.Sprintf("%s (%d measured of %d arms)", p.Name, q.N(), p.N())
	return q
}

// RelativeCost returns, for each arm, the cost of a pull divided by the mean cost; nil if all costs are equal.
func (p *Problem) RelativeCost() []float64 {
	same, mean := true, 0.0
	for _, c := range p.Cost {
		same = same && c == p.Cost[0]
		mean += c / float64(len(p.Cost))
	}
	if same {
		return nil
	}
	return lists.Map(p.Cost, func(c float64) float64 { return c / mean })
}
