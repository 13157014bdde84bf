package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// sweepFigure draws one measure against one swept name, a series for each
// combination of the others.
func sweepFigure(s sim.Sweep, x, y string) (Figure, error) {
	if len(s.Rows) == 0 {
		return Figure{}, fmt.Errorf("the sweep has no results to draw")
	}
	m, _ := findMeasure(y)
	results := make([]engine.Result, len(s.Rows))
	for i, r := range s.Rows {
		results[i] = r.Result
	}
	g := groupSweep(s, slices.Index(s.Names, x))
	f := Figure{
		Title:  fmt.Sprintf("%s against %s", m.title, x),
		XLabel: x, YLabel: m.column().heading(),
		LogX: g.spansDecades(), LogY: m.log, Categories: g.categories,
	}
	for k, rows := range g.rows {
		f.Series = append(f.Series, g.series(k, rows, s, m))
	}
	if m.name == "samples" {
		f.Series = append(f.Series, g.lowerBounds(s)...)
	} else {
		f.Lines = references(m, results, nil, false)
	}
	return f, nil
}

// grouped is a sweep split by the combination of all names but one.
type grouped struct {
	column     int
	names      []string  // of the series
	rows       [][]int   // of each series
	at         []float64 // x of each row
	categories []string  // when the swept values are words
}

func groupSweep(s sim.Sweep, column int) grouped {
	g := grouped{column: column, at: make([]float64, len(s.Rows))}
	numbers := !slices.ContainsFunc(s.Rows, func(r sim.SweepRow) bool { _, ok := numeric(r.Values[column]); return !ok })
	for i, r := range s.Rows {
		var others []string
		for j, v := range r.Values {
			if j == column {
				continue
			}
			if _, ok := numeric(v); ok {
				others = append(others, s.Names[j]+" "+cell(plain(v), 0))
			} else {
				others = append(others, cell(plain(v), 0))
			}
		}
		name := strings.Join(others, ", ")
		k := slices.Index(g.names, name)
		if k < 0 {
			k = len(g.names)
			g.names, g.rows = append(g.names, name), append(g.rows, nil)
		}
		g.rows[k] = append(g.rows[k], i)
		if numbers {
			g.at[i], _ = numeric(r.Values[column])
			continue
		}
		word := cell(plain(r.Values[column]), 0)
		if !slices.Contains(g.categories, word) {
			g.categories = append(g.categories, word)
		}
		g.at[i] = float64(slices.Index(g.categories, word))
	}
	for _, rows := range g.rows {
		slices.SortStableFunc(rows, func(a, b int) int {
			switch {
			case g.at[a] < g.at[b]:
				return -1
			case g.at[a] > g.at[b]:
				return 1
			}
			return 0
		})
	}
	return g
}

// spansDecades is true when x reads better on a logarithmic axis.
func (g grouped) spansDecades() bool {
	if len(g.at) == 0 || g.categories != nil {
		return false
	}
	xs := slices.Compact(slices.Sorted(slices.Values(g.at)))
	if xs[0] <= 0 || xs[len(xs)-1]/xs[0] < 8 {
		return false
	}
	// Evenly spaced values were meant to be read on a linear axis.
	step := xs[1] - xs[0]
	for i := 2; i < len(xs); i++ {
		if math.Abs(xs[i]-xs[i-1]-step) > 1e-6*step {
			return true
		}
	}
	return len(xs) == 2
}

// series is one combination. Where x is words, the points of several series
// stand side by side instead of on top of each other.
func (g grouped) series(k int, rows []int, s sim.Sweep, m measure) Series {
	out := Series{Name: g.names[k]}
	shift := 0.0
	if g.categories != nil {
		out.Style = Points
		shift = (float64(k) - float64(len(g.rows)-1)/2) * 0.6 / float64(max(len(g.rows), 2))
	}
	if out.Name == "" && g.categories == nil && len(s.Rows) > 0 {
		out.Name = s.Rows[0].Result.Algorithm
	}
	for _, i := range rows {
		y, lo, hi, ok := withInterval(m.value(s.Rows[i].Result))
		if !ok {
			continue
		}
		out.X, out.Y = append(out.X, g.at[i]+shift), append(out.Y, y)
		out.Lo, out.Hi = append(out.Lo, lo), append(out.Hi, hi)
	}
	return out
}

// lowerBounds has the lower bound of each combination as a series to compare
// with; combinations with the same bound share one.
func (g grouped) lowerBounds(s sim.Sweep) []Series {
	var out []Series
	for k, rows := range g.rows {
		b := Series{Name: "lower bound", Style: Bound}
		for _, i := range rows {
			if v := s.Rows[i].Result.LowerBoundSamples; v > 0 {
				b.X, b.Y = append(b.X, g.at[i]), append(b.Y, v)
			}
		}
		if len(b.X) == 0 || slices.ContainsFunc(out, func(o Series) bool { return slices.Equal(o.X, b.X) && slices.Equal(o.Y, b.Y) }) {
			continue
		}
		if len(out) > 0 {
			b.Name = "lower bound, " + g.names[k]
		}
		out = append(out, b)
	}
	return out
}
