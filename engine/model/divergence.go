package model

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Divergence returns the divergence (nats) of two-valued distributions, kl(p, q) = p log(p/q) + (1-p) log((1-p)/(1-q)).
// Values outside [0, 1] by rounding are set to the nearer end. It returns +Inf for q farther outside.
func Divergence(p, q float64) float64 {
	const rounding = 1e-9
	if q < -rounding || q > 1+rounding {
		return math.Inf(1)
	}
	p, q = min(max(p, 0), 1), min(max(q, 0), 1)
	term := func(a, b float64) float64 {
		if a == 0 {
			return 0
		}
		return a * math.Log(a/b)
	}
	return max(0, term(p, q)+term(1-p, 1-q))
}

// LeastDivergence returns the smallest divergence (nats) of the empirical distribution of the rewards from a
// distribution on [lo, hi] with mean q [HondaTakemura10, Theorem 8]. If q is above their mean, it is
//
//	max over 0 ≤ λ ≤ 1 of the mean of log(1 - λ(y - q)/(hi - q))
//
// If q is below their mean, it is the same for rewards reflected about the middle of [lo, hi]. It is +Inf if there is
// no such distribution.
//
// [HondaTakemura10]: J. Honda, A. Takemura, An asymptotically optimal bandit algorithm for bounded support models, COLT
// 2010.
func LeastDivergence(rewards []float64, lo, hi, q float64) float64 {
	const rounding = 1e-9
	mean := stat.Mean(rewards, nil)
	side, room := 1.0, hi-q
	if q < mean {
		side, room = -1, q-lo
	}
	if math.Abs(q-mean) <= rounding*(hi-lo) {
		return 0
	}
	if !(room > rounding*(hi-lo)) {
		return math.Inf(1)
	}
	slope := func(lambda float64) (sum float64) {
		for _, y := range rewards {
			x := side * (y - q) / room
			sum -= x / (1 - lambda*x)
		}
		return sum
	}
	from, to := 0.0, 1.0 // bisection: the objective is concave in λ
	if slope(to*(1-rounding)) > 0 {
		from = to * (1 - rounding)
	}
	for to-from > rounding {
		if mid := (from + to) / 2; slope(mid) > 0 {
			from = mid
		} else {
			to = mid
		}
	}
	sum := 0.0
	for _, y := range rewards {
		sum += math.Log1p(-from*side*(y-q)/room) / float64(len(rewards))
	}
	return max(sum, 0)
}

// Nats returns kl(δ, 1-δ), or 0 for δ ≥ 1/2. A test with error probability δ needs this information to distinguish a right
// answer from a wrong one [Kaufmann, Cappé and Garivier 2016, Lemma 1].
func Nats(delta float64) float64 {
	if delta >= 0.5 {
		return 0
	}
	return (1 - 2*delta) * math.Log((1-delta)/delta)
}
