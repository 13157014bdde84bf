package campaign

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// notesOf returns what a row says besides its result: its note, columns of the laboratory's own, and
// settings that are not those of the arm.
func (t *teller) notesOf(row problem.SheetRow, columns []string, arm int) string {
	var parts []string
	if note := row.Text("note"); note != "" {
		parts = append(parts, note)
	}
	p := t.protocol
	for _, c := range columns {
		text := row.Text(c)
		k := slices.Index(p.Problem.Arms.Columns, c)
		switch {
		case text == "" || slices.Contains(ownColumns, c):
		case k >= 0:
			if planned := p.features(arm)[k]; !sameSetting(row, c, planned, p.settings(p.features(arm))[k]) {
				parts = append(parts, fmt.Sprintf("%s=%s in place of %s", c, text, p.settings(p.features(arm))[k]))
			}
		case strings.HasPrefix(c, "x_") || strings.HasPrefix(c, "z_") || slices.Contains(p.Problem.Tasks.Columns, c):
		default:
			parts = append(parts, c+"="+text)
		}
	}
	return strings.Join(parts, "; ")
}

// sameSetting reports whether a cell is what was planned: the same text, or the same number to the digits
// that spreadsheets keep.
func sameSetting(row problem.SheetRow, column string, planned float64, text string) bool {
	if row.Text(column) == text {
		return true
	}
	x, err := row.Number(column)
	return err == nil && rounded(x) == rounded(planned)
}
