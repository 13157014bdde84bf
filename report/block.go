package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Block is one piece of a document. Values become blocks once (see Blocks), and
// every renderer draws the same blocks, so that no number is formatted twice.
// The blocks are Paragraph, Note, KeyValues, Table, Figure, Drawn and Code.
type Block interface{ IsBlock() }

// Paragraph is running text. Lead marks the sentence that answers the question;
// it comes first and is set larger where the medium allows.
type Paragraph struct {
	Text string
	Lead bool
}

// Note is a remark separate from the text. Renderers mark a Warning by the word and a frame, never by colour alone.
type Note struct {
	Text    string
	Warning bool
}

// KeyValues is a short list of named facts.
type KeyValues struct {
	Caption string
	Items   []KeyValue
}

// KeyValue is one fact. Value is a cell as in Table.
type KeyValue struct {
	Key    string
	Value  any
	Unit   string // "" if the value has no unit
	Digits int    // significant digits; 0 means 4
}

// add adds a fact; it does nothing if the value is unknown.
func (kv *KeyValues) add(key string, value any) {
	if value != nil {
		kv.Items = append(kv.Items, KeyValue{Key: key, Value: value})
	}
}

// Drawn is a figure with its own table of numbers, for media without pictures and below the picture.
type Drawn struct {
	Figure Figure
	Data   Table
}

// Code is literal text: a kernel, a formula, a script. Lines numbers its lines.
type Code struct {
	Text  string
	Lines bool
}

// Align is the alignment of a column's cells.
type Align int

// The sides. Text goes left, numbers go right.
const (
	Left Align = iota
	Right
)

// Column describes one column of a Table.
type Column struct {
	Name   string `json:"name"`           // the name in CSV and JSON, lower case with underscores
	Title  string `json:"title"`          // the heading a reader sees
	Unit   string `json:"unit,omitempty"` // "" when the cells have none
	Align  Align  `json:"-"`
	Digits int    `json:"-"` // significant digits shown; 0 means 4
	Fill   bool   `json:"-"` // to be filled in by hand: absent cells are empty, and pages show all rows
}

// Table is a rectangle of cells. A cell is nil (absent), string, bool, int,
// float64, []string, engine.Interval, engine.Rate, bounds.Certified, MeanError, Share, Chance or Rounded:
// the value itself, so that CSV and JSON keep the full precision.
type Table struct {
	Caption   string   `json:"caption"`
	Columns   []Column `json:"columns"`
	Rows      [][]any  `json:"rows"`
	Notes     []string `json:"notes,omitempty"`
	Cards     bool     `json:"-"` // on phones, each row is shown as a block of lines
	Collapsed bool     `json:"-"` // details: folded in HTML, shortened in terminals and LaTeX with a count of the omitted rows
}

// Share is a part of a whole, from 0 to 1, shown as a bar with its percentage.
type Share float64

// Chance is an estimated probability, shown as a share. It is never shown as 100 %, since it is estimated from draws.
type Chance float64

// Rounded is a number that is shown with two digits of Step.
type Rounded struct{ Value, Step float64 }

// MeanError is an estimate, such as a mean over runs, with its standard error, both in the same
// unit.
type MeanError struct {
	Mean          float64 `json:"mean"`
	StandardError float64 `json:"standard_error"`
}

func (Paragraph) IsBlock() {}
func (Note) IsBlock()      {}
func (KeyValues) IsBlock() {}
func (Table) IsBlock()     {}
func (Drawn) IsBlock()     {}
func (Code) IsBlock()      {}

// columns makes columns from texts, each with name, title and, in brackets, the unit. A # before the name marks a column
// of numbers.
func columns(specs ...string) []Column {
	return lists.Map(specs, func(spec string) Column {
		name, rest, _ := strings.Cut(spec, " ")
		title, unit, _ := strings.Cut(strings.TrimSuffix(rest, "]"), " [")
		if name, found := strings.CutPrefix(name, "#"); found {
			return number(name, title, unit)
		}
		return text(name, title)
	})
}

// text and number return the two kinds of column for computed names and titles.
func text(name, title string) Column { return Column{Name: name, Title: title} }

func number(name, title, unit string) Column {
	return Column{Name: name, Title: title, Unit: unit, Align: Right}
}

// heading returns the text above the cells of a column.
func (c Column) heading() string {
	if c.Unit == "" {
		return c.Title
	}
	return c.Title + " (" + c.Unit + ")"
}

// mostPageRows is the largest number of rows of a table on a page. A table of 10⁵ arms would be too slow for a browser and too long
// for a reader.
const mostPageRows = 1000

// shortText is the number of letters up to which a cell stays on one line if the heading can be broken instead.
const shortText = 16

// mostFoldedRows limits the rows of a folded table in formats without folds (Markdown) or with stored output (notebooks).
const mostFoldedRows = 300

// further states which files have the omitted rows of a table; "" if the table shows all.
func (t Table) further(omitted int) string {
	if omitted == 0 {
		return ""
	}
	if len(t.Rows) > mostPageRows {
		return fmt.Sprintf("… and %s; JSON has all %d.", plural(omitted, "more row"), len(t.Rows))
	}
	return fmt.Sprintf("… and %s; JSON and HTML have all %d.", plural(omitted, "more row"), len(t.Rows))
}

// cells returns the cells as text; at most limit rows when limit is positive. A page has all rows of a list to fill in.
func (t Table) cells(limit int) (rows [][]string, omitted int) {
	n := len(t.Rows)
	all := limit == mostPageRows && slices.ContainsFunc(t.Columns, func(c Column) bool { return c.Fill })
	if limit > 0 && n > limit && !all {
		n, omitted = limit, n-limit
	}
	return lists.Map(t.Rows[:n], func(r []any) []string {
		return lists.Make(len(t.Columns), func(j int) string {
			if r[j] == nil && t.Columns[j].Fill {
				return ""
			}
			return cell(r[j], t.Columns[j].Digits)
		})
	}), omitted
}

// where keeps the columns for which keep holds.
func (t Table) where(keep func(j int, c Column) bool) Table {
	out := t
	out.Columns, out.Rows = nil, make([][]any, len(t.Rows))
	for j, c := range t.Columns {
		if keep(j, c) {
			out.add(c, func(i int) any { return t.Rows[i][j] })
		}
	}
	return out
}

// without drops the columns with these names.
func (t Table) without(names ...string) Table {
	return t.where(func(_ int, c Column) bool { return !slices.Contains(names, c.Name) })
}

// withoutEmptyColumns drops the columns in which every cell is nil.
func (t Table) withoutEmptyColumns() Table {
	return t.where(func(j int, _ Column) bool {
		return slices.ContainsFunc(t.Rows, func(r []any) bool { return r[j] != nil })
	})
}

// withoutConstant removes each named column whose cells are all equal, and writes their value into a note, so that the table is
// narrower.
func (t Table) withoutConstant(names ...string) Table {
	if len(t.Rows) < 2 {
		return t
	}
	notes := slices.Clone(t.Notes)
	out := t.where(func(j int, c Column) bool {
		differs := !slices.Contains(names, c.Name) || slices.ContainsFunc(t.Rows, func(r []any) bool { return r[j] != t.Rows[0][j] })
		if !differs {
			notes = append(notes, fmt.Sprintf("%s (all rows): %s.", c.Title, cell(t.Rows[0][j], 0)))
		}
		return differs
	})
	out.Notes = notes
	return out
}

// join appends the columns of other that t does not have yet, row by row.
func (t *Table) join(other Table) {
	have := t.ColumnNames()
	for j, c := range other.Columns {
		if !slices.Contains(have, c.Name) {
			t.add(c, func(i int) any { return other.Rows[i][j] })
		}
	}
}

// add appends a column; of returns the cell in each row.
func (t *Table) add(c Column, of func(row int) any) {
	t.Columns = append(t.Columns, c)
	for i := range t.Rows {
		t.Rows[i] = append(t.Rows[i], of(i))
	}
}
