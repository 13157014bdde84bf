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

// The styles. Series differ in marker and dashes as well as in colour, so that a figure can be read in grey.
const (
	Line   Style = "line"   // markers joined by a line, intervals as error bars; the default
	Points Style = "points" // markers with error bars
	// horizontal bars with error bars; X is the position, named by Categories
	Bars     Style = "bars"
	Dots     Style = "dots"     // markers with intervals; X is the position, named by Categories
	Forecast Style = "forecast" // a thin line without markers in the colour of the series
	Bound    Style = "bound"    // a thin grey line without markers, for comparison
)

// Figure is a chart as data. It states what is drawn, not how. A value outside the axes, an infinite value, or a value
// that is not positive on a logarithmic axis, is drawn at the edge as an open marker, to which no line leads. NaN is not
// drawn.
type Figure struct {
	Title  string `json:"title"`
	XLabel string `json:"x_label"`
	YLabel string `json:"y_label"`
	LogX   bool   `json:"log_x"`
	LogY   bool   `json:"log_y"`
	// the ends of the axes, the lower first; nil means that the values decide. Ends are positive on a logarithmic axis. A
	// point whose x is outside is not drawn; a point whose y is outside is drawn at the edge.
	XLim *[2]float64 `json:"x_lim,omitempty"`
	YLim *[2]float64 `json:"y_lim,omitempty"`
	// FreeY gives each panel a y axis with its own ends. Panels of dots always have their own axes.
	FreeY bool `json:"free_y,omitempty"`
	// width of the sheet: 1 is one column of a page (8.5 cm), 2 is two columns and the space between them (17.6 cm); 0
	// means 2
	Width float64 `json:"width,omitempty"`
	// NonNegative states that values cannot be negative. Then intervals end at 0 at the lowest; Student's t intervals
	// could reach below 0.
	NonNegative bool `json:"non_negative,omitempty"`
	// names of the positions 0, 1, ... on the axis of categories
	Categories []string `json:"categories,omitempty"`
	// names that replace some numbers on the x axis, such as infinity on a logarithmic axis
	XNames []XName         `json:"x_names,omitempty"`
	Series []Series        `json:"series,omitempty"`
	Lines  []ReferenceLine `json:"lines,omitempty"`
	Heat   *Heat           `json:"heat,omitempty"` // drawn instead of Series
	// drawn instead of Series: figures of lines, points or dots side by side, each with its Title. They share axes and a
	// legend. A panel whose YLabel differs from that of the previous panel begins a row with its own y axis
	Panels []Figure `json:"panels,omitempty"`
	// what panels and series are, for tables of the values; "" means Panel and Series. SeriesAre also states that series are groups of
	// arms, with estimates and measured means of each
	PanelsAre, SeriesAre string `json:"-"`
	// Repeats states that a table beside the figure has the same values. Media without pictures then omit the figure.
	Repeats bool `json:"-"`
	// the figure in words; "" means that Describe writes it
	Alt string `json:"alt"`
}

// Series is a line, a set of points or a set of bars. X and Y have the same length. Lo and Hi are the ends of the
// intervals around Y; they may be empty.
type Series struct {
	Name  string    `json:"name"`
	X     []float64 `json:"x"`
	Y     []float64 `json:"y"`
	Lo    []float64 `json:"lo,omitempty"`
	Hi    []float64 `json:"hi,omitempty"`
	Style Style     `json:"style,omitempty"`
	// Hue selects colour and marker, from 1; 0 means the first that no other series has. Variant distinguishes series of
	// the same hue, by marker and dash.
	Hue     int `json:"hue,omitempty"`
	Variant int `json:"variant,omitempty"`
	// Reference marks a series that no method can reach, such as an oracle. It is drawn thin, in ink.
	Reference bool `json:"reference,omitempty"`
	// Measured marks measured values of the series with the same hue. They are diamonds; the legend shows one, in ink.
	Measured bool `json:"measured,omitempty"`
}

// Add appends a point. interval has the ends of its interval, or is empty.
func (s *Series) Add(x, y float64, interval ...float64) {
	s.X, s.Y = append(s.X, x), append(s.Y, y)
	if len(interval) == 2 {
		s.Lo, s.Hi = append(s.Lo, interval[0]), append(s.Hi, interval[1])
	}
}

// XName is a name for a value on the x axis.
type XName struct {
	At   float64 `json:"at"`
	Name string  `json:"name"`
}

// ReferenceLine is a straight line across the figure: vertical at X = At if Vertical is set, otherwise horizontal at Y =
// At.
type ReferenceLine struct {
	Label    string  `json:"label"`
	At       float64 `json:"at"`
	Vertical bool    `json:"vertical,omitempty"`
	Wide     bool    `json:"wide,omitempty"` // a shaded strip behind everything else
}

// Heat is a table of values Z[row][column]. Larger values are darker.
type Heat struct {
	Rows    []string    `json:"rows"`
	Columns []string    `json:"columns"`
	Z       [][]float64 `json:"z"`
	Label   string      `json:"label"` // meaning of Z
	// whether shades follow the logarithm of 1 + Z, for counts of very different size
	Log bool `json:"log,omitempty"`
	// labels beside the map at row and column numbers from 0, instead of the names of single rows and columns; used for
	// several maps side by side
	RowMarks    []XName `json:"row_marks,omitempty"`
	ColumnMarks []XName `json:"column_marks,omitempty"`
}

// InRows reports whether the figure has horizontal bars or dots. Then x is the axis of values, and each category has a
// row.
func (f Figure) InRows() bool {
	if len(f.Panels) > 0 {
		return f.Panels[0].InRows()
	}
	return f.Heat == nil && len(f.Series) > 0 && (f.Series[0].Style == Bars || f.InDots())
}

// InDots reports whether each row of the figure has markers for values, not bars.
func (f Figure) InDots() bool {
	p := f.Parts()[0]
	return p.Heat == nil && len(p.Series) > 0 && p.Series[0].Style == Dots
}

// IsBlock states that a figure can be a block of a report.
func (Figure) IsBlock() {}

// Parts returns the panels, or the figure itself if it has none.
func (f Figure) Parts() []Figure {
	if len(f.Panels) > 0 {
		return f.Panels
	}
	return []Figure{f}
}

// Units groups the panels, or the figure itself, by YLabel: each group shares a y axis.
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

// Describe returns the figure in words, for readers who cannot see it: Alt, or a sentence made from the data.
func (f Figure) Describe() string {
	if f.Alt != "" {
		return f.Alt
	}
	if f.Heat != nil {
		return fmt.Sprintf("Heat map of %s: %s by %s.", f.Heat.Label, wording.Plural(len(f.Heat.Rows), "row"),
			wording.Plural(len(f.Heat.Columns), "column"))
	}
	lo, hi, n := f.Extent()
	var names []string // without duplicates
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

// span returns the two ends of a range in words, with enough digits to distinguish them.
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

// Extent returns the range of the finite Y of all series, and their number n; 0, 0, 0 if there are none.
func (f Figure) Extent() (lo, hi float64, n int) {
	ys := lists.Where(lists.Flat(f.all(), func(s Series) []float64 { return s.Y }), wording.IsFinite)
	if len(ys) == 0 {
		return 0, 0, 0
	}
	return slices.Min(ys), slices.Max(ys), len(ys)
}

// byValues returns a figure with shorter names of categories. If all names have the same keys, such as oil and speed, the
// keys become the label of the axis, and the names have only the values.
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

// lineStyle returns the style of reference line i. Horizontal lines differ in style; vertical lines need not, because
// their names are above them.
func (f Figure) lineStyle(i int) seriesStyle {
	if f.Lines[i].Wide {
		return seriesStyle{color: grid, wide: true}
	}
	kind := lists.Count(f.Lines[:i], func(l ReferenceLine) bool { return !l.Vertical && !f.Lines[i].Vertical })
	return referenceLine(kind)
}

// FromJSON makes a figure from the member "value" of its JSON, so that a report can draw it in another format. Numbers
// that were not finite are null in JSON and become NaN. FromJSON returns an error if the value is not a figure.
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

// check returns an error if lists have different lengths. A figure from a file may have them.
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

// orNaN is a number that reads null as NaN.
type orNaN float64

// UnmarshalJSON implements json.Unmarshaler.
func (x *orNaN) UnmarshalJSON(b []byte) error {
	*x = orNaN(math.NaN()) // null leaves x unchanged
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
