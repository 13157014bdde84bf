package report

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
)

// isRecord reports whether a value has named parts and is neither a cell nor shown in a way of its own.
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

// recordBlocks shows the parts of a record: those that fit into a cell as key and value, lists of records
// as tables.
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

// recordTable returns a list of records of one type as a table.
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
	var out []member
	if r.Kind() == reflect.Map {
		for _, m := range jsonMap(r) {
			part, _ := PartOf(v, m.name)
			out = append(out, member{m.name, part})
		}
		return out
	}
	for _, p := range fields(r.Type()) {
		out = append(out, member{p.Name, r.Field(p.field).Interface()})
	}
	return out
}

// recordCell returns a part as a cell of a table: what is no cell, as JSON.
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
		words := make([]string, len(v))
		for i, item := range v {
			c := recordCell(item)
			words[i] = cell(c, 0)
		}
		if len(words) == 0 {
			return nil
		}
		return words
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
