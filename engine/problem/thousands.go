package problem

import (
	"regexp"
	"slices"
	"strings"
)

// grouped matches numbers that may have a mark between thousands and hundreds: a comma, a point, an apostrophe or a blank.
var grouped = regexp.MustCompile(`^[-+\x{2212}]?[1-9][0-9]{0,2}([,.'\x{2019} \x{a0}\x{202f}])([0-9]{3}.*)$`)

// group matches the text after such a mark: three digits, and decimals after the last mark.
var group = regexp.MustCompile(`^[0-9]{3}([,.][0-9]+)?$`)

// oneBlank replaces special blanks between thousands by the ordinary blank.
var oneBlank = strings.NewReplacer("\u00a0", " ", "\u202f", " ")

// ungrouped returns a number without the marks between its thousands, if the column has such marks.
func (t *table) ungrouped(text, column string) string {
	parts := grouped.FindStringSubmatch(text)
	if parts == nil || column == "" || parts[1] == "." && t.separator == ',' {
		return text
	}
	text = oneBlank.Replace(text)
	mark, known := t.groups[column]
	if !known {
		mark = oneBlank.Replace(parts[1])
		if t.groups == nil {
			t.groups = map[string]string{}
		}
		if !t.parts(column, mark) {
			mark = ""
		} else {
			t.said = append(t.said, Note{Kind: NoteGroups, Path: t.path, Names: []string{column, text}})
		}
		t.groups[column] = mark
	}
	if mark == "" {
		return text
	}
	return strings.ReplaceAll(text, mark, "")
}

// parts reports whether a mark separates thousands in a column. All numbers from 1000 on must have it there. A point or a
// comma could also be a decimal mark. It separates thousands if a number has several of them, if a number has another
// decimal mark, if the column has counts, or if other numbers end in 0 after the mark while a number of three digits lacks
// the mark. In a table with commas between columns, a number never has a decimal comma.
func (t *table) parts(column, mark string) bool {
	sure := strings.Trim(mark, ",.") != "" || mark == "," && t.separator == ',' || slices.Contains(t.counts, column)
	hundreds, zero := false, false
	c := t.of(column)
	for r := range c.rows() {
		text := oneBlank.Replace(c.text(r))
		switch first, rest, marked := strings.Cut(text, mark); {
		case notMeasured(text) || !marked && !t.isNumber(text):
		case !marked:
			whole := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("+-,.", r) })[0]
			if len(whole) > 3 {
				return false
			}
			hundreds = hundreds || len(whole) == 3
		default:
			for _, three := range strings.Split(rest, mark) {
				if !group.MatchString(three) {
					return false
				}
				sure = sure || len(three) > 3
			}
			if !t.isNumber(strings.ReplaceAll(text, mark, "")) || strings.HasPrefix(strings.TrimLeft(first, "+-"), "0") {
				return false
			}
			sure = sure || strings.Contains(rest, mark)
			zero = zero || strings.HasSuffix(text, "0")
		}
	}
	return sure || hundreds && zero
}
