package report

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Display is one displayed statement of a script. Name is "" for a bare call;
// Source is the statement as written, or "".
type Display struct {
	Name   string
	Source string
	Value  any
}

// Notes returns sentences as blocks, each a remark.
func Notes(sentences []string) []Block {
	return lists.Map(sentences, func(s string) Block { return Note{Text: strings.TrimSuffix(s, ".") + "."} })
}

// remarks returns facts as blocks, each a remark or a warning.
func remarks[T any](facts []T, warning bool) []Block {
	return lists.Map(facts, func(f T) Block { return Note{Text: upper(fmt.Sprint(f)) + ".", Warning: warning} })
}

// Blocks turns a value into blocks for any renderer. It accepts the plain data of engine, bounds and sim (values or pointers),
// problems, kernels, values with a String method, numbers, text, lists, and blocks.
func Blocks(v any) []Block {
	v = plain(v)
	if w, ok := viewOf(v); ok {
		return inWords(w.blocks(), w.words)
	}
	switch v := v.(type) {
	case nil:
		return []Block{Paragraph{Text: "nothing"}}
	case []Block:
		return v
	case Block:
		return []Block{v}
	case fmt.Stringer:
		return []Block{Code{Text: v.String()}}
	case []any:
		return listBlocks(v)
	case string:
		if strings.Contains(v, "\n") {
			return []Block{Code{Text: v}}
		}
		return []Block{Paragraph{Text: v}}
	}
	if isRecord(v) {
		return recordBlocks(v)
	}
	return []Block{Paragraph{Text: cell(v, 0)}}
}

// TypeName returns the name of a value's kind in JSON: fc or fb of a result, the JSON name of
// package kinds of another value of a function, kernel, number, bool, text, list, figure or table.
func TypeName(v any) string {
	v = plain(v)
	if r, ok := v.(engine.Result); ok {
		return r.Mode
	}
	if k, ok := kinds.Of[view](reflect.TypeOf(v)); ok {
		return k.JSON
	}
	switch v.(type) {
	case Figure:
		return "figure"
	case Table:
		return "table"
	case kernels.Kernel, kernels.Joint:
		return "kernel"
	case []engine.Result, []any, []Block:
		return "list"
	case int, uint64, float64:
		return "number"
	case bool:
		return "bool"
	}
	if isRecord(v) {
		return "record"
	}
	return "text"
}

// plain replaces pointers by their values, and gives lists and numbers one type each ([]engine.Result or []any; int, uint64 or
// float64). Kernels are unchanged.
func plain(v any) any {
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer {
		if r.IsNil() {
			return nil
		}
		if k, ok := r.Interface().(kernels.Kernel); ok {
			return k
		}
		r = r.Elem()
	}
	if !r.IsValid() {
		return nil
	}
	v = r.Interface()
	switch v.(type) {
	case []engine.Result, []Block, fmt.Stringer, Block:
		return v
	}
	switch {
	case r.Kind() == reflect.Slice || r.Kind() == reflect.Array:
		return list(r)
	case r.CanInt():
		return int(r.Int())
	case r.CanUint():
		return r.Uint()
	case r.CanFloat():
		return r.Float()
	case r.Kind() == reflect.String:
		return r.String()
	case r.Kind() == reflect.Bool:
		return r.Bool()
	}
	return v
}

// list returns []engine.Result when all entries are results, else []any.
func list(r reflect.Value) any {
	all := make([]any, r.Len())
	var results []engine.Result
	for i := range all {
		all[i] = plain(r.Index(i).Interface())
		if x, ok := all[i].(engine.Result); ok {
			results = append(results, x)
		}
	}
	if len(all) > 0 && len(results) == len(all) {
		return results
	}
	return all
}

// listBlocks prints a list of short values on one line, a list of equally long
// lists as a table, and anything else entry by entry.
func listBlocks(items []any) []Block {
	if t, ok := matrix(items); ok {
		return []Block{t}
	}
	if t, ok := recordTable(items); ok {
		return []Block{t}
	}
	var words []string
	var blocks []Block
	for _, item := range items {
		b := Blocks(item)
		blocks = append(blocks, b...)
		if len(b) == 1 {
			switch b := b[0].(type) {
			case Paragraph:
				words = append(words, b.Text)
			case Code:
				words = append(words, b.Text)
			}
		}
	}
	line := "[" + strings.Join(words, ", ") + "]"
	if len(words) == len(items) && !strings.Contains(line, "\n") {
		return []Block{Paragraph{Text: line}}
	}
	return blocks
}

// matrix returns a list of equally long lists of scalars as a table.
func matrix(items []any) (Table, bool) {
	t := Table{Caption: "Values"}
	for i, item := range items {
		row, ok := item.([]any)
		if !ok || len(row) == 0 || (i > 0 && len(row) != len(t.Columns)) {
			return t, false
		}
		for j, v := range row {
			switch v.(type) {
			case int, float64, string, bool:
			default:
				return t, false
			}
			if i == 0 {
				t.Columns = append(t.Columns, number(fmt.Sprintf("c%d", j+1), fmt.Sprint(j+1), ""))
			}
		}
		t.Rows = append(t.Rows, row)
	}
	t.Caption = fmt.Sprintf("%d × %d values", len(t.Rows), len(t.Columns))
	return t, len(t.Rows) > 0
}

// views has the view of each kind of value; the methods of a kind are in its file.
type views struct{}

var _ kinds.Views[view] = views{}

// view holds the functions that show one kind of value. Only blocks is required.
type view struct {
	blocks func() []Block
	words  problem.Words // the user's words for tasks and arms in blocks; files use the names of the problem
	// table for CSV and Parquet; nil for the first table of the blocks
	table  func() (Table, error)
	axes   func(x string) (xs, ys []string)    // possible axes, as in Axes; nil if the value cannot be drawn
	figure func(o PlotOptions) (Figure, error) // figure for the X and the one or more Y in o

	bars    string // the x for which the figure has horizontal bars; "" for none
	several bool   // a figure may have several measures
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

// IsBars reports whether a figure with this x, "" for the default, has horizontal bars for every value of this kind.
func IsBars(v any, x string) bool {
	w, ok := viewOf(plain(v))
	if !ok || w.bars == "" {
		return false
	}
	xs, _ := w.axes(x)
	return x == w.bars || x == "" && len(xs) > 0 && xs[0] == w.bars
}

// fixedAxes returns the same axes for every value.
func fixedAxes(x string, ys ...string) func(string) ([]string, []string) {
	return func(string) ([]string, []string) { return []string{x}, ys }
}
