package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// series returns the series of one panel. The series of bounds come last.
func (g split) series(p splitPanel) []Series {
	var out, theory []Series
	for k := range len(p.combos) * len(g.measures) {
		s := g.one(p, k)
		switch {
		case g.measures[0].log && allZero(s) || g.shared(out, &s, p, k):
		case !g.measures[k%len(g.measures)].theory:
			out = append(out, s)
		case !g.again(theory, &s, p, k):
			theory = append(theory, s)
		}
	}
	out = append(out, theory...)
	upper := g.bounds(p, g.theorem, func(r chartRow) float64 { return r.upper })
	for i := range upper {
		upper[i].Variant = 1
	}
	return append(append(out, upper...), g.bounds(p, "lower bound", func(r chartRow) float64 { return r.lower })...)
}

// shared reports whether series s, a prediction, equals one in out that belongs to another combination. Then the series in
// out represents both and becomes a reference. A prediction in a panel with one combination becomes a reference too. n is
// the index of s in the panel.
func (g split) shared(out []Series, s *Series, p splitPanel, n int) bool {
	j := n % len(g.measures)
	if g.styles == nil || j == 0 {
		return false
	}
	if len(p.combos) == 1 {
		s.Reference = true
		return false
	}
	for k := range out {
		if o := &out[k]; o.Variant == j && slices.Equal(o.X, s.X) && slices.EqualFunc(o.Y, s.Y, alikeDrawn) {
			o.Name, o.Reference = g.measures[j].title, true
			return true
		}
	}
	return false
}

// again reports whether theory already has a series with the same values for another algorithm or schedule. Then that
// series is named after the measure alone. again also names s, and makes s a reference if the figure has measured
// quantities too. n is the index of s in the panel.
func (g split) again(theory []Series, s *Series, p splitPanel, n int) bool {
	j := n % len(g.measures)
	title := g.measures[j].title
	s.Name, s.Hue, s.Variant = strings.TrimPrefix(p.combos[n/len(g.measures)].rest+", "+title, ", "), 0, 0
	if slices.ContainsFunc(g.measures, func(m measure) bool { return !m.theory }) {
		s.Reference, s.Variant = true, lists.Count(g.measures[:j], func(m measure) bool { return m.theory })
	}
	for k, o := range theory {
		if strings.HasSuffix(o.Name, title) && slices.Equal(o.X, s.X) && slices.Equal(o.Y, s.Y) {
			theory[k].Name = title
			return true
		}
	}
	return false
}

// alikeDrawn reports whether two values are too close to distinguish in a figure.
func alikeDrawn(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Abs(a) }

// allZero reports whether all values and their intervals are 0, as for the messages of independent agents. A logarithmic
// axis cannot show such a series.
func allZero(s Series) bool {
	for k, y := range s.Y {
		if y != 0 || s.HasIntervals() && s.Hi[k] > 0 {
			return false
		}
	}
	return true
}

// one returns series n of a panel, for one combination and one measure. On an axis of words, it shifts the points, so that
// those of different series do not overlap.
func (g split) one(p splitPanel, n int) Series {
	j := n % len(g.measures)
	c, m := p.combos[n/len(g.measures)], g.measures[j]
	out := Series{Name: c.name}
	if g.named {
		out.Name = strings.TrimPrefix(c.name+", "+m.title, ", ")
	}
	if g.styles != nil {
		out.Style = g.styles[j]
	}
	shift := 0.0
	if g.categories != nil {
		out.Style = Points
		all := len(p.combos) * len(g.measures)
		shift = (float64(n) - float64(all-1)/2) * 0.6 / float64(max(all, 2))
	}
	g.dress(&out, p, n)
	certain := true
	for _, i := range c.rows {
		y, lo, hi, ok := withInterval(g.rows[i].cells[j])
		if !ok {
			continue
		}
		certain = certain && lo == hi
		out.Add(g.at[i]+shift, y, lo, hi)
	}
	if certain {
		out.Lo, out.Hi = nil, nil
	}
	return out
}

// dress sets the name and colour of series n of a panel. An algorithm has the same colour in all figures. If the figure
// does not compare algorithms, all series of a combination have one colour.
func (g split) dress(out *Series, p splitPanel, n int) {
	c, m := p.combos[n/len(g.measures)], g.measures[n%len(g.measures)]
	r := g.rows[c.rows[0]]
	if g.along {
		return
	}
	out.Name = cmp.Or(out.Name, markedName(r.algorithm))
	hue, ideal := hueOf(r.mode, r.algorithm)
	switch {
	case ideal:
		if !strings.Contains(out.Name, referenceMark) { // otherwise the panel's title has the name
			out.Name, hue = out.Name+referenceMark, 0
		}
	case g.categories != nil && len(p.combos) > 1 && !slices.Contains(g.names, "algorithm"),
		len(g.algorithms) == 1 && (len(g.variants) > 1 || g.named):
		if len(g.measures) > 1 && (len(p.combos) > 1 || g.styles != nil) {
			out.Hue, out.Variant = n/len(g.measures)+1, n%len(g.measures)
		}
		return
	case len(g.algorithms) > 1 && c.rest == c.name && len(p.combos) > 1:
		// The panel shows one algorithm, so its series need no colours of algorithms.
		return
	}
	out.Hue, out.Reference = hue, ideal
	out.Variant = slices.Index(g.variants, c.rest+m.name)
}

// mostBounds is the maximum number of bounds of one kind in a panel.
const mostBounds = 3

// bounds returns the bound of each combination as a series. Combinations with equal bounds share a series. It returns none
// if there are more than mostBounds, unless the user asked for bounds. of returns the bound of a row; 0 if unknown.
func (g split) bounds(p splitPanel, name string, of func(chartRow) float64) []Series {
	var out []Series
	var names []string
	for _, c := range p.combos {
		b := Series{Name: name, Style: Bound}
		for _, i := range c.rows {
			if v := of(g.rows[i]); v > 0 {
				b.Add(g.at[i], v)
			}
		}
		if len(b.X) == 0 || slices.ContainsFunc(out, func(o Series) bool { return slices.Equal(o.X, b.X) && slices.Equal(o.Y, b.Y) }) {
			continue
		}
		out, names = append(out, b), append(names, cmp.Or(c.rest, c.name))
	}
	if len(out) > mostBounds && !g.bounded {
		return nil
	}
	for i := range out {
		if len(out) > 1 && names[i] != "" {
			out[i].Name = name + ", " + names[i]
		}
	}
	return out
}

// hueOf returns the colour number of an algorithm, from 1, and whether the algorithm is a reference. The number is its
// position in the catalogue among the algorithms of its mode, so that its colour is the same in every figure. References
// are numbered separately, in both modes together. The number is 0 for an algorithm outside the catalogue.
func hueOf(mode, algorithm string) (hue int, ideal bool) {
	competitors := 0
	var references []string
	for _, e := range algorithms.All() {
		switch {
		case e.Role == algorithms.RoleReference:
			references = lists.Add(references, e.Name)
			if e.Name == algorithm {
				return 1 + slices.Index(references, e.Name), true
			}
		case e.Mode == mode:
			if competitors++; e.Name == algorithm {
				return competitors, false
			}
		}
	}
	return 0, false
}
