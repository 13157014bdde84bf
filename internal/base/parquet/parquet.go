// Package parquet reads tables in the Parquet format as CSV, so that a reader of CSV needs to know no other. It stands
// apart from the reader of problems because Go cells link that, and Parquet is large.
//
// Files are read from strangers. What the footer and the headers of pages say is checked before memory is taken for it, so that
// a small file cannot ask for much: footer.go has the footer, thrift.go the format of both, and pages.go the pages.
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

// magic begins and ends a Parquet file.
var magic = []byte("PAR1")

// namesMark begins a first line that says which columns have texts, as problem.NamesMark: 12.10 there is not 12.1.
const namesMark = "text="

// batch is how many rows are read at once.
const batch = 512

// perCell is the least that a cell of the table takes, as text and where it is read.
const perCell = 12

// afterName are characters behind the name of a column, which may be PAR1.
var afterName = []byte(",;\t| \r\n\"")

// CSV returns a Parquet file as CSV with a header, and data of any other kind unchanged. Null is an empty cell. Columns
// that hold lists or groups have the text of nestedCell in all rows; a table of such columns alone is an error, and so is a damaged
// file, and one that makes more than is allowed.
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
	if err := a.Ask(rows * int64(len(columns))); err != nil { // each cell is followed by a comma or a line end
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

// errCell reports a text that is no cell of a table.
var errCell = fmt.Errorf("it has a value of more than %d kB, which is the limit for a cell; leave the column out", MaxCell>>10)

// wrong returns an error of a file that is not as the format has it; a limit is another matter.
func wrong(err error) error {
	if err == nil || errors.Is(err, errCell) || allowance.Ended(err) {
		return err
	}
	return fmt.Errorf("not valid Parquet: %w", err)
}

// column is a column of the table.
type column struct {
	name             string
	leaf             int // among the columns of the file
	optional, nested bool
	names            bool // of texts
	append           func(b []byte, v parquet.Value) []byte
}

// readFooter returns the footer of a file and the columns of its table.
func readFooter(data []byte) (*format.FileMetaData, []column, error) {
	const end = 8 // the length of the footer and the magic
	if len(data) < len(magic)+end || !bytes.HasSuffix(data, magic) {
		return nil, nil, wrong(errors.New("it ends early"))
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
			return nil, nil, wrong(fmt.Errorf("%d columns in a group of rows, and %d in the file", len(group.Columns), leaves))
		}
	}
	return meta, columns, nil
}

// countRows returns how many rows the groups have together.
func countRows(meta *format.FileMetaData, columns int) (rows int64, err error) {
	for _, group := range meta.RowGroups {
		if group.NumRows < 0 || group.NumRows > 1<<40/int64(columns)-rows {
			return 0, wrong(fmt.Errorf("%d rows", group.NumRows))
		}
		rows += group.NumRows
	}
	return rows, nil
}

// nestedCell stands for a list or a group.
const nestedCell = "(nested)"

// columnsOf returns the columns of the table of a schema, which lists a tree, parents before their children.
func columnsOf(schema []format.SchemaElement) ([]column, error) {
	if len(schema) == 0 {
		return nil, wrong(errors.New("it has no columns"))
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
			return nil, wrong(errors.New("it has no columns"))
		}
		return nil, fmt.Errorf("column %q holds lists or groups; a table needs one value a cell", columns[0].name)
	}
	return columns, nil
}

// below returns where the element of a schema after one and those below it stands, and how many leaves there are on the way.
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

// mostNested is how deep a column may be nested, which is then not read: the library cannot have more.
const mostNested = 250

// writer makes rows of CSV, in parts, which do not have to be copied while the text grows.
type writer struct {
	allowance *allowance.Allowance
	parts     [][]byte
	b         []byte // the part that is not full yet
	start     int    // of the cell in it
	empty     bool   // whether the line has nothing in it yet
}

// full is the size at which a part is full.
const full = 1 << 20

// cell begins cell k of a line. Its text is appended to b, and ended is called then.
func (w *writer) cell(k int) {
	if k > 0 {
		w.b = append(w.b, ',')
	} else {
		w.empty = true
	}
	w.start = len(w.b)
}

// special are the bytes that a reader could take for something else.
var special = [256]bool{',': true, ';': true, '"': true, '\t': true, '\r': true, '\n': true}

// ended puts a cell in quotes if it has to be, and returns its length.
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

// line ends a line of a number of cells.
func (w *writer) line(cells int) error {
	if w.empty && cells == 1 { // readers pass over an empty line
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

// all returns the text.
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

// group writes the rows of a group, some at a time of each column.
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

// values reads the values of a column, one for each row.
type values struct {
	pages parquet.Pages
	page  parquet.ValueReader
	row   []parquet.Value // those read last
}

// read reads the next n values into row. They may point into pages, which are left to the garbage collector.
func (v *values) read(n int) error {
	if v.row == nil {
		v.row = make([]parquet.Value, batch)
	}
	for got := 0; got < n; {
		if v.page == nil {
			p, err := v.pages.ReadPage()
			if err != nil {
				return errors.Join(errors.New("it ends early"), err)
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

// maxFooter is how many bytes of a file are read for the names of its columns.
const maxFooter = 1 << 26

// damaged turns a panic of the library, which a damaged file can cause, into an error.
func damaged(err *error) {
	if fault := recover(); fault != nil {
		*err = fmt.Errorf("not valid Parquet: %s", strings.ReplaceAll(fmt.Sprint(fault), "runtime error: ", ""))
	}
}
