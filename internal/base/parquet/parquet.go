// Package parquet reads tables in the Parquet format as CSV, so that a reader of CSV needs to know no other. It stands
// apart from the reader of problems because Go cells link that, and Parquet is large.
package parquet

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// magic begins and ends a Parquet file.
var magic = []byte("PAR1")

// CSV returns a Parquet file as CSV with a header, and data of any other kind as they are. Null is an empty cell. Columns
// that hold lists, groups or decimals are errors, and so is a damaged file.
func CSV(data []byte) (text []byte, err error) {
	if !bytes.HasPrefix(data, magic) {
		return data, nil
	}
	defer damaged(&err)
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("not valid Parquet: %w", err)
	}
	header, err := flat(f.Schema())
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w := csv.NewWriter(&out)
	_ = w.Write(header) // to memory: Flush reports nothing either
	rows := parquet.NewReader(f)
	defer rows.Close()
	record, batch := make([]string, len(header)), make([]parquet.Row, 100)
	for {
		n, err := rows.ReadRows(batch)
		for _, row := range batch[:n] {
			for _, v := range row {
				record[v.Column()] = cell(v)
			}
			_ = w.Write(record)
		}
		switch {
		case errors.Is(err, io.EOF):
			w.Flush()
			return out.Bytes(), nil
		case err != nil:
			return nil, fmt.Errorf("not valid Parquet: %w", err)
		case n == 0:
			return nil, errors.New("not valid Parquet: it ends early")
		}
	}
}

// Columns returns the names of the columns of a Parquet file, and whether it is one that CSV can read.
func Columns(f *os.File) (columns []string, ok bool) {
	start := make([]byte, len(magic))
	if _, err := f.ReadAt(start, 0); err != nil || !bytes.Equal(start, magic) {
		return nil, false
	}
	info, err := f.Stat()
	if err != nil {
		return nil, false
	}
	defer damaged(&err)
	file, err := parquet.OpenFile(f, info.Size(), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, false
	}
	columns, err = flat(file.Schema())
	return columns, err == nil
}

// damaged turns a panic of the library, which a damaged file can cause, into an error.
func damaged(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("not valid Parquet: %v", fault)
	}
}

// flat returns the names of the columns of a table without nesting.
func flat(schema *parquet.Schema) ([]string, error) {
	var names []string
	for _, path := range schema.Columns() {
		leaf, ok := schema.Lookup(path...)
		if !ok || len(path) != 1 || leaf.Node.Repeated() {
			return nil, fmt.Errorf("column %q holds lists or groups; a table needs one value a cell", path[0])
		}
		if strings.HasPrefix(leaf.Node.Type().String(), "DECIMAL") {
			return nil, fmt.Errorf("column %q holds decimals; save it as DOUBLE", path[0])
		}
		names = append(names, path[0])
	}
	return names, nil
}

// cell is a value as text; "" for null.
func cell(v parquet.Value) string {
	switch v.Kind() {
	case parquet.Float:
		return strconv.FormatFloat(float64(v.Float()), 'g', -1, 32)
	case parquet.Double:
		return strconv.FormatFloat(v.Double(), 'g', -1, 64)
	}
	if v.IsNull() {
		return ""
	}
	return v.String()
}
