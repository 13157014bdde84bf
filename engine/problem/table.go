package problem

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/looks"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// table is a CSV file or a Frame. It has all cells, column by column, and the place of each cell in the file.
type table struct {
	path      string
	hash      string
	separator rune // between columns: a comma, a semicolon, a tab, a vertical bar or blanks
	header    []string
	column    map[string]int
	unnamed   map[string]bool   // names of columns whose names are empty in the file
	twice     map[string]string // for a name that two columns share, the name that the second one gets; cleared when a note states it
	cells     []*cells          // cells of each column
	lines     []int32           // line number of each row; rows without a text are omitted
	preamble  int               // lines above the header
	mark      bool              // whether the file begins with a byte order mark

	allowance *allowance.Allowance // memory allowance while it is read

	names    []string // columns that have a name in the file
	layout   layout
	said     []Note            // on how the file was read, and on how names and numbers are written
	failed   []bool            // the rows that satisfy LoadOptions.Failed; nil without it
	pending  []bool            // the rows of runs that may still finish; nil if no column states it
	reasons  map[int]string    // of rows without a value, the failures that another column states
	computed map[string]bool   // columns that are not in the file
	goal     string            // GoalMax or GoalMin
	read     []string          // columns that conditions and computed columns use
	binary   map[string]bool   // for each column with truth values, whether all its numbers are 0 or 1
	groups   map[string]string // for each column with numbers such as 1,100, the mark that separates thousands; "" for none
	counts   []string          // columns of counts
	unbound  error             // error about a text such as BDL, found while cells were read
	filled   bool              // whether it is a sheet of results of a campaign

	comma, point *cell // the first number with a decimal comma, and the first one with a decimal point
	plain        bool  // whether a number was read whose point cannot separate thousands
}

type cell struct {
	text         string
	line, column int
}

// noData is the message of a table without rows.
const noData = "no data: a table needs at least one row below its header"

// readTable reads a CSV file with a header. separatorOf finds the character between columns. The header is the line that
// has the wanted columns; lines above it are skipped. Empty cells at the end of a row, and rows of empty cells, are
// omitted, because spreadsheets write them. readTable fails if the file cannot be read, is empty, is not text, or has a
// row with more values than columns.
func readTable(path string, opt LoadOptions, wanted ...string) *table {
	var t *table
	if f := opt.frame(path); f != nil {
		t = f.table(path)
		t.allowance = opt.allowance()
	} else {
		t = fileTable(path, opt, true, wanted)
	}
	if len(t.lines) == 0 {
		panic(t.at(cell{}, noData))
	}
	t.goal = opt.Goal
	return t
}

// fileTable reads a file that may be compressed with gzip, and that may lack rows and a header.
func fileTable(path string, opt LoadOptions, packed bool, wanted []string) *table {
	t, r := openTable(path, opt, packed, wanted...)
	for row := range t.records(r) {
		t.add(row)
	}
	t.finish()
	return t
}

// tableOf reads a table from memory. The table may have no rows.
func tableOf(ctx context.Context, path string, data []byte, wanted ...string) (t *table, err error) {
	defer try.Caught(&err)
	t = fileTable(path, LoadOptions{Context: ctx, Read: func(string) ([]byte, error) { return data, nil }}, false, wanted)
	if t.header == nil {
		panic(t.at(cell{}, "no data: expected a line with the names of the columns"))
	}
	for k, c := range t.cells { // notes keep a reference to cells, so copy them
		if r := slices.IndexFunc(indices.All(c.rows()), func(r int) bool { return !utf8.ValidString(c.text(r)) }); r >= 0 {
			panic(t.at(t.cell(r, k), "not UTF-8; save the file as UTF-8"))
		}
	}
	return t, nil
}

// records yields the rows of a file. Each row uses the memory of the previous one.
func (t *table) records(r *csv.Reader) iter.Seq[[]cell] {
	return func(yield func([]cell) bool) {
		var row []cell
		for {
			record, err := r.Read()
			if err == io.EOF {
				return
			}
			if err != nil {
				panic(t.syntax(err))
			}
			row = row[:0]
			for k, text := range record {
				line, column := r.FieldPos(k)
				row = append(row, cell{trimmed(text), line + t.preamble, column})
			}
			if !yield(row) {
				return
			}
		}
	}
}

// openTable opens a file and returns a reader that begins with the header.
func openTable(path string, opt LoadOptions, packed bool, wanted ...string) (*table, *csv.Reader) {
	data, err := opt.read(path)
	if err != nil {
		panic(try.Failure{Err: &ReadError{path, err}})
	}
	opt.Context = memlimit.File(opt.context(), len(data))
	sum := sha256.Sum256(data)
	t := &table{path: path, hash: hex.EncodeToString(sum[:]), column: map[string]int{}, allowance: opt.allowance()}
	if packed {
		perLine := 0
		if opt.Long != nil {
			perLine = perRow
		}
		data = t.unpacked(data, MaxData, perLine, opt.context())
	}
	if opt.Unread != nil {
		unread, err := opt.Unread(allowance.New(opt.context(), "the table", MaxData, allowance.NoLimit), data)
		if err == nil && len(unread) > 0 {
			t.said = append(t.said, Note{Kind: NoteSheets, Path: t.path, Names: unread})
		}
	}
	if opt.Decode != nil {
		data, err = opt.Decode(allowance.New(opt.context(), "the table", MaxData, allowance.NoLimit), data)
		t.stop(err)
	}
	data, t.mark = bytes.CutPrefix(t.textOfFile(data), byteOrderMark)
	t.names, data = cutNames(data)
	data, t.preamble = skipPreamble(data, wanted)
	t.separator = separatorOf(data)
	if t.separator == ' ' {
		data = singleBlanks(data)
	}
	r := newReader(data, t.separator, t.allowance)
	r.ReuseRecord = true
	r.TrimLeadingSpace = !unicode.IsSpace(t.separator)
	r.LazyQuotes = bareQuote(data, byte(t.separator))
	return t, r
}

// separatorLine reports whether the first row is a line that only names the separator.
func separatorLine(row []cell) bool {
	return len(row) <= 2 && strings.HasPrefix(row[0].text, separatorMark)
}

// Memory in bytes of a cell without its text, and of a column without its cells.
const (
	perCell   = 8
	perColumn = 256
)

// make fails if the allowance does not permit this number of bytes more.
func (t *table) make(bytes int) { t.stop(t.allowance.Make(int64(bytes))) }

// cell returns the cell of a row and a column.
func (t *table) cell(r, column int) cell {
	c := cell{t.cells[column].text(r), int(t.lines[r]), 0}
	if places := t.cells[column].places; places != nil {
		c.column = int(places[r])
	}
	return c
}

// has reports whether a cell has a text for which so is true.
func (t *table) has(so func(text string) bool) bool {
	return slices.ContainsFunc(t.cells, func(c *cells) bool { return c.has(so) })
}

// only removes all rows except these.
func (t *table) only(rows []int) {
	t.lines, t.failed, t.pending = indices.Of(t.lines, rows), indices.Of(t.failed, rows), indices.Of(t.pending, rows)
	for k, c := range t.cells {
		t.cells[k] = c.only(rows)
	}
}

// withoutEmptyEnd returns a row without empty cells at its end.
func withoutEmptyEnd(row []cell) []cell {
	for len(row) > 0 && row[len(row)-1].text == "" {
		row = row[:len(row)-1]
	}
	return row
}

// syntax returns the failure for a file that is not valid CSV.
func (t *table) syntax(err error) try.Failure {
	var much *tooMuch
	if errors.As(err, &much) {
		return t.at(cell{line: much.line + t.preamble}, "%s", much.message)
	}
	if allowance.Ended(err) {
		t.stop(err)
	}
	var p *csv.ParseError
	if errors.As(err, &p) {
		return t.at(cell{line: p.Line + t.preamble, column: p.Column}, "this is not a table in CSV format, or a quotation mark is wrong "+
			"here (%v). Save the table again as CSV or XLSX", p.Err)
	}
	return t.at(cell{}, "not valid CSV: %v", err)
}

// at returns a failure with the place of a cell; cell{} means the whole file.
func (t *table) at(c cell, format string, args ...any) try.Failure {
	return try.Failure{Err: &DataError{Path: t.path, Line: c.line, Column: c.column, Message: fmt.Sprintf(format, args...)}}
}

// stop fails if err is not nil. Errors of a context stay unchanged; other errors get the path of the file.
func (t *table) stop(err error) {
	switch {
	case err == nil:
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		panic(try.Failure{Err: err})
	default:
		panic(t.at(cell{}, "%v", err))
	}
}

// hasColumn reports whether the table has a column with this name.
func (t *table) hasColumn(name string) bool { _, there := t.column[name]; return there }

// of returns the cells of an existing column.
func (t *table) of(name string) *cells { return t.cells[t.column[name]] }

// cellOf returns the cell of a row in an existing column.
func (t *table) cellOf(r int, name string) cell { return t.cell(r, t.column[name]) }

// nameColumns states that the cells of these columns are names, not numbers.
func (t *table) nameColumns(names []string) {
	for _, name := range names {
		if !t.find(name) {
			panic(t.noColumn(name))
		}
		t.of(name).names = true
	}
}

// lacks returns the first of these columns that the table does not have, and whether there is one.
func (t *table) lacks(names ...string) (string, bool) {
	return lists.First(names, func(name string) bool { return !t.hasColumn(name) })
}

// require fails if the table does not have all of these columns.
func (t *table) require(names ...string) {
	if name, is := t.lacks(names...); is {
		panic(t.noColumn(name))
	}
}

// find reports whether the table has a column with this name. A column whose name differs only in capital letters, blanks
// or invisible characters gets this name if it is the only one. If several columns have the name, find uses the first and
// adds a note.
func (t *table) find(name string) bool {
	if second := t.twice[name]; second != "" {
		t.said = append(t.said, Note{Kind: NoteTwice, Path: t.path, Names: []string{name, second}})
		delete(t.twice, name)
	}
	if t.hasColumn(name) {
		return true
	}
	if plain := oneLine(name); plain != name && t.find(plain) {
		t.column[name] = t.column[plain]
		return true
	}
	same := indices.Where(len(t.header), func(k int) bool { return strings.EqualFold(t.header[k], name) })
	if len(same) == 0 {
		same = indices.Where(len(t.header), func(k int) bool { return looks.Alike(t.header[k]) == looks.Alike(name) })
	}
	if len(same) == 1 {
		t.column[name] = same[0]
	}
	return len(same) == 1
}

// standardNames changes capital letters in the header to small ones, in the given names and in names that begin with x_
// or z_. A name is unchanged if the table also has a column with the small letters.
func (t *table) standardNames(names ...string) {
	for k, name := range t.header {
		small := strings.ToLower(name)
		if !slices.Contains(names, small) {
			if !strings.HasPrefix(small, "x_") && !strings.HasPrefix(small, "z_") {
				continue
			}
			small = small[:2] + name[2:]
		}
		if _, both := t.column[small]; !both {
			delete(t.column, name)
			t.header[k], t.column[small] = small, k
		}
	}
}

// noColumn returns the failure for a column that the header does not have.
func (t *table) noColumn(name string) try.Failure {
	hint := t.separatorHint()
	if k := slices.IndexFunc(t.said, func(n Note) bool { return n.Kind == NoteSheets }); k >= 0 {
		hint += fmt.Sprintf(". Sheets that are not read: %s. To use one, save it as a file", strings.Join(t.said[k].Names, ", "))
	}
	if strings.Contains(strings.Join(t.header, ""), replaced) {
		hint += ". The file is not UTF-8, so names may be unreadable. Save it as UTF-8"
	}
	return try.Failure{Err: &DataError{Path: t.path, Line: 1 + t.preamble, Unknown: name, Known: t.header,
		Message: fmt.Sprintf("no column %q; the columns are %s%s", name, t.columns(), hint)}}
}

// separatorHint states which character separates columns. The hint helps if the table seems to have one column only.
func (t *table) separatorHint() string {
	if len(t.header) == 1 {
		return "; columns are separated by commas, semicolons, tabs or vertical bars"
	}
	return ""
}

// text returns a cell, and fails if the cell is empty.
func (t *table) text(r int, name string) string {
	c := t.cellOf(r, name)
	if c.text == "" {
		panic(t.at(c, "column %q is empty; expected a name", name))
	}
	t.checkText(c)
	return c.text
}

// textOf returns a cell; "" if the table does not have the column.
func (t *table) textOf(r int, name string) string {
	if !t.hasColumn(name) {
		return ""
	}
	return t.of(name).text(r)
}

// number returns a cell as a finite number, and fails if the cell is something else. Only decimal digits count, because
// other programs do not read all forms of Go. A number may have a decimal comma if commas do not separate columns, and if
// no number of the table has a decimal point.
func (t *table) number(r int, name string) float64 { return try.Of(t.tried(r, name)) }

// tried returns the same number as the method number, or an error.
func (t *table) tried(r int, name string) (float64, error) {
	k := t.column[name]
	if x := t.cells[k].numbers; x != nil && math.Abs(x[r]) <= kernels.Largest {
		return x[r], nil
	}
	return t.numberIn(t.cell(r, k), name)
}

// numberIn converts a cell as tried does. The column is "" for tables without column names.
func (t *table) numberIn(c cell, column string) (float64, error) {
	c.text = t.ungrouped(c.text, column)
	text := t.decimal(c.text)
	v, err := strconv.ParseFloat(text, 64)
	wrong := ""
	switch {
	case c.text == "":
		wrong = "expected a finite number, the cell is empty"
	case err != nil && t.separator == ',' && strings.Count(c.text, ",") == 1 && decimalComma(c.text):
		wrong = fmt.Sprintf("expected a finite number, got %q. Decimal commas are allowed only if semicolons or tabs separate the "+
			"columns", c.text)
	case err != nil || math.IsNaN(v) || math.IsInf(v, 0):
		wrong = fmt.Sprintf("expected a finite number, got %q", c.text)
	case !isDecimal(text):
		wrong = fmt.Sprintf("expected a finite number in decimal digits, got %q", c.text)
	case math.Abs(v) > kernels.Largest:
		wrong = fmt.Sprintf("%s, got %g", kernels.ExtremeRule, v)
	default:
		return v, t.sameDecimals(c)
	}
	if column != "" {
		wrong = fmt.Sprintf("column %q: %s", column, wrong)
	}
	return 0, t.at(c, "%s", wrong).Err
}

// within fails with the first number of the column that is outside of the bounds; nil means no bounds.
func (t *table) within(r int, name string, bounds *[2]float64) {
	if bounds == nil || !t.hasColumn(name) {
		return
	}
	if v, err := t.tried(r, name); err == nil && (v < bounds[0] || v > bounds[1]) {
		panic(t.at(t.cellOf(r, name), "column %q: %g is outside of the bounds [%g, %g]. Correct the value, or state bounds that contain "+
			"all measured values", name, v, bounds[0], bounds[1]))
	}
}

// withPrefix returns the columns whose names begin with the prefix.
func (t *table) withPrefix(prefix string) []string {
	return lists.Where(t.header, func(name string) bool { return strings.HasPrefix(name, prefix) })
}

// columns lists the names of the columns; only the first ones if there are many.
func (t *table) columns() string {
	const most = 30
	if more := len(t.header) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(lists.Map(t.header[:most], sentence.Brief), ", "), more)
	}
	return strings.Join(lists.Map(t.header, sentence.Brief), ", ")
}
