package report

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
)

// axis is a range that everything drawn is clamped to: on a logarithmic axis
// gonum/plot panics at zero, and at error bars that reach it.
type axis struct {
	lo, hi float64
	log    bool
	ticks  []plot.Tick
}

// newAxis covers the values. On a logarithmic axis only positive ones count, and
// there is room below them when others exist, to be drawn at the edge. wide are
// values that should be seen but may be cut, as long intervals on a log axis.
func newAxis(values, wide []float64, log, zero bool) axis {
	a := axis{log: log, lo: math.Inf(1), hi: math.Inf(-1)}
	below := false
	fits := func(v float64) bool { return math.Abs(v) < 1e300 && (!log || v > 1e-300) } // false for NaN
	for _, v := range values {
		if fits(v) {
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		} else if v <= 0 {
			below = true
		}
	}
	if a.lo > a.hi { // nothing to show
		a.lo, a.hi = 0.1, 1
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

// pad leaves room around the values, and makes room where there is one only.
func (a *axis) pad(below, zero bool) {
	if a.log {
		margin := math.Pow(a.hi/a.lo, 0.04)
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
	margin := 0.04 * (a.hi - a.lo)
	if margin <= 1e-12*math.Abs(a.hi) || margin == 0 {
		margin = max(math.Abs(a.hi)/2, 0.5)
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

// share is how far along the axis v is: 0 at its low end, 1 at its high end.
func (a axis) share(v float64) float64 {
	if a.log {
		return math.Log(v/a.lo) / math.Log(a.hi/a.lo)
	}
	return (v - a.lo) / (a.hi - a.lo)
}

// Ticks implements plot.Ticker; the axis knows its ticks beforehand.
func (a axis) Ticks(_, _ float64) []plot.Tick { return a.ticks }

// apply sets range, scale and ticks of a gonum axis.
func (a axis) apply(to *plot.Axis) {
	to.Min, to.Max = a.lo, a.hi
	to.Tick.Marker = a
	if a.log {
		to.Scale = plot.LogScale{}
	}
}

// tickAt puts ticks at the given values when they are few and apart enough to
// be read, and round numbers otherwise.
func (a *axis) tickAt(values []float64) {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	readable := len(values) >= 2 && len(values) <= 12
	for i, v := range values {
		if _, at := a.clamp(v); at != 0 || !isFinite(v) || (i > 0 && a.share(v)-a.share(values[i-1]) < 0.075) {
			readable = false
		}
	}
	if !readable {
		a.tickRound(6)
		return
	}
	for _, v := range values {
		a.ticks = append(a.ticks, plot.Tick{Value: v, Label: decimal(v, 0)})
	}
	for i := 1; i < len(a.ticks); i++ {
		if a.ticks[i].Label == a.ticks[i-1].Label { // values alike to four digits
			a.ticks = nil
			a.tickRound(6)
			return
		}
	}
}

// tickRound puts about n ticks at round numbers.
func (a *axis) tickRound(n int) {
	if a.log && a.tickDecades(n) {
		return
	}
	step := math.Pow(10, math.Floor(math.Log10((a.hi-a.lo)/float64(n))))
	for _, m := range []float64{1, 2, 5, 10} {
		if (a.hi-a.lo)/(m*step) <= float64(n)+0.5 {
			step *= m
			break
		}
	}
	digits := max(4, 1+int(math.Ceil(math.Log10(max(math.Abs(a.lo), math.Abs(a.hi))/step))))
	for k := math.Ceil(a.lo/step - 1e-9); k*step <= a.hi+1e-9*step; k++ {
		a.ticks = append(a.ticks, plot.Tick{Value: k * step, Label: decimal(math.Round(k)*step, digits)})
	}
}

// tickDecades puts ticks at powers of ten, and at twice and five times them when
// fewer than three powers are in range. It reports whether that gave two labels.
func (a *axis) tickDecades(n int) bool {
	first, last := int(math.Ceil(math.Log10(a.lo)-1e-9)), int(math.Floor(math.Log10(a.hi)+1e-9))
	decades := last - first + 1
	every := max(1, (decades+n-1)/n)
	labels := 0
	for k := first - 1; k <= last; k++ {
		for _, m := range []float64{1, 2, 3, 4, 5, 6, 7, 8, 9} {
			v := m * math.Pow(10, float64(k))
			if v < a.lo*(1-1e-9) || v > a.hi*(1+1e-9) || (every > 1 && m > 1) {
				continue
			}
			t := plot.Tick{Value: min(max(v, a.lo), a.hi)}
			switch {
			case decades >= 3 && m == 1 && (k-first)%every == 0:
				t.Label = power(k)
			case decades < 3 && (m == 1 || m == 2 || m == 5):
				t.Label = decimal(v, 2)
			}
			if t.Label != "" {
				labels++
			}
			a.ticks = append(a.ticks, t)
		}
	}
	if labels < 2 {
		a.ticks = nil
		return false
	}
	return true
}

// power is 10 to the k as a label, for the handler raised.
func power(k int) string { return "10^" + strings.Replace(strconv.Itoa(k), "-", "\u2212", 1) }

// named puts category names at 0, 1, ..., at most most of them, evenly thinned.
func (a *axis) named(names []string, position func(i int) float64, most int) {
	every := (len(names) + most - 1) / most
	for i, name := range names {
		if i%every == 0 {
			a.ticks = append(a.ticks, plot.Tick{Value: position(i), Label: shorten(name, 30)})
		}
	}
}

// shorten cuts long names for labels; tables hold them whole.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	return string(r[:most-1]) + "…"
}
