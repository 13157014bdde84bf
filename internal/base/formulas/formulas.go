// Package formulas prevents a spreadsheet from running texts of a CSV file as formulas: a cell that begins like a formula gets a
// leading apostrophe, which marks a text.
package formulas

import (
	"strconv"
	"strings"
)

// begins are the first characters that a spreadsheet may treat as the begin of a formula; some do so only after a tab or a line
// break.
const begins = "=+-@\t\r\n＝＋－＠"

// Guard returns a cell as text: with an apostrophe if it begins like a formula. Numbers, also with a decimal comma, and single
// signs are unchanged.
func Guard(text string) string {
	if strings.IndexAny(text, begins) != 0 || len(text) == 1 {
		return text
	}
	if _, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil {
		return text
	}
	return "'" + text
}

// Unguard undoes Guard.
func Unguard(cell string) string {
	if text, guarded := strings.CutPrefix(cell, "'"); guarded && Guard(text) == cell {
		return text
	}
	return cell
}
