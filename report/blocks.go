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

// Display is the displayed value of one statement of a script. Name is the bound name, or "" for another expression.
// Source is the text of the statement, or "".
type Display struct {
	Name   string
	Source string
	Value  any
}

// Notes returns a note for each sentence.
func Notes(sentences []string) []Block {
	return lists.Map(sentences, func(s string) Block { return Note{Text: strings.TrimSuffix(s, ".") + "."} })
}

// remarks returns a note for each fact, or a warning if warning is true.
func remarks[T any](facts []T, warning bool) []Block {
	return lists.Map(facts, func(f T) Block {
		return Note{Text: strings.TrimSuffix(upper(fmt.Sprint(f)), ".") + ".", Warning: warning}
	})
}

// Blocks converts a value to blocks for all renderers. v is a value of engine, bounds or sim, or a pointer to one; a
// problem; a kernel; a value with a String method; a number; a text; a list; or a block.
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

// TypeName returns the type of a value in JSON. This is "fc" or "fb" for a result, and the name in package kinds for other
// values of functions. Otherwise it is kernel, number, bool, text, list, figure or table.
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

// plain follows pointers and converts similar types to one: lists to []engine.Result or []any, and numbers to int, uint64
// or float64. It returns kernels unchanged.
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

// list returns the list r as []engine.Result if all elements are results, and otherwise as []any.
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

// listBlocks returns the blocks of a list. Lists of equal lengths, and records of one type, form a table. Short values
// are on one line. For any other list, the blocks of the elements follow each other.
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

// matrix returns a list of lists as a table; false unless these have equal lengths and contain only scalars.
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

// views has a method for each kind of value, which returns the view of a value.
type views struct{}

var _ kinds.Views[view] = views{}

// view has the functions that display one value. Only blocks must be set.
type view struct {
	blocks func() []Block
	words  problem.Words // the user's names for tasks and arms, used in blocks; files use the problem's names
	// returns the table for CSV and Parquet; nil means the first table of blocks
	table  func() (Table, error)
	axes   func(x string) (xs, ys []string)    // returns the possible axes, see Axes; nil if the value has no figure
	figure func(o PlotOptions) (Figure, error) // returns the figure for o.X and o.Y, which are set

	bars    string // x whose figure has horizontal bars; "" if none has
	several bool   // whether a figure can show several measures
	panels  bool   // whether a figure can have panels
}

// viewOf returns the view of a value, or of a list of results; false if its type has none.
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

// fixedAxes returns an axes function for values whose possible axes are always the same.
func fixedAxes(x string, ys ...string) func(string) ([]string, []string) {
	return func(string) ([]string, []string) { return []string{x}, ys }
}
