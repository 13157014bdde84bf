package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// sweepFigure draws measures against one swept name: a panel for each value of
// another one where asked for, and a series for each combination of the rest with
// a measure.
func sweepFigure(s sim.Sweep, o Drawing) (Figure, error) {
	if len(s.Rows) == 0 {
		return Figure{}, fmt.Errorf("the sweep has no results to draw")
	}
	var ms []measure
	for _, y := range o.Y {
		m, _ := findMeasure(y)
		ms = append(ms, m)
	}
	if err := sameUnit(ms); err != nil {
		return Figure{}, err
	}
	g := splitSweep(s, slices.Index(s.Names, o.X), slices.Index(s.Names, o.Panel), ms)
	f := Figure{
		Title:  fmt.Sprintf("%s against %s", ms[0].title, o.X),
		XLabel: o.X, YLabel: ms[0].column().heading(),
		LogX: g.spansDecades(), LogY: ms[0].log, Categories: g.categories,
	}
	if len(ms) > 1 {
		f.Title, f.YLabel = fmt.Sprintf("%s against %s", ms[0].quantity, o.X), ms[0].quantity
	}
	if o.Panel == "" {
		f.Series, f.Lines = g.panel(g.panels[0])
		return f, nil
	}
	f.Title += " for each " + o.Panel
	for _, p := range g.panels {
		panel := f
		panel.Title, panel.Panels = p.title, nil
		panel.Series, panel.Lines = g.panel(p)
		f.Panels = append(f.Panels, panel)
	}
	return f, nil
}

// sameUnit refuses measures that cannot share an axis.
func sameUnit(ms []measure) error {
	for _, m := range ms[1:] {
		if m.quantity != ms[0].quantity {
			return fmt.Errorf("y: %s is in %s and %s in %s: a figure has one unit, so draw them in two figures",
				ms[0].name, strings.ToLower(ms[0].quantity), m.name, strings.ToLower(m.quantity))
		}
	}
	return nil
}

// split is a sweep taken apart for a figure.
type split struct {
	sweep      sim.Sweep
	measures   []measure
	at         []float64 // x of each row
	categories []string  // when the swept values are words
	panels     []sweptPanel
	variants   []string // what distinguishes series of one algorithm
	algorithms []string // that occur
}

// sweptPanel has the rows of one panel by combination.
type sweptPanel struct {
	title  string
	combos []combo
}

// combo is a combination of the values that are neither x nor panel.
type combo struct {
	name string
	rest string // the name without the algorithm
	rows []int
}

func splitSweep(s sim.Sweep, x, panel int, ms []measure) split {
	g := split{sweep: s, measures: ms, at: make([]float64, len(s.Rows))}
	numbers := !slices.ContainsFunc(s.Rows, func(r sim.SweepRow) bool { _, ok := numeric(r.Values[x]); return !ok })
	for i, r := range s.Rows {
		g.at[i] = g.position(r.Values[x], numbers)
		if a := r.Result.Algorithm; !slices.Contains(g.algorithms, a) {
			g.algorithms = append(g.algorithms, a)
		}
		title := ""
		if panel >= 0 {
			title = valued(s.Names[panel], r.Values[panel])
		}
		k := slices.IndexFunc(g.panels, func(p sweptPanel) bool { return p.title == title })
		if k < 0 {
			k = len(g.panels)
			g.panels = append(g.panels, sweptPanel{title: title})
		}
		var all, rest []string
		for j, v := range r.Values {
			if j == x || j == panel {
				continue
			}
			word := valued(s.Names[j], v)
			all = append(all, word)
			if s.Names[j] != "algorithm" {
				rest = append(rest, word)
			}
		}
		g.panels[k].add(strings.Join(all, ", "), strings.Join(rest, ", "), i)
	}
	for _, p := range g.panels {
		for _, c := range p.combos {
			slices.SortStableFunc(c.rows, func(a, b int) int { return cmp.Compare(g.at[a], g.at[b]) })
			for _, m := range ms {
				if v := c.rest + m.name; !slices.Contains(g.variants, v) {
					g.variants = append(g.variants, v)
				}
			}
		}
	}
	return g
}

// position is where a value stands on the x axis: at itself, or a word at its place
// among the words.
func (g *split) position(v any, numbers bool) float64 {
	if numbers {
		x, _ := numeric(v)
		return x
	}
	word := cell(plain(v), 0)
	if !slices.Contains(g.categories, word) {
		g.categories = append(g.categories, word)
	}
	return float64(slices.Index(g.categories, word))
}

func (p *sweptPanel) add(name, rest string, row int) {
	k := slices.IndexFunc(p.combos, func(c combo) bool { return c.name == name })
	if k < 0 {
		k = len(p.combos)
		p.combos = append(p.combos, combo{name: name, rest: rest})
	}
	p.combos[k].rows = append(p.combos[k].rows, row)
}

// valued is a swept value as text: a number with its name, a word by itself.
func valued(name string, v any) string {
	if _, ok := numeric(v); ok {
		return name + " " + cell(plain(v), 0)
	}
	return cell(plain(v), 0)
}

// spansDecades is true when x reads better on a logarithmic axis.
func (g split) spansDecades() bool {
	return g.categories == nil && spanDecades(g.at)
}

// panel has the series and reference lines of one panel.
func (g split) panel(p sweptPanel) ([]Series, []ReferenceLine) {
	var out []Series
	var results []engine.Result
	first := g.measures[0]
	for k, c := range p.combos {
		for j := range g.measures {
			if s := g.series(p, k*len(g.measures)+j); !first.log || !s.allZero() {
				out = append(out, s)
			}
		}
		for _, i := range c.rows {
			results = append(results, g.sweep.Rows[i].Result)
		}
	}
	if first.name == "samples" {
		return append(out, g.lowerBounds(p)...), nil
	}
	return out, references(first, results, nil, false)
}

// allZero is true for exact zeros alone, such as the messages of agents who send
// none: a logarithmic axis has no place for them. A rate of zero has an interval.
func (s Series) allZero() bool {
	for k, y := range s.Y {
		if y != 0 || s.Hi[k] > 0 {
			return false
		}
	}
	return true
}

// series is the n-th of a panel: a combination and a measure. Where x is words, the
// points of several series stand side by side instead of on top of each other.
func (g split) series(p sweptPanel, n int) Series {
	c, m := p.combos[n/len(g.measures)], g.measures[n%len(g.measures)]
	out := Series{Name: c.name}
	if len(g.measures) > 1 {
		out.Name = strings.TrimPrefix(c.name+", "+m.title, ", ")
	}
	shift := 0.0
	if g.categories != nil {
		out.Style = Points
		all := len(p.combos) * len(g.measures)
		shift = (float64(n) - float64(all-1)/2) * 0.6 / float64(max(all, 2))
	} else {
		g.dress(&out, c, m)
	}
	for _, i := range c.rows {
		y, lo, hi, ok := withInterval(m.value(g.sweep.Rows[i].Result))
		if !ok {
			continue
		}
		out.X, out.Y = append(out.X, g.at[i]+shift), append(out.Y, y)
		out.Lo, out.Hi = append(out.Lo, lo), append(out.Hi, hi)
	}
	return out
}

// dress gives the series of an algorithm its own look and name, where algorithms
// are what the figure compares or all there is.
func (g split) dress(out *Series, c combo, m measure) {
	r := g.sweep.Rows[c.rows[0]].Result
	if out.Name == "" {
		out.Name = r.Algorithm
	}
	if len(g.algorithms) == 1 && len(g.variants) > 1 {
		return
	}
	hue, ideal := hueOf(r.Mode, r.Algorithm)
	out.Hue, out.Reference = hue, ideal
	out.Variant = slices.Index(g.variants, c.rest+m.name)
	if ideal {
		out.Name += " (reference)"
	}
}

// mostBounds is how many lower bounds a panel shows before they crowd it.
const mostBounds = 3

// lowerBounds has the lower bound of each combination as a series to compare
// with; combinations with the same bound share one. Many would hide the rest, so
// then there are none.
func (g split) lowerBounds(p sweptPanel) []Series {
	var out []Series
	for _, c := range p.combos {
		b := Series{Name: "lower bound", Style: Bound}
		for _, i := range c.rows {
			if v := g.sweep.Rows[i].Result.LowerBoundSamples; v > 0 {
				b.X, b.Y = append(b.X, g.at[i]), append(b.Y, v)
			}
		}
		if len(b.X) == 0 || slices.ContainsFunc(out, func(o Series) bool { return slices.Equal(o.X, b.X) && slices.Equal(o.Y, b.Y) }) {
			continue
		}
		if len(out) > 0 {
			b.Name = "lower bound, " + cmp.Or(c.rest, c.name)
		}
		out = append(out, b)
	}
	if len(out) > mostBounds {
		return nil
	}
	if len(out) > 1 && p.combos[0].name != "" {
		out[0].Name = "lower bound, " + cmp.Or(p.combos[0].rest, p.combos[0].name)
	}
	return out
}
