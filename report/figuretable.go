package report

import (
	"math"

	"github.com/gonb-cope/gonb-cope/report/figure"
)

// figureTable returns a figure as a table in long form, one row per drawn point: what
// media without pictures show, and what CSV writes.
func figureTable(f Figure) Table {
	if f.Heat != nil {
		return heatTable(f.Heat, f.Title)
	}
	x, y := number("x", f.XLabel, ""), number("y", f.YLabel, "")
	if f.IsBars() { // the value axis of horizontal bars is x
		x.Title, y.Title = f.YLabel, f.XLabel
	}
	if len(f.Categories) > 0 {
		x.Align = Left
	}
	t := Table{
		Caption: f.Title,
		Columns: []Column{text("panel", "Panel"), text("series", "Series"), x, y, number("lo", "from", ""), number("hi", "to", "")},
	}
	for _, p := range f.Parts() {
		var panel any
		if len(f.Panels) > 0 {
			panel = p.Title
		}
		for _, row := range panelRows(p) {
			t.Rows = append(t.Rows, append([]any{panel}, row...))
		}
	}
	return t.withoutEmptyColumns()
}

// panelRows returns the points and lines of one panel.
func panelRows(f Figure) [][]any {
	var out [][]any
	for _, s := range f.Series {
		for i := range s.Y {
			row := []any{orAbsent(s.Name), s.X[i], s.Y[i], nil, nil}
			if k := int(math.Round(s.X[i])); k >= 0 && k < len(f.Categories) {
				row[1] = f.Categories[k]
			}
			for _, n := range f.XNames {
				if n.At == s.X[i] {
					row[1] = n.Name
				}
			}
			if len(s.Lo) == len(s.Y) && len(s.Hi) == len(s.Y) {
				row[3], row[4] = s.Lo[i], s.Hi[i]
			}
			out = append(out, row)
		}
	}
	for _, l := range f.Lines {
		if !l.Vertical {
			out = append(out, []any{l.Label, nil, l.At, nil, nil})
		}
	}
	return out
}

func heatTable(h *Heat, caption string) Table {
	t := Table{
		Caption: caption,
		Columns: []Column{text("row", "Row"), text("column", "Column"), number("value", orValue(h.Label), "")},
	}
	for i, r := range h.Rows {
		for j, c := range h.Columns {
			if !isFinite(h.Z[i][j]) {
				continue
			}
			t.Rows = append(t.Rows, []any{r, c, h.Z[i][j]})
		}
	}
	return t
}

func orValue(label string) string {
	if label == "" {
		return "Value"
	}
	return label
}

// What figures are made of, as in package figure, which draws them.
type (
	Figure        = figure.Figure
	Series        = figure.Series
	Style         = figure.Style
	XName         = figure.XName
	ReferenceLine = figure.ReferenceLine
	Heat          = figure.Heat
)

// The styles of series.
const (
	Line     = figure.Line
	Points   = figure.Points
	Bars     = figure.Bars
	Band     = figure.Band
	Forecast = figure.Forecast
	Bound    = figure.Bound
	Shade    = figure.Shade
)

// The widths that a figure can have, in columns.
const (
	Narrowest = figure.Narrowest
	Widest    = figure.Widest
)
