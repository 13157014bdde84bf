package workbook

import (
	"encoding/xml"
	"errors"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// workbookPart is the part of an Excel workbook (.xlsx) that lists its sheets.
const workbookPart = "xl/workbook.xml"

// text is the text of a cell. Parts are pieces with different formats.
type text struct {
	Whole string   `xml:"t"`
	Parts []string `xml:"r>t"`
}

func (t text) String() string { return t.Whole + strings.Join(t.Parts, "") }

// cell is a cell of a sheet as stored in the file.
type cell struct {
	Place  string `xml:"r,attr"` // such as B7
	Kind   string `xml:"t,attr"` // "s" means that Value is the index of a shared text
	Style  int    `xml:"s,attr"`
	Value  string `xml:"v"`
	Inline text   `xml:"is"`
}

// format is a number format of a style.
type format struct {
	ID   int    `xml:"numFmtId,attr"`
	Code string `xml:"formatCode,attr"`
}

// mostColumns is the largest number of columns in a sheet.
const mostColumns = 16384

// cells returns the rows of the first sheet that has a table, or else of the first sheet that is not empty.
func cells(a *allowance.Allowance, z archive) (_ [][]string, err error) {
	defer try.Caught(&err)
	var first [][]string
	names, rows := sheetsOf(a, z)
	for k := range names {
		found := rows(k)
		if isTable(found) {
			return found, nil
		}
		if first == nil {
			first = found
		}
	}
	if first == nil {
		return nil, errEmpty
	}
	return first, nil
}

// isTable reports whether rows have a heading of two cells and a row of two cells below it. A sheet of notes has neither.
func isTable(rows [][]string) bool {
	return lists.Count(rows, func(row []string) bool {
		return lists.Count(row, func(x string) bool { return x != "" }) > 1
	}) > 1
}

// sheetsOf returns the names of the sheets, and a function that reads the rows of a sheet that are not empty. Both panic as
// package try states.
func sheetsOf(a *allowance.Allowance, z archive) (names []string, rows func(k int) [][]string) {
	part := func(name string, into any) error {
		return z.decoder(name, func(d *xml.Decoder) error { return d.Decode(into) })
	}
	var book struct {
		Properties struct {
			Old bool `xml:"date1904,attr"` // old Macintosh programs count days from 1904
		} `xml:"workbookPr"`
		Sheets []struct {
			Name string `xml:"name,attr"`
			ID   string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
		} `xml:"sheets>sheet"`
	}
	var links struct {
		All []struct {
			ID     string `xml:"Id,attr"`
			Target string `xml:"Target,attr"`
		} `xml:"Relationship"`
	}
	var shared struct {
		All []text `xml:"si"`
	}
	var styles struct {
		Formats []format `xml:"numFmts>numFmt"`
		Cells   []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	try.To(errors.Join(part("xl/workbook.xml", &book), part("xl/_rels/workbook.xml.rels", &links), part("xl/sharedStrings.xml", &shared),
		part("xl/styles.xml", &styles)))
	first := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if book.Properties.Old {
		first = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	dated := func(style int) bool {
		if style < 0 || style >= len(styles.Cells) {
			return false
		}
		id := styles.Cells[style].Format
		if id >= 14 && id <= 22 || id >= 45 && id <= 47 { // built-in formats of dates and times
			return true
		}
		return slices.ContainsFunc(styles.Formats, func(f format) bool {
			return f.ID == id && strings.ContainsAny(strings.ToLower(literals.ReplaceAllString(f.Code, "")), "ydhms")
		})
	}
	for _, s := range book.Sheets {
		names = append(names, s.Name)
	}
	return names, func(k int) (rows [][]string) {
		var sheet struct {
			Rows []struct {
				Cells []cell `xml:"c"`
			} `xml:"sheetData>row"`
			Merged []merged `xml:"mergeCells>mergeCell"`
		}
		for _, link := range links.All {
			if link.ID != book.Sheets[k].ID {
				continue
			}
			name := strings.TrimPrefix(link.Target, "/xl/")
			try.To(part(path.Join("xl", name), &sheet))
		}
		var numbers []int // of the rows, as spreadsheets show them
		for _, in := range sheet.Rows {
			var row []string
			for _, c := range in.Cells {
				k := try.Of(column(c.Place, len(row)))
				try.To(a.Ask(int64(k)))
				row = append(row, make([]string, max(k+1-len(row), 0))...)
				row[k] = c.text(shared.All, dated(c.Style), first)
			}
			if slices.ContainsFunc(row, func(x string) bool { return x != "" }) {
				_, number := placeOf(in.Cells[0].Place)
				rows, numbers = append(rows, row), append(numbers, number)
			}
		}
		for _, m := range sheet.Merged {
			m.fill(rows, numbers)
		}
		return rows
	}
}

// merged is a range of cells that a spreadsheet shows as one, such as A2:A4. Only the first has a value.
type merged struct {
	Range string `xml:"ref,attr"`
}

// fill copies the value of merged cells to the others. Downwards it copies texts, such as a site of several rows, and in
// column A also whole numbers, such as a year: a number elsewhere may be a measurement. To the right it copies in one row,
// such as a heading of several columns, unless it begins in column A like a title. numbers has the numbers of the rows.
func (m merged) fill(rows [][]string, numbers []int) {
	from, to, _ := strings.Cut(m.Range, ":")
	left, top := placeOf(from)
	right, bottom := placeOf(to)
	at := slices.Index(numbers, top)
	if at < 0 || left < 0 || left >= len(rows[at]) || left != right && (left == 0 || top != bottom) {
		return
	}
	value := rows[at][left]
	if _, err := strconv.ParseFloat(value, 64); err == nil && (left > 0 || strings.ContainsAny(value, ".e")) {
		return
	}
	for k := at; k < len(rows) && numbers[k] <= bottom; k++ {
		if width := min(right+1, mostColumns); len(rows[k]) < width {
			rows[k] = append(rows[k], make([]string, width-len(rows[k]))...)
		}
		for c := left; c <= right && c < len(rows[k]); c++ {
			if rows[k][c] == "" {
				rows[k][c] = value
			}
		}
	}
}

// placeOf returns the column of a cell such as B7, from 0, and its row, from 1; -1 and 0 if they are missing.
func placeOf(place string) (column, row int) {
	letters := strings.TrimRight(place, "0123456789")
	row, _ = strconv.Atoi(place[len(letters):])
	for _, r := range letters {
		column = min(26*column+int(r-'A')+1, mostColumns)
	}
	return column - 1, row
}

var errEmpty = errors.New("all sheets are empty")

// literals matches the parts of a number format that are not codes of dates: texts, colours and conditions.
var literals = regexp.MustCompile(`"[^"]*"|\[[^\]]*\]|\\.|General`)

// column returns the index of a cell's column, from 0. A cell without place follows the previous one, and next is its
// index.
func column(place string, next int) (int, error) {
	k := 0
	for _, r := range place {
		if r < 'A' || r > 'Z' {
			break
		}
		k = 26*k + int(r-'A') + 1
		if k > mostColumns {
			return 0, fmt.Errorf("cell %.10s has no column", place)
		}
	}
	if k == 0 {
		k = next + 1
	}
	if k > mostColumns {
		return 0, fmt.Errorf("a row has more than %d cells", mostColumns)
	}
	return k - 1, nil
}

// text returns the content of a cell: a text, a number with 15 digits, or a date. first is day 0.
func (c cell) text(shared []text, dated bool, first time.Time) string {
	switch c.Kind {
	case "s":
		if k, err := strconv.Atoi(c.Value); err == nil && k >= 0 && k < len(shared) {
			return shared[k].String()
		}
		return ""
	case "inlineStr":
		return c.Inline.String()
	case "b", "e", "str", "d": // 1 is true and 0 is false
		return c.Value
	}
	x, err := strconv.ParseFloat(c.Value, 64)
	switch {
	case err != nil:
		return c.Value
	case dated && x >= 0 && x < 2958466: // before the year 10000
		at := first.Add(time.Duration(math.Round(x*86400)) * time.Second)
		switch {
		case x < 1:
			return at.Format(time.TimeOnly)
		case x == math.Trunc(x):
			return at.Format(time.DateOnly)
		}
		return at.Format(time.DateTime)
	}
	return strconv.FormatFloat(x, 'g', 15, 64)
}
