package dsl

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/expr-lang/expr/ast"

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
