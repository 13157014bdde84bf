package report

import (
	"reflect"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
)

// views shows a value of each kind; a method stands in the file of its kind.
type views struct{}

var _ kinds.Views[view] = views{}

// view shows one value. Only blocks is needed.
type view struct {
	blocks func() []Block
	words  problem.Words // in which blocks are shown; files have the names of the problem
	// for CSV and Parquet; nil for the first table of the blocks
	table  func() (Table, error)
	axes   func(x string) (xs, ys []string)    // as in Axes; nil if the value cannot be drawn
	figure func(o PlotOptions) (Figure, error) // for an X and at least one Y of axes

	bars    string // the x for which the figure is one of bars; "" for none
	several bool   // a figure may have several measures of one unit
	panels  bool   // a figure may have panels
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

// IsBars reports whether the figure of a value with this x, "" for the usual one, is one of
// horizontal bars whatever the value holds.
func IsBars(v any, x string) bool {
	w, ok := viewOf(plain(v))
	if !ok || w.bars == "" {
		return false
	}
	xs, _ := w.axes(x)
	return x == w.bars || x == "" && len(xs) > 0 && xs[0] == w.bars
}

// fixedAxes returns the axes of values that all have the same.
func fixedAxes(x string, ys ...string) func(string) ([]string, []string) {
	return func(string) ([]string, []string) { return []string{x}, ys }
}
