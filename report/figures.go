package report

import "github.com/gonb-cope/gonb-cope/report/figure"

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
