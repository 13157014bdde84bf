package campaign

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Unsaved reports a sheet that has results or notes of pulls of the list which are not told yet: who writes the
// list over it loses them. A file that is no sheet of results has none.
func (l List) Unsaved(name string, sheet []byte) error {
	s, _, err := problem.ReadSheet(name, sheet, nil, []string{"id", "reward"})
	if err != nil {
		return nil
	}
	open := map[string]bool{}
	for _, r := range l.Rows {
		open[r.ID] = r.Reward == nil
	}
	filled := 0
	for _, r := range s.Rows {
		id, err := readID(r.Text("id"))
		if err == nil && open[id] && !(r.Empty("reward") && r.Empty("status") && r.Empty("note")) {
			filled++
		}
	}
	return unsaved(name, filled)
}

// Unsaved reports a sheet with rows that were not told yet, by the receipt of a preview of it.
func (r Receipt) Unsaved(name string) error {
	return unsaved(name, r.Counts[RowNew]+r.Counts[RowLate]+r.Counts[RowFailed]+r.Counts[RowConflict]+r.Counts[RowUnknown]+r.Counts[RowBad]+r.Counts[RowSure])
}

func unsaved(name string, rows int) error {
	if rows == 0 {
		return nil
	}
	return fmt.Errorf("%s has %d %s with results that are not told yet, which the list would be written over: tell it first, or write to another file", name, rows, agreed(rows, "row", "rows"))
}
