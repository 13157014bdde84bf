package report

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Part is a named part of a value. Its name is the one in JSON.
type Part struct {
	Name string
	Type reflect.Type // nil if the type depends on the value

	field int // index of the struct field
	empty string
	of    func(any) any // for a measure of a result: computes the part
}

// PartsFrom returns the struct type whose fields are the parts of values of type t.
func PartsFrom(t reflect.Type) reflect.Type {
	if t == reflect.TypeFor[problem.Problem]() {
		return reflect.TypeFor[problemParts]()
	}
	return t
}

// Parts returns the parts of values of Go type t, in the order of their JSON. It returns nil for a type whose JSON is not
// an object. A result also has the measures that plots show, as plain numbers.
func Parts(t reflect.Type) []Part {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil || t.Kind() != reflect.Struct || IsText(t) {
		return nil
	}
	parts := fields(PartsFrom(t))
	if t == reflect.TypeFor[engine.Result]() {
		for _, m := range measures() {
			if !slices.ContainsFunc(parts, func(p Part) bool { return p.Name == m.name }) {
				parts = append(parts, Part{Name: m.name, Type: reflect.TypeFor[float64](),
					of: func(v any) any {
						if y, _, _, ok := withInterval(m.value(v.(engine.Result))); ok {
							return y
						}
						return nil
					}})
			}
		}
	}
	return parts
}

// ColumnNames returns the names of the columns of a table.
func (t Table) ColumnNames() []string {
	return lists.Map(t.Columns, func(c Column) string { return c.Name })
}

// Row returns row i of a table as a map from column names to cells.
func (t Table) Row(i int) map[string]any {
	return lists.Keyed(t.Columns, func(j int, c Column) (string, any) { return c.Name, t.Rows[i][j] })
}

// PartOf returns the named part of a value; ok is false if the value has no such part. The part is nil if unknown. A
// table's columns are also parts, as lists of their cells.
func PartOf(v any, name string) (part any, ok bool) {
	r := reflect.ValueOf(v)
	for r.Kind() == reflect.Pointer && !r.IsNil() {
		r = r.Elem()
	}
	if !r.IsValid() {
		return nil, false
	}
	if p, is := r.Interface().(problem.Problem); is {
		return PartOf(partsOfProblem(p), name)
	}
	if r.Kind() == reflect.Map {
		for _, k := range r.MapKeys() {
			if k.Kind() == reflect.String && k.String() == name {
				return r.MapIndex(k).Interface(), true
			}
		}
		return nil, false
	}
	if t, is := r.Interface().(Table); is {
		if j := slices.Index(t.ColumnNames(), name); j >= 0 {
			return lists.Map(t.Rows, func(row []any) any { return row[j] }), true
		}
	}
	for _, p := range Parts(r.Type()) {
		switch {
		case p.Name != name:
		case p.of != nil:
			return p.of(r.Interface()), true
		default:
			return r.Field(p.field).Interface(), true
		}
	}
	return nil, false
}

// fields returns the exported fields of a struct with their JSON names.
func fields(t reflect.Type) []Part {
	var parts []Part
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if !f.IsExported() || name == "-" {
			continue
		}
		name = cmp.Or(name, f.Name)
		parts = append(parts, Part{Name: name, Type: f.Type, field: i, empty: options})
	}
	return parts
}

// omitted reports whether JSON omits a part whose value is v.
func (p Part) omitted(v reflect.Value) bool {
	return p.empty == "omitempty" && isEmpty(v) || p.empty == "omitzero" && v.IsZero()
}

// isRecord reports whether a value is a struct or map that has no display of its own and is not a cell.
func isRecord(v any) bool {
	switch v.(type) {
	case nil, engine.Interval, engine.Rate, bounds.Certified, MeanError, Block, []engine.Result:
		return false
	}
	if _, ok := viewOf(v); ok {
		return false
	}
	t := reflect.TypeOf(v)
	return t.Kind() == reflect.Map || t.Kind() == reflect.Struct && !IsText(t)
}

// recordBlocks returns the blocks of a record: a list of the parts that fit into a cell, and a table for each list of
// records.
func recordBlocks(v any) []Block {
	var facts KeyValues
	var tables []Block
	for _, m := range members(v) {
		if items, ok := plain(m.value).([]any); ok {
			if t, ok := recordTable(items); ok {
				t.Caption = m.name
				tables = append(tables, t)
				continue
			}
		}
		facts.Items = append(facts.Items, KeyValue{Key: m.name, Value: recordCell(m.value)})
	}
	if len(facts.Items) == 0 {
		return tables
	}
	return append([]Block{facts}, tables...)
}

// recordTable returns a list of records as a table; false unless all items are records of one type.
func recordTable(items []any) (Table, bool) {
	var t Table
	for i, item := range items {
		if !isRecord(item) || reflect.TypeOf(item) != reflect.TypeOf(items[0]) || reflect.TypeOf(item).Kind() != reflect.Struct {
			return t, false
		}
		var row []any
		for _, m := range members(item) {
			c := recordCell(m.value)
			if i == 0 {
				t.Columns = append(t.Columns, number(m.name, m.name, ""))
			}
			switch c.(type) {
			case string, []string:
				t.Columns[len(row)].Align = Left
			}
			row = append(row, c)
		}
		t.Rows = append(t.Rows, row)
	}
	t = t.withoutEmptyColumns()
	t.Caption = fmt.Sprintf("%d × %d values", len(t.Rows), len(t.Columns))
	return t, len(items) > 0
}

// members returns the parts of a record with their values.
func members(v any) []member {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Map {
		return jsonMap(r)
	}
	return lists.Map(fields(r.Type()), func(p Part) member { return member{p.Name, r.Field(p.field).Interface()} })
}

// recordCell returns a part as a cell of a table. If its type has no cell, the cell is its JSON.
func recordCell(v any) any {
	switch v := plain(v).(type) {
	case nil, string, bool, int, uint64, engine.Interval, engine.Rate, bounds.Certified, MeanError:
		return v
	case float64:
		if !isFinite(v) {
			return nil
		}
		return v
	case []any:
		if len(v) == 0 {
			return nil
		}
		return lists.Map(v, func(item any) string { return cell(recordCell(item), 0) })
	default:
		if s, ok := TextOf(v); ok {
			return s
		}
		b, err := json.Marshal(JSONValue(v))
		if err != nil {
			return nil
		}
		return string(b)
	}
}
