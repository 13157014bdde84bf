package figure

import (
	"math"
	"slices"

	"gonum.org/v1/plot/vg"

	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// axis is a range that everything drawn is clamped to, with its ticks.
type axis struct {
	lo, hi float64
	log    bool
	ticks  []tick
}

// tick is one mark on an axis; "" means a short one without a label. A label such
// as 10^3 is set with a raised exponent on logarithmic axes.
type tick struct {
	value float64
	label string
	named bool // a name, which stays when labels are thinned
}

// newAxis covers the values. On a logarithmic axis only positive ones count, and
// there is room below them when others exist, to be drawn at the edge. wide are
// values that should be seen but may be cut, as long intervals on a log axis.
func newAxis(values, wide []float64, log, zero bool) axis {
	a := axis{log: log, lo: math.Inf(1), hi: math.Inf(-1)}
	below := false
	// false for NaN
	fits := func(v float64) bool { return math.Abs(v) < 1e300 && (!log || v > 1e-300) }
	for _, v := range values {
		if fits(v) {
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		} else if v <= 0 {
			below = true
		}
	}
	if a.lo > a.hi { // nothing but what lies at the edge: the ends of intervals say where to look
		a.lo, a.hi = 0.1, 1
		if top := slices.DeleteFunc(slices.Clone(wide), func(v float64) bool { return !fits(v) }); log && len(top) > 0 {
			a.lo, a.hi = slices.Min(top), slices.Max(top)
		}
		if !log {
			a.lo = 0
		}
	}
	low := a.lo / 100 // as far down as an interval may pull a log axis
	for _, v := range wide {
		if fits(v) {
			if log {
				v = max(v, low)
			}
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		}
	}
	a.pad(below, zero)
	return a
}

// limit gives the axis the ends that were asked for, if any.
func (a *axis) limit(ends *[2]float64) {
	if ends != nil && limits(*ends, a.log) == nil {
		a.lo, a.hi = ends[0], ends[1]
	}
}

// breathing is the room at each end, as a share of the range: enough for a marker with
// the bars of intervals beside it.
const breathing = 0.06

// pad leaves room around the values, and makes room where there is one only.
func (a *axis) pad(below, zero bool) {
	if a.log {
		margin := math.Pow(a.hi/a.lo, breathing)
		if a.hi/a.lo < 1.01 {
			margin = 2
		}
		a.lo, a.hi = max(a.lo/margin, 1e-305), a.hi*margin
		if below {
			a.lo /= 3
		}
		return
	}
	if zero {
		a.lo, a.hi = min(a.lo, 0), max(a.hi, 0)
	}
	margin := breathing * (a.hi - a.lo)
	if margin <= 1e-12*math.Abs(a.hi) || margin == 0 {
		if margin = math.Abs(a.hi) / 2; margin == 0 {
			margin = 0.5
		}
	}
	if !zero || a.lo < 0 {
		a.lo -= margin
	}
	if !zero || a.hi > 0 {
		a.hi += margin
	}
}

// clamp moves v into the range; at tells on which side it was outside (-1, 0, 1).
func (a axis) clamp(v float64) (inside float64, at int) {
	switch {
	case v < a.lo:
		return a.lo, -1
	case v > a.hi:
		return a.hi, 1
	}
	return v, 0
}

// fraction returns how far along the axis v is: 0 at its low end, 1 at its high end.
func (a axis) fraction(v float64) float64 {
	if a.log {
		return math.Log(v/a.lo) / math.Log(a.hi/a.lo)
	}
	return (v - a.lo) / (a.hi - a.lo)
}

// at returns the value that stands at a fraction of the axis: the inverse of fraction.
func (a axis) at(share float64) float64 {
	if a.log {
		return a.lo * math.Pow(a.hi/a.lo, share)
	}
	return a.lo + share*(a.hi-a.lo)
}

// nearest returns the smallest distance between different values on an axis of the given length;
// the length itself when there are fewer than two.
func (a axis) nearest(values []float64, length vg.Length) vg.Length {
	inside := slices.DeleteFunc(slices.Clone(values), func(v float64) bool { _, at := a.clamp(v); return at != 0 || !wording.IsFinite(v) })
	slices.Sort(inside)
	least := length
	for i := 1; i < len(inside); i++ {
		if d := vg.Length(a.fraction(inside[i])-a.fraction(inside[i-1])) * length; d > 1e-6*length {
			least = min(least, d)
		}
	}
	return least
}
