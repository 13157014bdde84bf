package sequential

import (
	"fmt"
	"math"
)

// ConditionalError is the conditional error function of a boundary [MuellerSchaefer01]: the probability that a
// Brownian motion B has B(T_k) ≥ z_k √T_k at some look after one at which it is below. Positions are B(T)/√T; look -1
// is the beginning, at position 0. It is computed backwards from the last look on the nodes of [Crossing], with the
// same bound on its error.
type ConditionalError struct {
	times     []float64
	stretches []*grid     // by look: positions below its height; looks of one height in a row share theirs
	after     [][]float64 // by look, at the nodes of its stretch
	slack     float64     // bound on the error of a probability
}

// NewConditionalError returns the function of the heights z_k ≥ 0 at times that are positive and ascend, one each.
// Errors are as for [Crossing].
func NewConditionalError(z, times []float64) (*ConditionalError, error) {
	if len(z) != len(times) {
		return nil, fmt.Errorf("boundary: %d heights for %d looks", len(z), len(times))
	}
	if err := check(times); err != nil {
		return nil, err
	}
	looks := len(times)
	c := &ConditionalError{
		times: times, stretches: make([]*grid, looks), after: make([][]float64, looks),
	}
	for k := looks - 1; k >= 0; k-- {
		same := k+1 < looks && z[k] == z[k+1]
		if same {
			c.stretches[k] = c.stretches[k+1]
		} else {
			g, err := newGrid(z[k], times)
			if err != nil {
				return nil, err
			}
			c.stretches[k] = g
			c.slack += g.slack
		}
		g := c.stretches[k]
		c.after[k] = make([]float64, len(g.x))
		switch {
		case same:
			g.between(times[k] / times[k+1])
			g.back(c.after[k+1], c.after[k])
		case k+1 < looks:
			for i, x := range g.x {
				c.after[k][i] = c.over(k, x, k+1)
			}
		}
	}
	return c, nil
}

// From returns the probability to cross after look k, from position x ≤ z_k there.
func (c *ConditionalError) From(k int, x float64) float64 {
	if k == len(c.times)-1 {
		return 0
	}
	return c.over(k, x, k+1)
}

// rounding returns the part of a probability that may be rounding.
func (c *ConditionalError) rounding() float64 { return float64(len(c.times)*len(c.after[0])) * 0x1p-52 }

// law returns mean and standard deviation of the position at look k, from position x at look j.
func (c *ConditionalError) law(j int, x float64, k int) (mean, sd float64) {
	if j < 0 {
		return 0, 1
	}
	a2 := c.times[j] / c.times[k]
	return math.Sqrt(a2) * x, math.Sqrt(1 - a2)
}

// over returns the probability to cross at look k or later, from position x at look j, if nobody looks in between.
func (c *ConditionalError) over(j int, x float64, k int) float64 {
	mean, sd := c.law(j, x, k)
	s, sum := c.stretches[k], 0.0
	for i, y := range s.x {
		sum += normalDensity((y-mean)/sd) * s.w[i] * c.after[k][i]
	}
	return above((s.z-mean)/sd) + sum/sd
}
