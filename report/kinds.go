package report

import (
	"reflect"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
)

// views shows a value of each kind; a method stands in the file of its kind.
type views struct{}

var _ kinds.Views[view] = views{}

// view shows one value. Only blocks is needed.
type view struct {
	blocks func() []Block
	// for CSV and Parquet; nil for the first table of the blocks
	table  func() (Table, error)
	axes   func(x string) (xs, ys []string)    // as in Axes; nil if the value cannot be drawn
	figure func(o PlotOptions) (Figure, error) // for an X and at least one Y of axes

	several bool // a figure may have several measures of one unit
	panels  bool // a figure may have panels
}

// viewOf returns the view of a value of a kind, or of a list of results.
func viewOf(v any) (view, bool) {
	if rs, ok := v.([]engine.Result); ok {
		return resultsView(rs), true
	}
	k, ok := kinds.Of[view](reflect.TypeOf(v))
	if !ok {
		return view{}, false
	}
	return k.View(views{}, v), true
}

// fixedAxes returns the axes of values that all have the same.
func fixedAxes(x string, ys ...string) func(string) ([]string, []string) {
	return func(string) ([]string, []string) { return []string{x}, ys }
}
