package sequential

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/integrate/quad"
)

// ConditionalError is the conditional error function of a boundary [MuellerSchaefer01]: the probability that a
// Brownian motion B has B(T_k) ≥ z_k √T_k at some look after one at which it is below. Positions are B(T)/√T; look -1
// is the beginning, at position 0. It is computed backwards from the last look on the nodes of [Crossing], with the
// same bound on its error.
type ConditionalError struct {
	times     []float64
	stretches []*stretch  // by look; looks of one height in a row share theirs
	after     [][]float64 // by look, at the nodes of its stretch
	top       []float64   // by look, just below the height
	slack     float64     // bound on the error of a probability
	// nodes and weights on [0, 1], for positions between one and the boundary above it
	x, w []float64
}

// stretch holds the positions below a height.
type stretch struct {
	*grid
	weights []float64 // of the barycentric interpolation between its nodes [BerrutTrefethen04]
}

// betweenNodes are enough for a smooth function on a part of [0, z].
const betweenNodes = 24

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
		times: times, stretches: make([]*stretch, looks), after: make([][]float64, looks), top: make([]float64, looks),
		x: make([]float64, betweenNodes), w: make([]float64, betweenNodes),
	}
	quad.Legendre{}.FixedLocations(c.x, c.w, 0, 1)
	for k := looks - 1; k >= 0; k-- {
		same := k+1 < looks && z[k] == z[k+1]
		if same {
			c.stretches[k] = c.stretches[k+1]
		} else {
			g, err := newGrid(z[k], times)
			if err != nil {
				return nil, err
			}
			c.stretches[k] = newStretch(g)
			c.slack += g.slack
		}
		g := c.stretches[k].grid
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
		c.top[k] = c.From(k, z[k])
	}
	return c, nil
}

func newStretch(g *grid) *stretch {
	s := &stretch{g, make([]float64, len(g.x))}
	floor := g.x[0] + g.x[len(g.x)-1] - g.z // the nodes lie symmetrically
	for i, x := range g.x {
		s.weights[i] = math.Sqrt((x - floor) * (g.z - x) * g.w[i])
		if i%2 == 1 {
			s.weights[i] = -s.weights[i]
		}
	}
	return s
}

// Floats returns how many numbers it holds.
func (c *ConditionalError) Floats() int {
	n := len(c.after[0])
	return 2*n*n + len(c.after)*n
}

// Heights returns z_k, by look.
func (c *ConditionalError) Heights() []float64 {
	z := make([]float64, len(c.stretches))
	for k, s := range c.stretches {
		z[k] = s.z
	}
	return z
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

// interpolated is From by the polynomial through the nodes, in its barycentric form.
func (c *ConditionalError) interpolated(k int, x float64) float64 {
	above, below := 0.0, 0.0
	for i, node := range c.stretches[k].x {
		if x == node {
			return c.after[k][i]
		}
		part := c.stretches[k].weights[i] / (x - node)
		above += part * c.after[k][i]
		below += part
	}
	return above / below
}

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

// A passage is a step of a walk past looks at which it might have crossed.
type passage struct {
	c        *ConditionalError
	from     int     // the look where it began,
	x        float64 // and the position there
	look     int     // to which it leads
	mean, sd float64 // of the position there
	spared   float64 // P(crossing after the step began), less a bound on the errors of all these
	crossing float64 // P(crossing there or later); 0 until it counts
}

// passage returns the step from position x at look j to look k; ok is false where nothing is passed over, and where
// x < 0.
func (c *ConditionalError) passage(j int, x float64, k int) (p passage, ok bool) {
	if k <= j+1 || x < 0 {
		return p, false
	}
	p = passage{c: c, from: j, x: x, look: k, spared: c.From(j, x)*(1-2*c.rounding()) - 2*c.slack}
	p.mean, p.sd = c.law(j, x, k)
	return p, true
}

// pays reports whether the walk is out from position y on, which is below the height: whether
//
//	P(position ≥ y, or crossing later) ≤ P(crossing after the step began).
func (p *passage) pays(y float64) bool {
	z := p.c.stretches[p.look].z
	beyond := above((y - p.mean) / p.sd)
	between := beyond - above((z-p.mean)/p.sd)
	if beyond > p.spared {
		return false
	}
	if p.crossing == 0 {
		p.crossing = p.c.over(p.from, p.x, p.look)
	}
	if p.crossing+between*(1-p.c.top[p.look]) > p.spared {
		return false
	}
	if p.crossing+between*(1-p.c.interpolated(p.look, y)) <= p.spared { // it rises with the position
		return true
	}
	sum := 0.0
	for i, part := range p.c.x {
		at := y + part*(z-y)
		sum += p.c.w[i] * normalDensity((at-p.mean)/p.sd) * (1 - p.c.interpolated(p.look, at))
	}
	return p.crossing+sum*(z-y)/p.sd <= p.spared
}

// Crosses reports whether a walk is out that was at position x at look j and is at y at look k: whether y ≥ z_k, or y
// is so large that
//
//	P(position at k ≥ y, or crossing later | x at j) ≤ P(crossing after j | x at j).
//
// The step from j to k may have passed over looks at which the walk might have crossed.
func (c *ConditionalError) Crosses(j int, x float64, k int, y float64) bool {
	if y >= c.stretches[k].z {
		return true
	}
	if y < c.stretches[k].z/2 { // not looked at
		return false
	}
	p, ok := c.passage(j, x, k)
	return ok && p.pays(y)
}

// Threshold returns the least y from which on Crosses holds, rounded down to a ten-thousandth of the height or less.
func (c *ConditionalError) Threshold(j int, x float64, k int) float64 {
	hi := c.stretches[k].z
	p, ok := c.passage(j, x, k)
	if !ok {
		return hi
	}
	lo := hi / 2
	for z := hi; hi-lo > 1e-4*z; {
		if mid := (lo + hi) / 2; p.pays(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo
}
