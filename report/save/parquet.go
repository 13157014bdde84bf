//go:build !js

package save

import (
	"fmt"
	"io"

	"github.com/parquet-go/parquet-go"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
)

// Parquet writes the same table as CSV, with types. Numbers are DOUBLE or INT64, booleans BOOLEAN, texts UTF-8 strings,
// and missing cells null. A column with numbers and texts, such as a swept xi of "auto" and 0.1, contains texts.
func Parquet(w io.Writer, v any) (err error) {
	defer try.Caught(&err)
	columns := try.Of(report.Cells(v))
	kinds := lists.Map(columns, kindOf)
	schema := try.Of(schemaOf(columns, kinds))
	var rows []parquet.Row
	if len(columns) > 0 {
		rows = make([]parquet.Row, len(columns[0].Cells))
	}
	for i := range rows {
		for j, c := range columns {
			rows[i] = append(rows[i], kinds[j].value(c.Cells[i]).Level(0, indices.Indicator(c.Cells[i] != nil), j))
		}
	}
	out := parquet.NewWriter(w, schema, parquet.Compression(&parquet.Snappy))
	try.Of(out.WriteRows(rows))
	return out.Close()
}

// ordered is a Parquet group that keeps the order of its columns; parquet.Group would sort them by name.
type ordered struct {
	parquet.Group
	fields []parquet.Field
}

// Fields implements parquet.Node.
func (o ordered) Fields() []parquet.Field { return o.fields }

// schemaOf returns the Parquet schema of the columns. Every cell may be null.
func schemaOf(columns []report.CellColumn, kinds []kind) (*parquet.Schema, error) {
	group := parquet.Group{}
	for j, c := range columns {
		if group[c.Name] != nil {
			return nil, fmt.Errorf("two columns of the table are called %s, and Parquet needs different names: save it as CSV, or "+
				"sweep under another name", c.Name)
		}
		group[c.Name] = parquet.Optional(kinds[j].leaf())
	}
	named := lists.Keyed(group.Fields(), func(_ int, f parquet.Field) (string, parquet.Field) { return f.Name(), f })
	fields := lists.Map(columns, func(c report.CellColumn) parquet.Field { return named[c.Name] })
	return parquet.NewSchema("table", ordered{group, fields}), nil
}

// kind is the type of the cells of a column.
type kind int

const (
	kindText kind = iota
	kindReal
	kindWhole
	kindUnsigned
	kindTruth
)

// kindOf returns the most specific kind that can represent every cell of a column.
func kindOf(c report.CellColumn) kind {
	found := map[kind]bool{}
	for _, v := range c.Cells {
		switch v.(type) {
		case nil:
		case float64:
			found[kindReal] = true
		case int:
			found[kindWhole] = true
		case uint64:
			found[kindUnsigned] = true
		case bool:
			found[kindTruth] = true
		default:
			return kindText
		}
	}
	switch {
	case len(found) == 0 && c.Number:
		return kindReal
	case len(found) == 1:
		for k := range found {
			return k
		}
	case found[kindTruth] || len(found) == 0:
		return kindText
	}
	return kindReal
}

// leaf returns the Parquet type of a kind.
func (k kind) leaf() parquet.Node {
	switch k {
	case kindReal:
		return parquet.Leaf(parquet.DoubleType)
	case kindWhole:
		return parquet.Int(64)
	case kindUnsigned:
		return parquet.Uint(64)
	case kindTruth:
		return parquet.Leaf(parquet.BooleanType)
	}
	return parquet.String()
}

// value converts a cell to a Parquet value of a column of this kind.
func (k kind) value(v any) parquet.Value {
	if v == nil {
		return parquet.Value{}
	}
	switch k {
	case kindReal:
		return parquet.DoubleValue(double(v))
	case kindWhole:
		return parquet.Int64Value(int64(v.(int)))
	case kindUnsigned:
		return parquet.Int64Value(int64(v.(uint64))) // the bits of the unsigned number, unchanged
	case kindTruth:
		return parquet.BooleanValue(v.(bool))
	}
	return parquet.ByteArrayValue([]byte(report.CellText(v)))
}

// double converts a number of any type to float64.
func double(v any) float64 {
	switch v := v.(type) {
	case int:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return v.(float64)
}
