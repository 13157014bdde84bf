package campaign

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// LossLine is an arm that lost more of its pulls than chance explains.
type LossLine struct {
	Task    string  `json:"task"`
	Arm     string  `json:"arm"`
	Planned int     `json:"planned"`
	Lost    int     `json:"lost"`
	PValue  float64 `json:"p_value"`
}

// Warning says what the line means for the answers.
func (l LossLine) Warning() string {
	return fmt.Sprintf("task %q, arm %q lost %d of %d pulls, which chance does not explain (p = %.2g): where the loss depends "+
		"on the reward, no guarantee holds", l.Task, l.Arm, l.Lost, l.Planned, l.PValue)
}

// lossLevel is the probability that pulls lost at random are said to crowd in few arms.
const lossLevel = 0.05

// LossTest tests whether lost pulls crowd in few arms. Were they lost at random, the number lost of
// an arm would be hypergeometric, given how many were lost in all; the exact test of each arm
// [Fisher 1935] is corrected for their number (Bonferroni). It returns the smallest p-value so
// corrected, nil where nothing was lost, and the arms below the level, worst first.
func LossTest(p Protocol, planned, lost []int) (*float64, []LossLine) {
	all, gone, arms := 0, 0, 0
	for i, n := range planned {
		all += n
		gone += lost[i]
		if n > 0 {
			arms++
		}
	}
	if gone == 0 || arms < 2 {
		return nil, nil
	}
	least := 1.0
	var worst []LossLine
	for i, n := range planned {
		if lost[i] == 0 {
			continue
		}
		value := math.Min(1, float64(arms)*hypergeometricTail(all, gone, n, lost[i]))
		least = math.Min(least, value)
		if value < lossLevel {
			names := p.Problem.NamesOf(i)
			worst = append(worst, LossLine{names[0], names[1], n, lost[i], value})
		}
	}
	slices.SortStableFunc(worst, func(a, b LossLine) int { return cmp.Compare(a.PValue, b.PValue) })
	return &least, worst
}

// hypergeometricTail returns the probability that at least k of n pulls are among those lost, where
// gone of all pulls are lost at random.
func hypergeometricTail(all, gone, n, k int) float64 {
	choose := func(n, k int) float64 {
		a, _ := math.Lgamma(float64(n + 1))
		b, _ := math.Lgamma(float64(k + 1))
		c, _ := math.Lgamma(float64(n - k + 1))
		return a - b - c
	}
	sum := 0.0
	for x := k; x <= min(n, gone); x++ {
		if gone-x > all-n {
			continue
		}
		sum += math.Exp(choose(n, x) + choose(all-n, gone-x) - choose(all, gone))
	}
	return math.Min(1, sum)
}
