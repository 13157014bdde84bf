package sequential

import (
	"cmp"
	"math"
)

// Constants of the clocks of all tests. ClockGrowth is a compromise. Looks that are farther apart waste more of a round
// whose information ends between two looks; closer looks make the boundary higher. The last time is 5·10^5 times the
// first. With a boundary z, that is enough for gaps of z/722 standard errors of round 1 (docs/theory/samples.md).
const (
	ClockGrowth = 1.25
	ClockLooks  = 60
)

// clockEarly is the default of Clock.Early. A clock that begins this factor earlier has about 41 of its 60 looks after the
// information known at its start. The factor is large because noise scales, and with them the information of round 1, may
// be wrong by orders of magnitude.
const clockEarly = 64

// Clock is the information clock of a walk. All walks of a run share it, except for later beginnings. A walk is tested
// only at the times origin·growth^k, one for each element of Z.
type Clock struct {
	Origin float64           // T_0 > 0, normalised: 1/variance of a gap
	Growth float64           // ratio of successive times; 0 means ClockGrowth
	Early  float64           // largest factor by which a walk's clock begins before the information known at the walk's start; 0 means 64
	Z      []float64         // for each look k: a walk S has crossed when S ≥ z_k √T_k
	Within map[int][]float64 // boundaries Z for walks that are expected to need at most the given number of looks
	// times of the looks if they are fixed in advance, so that round r ends at look r-2; nil otherwise
	Times []float64
}

// Of returns the clock of walk w: c with the beginning and the boundary of this walk.
func (c Clock) Of(w *Walk) Clock {
	if z, ok := c.Within[w.Horizon]; ok {
		c.Z = z
	}
	if off := w.Offset - w.sooner; off != 0 {
		c.Origin *= math.Pow(c.growth(), float64(off))
	}
	return c
}

// soonest returns the largest number of looks by which Sooner lets a clock begin earlier. This is the time of four looks
// of the usual clock.
func (c Clock) soonest() int { return int(4*math.Log(ClockGrowth)/math.Log(c.growth()) + 1e-9) }

// within returns the smallest time that the clock rounds to T_k, plus a margin for rounding errors.
func (c Clock) within(k int) float64 {
	return 1.01 * c.Time(min(k, c.Last())) / math.Sqrt(c.growth())
}

// OffsetFor returns the number of looks by which a walk's clock begins later than the common one. info is the information
// that is known about the walk's gap.
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

// Next returns the look that a walk at this look reaches after a further round with this information. With fixed times the
// look depends only on the number of the round.
func (c Clock) Next(look int, info float64, round int) int {
	if c.Times != nil {
		return round - 2
	}
	return c.nearest(c.Time(look) + info)
}

// Height returns the boundary z_k √T_k of the sum at look k.
func (c Clock) Height(k int) float64 { return c.Z[k] * math.Sqrt(c.Time(k)) }

// nearest returns the look whose time is nearest to t on a logarithmic scale. It returns -1 for a time before the first
// look, and the last look for a later time.
func (c Clock) nearest(t float64) int { return min(max(c.looks(t), -1), c.Last()) }

// looks returns the number of looks from the first time to t.
func (c Clock) looks(t float64) int { return int(math.Round(c.Looks(c.Origin, t))) }

// Looks returns the number of looks between two times.
func (c Clock) Looks(from, to float64) float64 { return math.Log(to/from) / math.Log(c.growth()) }
