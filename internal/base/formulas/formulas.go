// Package formulas keeps spreadsheets from executing text in a CSV file as formulas. A cell that begins like a formula
// gets a leading apostrophe, which marks it as text.
package formulas

import (
	"strconv"
	"strings"
)

// begins are the first characters that may start a formula in some spreadsheet. Some of them do so only after a tab or a
// line break.
const begins = "=+-@\t\r\n＝＋－＠"

// Guard returns a cell's text with a leading apostrophe if it begins like a formula. Numbers (also with a decimal comma)
// and texts of one byte are returned unchanged.
func Guard(text string) string {
	if strings.IndexAny(text, begins) != 0 || len(text) == 1 {
		return text
	}
	if _, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil {
		return text
	}
	return "'" + text
}

// Unguard removes the apostrophe that Guard has added, if any.
func Unguard(cell string) string {
	if text, guarded := strings.CutPrefix(cell, "'"); guarded && Guard(text) == cell {
		return text
	}
	return cell
}
