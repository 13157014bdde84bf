package figure

// Style says how a series is drawn.
type Style string

// The styles. Markers and dashes always go with colours, so that a figure reads
// in grey too.
const (
	Line   Style = "line"   // markers joined by a line, intervals as error bars; the default
	Points Style = "points" // markers with error bars
	// horizontal bars with error bars; X is the position, named by Categories
	Bars     Style = "bars"
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
	// the ends of the axes, the lower first; nil means what the values need. What has an x outside is
	// not drawn, and what has a y outside stands at the edge. Above 0 on a logarithmic axis.
	XLim *[2]float64 `json:"x_lim,omitempty"`
	YLim *[2]float64 `json:"y_lim,omitempty"`
	// of the sheet, in columns of a page that has two of them: 1 is 8.5 cm, 2 is 17.6 cm with the
	// space between the columns; 0 means 2
	Width float64 `json:"width,omitempty"`
	// NonNegative says that no value can be below 0: intervals that reach there, as
	// Student's t may, are drawn down to 0.
	NonNegative bool `json:"non_negative,omitempty"`
	// names of the positions 0, 1, ... along the categorical axis
	Categories []string `json:"categories,omitempty"`
	// names of single places along x, such as infinity on a logarithmic axis
	XNames []XName         `json:"x_names,omitempty"`
	Series []Series        `json:"series,omitempty"`
	Lines  []ReferenceLine `json:"lines,omitempty"`
	Heat   *Heat           `json:"heat,omitempty"` // drawn instead of Series
	// drawn instead of Series: lines and points side by side that share axes and legend, each with
	// its Title
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
	// counts of very different size: shades go by the logarithm of 1 + Z
	Log bool `json:"log,omitempty"`
	// what stands beside the map in place of the names of single rows and columns, at their numbers
	// from 0; for maps that are several side by side
	RowMarks    []XName `json:"row_marks,omitempty"`
	ColumnMarks []XName `json:"column_marks,omitempty"`
}

// IsBars reports whether the figure is one of horizontal bars, which share it with
// nothing else: its value axis is x.
func (f Figure) IsBars() bool { return f.Heat == nil && len(f.Series) > 0 && f.Series[0].Style == Bars }

// IsBlock makes a figure a block of a report.
func (Figure) IsBlock() {}
