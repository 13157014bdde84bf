package report

import (
	"fmt"
	"math"
	"slices"
)

// Describe is the figure in words, for those who cannot see it: Alt, or a
// sentence made from the data.
func (f Figure) Describe() string {
	if f.Alt != "" {
		return f.Alt
	}
	if f.Heat != nil {
		return fmt.Sprintf("Heat map of %s: %s by %s.", f.Heat.Label, plural(len(f.Heat.Rows), "row"), plural(len(f.Heat.Columns), "column"))
	}
	lo, hi, n := f.extent()
	names := f.names()
	out := fmt.Sprintf("Line chart of %s against %s", f.YLabel, f.XLabel)
	if f.isBars() {
		out = fmt.Sprintf("Bar chart of %s by %s", f.XLabel, f.YLabel)
	}
	if len(names) > 1 {
		out += fmt.Sprintf(", %d series (%s)", len(names), join(names, 8))
	}
	if len(f.Panels) > 0 {
		var titles []string
		for _, p := range f.Panels {
			titles = append(titles, p.Title)
		}
		out += fmt.Sprintf(", %s side by side (%s)", plural(len(titles), "panel"), join(titles, 8))
	}
	if n == 0 {
		return out + ", without data."
	}
	out += fmt.Sprintf("; values from %s to %s", decimal(lo, 3), decimal(hi, 3))
	for _, l := range f.Lines {
		if l.Label == "" {
			continue
		}
		out += fmt.Sprintf("; %s at %s", l.Label, decimal(l.At, 3))
	}
	return out + "."
}

// names are those of the series, each once.
func (f Figure) names() []string {
	var out []string
	for _, p := range f.panels() {
		for _, s := range p.Series {
			if s.Name != "" && !slices.Contains(out, s.Name) {
				out = append(out, s.Name)
			}
		}
	}
	return out
}

// extent is the range of the finite values and their number.
func (f Figure) extent() (lo, hi float64, n int) {
	var all []Series
	for _, p := range f.panels() {
		all = append(all, p.Series...)
	}
	for _, s := range all {
		for _, y := range s.Y {
			if !isFinite(y) {
				continue
			}
			if n == 0 {
				lo, hi = y, y
			}
			lo, hi, n = min(lo, y), max(hi, y), n+1
		}
	}
	return lo, hi, n
}

// Data is the figure as a table in long form, one row per drawn point: what
// media without pictures show, and what CSV writes.
func (f Figure) Data() Table {
	if f.Heat != nil {
		return f.Heat.data(f.Title)
	}
	x, y := number("x", f.XLabel, ""), number("y", f.YLabel, "")
	if f.isBars() { // the value axis of horizontal bars is x
		x.Title, y.Title = f.YLabel, f.XLabel
	}
	if len(f.Categories) > 0 {
		x.Align = Left
	}
	t := Table{
		Caption: f.Title,
		Columns: []Column{text("panel", "Panel"), text("series", "Series"), x, y, number("lo", "from", ""), number("hi", "to", "")},
	}
	for _, p := range f.panels() {
		var panel any
		if len(f.Panels) > 0 {
			panel = p.Title
		}
		for _, row := range p.rows() {
			t.Rows = append(t.Rows, append([]any{panel}, row...))
		}
	}
	return t.withoutEmptyColumns()
}

// rows are the points and lines of one panel.
func (f Figure) rows() [][]any {
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

func (h Heat) data(caption string) Table {
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
