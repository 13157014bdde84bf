package figure

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// tickAt puts ticks at the given values if their labels fit side by side, and reach beyond the axis by at most beyond.
// Otherwise it puts ticks at round numbers. length is the length of the axis. Names replace the numbers at their places.
func (a *axis) tickAt(values []float64, names []XName, length, beyond, size vg.Length) {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	if len(values) >= 1 && len(values) <= 12 && len(a.within(values)) == len(values) {
		a.ticks = append(a.ticks, lists.Map(values, func(v float64) tick { return tick{value: v, label: wording.Decimal(v, 0)} })...)
		a.rename(names, values)
		if !a.crowded(length, beyond, size) {
			return
		}
	}
	a.ticks = nil
	a.tickRound(int(max(2, length/34)))
	a.rename(names, values)
	a.thin(length, beyond, size)
}

// rename puts names at their places, where they replace ticks. A name at an end of the axis is that of a value beyond the
// scale, which ends at the next value.
func (a *axis) rename(names []XName, values []float64) {
	for _, n := range names {
		if _, outside := a.clamp(n.At); outside != 0 {
			continue
		}
		from, to := n.At, n.At
		if k := len(values) - 1; k > 1 && n.At == values[0] {
			from, to = 0, math.Nextafter(values[1], 0)
		} else if k > 1 && n.At == values[k] {
			from, to = math.Nextafter(values[k-1], n.At), math.Inf(1)
		}
		a.ticks = slices.DeleteFunc(a.ticks, func(t tick) bool { return !t.named && t.value >= from && t.value <= to })
		a.ticks = append(a.ticks, tick{n.At, n.Name, true})
	}
	slices.SortFunc(a.ticks, func(x, y tick) int { return cmp.Compare(x.value, y.value) })
}

// crowded reports whether labels of a horizontal axis would touch, reach too far beyond its ends, or be equal.
func (a axis) crowded(length, beyond, size vg.Length) bool {
	end := -beyond - 5
	last := ""
	for _, t := range a.ticks {
		at, half := vg.Length(a.fraction(t.value))*length, width(t.label, size)/2
		if at-half < end+5 || at+half > length+beyond || t.label == last {
			return true
		}
		end, last = at+half, t.label
	}
	return false
}

// thin removes labels of a horizontal axis that would touch others or reach too far beyond its ends.
func (a *axis) thin(length, beyond, size vg.Length) {
	type span struct{ from, to vg.Length }
	var placed []span
	order := indices.All(len(a.ticks))
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(a.rank(a.ticks[i]), a.rank(a.ticks[j])) })
	for _, i := range order {
		t := &a.ticks[i]
		if t.label == "" {
			continue
		}
		at, half := vg.Length(a.fraction(t.value))*length, width(t.label, size)/2
		s := span{at - half - 2.5, at + half + 2.5}
		if at-half < -beyond || at+half > length+beyond ||
			slices.ContainsFunc(placed, func(o span) bool { return s.from < o.to && o.from < s.to }) {
			t.label = ""
			continue
		}
		placed = append(placed, s)
	}
}

// rank returns the order in which labels find room: names, powers of ten, the rest.
func (a axis) rank(t tick) int {
	k := math.Log10(t.value)
	switch {
	case t.named:
		return 0
	case a.log && math.Abs(k-math.Round(k)) < 1e-9:
		return 1
	}
	return 2
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
		value := math.Round(k) * step
		label := wording.Decimal(value, digits)
		if step < 1 && math.Abs(value) >= 1e3 { // Decimal writes such values as whole numbers
			label = wording.ToStep(value, 10*step)
		}
		a.ticks = append(a.ticks, tick{value: k * step, label: label})
	}
}

// tickDecades puts ticks at powers of ten if two or more are in range, with labels 10^k. Otherwise it also puts numbers at
// 2 and 5 times the powers. It reports whether two ticks have labels.
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
			t := tick{value: min(max(v, a.lo), a.hi)}
			switch {
			case decades >= 2 && m == 1 && (k-first)%every == 0:
				t.label = power(k)
			case decades < 2 && (m == 1 || m == 2 || m == 5):
				t.label = wording.Decimal(v, 2)
			}
			if t.label != "" {
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

// power returns 10^k as a label, which the handler raised shows with an exponent.
func power(k int) string { return "10^" + strings.Replace(strconv.Itoa(k), "-", "\u2212", 1) }

// named puts names of categories at 0, 1, ...; at most most of them, at equal distances, each with a limited number of
// letters.
func (a *axis) named(names []string, most, letters int) {
	every := (len(names) + most - 1) / most
	for i, name := range names {
		if i%every == 0 {
			a.ticks = append(a.ticks, tick{value: float64(i), label: shorten(name, letters)})
		}
	}
}

// shorten removes the middle of a long name, because names that begin alike differ at their ends. Tables show whole names.
func shorten(s string, most int) string {
	r := []rune(s)
	if len(r) <= most {
		return s
	}
	end := (most - 1) / 2
	return string(r[:most-1-end]) + "…" + string(r[len(r)-end:])
}

// axis is a range of values with ticks. Values outside are drawn at its ends.
type axis struct {
	lo, hi float64
	log    bool
	down   bool // the lower end is at the top; only for linear axes
	ticks  []tick
}

// tick is one mark on an axis; a tick with label "" is short. On logarithmic axes, a label such as 10^3 has a raised
// exponent.
type tick struct {
	value float64
	label string
	named bool // a name, which stays when labels are removed
}

// newAxis returns an axis that covers the values. On a logarithmic axis only positive values count; if there are others,
// room at the lower end shows them at the edge. The values in wide should be visible, although long intervals on a
// logarithmic axis may be cut.
func newAxis(values, wide []float64, log, zero bool) axis {
	a := axis{log: log, lo: math.Inf(1), hi: math.Inf(-1)}
	below := false
	// NaN does not fit
	fits := func(v float64) bool { return math.Abs(v) < 1e300 && (!log || v > 1e-300) }
	for _, v := range values {
		if fits(v) {
			a.lo, a.hi = min(a.lo, v), max(a.hi, v)
		} else if v <= 0 {
			below = true
		}
	}
	if a.lo > a.hi { // all values are at the edge: use the ends of intervals
		a.lo, a.hi = 0.1, 1
		if top := slices.DeleteFunc(slices.Clone(wide), func(v float64) bool { return !fits(v) }); log && len(top) > 0 {
			a.lo, a.hi = slices.Min(top), slices.Max(top)
		}
		if !log {
			a.lo = 0
		}
	}
	low := a.lo / 100 // an interval can extend a logarithmic axis down to this value
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

// limit sets the stated ends of the axis; nil means none.
func (a *axis) limit(ends *[2]float64) {
	if ends != nil && limits(ends, a.log) == nil {
		a.lo, a.hi = ends[0], ends[1]
	}
}

// breathing is the room at each end, as a part of the range. A marker with the bars of intervals beside it fits.
const breathing = 0.06

// pad adds room around the values. A single value gets a range around it.
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

// clamp moves v into the range. at is -1 if v was below the range, 1 if it was above, 0 if it was inside.
func (a axis) clamp(v float64) (inside float64, at int) {
	switch {
	case v < a.lo:
		return a.lo, -1
	case v > a.hi:
		return a.hi, 1
	}
	return v, 0
}

// within returns the finite values in the range of the axis.
func (a axis) within(values []float64) []float64 {
	return lists.Where(values, func(v float64) bool { return wording.IsFinite(v) && a.lo <= v && v <= a.hi })
}

// fraction returns the place of v on the axis: 0 at the lower end, 1 at the upper end.
func (a axis) fraction(v float64) float64 {
	if a.log {
		return math.Log(v/a.lo) / math.Log(a.hi/a.lo)
	}
	if a.down {
		v = a.lo + a.hi - v
	}
	return (v - a.lo) / (a.hi - a.lo)
}

// nearest returns the smallest distance between different values, on an axis of the given length; with fewer than two
// values, the length.
func (a axis) nearest(values []float64, length vg.Length) vg.Length {
	inside := slices.Sorted(slices.Values(a.within(values)))
	least := length
	for i := 1; i < len(inside); i++ {
		if d := vg.Length(a.fraction(inside[i])-a.fraction(inside[i-1])) * length; d > 1e-6*length {
			least = min(least, d)
		}
	}
	return least
}
