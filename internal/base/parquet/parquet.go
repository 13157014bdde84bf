//go:build !js

// Package parquet converts tables in Parquet format to CSV, so that readers need to support only CSV. It is separate from
// package problem because Go cells link that package, and Parquet support is large.
//
// Files are untrusted. The package checks the footer (parquet.go), the format of headers (thrift.go) and the pages
// (pages.go) before it allocates memory. So a small file cannot demand much memory.
package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
)

// magic is the text at the beginning and end of a Parquet file.
var magic = []byte("PAR1")

// namesMark begins a first line that lists the columns of texts, in which 12.10 differs from 12.1. It equals
// problem.NamesMark.
const namesMark = "text="

// batch is the number of rows that are read together.
const batch = 512

// perCell is the smallest memory of a table cell in bytes, including the reader's.
const perCell = 12

// afterName are the characters that can follow a CSV column whose name is PAR1.
var afterName = []byte(",;\t| \r\n\"")

// CSV converts a Parquet file to CSV with a header line. It returns other data unchanged. Null becomes an empty cell. In a
// column of lists or groups, each cell is nestedCell. CSV returns an error if all columns are of this type, if the file is
// damaged, or if the allowance is exceeded.
func CSV(a *allowance.Allowance, data []byte) (text []byte, err error) {
	if !bytes.HasPrefix(data, magic) || len(data) > len(magic) && bytes.IndexByte(afterName, data[len(magic)]) >= 0 {
		return data, nil
	}
	defer damaged(&err)
	meta, columns, err := readFooter(data)
	if err != nil {
		return nil, err
	}
	rows, err := countRows(meta, len(columns))
	if err != nil {
		return nil, err
	}
	if err := a.Ask(rows * int64(len(columns))); err != nil { // a comma or line end per cell
		return nil, err
	}
	if err := a.AskFor(rows, perCell*float64(len(columns)), "rows"); err != nil {
		return nil, err
	}
	for _, group := range meta.RowGroups {
		for k := range columns {
			if c := &columns[k]; !c.nested {
				if err := checkPages(a, data, &group.Columns[c.leaf].MetaData, c.optional, group.NumRows); err != nil {
					return nil, fmt.Errorf("column %q: %w", c.name, wrong(err))
				}
			}
		}
	}
	f, err := parquet.OpenFile(bytes.NewReader(data), int64(len(data)), parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, wrong(err)
	}
	w := &writer{allowance: a}
	if names := slices.DeleteFunc(slices.Clone(columns), func(c column) bool { return !c.names || c.nested }); len(names) > 0 {
		w.b = append(w.b, namesMark...)
		for k, c := range names {
			w.cell(k + 1)
			w.b = append(w.b, c.name...)
			w.ended()
		}
		w.b = append(w.b, '\n')
	}
	for k, c := range columns {
		w.cell(k)
		w.b = append(w.b, c.name...)
		w.ended()
	}
	if err := w.line(len(columns)); err != nil {
		return nil, err
	}
	for g, group := range f.RowGroups() {
		if err := w.group(group, columns, int(meta.RowGroups[g].NumRows)); err != nil {
			return nil, err
		}
	}
	return w.all()
}

// errCell states that a text is too long for a cell.
var errCell = fmt.Errorf("it has a value of more than %d kB, which is the limit for a cell; leave the column out", MaxCell>>10)

// wrong marks an error as caused by an invalid file. It returns errors about limits unchanged.
func wrong(err error) error {
	if err == nil || errors.Is(err, errCell) || allowance.Ended(err) {
		return err
	}
	return fmt.Errorf("not valid Parquet: %w", err)
}

// column is a column of the table.
type column struct {
	name             string
	leaf             int // index among the leaf columns of the file
	optional, nested bool
	names            bool // contains texts
	append           func(b []byte, v parquet.Value) []byte
}

// readFooter decodes and checks the footer of a file. It returns the footer and the columns of the table.
func readFooter(data []byte) (*format.FileMetaData, []column, error) {
	const end = 8 // length of the footer and the final magic
	if len(data) < len(magic)+end || !bytes.HasSuffix(data, magic) {
		return nil, nil, wrong(errors.New("the file ends early"))
	}
	size := binary.LittleEndian.Uint32(data[len(data)-end:])
	if uint64(size) > uint64(len(data)-len(magic)-end) {
		return nil, nil, wrong(errors.New("the footer is damaged"))
	}
	meta := new(format.FileMetaData)
	if _, err := unmarshal(data[len(data)-end-int(size):len(data)-end], meta); err != nil {
		return nil, nil, wrong(err)
	}
	if meta.EncryptionAlgorithm.Value != nil {
		return nil, nil, errors.New("the file is encrypted; save it without a key")
	}
	columns, err := columnsOf(meta.Schema)
	if err != nil {
		return nil, nil, err
	}
	leaves := len(meta.Schema) - 1
	for _, c := range meta.Schema[1:] {
		if c.NumChildren.V > 0 {
			leaves--
		}
	}
	for _, group := range meta.RowGroups {
		if len(group.Columns) != leaves {
			return nil, nil, wrong(fmt.Errorf("a group of rows has %d columns, but the file has %d", len(group.Columns), leaves))
		}
	}
	return meta, columns, nil
}

// countRows returns the number of rows in all row groups.
func countRows(meta *format.FileMetaData, columns int) (rows int64, err error) {
	for _, group := range meta.RowGroups {
		if group.NumRows < 0 || group.NumRows > 1<<40/int64(columns)-rows {
			return 0, wrong(fmt.Errorf("%d rows", group.NumRows))
		}
		rows += group.NumRows
	}
	return rows, nil
}

// nestedCell is the text of a cell that contains a list or a group.
const nestedCell = "(nested)"

// columnsOf returns the columns of a schema. The schema lists a tree in which each parent precedes its children.
func columnsOf(schema []format.SchemaElement) ([]column, error) {
	if len(schema) == 0 {
		return nil, wrong(errors.New("the file has no columns"))
	}
	var columns []column
	leaf, flat := 0, false
	for at := 1; at < len(schema); {
		e := &schema[at]
		c := column{name: e.Name, leaf: leaf, optional: e.RepetitionType.V == format.Optional, append: textOf(e)}
		c.names = isText(e)
		c.nested = e.NumChildren.V != 0 || e.RepetitionType.V == format.Repeated
		next, leaves, ok := below(schema, at, 0)
		if !ok {
			return nil, wrong(fmt.Errorf("column %q is nested too deeply", c.name))
		}
		at, leaf = next, leaf+leaves
		columns, flat = append(columns, c), flat || !c.nested
	}
	if !flat {
		if len(columns) == 0 {
			return nil, wrong(errors.New("the file has no columns"))
		}
		return nil, fmt.Errorf("column %q holds lists or groups. A table needs one value per cell", columns[0].name)
	}
	return columns, nil
}

// below returns the index after the subtree at index at, and the number of its leaves. It returns false if the subtree is
// invalid or nested too deeply.
func below(schema []format.SchemaElement, at, depth int) (next, leaves int, ok bool) {
	if at >= len(schema) || depth > mostNested || schema[at].NumChildren.V < 0 {
		return 0, 0, false
	}
	if schema[at].NumChildren.V == 0 {
		return at + 1, 1, true
	}
	children := schema[at].NumChildren.V
	for at++; children > 0; children-- {
		next, more, ok := below(schema, at, depth+1)
		if !ok {
			return 0, 0, false
		}
		at, leaves = next, leaves+more
	}
	return at, leaves, true
}

// mostNested limits the nesting of a column. The library cannot read deeper ones.
const mostNested = 250

// writer writes CSV as a list of parts, so that growing text is not copied.
type writer struct {
	allowance *allowance.Allowance
	parts     [][]byte
	b         []byte // the current part
	start     int    // index in b where the current cell begins
	empty     bool   // whether the current line has only empty cells so far
}

// full is the size in bytes at which a part is complete.
const full = 1 << 20

// cell begins cell k of a line. The caller appends the cell's text to b and then calls ended.
func (w *writer) cell(k int) {
	if k > 0 {
		w.b = append(w.b, ',')
	} else {
		w.empty = true
	}
	w.start = len(w.b)
}

// special are the bytes that require quotes.
var special = [256]bool{',': true, ';': true, '"': true, '\t': true, '\r': true, '\n': true}

// ended ends a cell. It adds quotes if necessary and returns the length of the text without them.
func (w *writer) ended() int {
	text := w.b[w.start:]
	w.empty = w.empty && len(text) == 0
	for _, c := range text {
		if special[c] {
			quoted := bytes.ReplaceAll(text, []byte{'"'}, []byte{'"', '"'})
			w.b = append(append(append(w.b[:w.start], '"'), quoted...), '"')
			break
		}
	}
	return len(text)
}

// line ends the present line, which has the given number of cells.
func (w *writer) line(cells int) error {
	if w.empty && cells == 1 { // readers would skip an empty line
		w.b = append(w.b, '"', '"')
	}
	w.b = append(w.b, '\n')
	if len(w.b) < full {
		return nil
	}
	err := w.allowance.Make(int64(len(w.b)))
	w.parts, w.b = append(w.parts, w.b), make([]byte, 0, full+full/4)
	return err
}

// all returns the whole text.
func (w *writer) all() ([]byte, error) {
	w.parts = append(w.parts, w.b)
	size := 0
	for _, p := range w.parts {
		size += len(p)
	}
	if err := w.allowance.Ask(int64(len(w.b))); err != nil {
		return nil, err
	}
	out := make([]byte, 0, size)
	for k, p := range w.parts {
		out = append(out, p...)
		w.parts[k] = nil
	}
	return out, nil
}

// group writes the rows of a row group. It reads a batch of each column at a time.
func (w *writer) group(group parquet.RowGroup, columns []column, rows int) error {
	chunks := group.ColumnChunks()
	readers := make([]values, len(columns))
	for k, c := range columns {
		if !c.nested {
			readers[k].pages = chunks[c.leaf].Pages()
			defer readers[k].pages.Close()
		}
	}
	for from := 0; from < rows; from += batch {
		n := min(batch, rows-from)
		for k, c := range columns {
			if !c.nested {
				if err := readers[k].read(n); err != nil {
					return wrong(fmt.Errorf("column %q: %w", c.name, err))
				}
			}
		}
		for r := range n {
			for k, c := range columns {
				w.cell(k)
				if c.nested {
					w.b = append(w.b, nestedCell...)
				} else if v := readers[k].row[r]; !v.IsNull() {
					w.b = c.append(w.b, v)
				}
				if w.ended() > MaxCell {
					return fmt.Errorf("column %q: %w", c.name, errCell)
				}
			}
			if err := w.line(len(columns)); err != nil {
				return err
			}
		}
	}
	return nil
}

// values reads the values of one column, one per row.
type values struct {
	pages parquet.Pages
	page  parquet.ValueReader
	row   []parquet.Value // the values of the last call of read
}

// read reads the next n values into row. The values may refer to memory of pages.
func (v *values) read(n int) error {
	if v.row == nil {
		v.row = make([]parquet.Value, batch)
	}
	for got := 0; got < n; {
		if v.page == nil {
			p, err := v.pages.ReadPage()
			if err != nil {
				return errors.Join(errors.New("the file ends early"), err)
			}
			v.page = p.Values()
		}
		more, err := v.page.ReadValues(v.row[got:n])
		got += more
		if errors.Is(err, io.EOF) {
			v.page = nil
		} else if err != nil || more == 0 {
			return errors.Join(errPage, err)
		}
	}
	return nil
}

// Columns returns the column names of a Parquet file, and whether the footer is valid and the columns can be converted by
// CSV.
func Columns(f *os.File) (columns []string, ok bool) {
	start := make([]byte, len(magic))
	if _, err := f.ReadAt(start, 0); err != nil || !bytes.Equal(start, magic) {
		return nil, false
	}
	info, err := f.Stat()
	if err != nil {
		return nil, false
	}
	const end = 8
	tail := make([]byte, end)
	if _, err := f.ReadAt(tail, info.Size()-end); err != nil {
		return nil, false
	}
	size := int64(binary.LittleEndian.Uint32(tail))
	if size > min(info.Size()-end, maxFooter) {
		return nil, false
	}
	footer := make([]byte, size+end)
	if _, err := f.ReadAt(footer, info.Size()-size-end); err != nil {
		return nil, false
	}
	defer damaged(&err)
	_, all, err := readFooter(append(start, footer...))
	for _, c := range all {
		columns = append(columns, c.name)
	}
	return columns, err == nil
}

// maxFooter limits the size of the footer that Columns reads, in bytes.
const maxFooter = 1 << 26

// damaged converts a panic of the library, which a damaged file can cause, into an error.
func damaged(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("not valid Parquet: %s", strings.ReplaceAll(fmt.Sprint(fault), "runtime error: ", ""))
	}
}
