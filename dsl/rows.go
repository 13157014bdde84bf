package dsl

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/gonb-cope/gonb-cope/report"
)

// evalColumn returns the list of one part of every element of a list.
func evalColumn(e *evaluator, n *ast.MemberNode, v value, name string) value {
	list, known := v.Data.([]value)
	t, _ := typeFor(v.of)
	switch names := v.partNames(); {
	case !known && v.of == nil:
		return unknown(List)
	case len(names) == 0 && known && len(list) == 0:
		return value{Type: List, Data: []value{}}
	case len(names) == 0 && v.of != nil && t == anything:
		return unknown(List)
	case !slices.Contains(names, name):
		if len(names) == 0 {
			return e.fail(n, List, "the elements of this list have no parts", "an element is chosen by its number, list[0]")
		}
		return e.fail(n.Property, List, fmt.Sprintf("the elements of this list have no part %q", name), suggestPart(name, names))
	case !known:
		return value{Type: List, of: unknownPart(v.of, name).goType()}
	}
	out := make([]value, len(list))
	for i, element := range list {
		if !slices.Contains(element.partNames(), name) {
			return e.fail(n, List, fmt.Sprintf("element %d of this list is %s, which has no part %q", i, element.Type.a(), name), "")
		}
		if element.Type == List { // rows of rows
			if out[i] = evalColumn(e, n, element, name); !out[i].known() {
				return unknown(List)
			}
			continue
		}
		data, _ := report.PartOf(element.Data, name)
		var reason string
		if out[i], reason = fromPart(reflect.ValueOf(data)); reason != "" {
			return e.fail(n, List, fmt.Sprintf("%s of element %d %s", name, i, reason), "")
		}
	}
	if !e.spend(n, value{Type: List, Data: out}.size(maxElements)) {
		return unknown(List)
	}
	column := value{Type: List, Data: out}
	if len(out) > 0 && out[0].Type.hasParts() {
		column.of = out[0].goType()
	}
	return column
}

// evalRow returns the element of a list of records that a text names: the one whose first text it is.
func evalRow(e *evaluator, n *ast.MemberNode, v, key value) value {
	list, known := v.Data.([]value)
	part := keyOf(v)
	switch {
	case known && len(list) > 0 && part == "", !known && v.of != nil && part == "":
		return e.fail(n.Property, anything, "the elements of this list have no names", "an element is chosen by its number, list[0]")
	case !known || !key.known():
		t, of := typeFor(v.of)
		return value{Type: t, of: of}
	}
	word := key.Data.(string)
	var found []value
	var names []string
	for _, element := range list {
		name, _ := report.PartOf(element.Data, part)
		names = append(names, fmt.Sprint(name))
		if fmt.Sprint(name) == word {
			found = append(found, element)
		}
	}
	switch len(found) {
	case 1:
		return found[0]
	case 0:
		return e.fail(n.Property, anything, fmt.Sprintf("there is no %s %q in this list", part, word), suggest(word, slices.Compact(names)))
	}
	return e.fail(n.Property, anything, fmt.Sprintf("%d elements have the %s %q", len(found), part, word), "an element is chosen by its number, list[0]")
}

// keyOf returns the part by which elements of a list are chosen: the first that is a text.
func keyOf(v value) string {
	t := v.of
	if list, _ := v.Data.([]value); t == nil && len(list) > 0 {
		t = list[0].goType()
	}
	for _, p := range report.Parts(t) {
		if kind, _ := typeFor(p.Type); kind == Text {
			return p.Name
		}
	}
	return ""
}

// tableRow returns the row of a table whose first cell is a text.
func tableRow(e *evaluator, n *ast.MemberNode, t report.Table, word string) value {
	var names []string
	for i, row := range t.Rows {
		if len(row) == 0 {
			continue
		}
		if name := fmt.Sprint(row[0]); name == word {
			return value{Type: Record, Data: t.Row(i), of: reflect.TypeFor[map[string]any]()}
		} else {
			names = append(names, name)
		}
	}
	return e.fail(n.Property, Record, fmt.Sprintf("the table has no row or part %q", word), suggest(word, append(names, t.ColumnNames()...)))
}

// compileRows is the problem.Compiler of the language: expressions of expr (github.com/expr-lang/expr) on the columns
// of a row by their names, or by col("a name") where a name is no identifier, with log10, log, exp and sqrt.
func compileRows(expression string, columns []string, numbers []bool) (evaluate func(row []any) (any, error), reads []string, err error) {
	env := map[string]any{"col": func(string) any { return nil }}
	for k, name := range columns {
		if env[name] = any(""); numbers[k] {
			env[name] = 0.0
		}
		if strings.Contains(expression, name) {
			reads = append(reads, name)
		}
	}
	opts := []expr.Option{expr.Env(env)}
	for name, f := range map[string]func(float64) float64{"log10": math.Log10, "log": math.Log, "log2": math.Log2, "exp": math.Exp,
		"sqrt": math.Sqrt} {
		opts = append(opts, expr.Function(name, func(args ...any) (any, error) {
			switch v := args[0].(type) {
			case float64:
				return f(v), nil
			case int:
				return f(float64(v)), nil
			}
			return nil, fmt.Errorf("%s needs a number, got %v", name, args[0])
		}, new(func(float64) float64), new(func(int) float64), new(func(any) float64)))
	}
	program, err := expr.Compile(expression, opts...)
	if err != nil {
		return nil, nil, firstLine(err)
	}
	evaluate = func(row []any) (any, error) {
		at := map[string]any{}
		for k, name := range columns {
			at[name] = row[k]
		}
		var missing string
		at["col"] = func(name string) any {
			v, ok := at[name]
			if !ok {
				missing = name
			}
			return v
		}
		v, err := expr.Run(program, at)
		if missing != "" {
			return nil, fmt.Errorf("there is no column %q", missing)
		}
		if err != nil {
			return nil, firstLine(err)
		}
		return v, nil
	}
	return evaluate, reads, nil
}

// firstLine keeps what an error of expr says, without the lines that show where: an expression is one line.
func firstLine(err error) error {
	var at *file.Error
	if errors.As(err, &at) {
		return errors.New(at.Message)
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(text)
}
