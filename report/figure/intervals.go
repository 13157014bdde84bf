package figure

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Intervals are bars, or bands where bars would be crowded. Markers and lines stand at
// their true x always; bars that would hide each other stand a little beside them.

// mostAside limits the distance of a bar from its marker, in points.
const mostAside = 3

// HasIntervals reports whether each Y has an interval.
func (s Series) HasIntervals() bool {
	return len(s.Lo) == len(s.Y) && len(s.Hi) == len(s.Y) && len(s.Y) > 0
}

// withIntervals counts the series whose intervals are bars unless they are crowded.
func (p pane) withIntervals() int {
	n := 0
	for _, s := range p.Series {
		if s.HasIntervals() && s.Style != Band && s.Style != Shade {
			n++
		}
	}
	return n
}

// crowdedBars reports whether the intervals of several series would not fit side by side between
// neighbouring points: then all are drawn as bands.
func (p pane) crowdedBars() bool {
	n := p.withIntervals()
	if n == 0 || len(p.Categories) > 0 {
		return false
	}
	var xs []float64
	for _, s := range p.Series {
		if s.HasIntervals() {
			xs = append(xs, s.X...)
		}
	}
	room := p.x.nearest(xs, p.box.Max.X-p.box.Min.X)
	return room < vg.Length(n-1)*2.5+4
}

// bandOf reports whether the intervals of series i are a band.
func (p pane) bandOf(i int) bool {
	s := p.Series[i]
	return s.HasIntervals() && (s.Style == Band || s.Style == Shade || p.banded && s.Style != Points)
}

// bar is the interval of point k of series i as a vertical stroke.
type bar struct {
	series, k int
	lo, hi    vg.Length
}

// movedBars returns how far each interval, by series and point, stands beside its marker: not at
// all where it can be told apart from all others at its x. Categories have been moved apart
// already.
func (p pane) movedBars() [][]vg.Length {
	aside := make([][]vg.Length, len(p.Series))
	at := map[float64][]bar{}
	for i, s := range p.Series {
		aside[i] = make([]vg.Length, len(s.Y))
		if !s.HasIntervals() || p.bandOf(i) || len(p.Categories) > 0 {
			continue
		}
		for k := range s.Y {
			if p.drawable(s, k) && s.Lo[k] < s.Hi[k] {
				at[s.X[k]] = append(at[s.X[k]], bar{i, k, p.at(s, k, s.Lo[k]).Y, p.at(s, k, s.Hi[k]).Y})
			}
		}
	}
	for _, bars := range at {
		for _, group := range overlapping(bars) {
			step := min(2, 2*mostAside/vg.Length(max(len(group)-1, 1)))
			for j, b := range group {
				aside[b.series][b.k] = (vg.Length(j) - vg.Length(len(group)-1)/2) * step
			}
		}
	}
	return aside
}

// seen is the length from which a bar reaches out of its marker, in points.
const seen = 12

// overlapping returns the groups of bars that would hide each other, each in the order of its
// series. Bars that their markers hide need not be told apart.
func overlapping(bars []bar) [][]bar {
	slices.SortFunc(bars, func(a, b bar) int { return cmp.Or(cmp.Compare(a.lo, b.lo), cmp.Compare(a.series, b.series)) })
	var groups [][]bar
	top := vg.Length(0)
	for i, b := range bars {
		if i == 0 || b.lo > top {
			groups, top = append(groups, nil), b.hi
		}
		last := &groups[len(groups)-1]
		*last, top = append(*last, b), max(top, b.hi)
	}
	groups = slices.DeleteFunc(groups, func(g []bar) bool {
		return !slices.ContainsFunc(g, func(b bar) bool { return b.hi-b.lo > seen })
	})
	for _, g := range groups {
		slices.SortFunc(g, func(a, b bar) int { return cmp.Compare(a.series, b.series) })
	}
	return groups
}

// intervals draws the intervals of series i as bars. An end that lies outside the axes
// has no cap.
func (p pane) intervals(c draw.Canvas, i int) {
	s := p.Series[i]
	if !s.HasIntervals() {
		return
	}
	style := draw.LineStyle{Color: p.looks[i].color, Width: 1}
	cap := vg.Length(2.5)
	if p.title != "" || p.withIntervals() > 4 {
		style.Width, cap = 0.8, 1.6
	}
	for k := range s.Y {
		if !p.drawable(s, k) || !(s.Lo[k] < s.Hi[k]) {
			continue
		}
		lo, hi := p.at(s, k, s.Lo[k]), p.at(s, k, s.Hi[k])
		x := lo.X + p.aside[i][k]
		c.StrokeLine2(style, x, lo.Y, x, hi.Y)
		for _, end := range []float64{s.Lo[k], s.Hi[k]} {
			if _, outside := p.y.clamp(end); outside == 0 {
				c.StrokeLine2(style, x-cap, p.py(end), x+cap, p.py(end))
			}
		}
	}
}

// shadeAlpha is the opacity of shades: they show what lies below them, and each other.
const shadeAlpha = 0x30

// band draws the intervals of series i as a shade around its line.
func (p pane) band(c draw.Canvas, i int) {
	s, shade := p.Series[i], p.looks[i].color
	shade.A = shadeAlpha
	for _, run := range p.runs(s, p.drawable) {
		var outline []vg.Point
		for _, k := range run {
			outline = append(outline, p.at(s, k, s.Lo[k]))
		}
		for j := len(run) - 1; j >= 0; j-- {
			outline = append(outline, p.at(s, run[j], s.Hi[run[j]]))
		}
		fill(c, shade, outline)
	}
}
