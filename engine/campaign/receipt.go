package campaign

import (
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// What became of a row of a sheet of results.
const (
	RowNew      = "new"      // recorded
	RowKnown    = "known"    // told before, with this value
	RowLate     = "late"     // of a round that is over: it guides and decides nothing
	RowFailed   = "failed"   // recorded as a pull without result
	RowWaiting  = "waiting"  // no reward yet
	RowConflict = "conflict" // told before, with another value
	RowUnknown  = "unknown"  // no such id
	RowBad      = "bad"      // it cannot be read, or cannot be right
	RowSure     = "unlikely" // it may be a slip: --sure confirms it
)

// Receipt says what became of every row of a sheet. It is given out once the results are durable.
type Receipt struct {
	Campaign string         `json:"campaign"`
	Sheet    string         `json:"sheet,omitempty"`
	Taken    bool           `json:"taken"` // whether anything was recorded
	Counts   map[string]int `json:"counts"`
	Lines    []ReceiptLine  `json:"lines"` // of rows that are not simply new, known or waiting
	Round    int            `json:"round,omitempty"`
	Left     int            `json:"left"` // pulls of the open round without result
	Over     bool           `json:"round_over"`
	Notes    []problem.Note `json:"notes,omitempty"`
	Hash     string         `json:"hash,omitempty"`  // of the last event
	Chain    string         `json:"chain,omitempty"` // see State.Chain
}

// ReceiptLine is a row of a sheet.
type ReceiptLine struct {
	Line int    `json:"line,omitempty"`
	ID   string `json:"id,omitempty"`
	Kind string `json:"kind"`
	Text string `json:"text,omitempty"`
}

// Refused reports whether a row was not taken because something is wrong with it.
func (r Receipt) Refused() bool {
	return r.Counts[RowConflict]+r.Counts[RowUnknown]+r.Counts[RowBad]+r.Counts[RowSure] > 0
}

// Words lists how many rows are in order and how many are not, as "23 new, 2 waiting" and "1 unlikely"; "" for none.
func (r Receipt) Words() (good, wrong string) {
	list := func(kinds ...string) string {
		var parts []string
		for _, kind := range kinds {
			if n := r.Counts[kind]; n > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", n, kind))
			}
		}
		return strings.Join(parts, ", ")
	}
	return list(RowNew, RowKnown, RowLate, RowFailed, RowWaiting), list(RowConflict, RowUnknown, RowBad, RowSure)
}

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
	return unsaved(name, r.Counts[RowNew]+r.Counts[RowLate]+r.Counts[RowFailed]+r.Counts[RowConflict]+r.Counts[RowUnknown]+
		r.Counts[RowBad]+r.Counts[RowSure])
}

func unsaved(name string, rows int) error {
	if rows == 0 {
		return nil
	}
	return fmt.Errorf("%s has %d %s with results that are not told yet, which the list would be written over: tell it first, or "+
		"write to another file", name, rows, agreed(rows, "row", "rows"))
}
