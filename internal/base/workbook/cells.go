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

// cells returns the rows of the first sheet that is not empty.
func cells(a *allowance.Allowance, z archive) (_ [][]string, err error) {
	defer try.Caught(&err)
	part := func(name string, into any) error {
		return z.decoder(name, func(d *xml.Decoder) error { return d.Decode(into) })
	}
	var book struct {
		Properties struct {
			Old bool `xml:"date1904,attr"` // old Macintosh programs count days from 1904
		} `xml:"workbookPr"`
		Sheets []struct {
			ID string `xml:"http://schemas.openxmlformats.org/officeDocument/2006/relationships id,attr"`
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
		var sheet struct {
			Rows []struct {
				Cells []cell `xml:"c"`
			} `xml:"sheetData>row"`
		}
		for _, link := range links.All {
			if link.ID != s.ID {
				continue
			}
			name := strings.TrimPrefix(link.Target, "/xl/")
			try.To(part(path.Join("xl", name), &sheet))
		}
		var rows [][]string
		for _, in := range sheet.Rows {
			var row []string
			for _, c := range in.Cells {
				k := try.Of(column(c.Place, len(row)))
				try.To(a.Ask(int64(k)))
				row = append(row, make([]string, max(k+1-len(row), 0))...)
				row[k] = c.text(shared.All, dated(c.Style), first)
			}
			if slices.ContainsFunc(row, func(x string) bool { return x != "" }) {
				rows = append(rows, row)
			}
		}
		if len(rows) > 0 {
			return rows, nil
		}
	}
	return nil, errEmpty
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
