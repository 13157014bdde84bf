package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Block is one element of a document: a Paragraph, Note, KeyValues, Table, Figure, Drawn or Code. Blocks converts a value
// once, and every renderer writes the same blocks, so that a number is formatted in one place.
type Block interface{ IsBlock() }

// Paragraph is running text. Lead is set for the sentence that answers the user's question; it comes first and has larger
// letters where possible.
type Paragraph struct {
	Text string
	Lead bool
}

// Note is a remark below or beside the text. Renderers mark a Warning by the word and a frame, not only by colour.
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

// add appends a fact, unless its value is unknown (nil).
func (kv *KeyValues) add(key string, value any) {
	if value != nil {
		kv.Items = append(kv.Items, KeyValue{Key: key, Value: value})
	}
}

// Drawn is a figure together with a table of its numbers. Media without pictures show only the table; others show it below
// the figure.
type Drawn struct {
	Figure Figure
	Data   Table
}

// Code is literal text, such as a kernel or a script. If Lines is true, renderers number the lines.
type Code struct {
	Text     string
	Lines    bool
	Language string // word for a code fence; "" if it is unknown or not code
	Source   bool   // the source of a cell of a notebook
	Folded   bool   // readers see it only if they want
}

// Align is the alignment of a column's cells.
type Align int

// The two alignments: texts are left-aligned, numbers right-aligned.
const (
	Left Align = iota
	Right
)

// Column describes one column of a Table.
type Column struct {
	Name   string `json:"name"`           // name in CSV and JSON: lower case with underscores
	Title  string `json:"title"`          // heading in documents
	Unit   string `json:"unit,omitempty"` // "" if the cells have no unit
	Align  Align  `json:"-"`
	Digits int    `json:"-"` // significant digits in documents; 0 means 4
	Prose  Prose  `json:"-"` // title with markup; nil means Title
	Fill   bool   `json:"-"` // column to fill in by hand: missing cells are blank, and HTML pages show all rows
}

// Table is a table of cells. A cell is nil (missing), string, bool, int, float64, []string, engine.Interval, engine.Rate,
// bounds.Certified, MeanError, Share, Chance or Rounded. Cells hold values and not texts, so that CSV and JSON have full
// precision.
type Table struct {
	Caption   string   `json:"caption"`
	Columns   []Column `json:"columns"`
	Rows      [][]any  `json:"rows"`
	Notes     []string `json:"notes,omitempty"`
	Cards     bool     `json:"-"` // show each row as a block of lines on phones
	Collapsed bool     `json:"-"` // less important: folded in HTML; in text and LaTeX only the first rows, with the number of omitted ones
}

// Share is a fraction from 0 to 1, shown as a bar and a percentage.
type Share float64

// Chance is a probability estimated from draws, shown like a Share but never as 100 %.
type Chance float64

// Rounded is a number that documents show rounded to two digits of Step.
type Rounded struct{ Value, Step float64 }

// MeanError is an estimate, such as a mean over runs, with its standard error. Both have the same unit.
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

// columns makes columns from specifications of the form "name Title [unit]". A # before the name means a column of
// numbers; only such a column has a unit.
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

// text returns a left-aligned column, and number a right-aligned one, for names and titles that are computed.
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

// mostPageRows is the maximum number of rows of a table on an HTML page, because a browser is slow with 10⁵ rows.
const mostPageRows = 1000

// shortText is the maximum number of letters of a cell that stays on one line, if its heading can wrap instead.
const shortText = 16

// mostFoldedRows is the maximum number of rows of a folded table in Markdown, which cannot fold, and in notebooks, which
// store the output.
const mostFoldedRows = 300

// omittedNote returns a note on the files that contain the omitted rows of a table; "" if none are omitted.
func (t Table) omittedNote(omitted int) string {
	if omitted == 0 {
		return ""
	}
	if len(t.Rows) > mostPageRows {
		return fmt.Sprintf("… and %s; JSON has all %d.", plural(omitted, "more row"), len(t.Rows))
	}
	return fmt.Sprintf("… and %s; JSON and HTML have all %d.", plural(omitted, "more row"), len(t.Rows))
}

// cells returns the cells as texts, and the number of omitted rows. If limit is positive, there are at most limit rows. A
// table to fill in has all rows.
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

// where returns the table with only the columns for which keep returns true.
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

// without returns the table without the named columns.
func (t Table) without(names ...string) Table {
	return t.where(func(_ int, c Column) bool { return !slices.Contains(names, c.Name) })
}

// withoutEmptyColumns returns the table without the columns whose cells are all nil.
func (t Table) withoutEmptyColumns() Table {
	return t.where(func(j int, _ Column) bool {
		return slices.ContainsFunc(t.Rows, func(r []any) bool { return r[j] != nil })
	})
}

// withoutConstant removes each named column whose cells are all equal, and adds a note with their value. This makes the
// table narrower.
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

// join appends the columns of other that t lacks. Row i of other continues row i of t.
func (t *Table) join(other Table) {
	have := t.ColumnNames()
	for j, c := range other.Columns {
		if !slices.Contains(have, c.Name) {
			t.add(c, func(i int) any { return other.Rows[i][j] })
		}
	}
}

// add appends a column; of(i) is its cell in row i.
func (t *Table) add(c Column, of func(row int) any) {
	t.Columns = append(t.Columns, c)
	for i := range t.Rows {
		t.Rows[i] = append(t.Rows[i], of(i))
	}
}
