package rounds

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Limits are the bounds of all rewards, normalised.
type Limits struct{ Lo, Hi float64 }

// LimitsOf returns the limits of a problem's rewards, with the sign for which higher rewards are better. ok is false if
// the problem has no bounds.
func LimitsOf(m *model.Model) (l Limits, ok bool) {
	b := m.Problem.Noise.Bounds
	if b == nil {
		return l, false
	}
	return Limits{b[0] / m.Unit, b[1] / m.Unit}, true
}

// centreWeight is the weight of the middle of the limits in a centre, in pulls.
const centreWeight = 0.5

// within clips x to the limits. Forecasts may draw rewards beyond them; for measured rewards beyond the limits there is no
// guarantee.
func (l Limits) within(x float64) float64 { return min(max(x, l.Lo), l.Hi) }

// Centre returns the value with which rewards of an arm are compared. It averages an estimate, based on this number of
// pulls, with the middle of the limits, so it is strictly between the limits.
func (l Limits) Centre(estimate float64, pulls int) float64 {
	n := float64(max(pulls, 1))
	return (n*l.within(estimate) + centreWeight*(l.Lo+l.Hi)/2) / (n + centreWeight)
}

// mostStaked is the largest fraction of a stake that rewards at the worse limit may lose.
const mostStaked = 0.97

// Stake returns a round's log growth for every stake of a bet. Let Σ w_i ȳ_i be the estimate of the gap. A stake of
// size s turns 1 into
//
//	Π_i Π_k (1 + s w_i/n_i (Y_ik - c_i)) · exp(s Σ_i w_i c_i - s·bias).
//
// The mean of this factor is at most exp(-s·loss) for any centres c_i, because 1 + x ≤ exp(x). The result is a lower
// bound of its logarithm, computed from counts, means, squares and extremes. The size s is the stake's h times the
// information of the round, limited so that no reward loses the whole stake. centre returns the centre of an arm, from
// earlier data.
func (l Limits) Stake(h []float64, b sequential.Bet, e *model.Estimator, unit float64, centre func(arm int) float64,
	round engine.Batch) sequential.Score {
	return l.stake(h, b, l.parts(e.Weights(b.Opponent, b.Arm), unit, centre, round))
}

// StakeApart is Stake for a bet on the difference of two arms' own means.
func (l Limits) StakeApart(b sequential.Bet, unit float64, centre func(arm int) float64, round engine.Batch) sequential.Score {
	return l.stake(b.Walk.Stakes.Gaps, b, []part{l.part(b.Opponent, 1, unit, centre, round), l.part(b.Arm, -1, unit, centre, round)})
}

// stake returns the log growth of each stake in h from the contributions of the arms.
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

// part is the contribution of one arm's rewards to a bet.
type part struct {
	weight, n, mean, squares, centre float64
	worst                            float64 // reward with the largest loss
	most                             float64 // largest size of a stake that loses at most mostStaked
}

// parts returns the contributions of all arms with pulls and with a weight that is not a rounding error.
func (l Limits) parts(weights []float64, unit float64, centre func(arm int) float64, round engine.Batch) (out []part) {
	largest := lists.Max(weights, func(w float64) float64 { return math.Abs(w) })
	for i, n := range round.Counts {
		if w := weights[i]; n > 0 && math.Abs(w) > noWeight*largest {
			out = append(out, l.part(i, w, unit, centre, round))
		}
	}
	return out
}

// part returns the contribution of arm i with weight w in the estimate.
func (l Limits) part(i int, w, unit float64, centre func(arm int) float64, round engine.Batch) part {
	p := part{weight: w, n: float64(round.Counts[i]), mean: l.within(round.Means[i] / unit), centre: centre(i), worst: l.Lo}
	if w < 0 {
		p.worst = l.Hi
	}
	p.most = mostStaked * p.n / math.Abs(w*(p.centre-p.worst))
	p.squares = p.n * (p.mean - l.Lo) * (l.Hi - p.mean) // largest possible value
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

// grows returns the arm's contribution to the log growth of a stake of this size, without the part of its centre.
func (p part) grows(size float64) float64 {
	lambda := size * math.Abs(p.weight) / p.n
	if p.weight < 0 {
		return sequential.Growth(p.n, -p.mean, p.squares, -p.worst, lambda, -p.centre)
	}
	return sequential.Growth(p.n, p.mean, p.squares, p.worst, lambda, p.centre)
}

// StakeWithin returns a round's log growth for every stake of a bet within blocks. mean and squares are the mean and the
// sum of squared deviations of the n differences Y_b - Y_x, normalised. The result is that of Stake for a single arm whose
// rewards are the differences. These lie between plus and minus the range of rewards.
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
