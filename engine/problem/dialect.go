package problem

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/looks"
)

// Dialect states how a table writes columns and numbers. The zero value is plain CSV: commas between columns, decimal
// points, no byte-order mark. A sheet to fill in uses the dialect of the user's table. Otherwise a spreadsheet that
// expects decimal commas would read 1.5 as a date.
type Dialect struct {
	Separator     string `json:"separator,omitempty"`       // ";" or a tab; "" is a comma
	DecimalCommas bool   `json:"decimal_commas,omitempty"`  // numbers have a decimal comma
	Mark          bool   `json:"byte_order_mark,omitempty"` // the file begins with a byte-order mark, by which Excel recognises UTF-8
}

// Values of the argument of Dialect.Written.
const (
	DecimalComma = "comma"
	DecimalPoint = "point"
)

// Written returns the dialect with decimals "comma" or "point"; "" leaves the dialect unchanged. With decimal commas,
// commas between columns become semicolons; with decimal points, semicolons become commas. Any other word is an error.
func (d Dialect) Written(decimals string) (Dialect, error) {
	switch decimals {
	case "":
	case DecimalComma:
		d.DecimalCommas = true
		d.Separator = cmp.Or(d.Separator, ";")
	case DecimalPoint:
		d.DecimalCommas = false
		if d.Separator == ";" {
			d.Separator = ""
		}
	default:
		return d, fmt.Errorf("decimals must be %q or %q, got %q", DecimalComma, DecimalPoint, decimals)
	}
	return d, nil
}

// Number converts a number written with a decimal point to the decimals of the dialect.
func (d Dialect) Number(text string) string {
	if d.DecimalCommas {
		return strings.Replace(text, ".", ",", 1)
	}
	return text
}

// thousands matches a number with one mark that may be a decimal mark or separate thousands.
var thousands = regexp.MustCompile(`^[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}$`)

// Reward reads a reward as people type it: decimal digits with a decimal point, or with one decimal comma. It returns an
// error if a mark may separate thousands, such as 1,234 in a table with decimal points, and for rewards that CheckReward
// rejects.
func (d Dialect) Reward(text string) (float64, error) {
	text = strings.TrimSpace(text)
	point := text
	if strings.Count(text, ",") == 1 && !strings.Contains(text, ".") {
		point = strings.Replace(text, ",", ".", 1)
	}
	x, err := strconv.ParseFloat(point, 64)
	switch {
	case errors.Is(err, strconv.ErrRange) && isDecimal(point):
		return 0, fmt.Errorf("a reward is a number from -1e100 to 1e100, got %s", text)
	case err != nil || !isDecimal(point):
		return 0, fmt.Errorf("%q is not a number. Write digits with a decimal point or a decimal comma", text)
	case thousands.MatchString(text) && strings.Contains(text, ",") != d.DecimalCommas:
		whole := strings.NewReplacer(",", "", ".", "").Replace(text)
		return 0, fmt.Errorf("%q may mean %s or %s. Write it so that only one reading is "+
			"possible", text, d.Number(strconv.FormatFloat(x, 'f', 4, 64)), whole)
	}
	return x, CheckReward(x)
}

// isDecimal reports whether a number is written in decimal digits, as other programs write numbers. Go accepts more
// forms.
func isDecimal(text string) bool {
	for k := range len(text) {
		if c := text[k]; (c < '0' || c > '9') && strings.IndexByte("+-.eE", c) < 0 {
			return false
		}
	}
	return true
}

// Writer returns a writer of records, after the byte-order mark if there is one. Write errors are reported by Flush.
func (d Dialect) Writer(w io.Writer) (*csv.Writer, error) {
	if d.Mark {
		if _, err := io.WriteString(w, "\ufeff"); err != nil {
			return nil, err
		}
	}
	out := csv.NewWriter(w)
	if d.Separator != "" {
		out.Comma = rune(d.Separator[0])
	}
	return out, nil
}

// dialectOf returns the dialect of a table. A table with semicolons and without decimals counts as one with decimal
// commas, because only spreadsheets that use decimal commas write semicolons.
func dialectOf(t *table) Dialect {
	d := Dialect{Mark: t.mark}
	if t.separator == ',' {
		return d
	}
	d.Separator = string(t.separator)
	d.DecimalCommas = !decimalPoints(t) || t.separator == ';' && !hasPoint(t)
	return d
}

// hasPoint reports whether a number of the table has a decimal point.
func hasPoint(t *table) bool {
	return t.has(func(text string) bool { return strings.Contains(text, ".") && t.isNumber(text) })
}

// sourceOf returns the file of the table, with its hash and size.
func sourceOf(t *table) Source {
	rows := lists.Count(t.lines, func(line int32) bool { return line > 0 }) // number of rows without the added candidates
	return Source{Path: t.path, SHA256: t.hash, Rows: rows, Dialect: dialectOf(t)}
}

// byteOrderMark begins the files that Excel writes in UTF-8.
var byteOrderMark = []byte("\ufeff")

// checkText fails if a cell contains text that other programs and terminals cannot show.
func (t *table) checkText(c cell) {
	if !utf8.ValidString(c.text) {
		panic(t.at(c, "not UTF-8; save the file as UTF-8"))
	}
	if r, found := control(c.text); found {
		panic(t.at(c, "the control character %U is part of the value; remove it", r))
	}
}

// control finds the first control character of a text. Terminals execute such characters, and file formats cannot store
// them.
func control(text string) (r rune, found bool) {
	at := strings.IndexFunc(text, unicode.IsControl)
	if at < 0 {
		return 0, false
	}
	r, _ = utf8.DecodeRuneInString(text[at:])
	return r, true
}

// spellings holds the names of a table, to find names that look alike although their characters differ. Such names would
// become two tasks or arms.
type spellings struct {
	path         string
	first, alike map[[2]string]cell // by column and shape; alike ignores capital letters and blanks
	notes        []Note
}

// check fails if the name of the task or the arm in a row looks like an earlier name but has other characters.
func (s *spellings) check(t *table, r int) {
	s.checkName(t, "task", t.cellOf(r, "task"))
	s.checkName(t, "arm", t.cellOf(r, "arm"))
}

// checkName returns an error for a column name that looks like an earlier one but has other characters. It notes a name that differs
// from an earlier one only in capital letters or blanks, and a name with an invisible character.
func (s *spellings) checkName(t *table, column string, c cell) {
	if s.first == nil {
		s.first, s.alike = map[[2]string]cell{}, map[[2]string]cell{}
	}
	form := [2]string{column, looks.Of(c.text)}
	first, known := s.first[form]
	switch {
	case known && first.text == c.text:
		return
	case known:
		place := fmt.Sprintf("line %d", first.line)
		if s.path != t.path {
			place = fmt.Sprintf("%s:%d", s.path, first.line)
		}
		here, there := looks.Difference(c.text, first.text)
		panic(t.at(c, "%q looks like the name in %s but has other characters: %s here and %s there. Write both names alike", looks.Of(c.text),
			place, here, there))
	}
	s.first[form] = c
	if r, unseen := looks.Unseen(c.text); unseen {
		s.notes = append(s.notes, Note{Kind: NoteUnseen, Path: t.path, Names: []string{column, c.text, fmt.Sprintf("%U", r)},
			Numbers: []float64{float64(c.line)}})
	}
	form[1] = looks.Alike(c.text)
	if first, known := s.alike[form]; known {
		s.notes = append(s.notes, Note{Kind: NoteAlike, Path: t.path, Names: []string{column, first.text, c.text}})
		return
	}
	s.alike[form] = c
}
