package figure

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"gonum.org/v1/plot/vg"
)

// Dat writes the numbers of a figure for pgfplots and other programs: comments that say what they
// are, then columns id, x, y, lo, hi, edge (-1 or 1 where y lies below or above the axis) and bar
// (the x of the interval, a little beside x where intervals would hide each other) in full
// precision. What lies outside the axes, as a rate of zero on a logarithmic one, stands at their
// edge with a comment. It returns the error of w.
func (f Figure) Dat(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n# x: %s, y: %s; lo and hi are the ends of the 95 %% interval.\n", line(f.Title), line(f.XLabel), line(f.YLabel))
	d := newLayout(f, false)
	id := 0
	var rows strings.Builder
	for k, panel := range f.Parts() {
		if f.Heat != nil {
			break
		}
		p := d.panes[k]
		for i, s := range panel.Series {
			id++
			fmt.Fprintf(&b, "# %d: %s\n", id, line(strings.Trim(p.title+", "+s.Name, ", ")))
			for _, q := range p.points(s, p.aside[i]) {
				if q.outside != 0 {
					fmt.Fprintf(&b, "#    at the edge: x = %s, y = %s\n", num(q.x), num(q.was))
				}
				fmt.Fprintf(&rows, "%d %s %s %s %s %d %s\n", id, num(q.x), num(q.y), num(q.lo), num(q.hi), q.outside, num(q.bar))
			}
		}
	}
	_, err := io.WriteString(w, b.String()+"id x y lo hi edge bar\n"+rows.String())
	return err
}

// point is a point of a series as drawn: inside the axes.
type point struct {
	x, y, lo, hi float64
	was          float64 // y itself, when it lies outside
	outside      int     // -1 below the axis, 1 above it
	bar          float64 // x of the interval
}

// points returns the points of a series that can be drawn, with their intervals so far beside them;
// nil stands for not at all. Bars lie along x.
func (p pane) points(s Series, aside []vg.Length) []point {
	var out []point
	for k := range s.Y {
		q := point{x: s.X[k], y: s.Y[k], was: s.Y[k]}
		value := p.y
		if p.IsBars() {
			value = p.x
			if math.IsNaN(s.Y[k]) {
				continue
			}
		} else if !p.drawable(s, k) {
			continue
		}
		v, at := value.clamp(s.Y[k])
		q.outside, q.y, q.lo, q.hi = at, v, v, v
		if q.bar = q.x; aside != nil && aside[k] != 0 {
			q.bar = p.x.at(p.x.fraction(q.x) + float64(aside[k]/(p.box.Max.X-p.box.Min.X)))
		}
		if s.HasIntervals() && s.Lo[k] < s.Hi[k] {
			q.lo, _ = value.clamp(s.Lo[k])
			q.hi, _ = value.clamp(s.Hi[k])
		}
		if p.IsBars() {
			q.x, q.y = q.y, float64(len(p.Categories)-1)-s.X[k]
		}
		out = append(out, q)
	}
	return out
}

// num returns the shortest decimal that reads back as the same number.
func num(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
