package rounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Limits are the numbers between which every reward lies, normalised.
type Limits struct{ Lo, Hi float64 }

// LimitsOf returns the limits of a problem's rewards, turned so that higher ones are better; ok is false where
// nothing bounds them.
func LimitsOf(m *model.Model) (l Limits, ok bool) {
	b := m.Problem.Noise.Bounds
	if b == nil {
		return l, false
	}
	return Limits{b[0] / m.Unit, b[1] / m.Unit}, true
}

// centreWeight is what the middle of the limits weighs, in pulls, beside an estimate that rewards are
// compared with.
const centreWeight = 0.5

// within returns the nearest number to x within the limits: forecasts draw rewards beyond them, and of rewards
// that are measured there nothing is proven.
func (l Limits) within(x float64) float64 { return min(max(x, l.Lo), l.Hi) }

// Centre returns the number that rewards of an arm are compared with, from an estimate that rests on that
// many pulls: within the limits, and not at one of them.
func (l Limits) Centre(estimate float64, pulls int) float64 {
	n := float64(max(pulls, 1))
	return (n*l.within(estimate) + centreWeight*(l.Lo+l.Hi)/2) / (n + centreWeight)
}

// mostStaked is the largest part of a stake that a reward at the worse limit may take.
const mostStaked = 0.97

// Stake returns what a round's data make of every stake of a bet. With estimate Σ w_i ȳ_i of the gap, a
// stake of size s turns 1 into
//
//	Π_i Π_k (1 + s w_i/n_i (Y_ik - c_i)) · exp(s Σ_i w_i c_i - s·bias),
//
// which is at most exp(-s·loss) on average whatever the centres c_i, since 1 + x ≤ exp(x). What is
// returned bounds its logarithm from below by counts, means, squares and extremes. s is h times the
// information of the round, as far as no reward takes all of the stake. The arms' centres, all from earlier
// data, come from centre.
func (l Limits) Stake(h []float64, b sequential.Bet, e *model.Estimator, unit float64, centre func(arm int) float64,
	round engine.Batch) sequential.Score {
	return l.stake(h, b, l.parts(e.Weights(b.Leader, b.Arm), unit, centre, round))
}

// StakeApart is Stake of a bet on two arms' own means; it looks at no other arm.
func (l Limits) StakeApart(b sequential.Bet, unit float64, centre func(arm int) float64, round engine.Batch) sequential.Score {
	return l.stake(b.Walk.Stakes.Gaps, b, []part{l.part(b.Leader, 1, unit, centre, round), l.part(b.Arm, -1, unit, centre, round)})
}

// stake returns what the parts make of stakes on these gaps.
func (l Limits) stake(h []float64, b sequential.Bet, parts []part) sequential.Score {
	most := math.Inf(1)
	s := sequential.Score{Gap: -b.Bias, Sd: math.Sqrt(b.Variance), Freedom: math.Inf(1)}
	centred := -b.Bias
	for _, p := range parts {
		most = min(most, p.most)
		s.Gap += p.weight * p.mean
		centred += p.weight * p.centre
	}
	for _, h := range h {
		size := min(h/b.Variance, most)
		logarithm := size * centred
		for _, p := range parts {
			logarithm += p.grows(size)
		}
		s.Capital, s.Slope = append(s.Capital, logarithm), append(s.Slope, size)
	}
	return s
}

// part is what the rewards of one arm bring to a bet.
type part struct {
	weight, n, mean, squares, centre float64
	worst                            float64 // the reward that takes most of the stake
	most                             float64 // the largest size of a stake, by the limits
}

// parts returns what each arm of the estimate brings.
func (l Limits) parts(weights []float64, unit float64, centre func(arm int) float64, round engine.Batch) (out []part) {
	largest := lists.Max(weights, func(w float64) float64 { return math.Abs(w) })
	for i, n := range round.Counts {
		if w := weights[i]; n > 0 && math.Abs(w) > noWeight*largest {
			out = append(out, l.part(i, w, unit, centre, round))
		}
	}
	return out
}

// part returns what arm i brings by that weight.
func (l Limits) part(i int, w, unit float64, centre func(arm int) float64, round engine.Batch) part {
	p := part{weight: w, n: float64(round.Counts[i]), mean: l.within(round.Means[i] / unit), centre: centre(i), worst: l.Lo}
	if w < 0 {
		p.worst = l.Hi
	}
	p.most = mostStaked * p.n / math.Abs(w*(p.centre-p.worst))
	p.squares = p.n * (p.mean - l.Lo) * (l.Hi - p.mean) // the most that there can be
	if round.Squares != nil {
		p.squares = min(round.Squares[i]/(unit*unit), p.squares)
	}
	if round.Ranges != nil {
		if r := round.Ranges[i]; w < 0 {
			p.worst = min(p.worst, r[1]/unit)
		} else {
			p.worst = max(p.worst, r[0]/unit)
		}
	}
	return p
}

// grows returns what a stake of that size wins by the arm, less what its centre accounts for.
func (p part) grows(size float64) float64 {
	lambda := size * math.Abs(p.weight) / p.n
	if p.weight < 0 {
		return sequential.Growth(p.n, -p.mean, p.squares, -p.worst, lambda, -p.centre)
	}
	return sequential.Growth(p.n, p.mean, p.squares, p.worst, lambda, p.centre)
}

// StakeWithin returns what a round makes of every stake of a bet from the differences Y_b - Y_x within
// blocks, n of them with that mean and sum of squared deviations, normalised: Stake of one arm whose rewards
// are differences, which lie within the range of rewards from 0 either way.
func (l Limits) StakeWithin(b sequential.Bet, mean, squares, n, expected float64) sequential.Score {
	span := l.Hi - l.Lo
	of := Limits{-span, span}
	p := part{weight: 1, n: n, mean: of.within(mean), worst: -span, centre: of.Centre(expected, 1<<20)}
	p.squares = min(squares, n*(p.mean+span)*(span-p.mean))
	most := mostStaked * n / (p.centre + span)
	s := sequential.Score{Gap: mean, Sd: math.Sqrt(b.Variance), Freedom: math.Inf(1)}
	for _, h := range b.Walk.Stakes.Gaps {
		size := min(h/b.Variance, most)
		s.Capital, s.Slope = append(s.Capital, size*p.centre+p.grows(size)), append(s.Slope, size)
	}
	return s
}
