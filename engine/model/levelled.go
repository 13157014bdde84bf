package model

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// levelled holds data around their level, where each arm has a part of variance g by itself and so the
// precision t' = 1/(1/t + g). All numbers are normalised.
type levelled struct {
	flat      bool          // whether the level is unknown
	own       float64       // g
	scale     float64       // s in units of the features
	with      []float64     // by arm: t'; 0 without pulls
	precision float64       // T', their sum
	noise     float64       // -Σ log t'
	centre    float64       // ȳ, or the level that was stated
	origin    []float64     // m: φ̄, or 0
	matrix    *mat.SymDense // Σ t' (φ - φ̄)(φ - φ̄)ᵀ
	squares   float64       // Σ t' (y - ȳ)²
}

// newLevelled returns precisions and level of data: total and y have t and the mean of each arm, features
// returns the features of an arm, dim many. The matrix and the squares are still to be set.
func newLevelled(flat bool, level, own, scale float64, total, y []float64, dim int, features func(k int) []float64) levelled {
	c := levelled{flat: flat, own: own, scale: scale, with: make([]float64, len(total)), origin: make([]float64, dim), centre: level}
	for k, t := range total {
		if t > 0 {
			c.with[k] = t / (1 + own*t)
			c.precision += c.with[k]
			c.noise -= math.Log(c.with[k])
		}
	}
	if !flat {
		return c
	}
	c.centre = Dot(c.with, y) / c.precision
	for k, t := range c.with {
		if t > 0 {
			addTo(c.origin, t/c.precision, features(k))
		}
	}
	return c
}

// penalised returns -2 times the log of the penalised restricted likelihood, up to a constant, from
// the deviance at the scale.
func (c *levelled) penalised(deviance float64) float64 {
	out := deviance + c.squares + c.noise
	if c.flat {
		out += math.Log(c.precision)
	}
	return out
}

// ownPatience is how many larger parts in a row may be worse before the search for one ends.
const ownPatience = 4

// withOwn looks for the part of arms by themselves of the largest likelihood, from small to large: from a
// sixteenth of the noise, the mean variance of an arm with pulls, in steps of four as long as the
// likelihood rises. none is the fit without such a part, at returns one with it.
func withOwn[T interface{ likelihood() float64 }](none T, total []float64, observed int,
	at func(own float64) (T, error)) (best T, err error) {
	noise := 0.0
	for _, t := range total {
		if t > 0 {
			noise += 1 / t / float64(observed)
		}
	}
	best, worse := none, 0
	for g := noise / 16; worse < ownPatience && g < scaleMost*noise; g *= 4 {
		c, err := at(g)
		if err != nil {
			return best, err
		}
		if worse++; c.likelihood() < best.likelihood() {
			best, worse = c, 0
		}
	}
	return best, nil
}
