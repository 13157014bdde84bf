package sequential

import (
	"cmp"
	"math"
)

// The clocks of the tests. Their growth is a compromise: looks that are farther apart
// waste part of a round whose information falls between two of them, looks that are
// closer make the boundary higher. The last time is 5·10^5 times the first. With a boundary z
// that is enough for gaps of z/722 standard errors of round 1 (docs/theory/test.md).
const (
	ClockGrowth = 1.25
	ClockLooks  = 60
)

// clockEarly is the usual factor by which a walk's clock may begin before the information known at its
// start: after that a clock has about 41 of its 60 looks left. Noise scales may differ by orders
// of magnitude, and with them what round 1 says of gaps.
const clockEarly = 64

// Clock is the information clock of a walk, and except for later beginnings the clock of all walks of a
// run: a walk can be judged at the times origin·growth^k, one for each height, and nowhere else.
type Clock struct {
	Origin float64           // T_0 > 0, normalised: 1/variance of a gap
	Growth float64           // ratio of successive times; 0 means ClockGrowth
	Early  float64           // largest factor by which a walk's clock begins before the information known at the walk's start; 0 means 64
	Z      []float64         // for each look k: a walk S has crossed when S ≥ z_k √T_k
	Within map[int][]float64 // boundaries Z for walks that are expected to need at most the given number of looks
	// times of the looks if they are fixed in advance, so that round r ends at look r-2; nil otherwise
	Times []float64
}

// Of returns the clock of walk w, with the walk's own beginning.
func (c Clock) Of(w *Walk) Clock {
	if z, ok := c.Within[w.Horizon]; ok {
		c.Z = z
	}
	if off := w.Offset - w.sooner; off != 0 {
		c.Origin *= math.Pow(c.growth(), float64(off))
	}
	return c
}

// soonest returns by how many looks Sooner lets a clock begin earlier at most: four of the usual clock.
func (c Clock) soonest() int { return int(4*math.Log(ClockGrowth)/math.Log(c.growth()) + 1e-9) }

// within returns the least time from which T_k is nearest, with a little to spare for rounding.
func (c Clock) within(k int) float64 {
	return 1.01 * c.Time(min(k, c.Last())) / math.Sqrt(c.growth())
}

// OffsetFor returns by how many looks the clock of a walk begins later than the common one when so
// much is known of its gap.
func (c Clock) OffsetFor(info float64) int {
	return int(max(0, math.Floor(c.Looks(cmp.Or(c.Early, clockEarly)*c.Origin, info))))
}

func (c Clock) growth() float64 { return cmp.Or(c.Growth, ClockGrowth) }

// Last returns the last look.
func (c Clock) Last() int { return len(c.Z) - 1 }

// Time returns T_k, and 0 for k = -1, before the first look.
func (c Clock) Time(k int) float64 {
	if k < 0 {
		return 0
	}
	if c.Times != nil {
		return c.Times[k]
	}
	return c.Origin * math.Pow(c.growth(), float64(k))
}

// Next returns the look to which a round of that information takes a walk.
func (c Clock) Next(look int, info float64, round int) int {
	if c.Times != nil {
		return round - 2
	}
	return c.nearest(c.Time(look) + info)
}

// Height returns z_k √T_k.
func (c Clock) Height(k int) float64 { return c.Z[k] * math.Sqrt(c.Time(k)) }

// nearest returns the look whose time is nearest to t on a logarithmic scale. It returns -1 for a time before the first
// look, and the last look for a later time.
func (c Clock) nearest(t float64) int { return min(max(c.looks(t), -1), c.Last()) }

// looks returns the number of looks from the first time to t.
func (c Clock) looks(t float64) int { return int(math.Round(c.Looks(c.Origin, t))) }

// Looks returns the number of looks between two times.
func (c Clock) Looks(from, to float64) float64 { return math.Log(to/from) / math.Log(c.growth()) }
