package campaign

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Known returns the problem with what was measured in rounds that are over, late, and attached, as a table of
// measurements has it: means, counts and standard deviations of each arm, NaN where there are none. Rewards of the
// open round are not in it, so that nobody can let them decide when it is closed.
func (s *State) Known(p Protocol) *problem.Problem {
	n := p.Problem.N()
	sum, square, count := make([]float64, n), make([]float64, n), make([]float64, n)
	rows, within := make([]float64, n), make([]float64, n)
	take := func(m *measured) {
		if m.Arm >= n {
			return
		}
		k, y := float64(m.count()), p.Problem.Turned(m.Reward)
		sum[m.Arm], square[m.Arm], count[m.Arm], rows[m.Arm] = sum[m.Arm]+k*y, square[m.Arm]+k*y*y, count[m.Arm]+k, rows[m.Arm]+1
		if k > 1 && m.Squares > 0 { // of the rewards behind a mean
			within[m.Arm] += m.Squares
		}
	}
	for _, r := range s.rounds {
		if r.closed != 0 || s.complete(r) {
			for i := range n {
				for _, m := range r.results[i] {
					take(m)
				}
			}
		}
	}
	for _, g := range s.guides {
		take(g.measured)
	}
	q := *p.Problem
	q.Mean, q.Rewards, q.Rows, q.Blocks = nil, nil, nil, nil
	q.Partial, q.Reps, q.Noise.SD = make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		q.Partial[i], q.Reps[i], q.Noise.SD[i] = math.NaN(), 1, math.NaN()
		if count[i] == 0 {
			continue
		}
		mean := sum[i] / count[i]
		q.Partial[i], q.Reps[i] = mean, count[i]
		if rows[i] > 1 || within[i] > 0 {
			q.Noise.SD[i] = math.Sqrt(max(square[i]-count[i]*mean*mean+within[i], 0) / max(count[i]-1, 1))
		}
	}
	return &q
}
