package report

import (
	"fmt"
	"math"
)

// Style says how a series is drawn.
type Style string

// The styles. Markers and dashes always go with colours, so that a figure reads
// in grey too.
const (
	Line   Style = "line"   // markers joined by a line, intervals as error bars; the default
	Points Style = "points" // markers with error bars
	Bars   Style = "bars"   // horizontal bars with error bars; X is the position, named by Categories
	Band   Style = "band"   // a line in a band from Lo to Hi
	Bound  Style = "bound"  // a thin grey line without markers: something to compare with
)

// Figure is a chart as data: what is drawn, not how. Values need not be finite,
// and on a logarithmic axis need not be positive: what cannot be placed is
// drawn at the edge with an open marker, or left out when it is NaN.
type Figure struct {
	Title      string          `json:"title"`
	XLabel     string          `json:"x_label"`
	YLabel     string          `json:"y_label"`
	LogX       bool            `json:"log_x"`
	LogY       bool            `json:"log_y"`
	Categories []string        `json:"categories,omitempty"` // names of the positions 0, 1, ... along the categorical axis
	Series     []Series        `json:"series,omitempty"`
	Lines      []ReferenceLine `json:"lines,omitempty"`
	Heat       *Heat           `json:"heat,omitempty"`   // drawn instead of Series
	Panels     []Figure        `json:"panels,omitempty"` // drawn instead of Series: figures side by side that share axes and legend, each with its Title
	Alt        string          `json:"alt"`              // the figure in words; "" lets Describe write it
}

// Series is one line, set of points or set of bars. Lo and Hi are the ends of
// the intervals around Y, and may be empty. X and Y are equally long.
type Series struct {
	Name  string    `json:"name"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
	Lo    []float64 `json:"lo,omitempty"`
	Hi    []float64 `json:"hi,omitempty"`
	Style Style     `json:"style,omitempty"`
}

// ReferenceLine is a straight line across the figure, at Y = At or, when
// Vertical, at X = At.
type ReferenceLine struct {
	Label    string  `json:"label"`
	At       float64 `json:"at"`
	Vertical bool    `json:"vertical,omitempty"`
}

// Heat is a rectangle of values Z[row][column], darker for more.
type Heat struct {
	Rows    []string    `json:"rows"`
	Columns []string    `json:"columns"`
	Z       [][]float64 `json:"z"`
	Label   string      `json:"label"` // what Z is
}

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
	names := make([]string, 0, len(f.Series))
	for _, s := range f.Series {
		if s.Name != "" {
			names = append(names, s.Name)
		}
	}
	out := fmt.Sprintf("Line chart of %s against %s", f.YLabel, f.XLabel)
	if f.isBars() {
		out = fmt.Sprintf("Bar chart of %s by %s", f.XLabel, f.YLabel)
	}
	if len(names) > 1 {
		out += fmt.Sprintf(", %d series (%s)", len(names), join(names, 8))
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

// isBars tells whether the figure is one of horizontal bars, which share it with
// nothing else: its value axis is x.
func (f Figure) isBars() bool { return f.Heat == nil && len(f.Series) > 0 && f.Series[0].Style == Bars }

// extent is the range of the finite values and their number.
func (f Figure) extent() (lo, hi float64, n int) {
	for _, s := range f.Series {
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
		Columns: []Column{text("series", "Series"), x, y, number("lo", "from", ""), number("hi", "to", "")},
	}
	for _, s := range f.Series {
		for i := range s.Y {
			row := []any{orAbsent(s.Name), s.X[i], s.Y[i], nil, nil}
			if k := int(math.Round(s.X[i])); k >= 0 && k < len(f.Categories) {
				row[1] = f.Categories[k]
			}
			if len(s.Lo) == len(s.Y) && len(s.Hi) == len(s.Y) {
				row[3], row[4] = s.Lo[i], s.Hi[i]
			}
			t.Rows = append(t.Rows, row)
		}
	}
	for _, l := range f.Lines {
		if !l.Vertical {
			t.Rows = append(t.Rows, []any{l.Label, nil, l.At, nil, nil})
		}
	}
	return t.withoutEmptyColumns()
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
