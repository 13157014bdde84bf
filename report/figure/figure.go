package figure

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// Style states how a series is drawn.
type Style string

// The styles. Markers and dashes always go with colours, so that a figure reads
// in grey too.
const (
	Line   Style = "line"   // markers joined by a line, intervals as error bars; the default
	Points Style = "points" // markers with error bars
	// horizontal bars with error bars; X is the position, named by Categories
	Bars     Style = "bars"
	Dots     Style = "dots"     // as Bars, with markers for the bars: an interval beside each name
	Band     Style = "band"     // a line in a band from Lo to Hi
	Forecast Style = "forecast" // a thin line without markers in the colour of the series
	Bound    Style = "bound"    // a thin grey line without markers: something to compare with
	Shade    Style = "shade"    // from Lo to Hi, without a line
)

// Figure is a chart as data: what is drawn, not how. Values need not be finite, and on a
// logarithmic axis need not be positive: what cannot be placed is drawn at the edge with an open
// marker to which no line leads, or left out when it is NaN.
type Figure struct {
	Title  string `json:"title"`
	XLabel string `json:"x_label"`
	YLabel string `json:"y_label"`
	LogX   bool   `json:"log_x"`
	LogY   bool   `json:"log_y"`
	// the ends of the axes, the lower first; nil fits the values. Points with an x outside are not
	// drawn, and points with a y outside are at the edge. Above 0 on a logarithmic axis.
	XLim *[2]float64 `json:"x_lim,omitempty"`
	YLim *[2]float64 `json:"y_lim,omitempty"`
	// FreeY gives each panel a y axis with its own ends. Panels of dots have own axes always.
	FreeY bool `json:"free_y,omitempty"`
	// of the sheet, in columns of a page that has two of them: 1 is 8.5 cm, 2 is 17.6 cm with the
	// space between the columns; 0 means 2
	Width float64 `json:"width,omitempty"`
	// NonNegative states that no value can be below 0: intervals that reach there, as
	// Student's t may, are drawn down to 0.
	NonNegative bool `json:"non_negative,omitempty"`
	// names of the positions 0, 1, ... along the categorical axis
	Categories []string `json:"categories,omitempty"`
	// names of single places along x, such as infinity on a logarithmic axis
	XNames []XName         `json:"x_names,omitempty"`
	Series []Series        `json:"series,omitempty"`
	Lines  []ReferenceLine `json:"lines,omitempty"`
	Heat   *Heat           `json:"heat,omitempty"` // drawn instead of Series
	// drawn instead of Series: lines, points or dots side by side that share axes and legend, each with
	// its Title. Panels with another YLabel than the one before begin a row with a y axis of its own
	Panels []Figure `json:"panels,omitempty"`
	// the figure in words; "" lets Describe write it
	Alt string `json:"alt"`
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
	// Hue is the number of its colour and marker, from 1; 0 takes the first that no
	// other series has. Variant tells series of one hue apart, by marker and dash.
	Hue     int `json:"hue,omitempty"`
	Variant int `json:"variant,omitempty"`
	// Reference marks what nothing that is compared can be, such as an oracle: it is
	// drawn thin, in ink.
	Reference bool `json:"reference,omitempty"`
	// Measured marks points that were measured of the series of their hue: diamonds, which the legend has once, in ink.
	Measured bool `json:"measured,omitempty"`
}

// Add appends a point, with the ends of its interval where they are given.
func (s *Series) Add(x, y float64, interval ...float64) {
	s.X, s.Y = append(s.X, x), append(s.Y, y)
	if len(interval) == 2 {
		s.Lo, s.Hi = append(s.Lo, interval[0]), append(s.Hi, interval[1])
	}
}

// XName names a place along x.
type XName struct {
	At   float64 `json:"at"`
	Name string  `json:"name"`
}

// ReferenceLine is a straight line across the figure, at Y = At or, when Vertical, at X = At.
type ReferenceLine struct {
	Label    string  `json:"label"`
	At       float64 `json:"at"`
	Vertical bool    `json:"vertical,omitempty"`
	Wide     bool    `json:"wide,omitempty"` // a strip in a shade, behind all else
}

// Heat is a rectangle of values Z[row][column], darker for more.
type Heat struct {
	Rows    []string    `json:"rows"`
	Columns []string    `json:"columns"`
	Z       [][]float64 `json:"z"`
	Label   string      `json:"label"` // what Z is
	// counts of very different size: shades use the logarithm of 1 + Z
	Log bool `json:"log,omitempty"`
	// what is beside the map instead of the names of single rows and columns, at their numbers
	// from 0; for maps that are several side by side
	RowMarks    []XName `json:"row_marks,omitempty"`
	ColumnMarks []XName `json:"column_marks,omitempty"`
}

// InRows reports whether the figure is one of horizontal bars or dots, which share it with
// nothing else: its value axis is x, and each category has a row.
func (f Figure) InRows() bool {
	if len(f.Panels) > 0 {
		return f.Panels[0].InRows()
	}
	return f.Heat == nil && len(f.Series) > 0 && (f.Series[0].Style == Bars || f.InDots())
}

// InDots reports whether the figure has rows with a marker for each value.
func (f Figure) InDots() bool {
	p := f.Parts()[0]
	return p.Heat == nil && len(p.Series) > 0 && p.Series[0].Style == Dots
}

// IsBlock makes a figure a block of a report.
func (Figure) IsBlock() {}

// Parts returns the panels, or the figure itself if it has none.
func (f Figure) Parts() []Figure {
	if len(f.Panels) > 0 {
		return f.Panels
	}
	return []Figure{f}
}

// Units returns the panels, or the figure itself, in runs that share their y axis: those with one YLabel.
func (f Figure) Units() (runs [][]Figure) {
	for i, p := range f.Parts() {
		if i == 0 || p.YLabel != f.Panels[i-1].YLabel {
			runs = append(runs, nil)
		}
		last := &runs[len(runs)-1]
		*last = append(*last, p)
	}
	return runs
}

// Describe returns the figure in words, for those who cannot see it: Alt, or a sentence made from
// the data.
func (f Figure) Describe() string {
	if f.Alt != "" {
		return f.Alt
	}
	if f.Heat != nil {
		return fmt.Sprintf("Heat map of %s: %s by %s.", f.Heat.Label, wording.Plural(len(f.Heat.Rows), "row"),
			wording.Plural(len(f.Heat.Columns), "column"))
	}
	lo, hi, n := f.Extent()
	var names []string // each once
	for _, s := range lists.Where(f.all(), func(s Series) bool { return s.Name != "" }) {
		names = lists.Add(names, s.Name)
	}
	out := fmt.Sprintf("Line chart of %s against %s", f.YLabel, f.XLabel)
	if f.InRows() {
		out = fmt.Sprintf("%s chart of %s by %s", map[bool]string{true: "Dot", false: "Bar"}[f.InDots()], f.XLabel, f.YLabel)
	}
	if len(names) > 1 {
		out += fmt.Sprintf(", %d series (%s)", len(names), wording.Join(names, 8))
	}
	if len(f.Panels) > 0 {
		titles := lists.Map(f.Panels, func(p Figure) string { return cmp.Or(p.Title, p.YLabel) })
		out += fmt.Sprintf(", %s %s (%s)", wording.Plural(len(titles), "panel"), f.arrangement(), wording.Join(titles, 8))
	}
	if n == 0 {
		return out + ", without data."
	}
	spans := []string{"values from " + span(lo, hi)}
	if units := f.Units(); len(units) > 1 {
		spans = lists.Map(units, func(unit []Figure) string {
			lo, hi, _ := Figure{Panels: unit}.Extent()
			return unit[0].YLabel + " from " + span(lo, hi)
		})
	}
	out += "; " + strings.Join(spans, ", ")
	for _, l := range f.Lines {
		if l.Label == "" {
			continue
		}
		out += fmt.Sprintf("; %s at %s", l.Label, wording.Decimal(l.At, 3))
	}
	return out + "."
}

// span returns the ends of a range in words, with as many digits as tell them apart.
func span(lo, hi float64) string {
	from, to := wording.Decimal(lo, 3), wording.Decimal(hi, 3)
	if from == to {
		from, to = wording.ToStep(lo, (hi-lo)/2), wording.ToStep(hi, (hi-lo)/2)
	}
	return from + " to " + to
}

// all returns the series of all parts.
func (f Figure) all() []Series {
	return lists.Flat(f.Parts(), func(p Figure) []Series { return p.Series })
}

// Extent returns the range of the finite Y of all series and their number n; 0, 0, 0 without any.
func (f Figure) Extent() (lo, hi float64, n int) {
	ys := lists.Where(lists.Flat(f.all(), func(s Series) []float64 { return s.Y }), wording.IsFinite)
	if len(ys) == 0 {
		return 0, 0, 0
	}
	return slices.Min(ys), slices.Max(ys), len(ys)
}

// byValues returns a figure whose names state what differs between them: the columns that all have in common become
// the label of their axis.
func (f Figure) byValues() Figure {
	if values, keys, keyed := Keyed(f.Categories); keyed {
		f.Categories = values
		if f.InRows() {
			f.YLabel = keys
		} else {
			f.XLabel = keys
		}
	}
	if f.Heat != nil {
		h := *f.Heat
		if values, keys, keyed := Keyed(h.Columns); keyed {
			h.Columns, f.XLabel = values, keys
		}
		if values, keys, keyed := Keyed(h.Rows); keyed {
			h.Rows, f.YLabel = values, keys
		}
		f.Heat = &h
	}
	f.Panels = lists.Map(f.Panels, Figure.byValues)
	return f
}

// lineStyle returns the style of reference line i. Those across the figure differ; vertical ones have
// their names above them.
func (f Figure) lineStyle(i int) seriesStyle {
	if f.Lines[i].Wide {
		return seriesStyle{color: grid, wide: true}
	}
	kind := lists.Count(f.Lines[:i], func(l ReferenceLine) bool { return !l.Vertical && !f.Lines[i].Vertical })
	return bound(kind)
}

// FromJSON makes a figure of the "value" member of its JSON, so that a report
// can draw it again in another format. Numbers that were not finite are null in
// JSON, and NaN again here. A value that is not a figure is an error.
func FromJSON(value any) (Figure, error) {
	var f Figure
	text, err := json.Marshal(value)
	if err == nil {
		err = json.Unmarshal(text, &f)
	}
	if err == nil {
		err = f.check()
	}
	if err != nil {
		return Figure{}, fmt.Errorf("the value is not a figure: %w", err)
	}
	return f, nil
}

// check reports lists of unequal length: a figure from a file may have them.
func (f Figure) check() error {
	if len(f.Series) == 0 && f.Heat == nil && len(f.Panels) == 0 {
		return fmt.Errorf("it has neither series nor a heat map")
	}
	if err := f.checkFrame(); err != nil {
		return err
	}
	for _, p := range f.Panels {
		if p.Heat != nil || p.InRows() && !p.InDots() || len(p.Panels) > 0 {
			return fmt.Errorf("panel %q is not of lines, points or dots", p.Title)
		}
		if p.InDots() != f.InDots() {
			return fmt.Errorf("panel %q is of dots, and others are not", p.Title)
		}
		if err := p.check(); err != nil {
			return fmt.Errorf("panel %q: %w", p.Title, err)
		}
	}
	for _, s := range f.Series {
		n := len(s.X)
		if len(s.Y) != n || len(s.Lo) != len(s.Hi) || len(s.Lo) != 0 && len(s.Lo) != n {
			return fmt.Errorf("series %q has lists of unequal length", s.Name)
		}
	}
	if f.Heat == nil {
		return nil
	}
	if len(f.Heat.Z) != len(f.Heat.Rows) {
		return fmt.Errorf("the heat map has %d rows and %d names of rows", len(f.Heat.Z), len(f.Heat.Rows))
	}
	for _, row := range f.Heat.Z {
		if len(row) != len(f.Heat.Columns) {
			return fmt.Errorf("a row of the heat map has %d values and not %d", len(row), len(f.Heat.Columns))
		}
	}
	return nil
}

// orNaN reads null as NaN.
type orNaN float64

// UnmarshalJSON implements json.Unmarshaler.
func (x *orNaN) UnmarshalJSON(b []byte) error {
	*x = orNaN(math.NaN()) // which null leaves
	return json.Unmarshal(b, (*float64)(x))
}

func floats(xs []orNaN) []float64 {
	if xs == nil {
		return nil
	}
	return lists.Map(xs, func(x orNaN) float64 { return float64(x) })
}

// UnmarshalJSON reads null as NaN.
func (s *Series) UnmarshalJSON(b []byte) error {
	type plain Series
	v := struct {
		*plain
		X  []orNaN `json:"x"`
		Y  []orNaN `json:"y"`
		Lo []orNaN `json:"lo"`
		Hi []orNaN `json:"hi"`
	}{plain: (*plain)(s)}
	err := json.Unmarshal(b, &v)
	s.X, s.Y, s.Lo, s.Hi = floats(v.X), floats(v.Y), floats(v.Lo), floats(v.Hi)
	return err
}

// UnmarshalJSON reads null as NaN.
func (h *Heat) UnmarshalJSON(b []byte) error {
	type plain Heat
	v := struct {
		*plain
		Z [][]orNaN `json:"z"`
	}{plain: (*plain)(h)}
	err := json.Unmarshal(b, &v)
	h.Z = lists.Map(v.Z, floats)
	return err
}
