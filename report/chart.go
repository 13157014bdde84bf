package report

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
)

// chart is a table of measurements for one figure. Each row has a value for each of the names. One name is the x axis,
// and another may give the panels; each combination of the other names is a series. The measures are along y.
type chart struct {
	title    string // "" for a title from the measure and x
	names    []string
	rows     []chartRow
	measures []measure // the measures along y; rows have their values in cells
	styles   []Style   // style of each measure; nil means the default style
	theorem  string    // the theorem that gives the upper bounds
	signed   bool      // values may be negative
	named    bool      // whether names of series include the measure
	bounded  bool      // whether the user asked for the lower bound, which is then drawn even if there are many bounds
}

// chartRow is one row: the values of the names, with the measurements.
type chartRow struct {
	values          []any // one value per name of the chart
	mode, algorithm string
	cells           []any   // one value per measure of the chart
	lower           float64 // lower bound on the measure; 0 if unknown
	upper           float64 // upper bound of the paper's theorem on the measure; 0 if unknown
}

// figure returns the figure that the options o describe.
func (c chart) figure(o PlotOptions) (Figure, error) {
	c.named = c.named || len(c.measures) > 1
	g := c.split(slices.Index(c.names, o.X), slices.Index(c.names, o.Panel), o.LogX)
	m := c.measures[0]
	f := Figure{Title: c.title, XLabel: o.X, YLabel: m.column().heading(), LogX: g.log, LogY: m.log, NonNegative: !c.signed,
		Categories: g.categories, XNames: g.xNames}
	if len(c.measures) > 1 {
		f.YLabel = m.quantity
	}
	f.Title = cmp.Or(f.Title, f.YLabel+" against "+o.X)
	if o.Panel == "" {
		f.Series = g.series(g.panels[0])
		return f, nil
	}
	f.Title += " for each " + o.Panel
	f.Panels = panels(f, g.panels, func(panel *Figure, p splitPanel) { panel.Title, panel.Series = p.title, g.series(p) })
	return f, nil
}

// panels returns one panel for each element: a copy of like, which set changes.
func panels[T any](like Figure, elements []T, set func(panel *Figure, of T)) []Figure {
	return lists.Map(elements, func(x T) Figure {
		panel := like
		set(&panel, x)
		return panel
	})
}

// split is a chart whose rows are divided into panels and series.
type split struct {
	chart
	at         []float64 // x coordinate of each row
	along      bool      // whether the x axis has the algorithms
	log        bool
	xNames     []XName
	categories []string // labels of the x axis, if its values are words
	panels     []splitPanel
	variants   []string // settings that tell apart series of the same algorithm
	algorithms []string // algorithms that occur in the rows
}

// splitPanel has the rows of one panel, grouped by combination.
type splitPanel struct {
	title  string
	combos []combo
}

// combo is one combination of the values other than x and panel.
type combo struct {
	name string
	rest string // name of the combination without its algorithm
	rows []int
}

func (c chart) split(x, panel int, logX *bool) split {
	g := split{chart: c, at: make([]float64, len(c.rows)), along: x >= 0 && c.names[x] == "algorithm"}
	title := func(i int) string {
		if panel < 0 {
			return ""
		}
		return valued(c.names[panel], c.rows[i].values[panel])
	}
	others := func(i int, algorithm bool) string { // the values of row i other than x and panel
		selected := indices.Where(len(c.names), func(j int) bool { return j != x && j != panel && (algorithm || c.names[j] != "algorithm") })
		return strings.Join(lists.Map(selected, func(j int) string { return valued(c.names[j], c.rows[i].values[j]) }), ", ")
	}
	for _, rows := range lists.Groups(indices.All(len(c.rows)), title) {
		p := splitPanel{title: title(rows[0])}
		for _, alike := range lists.Groups(rows, func(i int) string { return others(i, true) }) {
			p.combos = append(p.combos, combo{others(alike[0], true), others(alike[0], false), alike})
		}
		g.panels = append(g.panels, p)
	}
	for _, r := range c.rows {
		g.algorithms = lists.Add(g.algorithms, r.algorithm)
	}
	g.place(x, logX)
	for _, p := range g.panels {
		for _, c := range p.combos {
			slices.SortStableFunc(c.rows, func(a, b int) int { return cmp.Compare(g.at[a], g.at[b]) })
			for _, m := range g.measures {
				g.variants = lists.Add(g.variants, c.rest+m.name)
			}
		}
	}
	return g
}

// place sets the x coordinate of each row. A number is its own coordinate; the coordinate of a word is its index.
func (g *split) place(x int, logX *bool) {
	if slices.ContainsFunc(g.rows, func(r chartRow) bool { _, ok := numeric(r.values[x]); return !ok }) {
		for i, r := range g.rows {
			word := cell(marked(g.names[x], r.values[x]), 0)
			g.categories = lists.Add(g.categories, word)
			g.at[i] = float64(slices.Index(g.categories, word))
		}
		return
	}
	for i, r := range g.rows {
		g.at[i], _ = numeric(r.values[x])
	}
	g.placeEnds(logX)
}

// placeEnds moves 0 and infinity to coordinates beyond the other values, if the axis is logarithmic. They occur as length
// scales at the ends of a kernel family. On a linear axis that the user has chosen, it moves only infinity.
func (g *split) placeEnds(logX *bool) {
	inside := slices.DeleteFunc(slices.Clone(g.at), func(v float64) bool { return v == 0 || math.IsInf(v, 1) })
	g.log = spanDecades(inside)
	if logX != nil {
		g.log = *logX
	}
	if len(inside) == 0 || !g.log && logX == nil {
		return
	}
	lo, hi := slices.Min(inside), slices.Max(inside)
	below, above := 0., hi+0.12*max(hi-lo, hi)
	if g.log {
		step := math.Pow(max(hi/lo, 2), 0.12)
		below, above = lo/step, hi*step
	}
	for _, end := range []struct {
		value, at float64
		name      string
	}{{0, below, "0"}, {math.Inf(1), above, "∞"}} {
		if !slices.Contains(g.at, end.value) || end.value == end.at {
			continue
		}
		g.xNames = append(g.xNames, XName{At: end.at, Name: end.name})
		for i, v := range g.at {
			if v == end.value {
				g.at[i] = end.at
			}
		}
	}
}

// valued returns a value as text: a number after its name, a word alone.
func valued(name string, v any) string {
	if _, ok := numeric(v); ok {
		return name + " " + cell(plain(v), 0)
	}
	return cell(marked(name, v), 0)
}

// Axes returns the possible x and y of FigureOf for a value, the defaults first. If the possible y depend on x, it returns
// those for the given x, or all of them for an unknown x. For a sweep, list or forecast without results, y has every
// measure. Both are nil if the value has no figure.
func Axes(v any, x string) (xs, ys []string) {
	if w, ok := viewOf(plain(v)); ok && w.axes != nil {
		return w.axes(x)
	}
	return nil, nil
}

// measureNames returns the measures that at least one result has, samples first. For a fixed budget, error comes first,
// because the samples are given.
func measureNames(results []engine.Result) []string {
	known := lists.Where(measures(), func(m measure) bool {
		return len(results) == 0 || slices.ContainsFunc(results, func(r engine.Result) bool { return m.value(r) != nil })
	})
	names := lists.Map(known, func(m measure) string { return m.name })
	if at := slices.Index(names, "error"); at > 0 && len(results) > 0 && results[0].Mode == engine.ModeFB {
		names = slices.Insert(slices.Delete(names, at, at+1), 0, "error")
	}
	return names
}

// chosen returns o with defaults for X and Y where they are not set. It returns an error for a value that has no figure.
func (o PlotOptions) chosen(v any) (PlotOptions, error) {
	switch xs, ys := Axes(v, o.X); {
	case len(ys) == 0:
		return o, fmt.Errorf("a %s cannot be drawn: %s can, and a list of fc or fb results", TypeName(v), strings.Join(drawnKinds(), ", "))
	case len(xs) == 0:
		return o, fmt.Errorf("a %s needs a swept name for its x axis, but this one varies nothing", TypeName(v))
	default:
		o.X = cmp.Or(o.X, xs[0])
		if len(o.Y) == 0 {
			o.Y = ys[:1]
		}
	}
	return o, nil
}

// drawnKinds returns the names of the kinds of values that have a figure.
func drawnKinds() []string {
	var names []string
	for _, k := range kinds.All[view]() {
		switch zero := reflect.Zero(k.Type).Interface(); {
		case k.View(views{}, zero).axes == nil:
		case k.Type == reflect.TypeFor[engine.Result]():
			names = append(names, engine.ModeFC, engine.ModeFB)
		default:
			names = append(names, k.JSON)
		}
	}
	return names
}
