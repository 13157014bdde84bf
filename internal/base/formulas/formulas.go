// Package formulas keeps texts of people from being run by the spreadsheet that opens a CSV file: a cell that begins like a
// formula gets an apostrophe before it, by which spreadsheets know a text.
package formulas

import (
	"strconv"
	"strings"
)

// begins are the first characters of what a spreadsheet may take for a formula; of some, after a tab or a line break.
const begins = "=+-@\t\r\n＝＋－＠"

// Guard returns a cell as text: with an apostrophe before what begins like a formula. A number is none, with a decimal comma neither,
// nor is a sign alone.
func Guard(text string) string {
	if strings.IndexAny(text, begins) != 0 || len(text) == 1 {
		return text
	}
	if _, err := strconv.ParseFloat(strings.Replace(text, ",", ".", 1), 64); err == nil {
		return text
	}
	return "'" + text
}

// Unguard returns the text that Guard was given.
func Unguard(cell string) string {
	if text, guarded := strings.CutPrefix(cell, "'"); guarded && Guard(text) == cell {
		return text
	}
	return cell
}
