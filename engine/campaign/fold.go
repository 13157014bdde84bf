package campaign

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fold returns the state after the given events. taskOf is the task of each arm at the start. Fold returns an error for an
// event that contradicts earlier ones. It does not check hashes; CheckChain does.
func Fold(events []Event, taskOf []int) (*State, error) {
	s := NewState()
	return s, s.Add(events, taskOf)
}

// Add folds further events, in the order of their numbers. taskOf is used only in the first call: later the state has its
// own. After an error the state is partly changed, and must be built again from the first event.
func (s *State) Add(events []Event, taskOf []int) error {
	if s.taskOf == nil {
		s.taskOf = taskOf
	}
	for _, e := range events {
		if err := s.add(e); err != nil {
			return fmt.Errorf("event %d (%s): %w", e.Seq, e.Kind, err)
		}
		s.Seq, s.Hash, s.At = e.Seq, e.Hash, e.At
		s.links = append(s.links, link{e.Hash, e.At})
	}
	return nil
}

// add folds one event. add and the folds of bodies make texts of people Plain: the events may contain the original texts.
func (s *State) add(e Event) error {
	s.events++
	e.By = Plain(e.By)
	if (e.Kind == KindStart) != (s.events == 1) {
		return fmt.Errorf("a campaign has one start, and it comes first")
	}
	b, err := e.body()
	if err != nil {
		return err
	}
	return b.fold(s, e)
}

// note adds a line to the log that the report shows.
func (s *State) note(e Event, what, reason string) {
	s.log = append(s.log, LogLine{Seq: e.Seq, Kind: e.Kind, At: e.At, By: e.By, What: Plain(what), Reason: Plain(reason)})
}

// link is the hash and the time of an event, for the check of a list of measurements.
type link struct {
	hash string    // hash of the event, all digits
	at   time.Time // time of the event
}

// ChainColumn is the column of a list with the campaign's last event when the list was made.
const ChainColumn = "campaign_chain"

// chainTime is the time format in a cell of ChainColumn. A cell begins with a letter, so that spreadsheets do not read it
// as a number or a date.
const chainTime = "20060102T150405Z"

// chainCell matches a cell of ChainColumn: the event's number (at most 15 digits, so that it fits in an int64), 8 digits
// of its hash, and its time.
var chainCell = regexp.MustCompile(`^c([1-9][0-9]{0,14})-([0-9a-f]{8})-([0-9]{8}T[0-9]{6}Z)$`)

// Chain returns a text that names the last event: its number, the first 8 digits of its hash, and its time.
func (s *State) Chain() string {
	return fmt.Sprintf("c%d-%.8s-%s", s.Seq, s.Hash, s.At.UTC().Format(chainTime))
}

// Has reports whether event seq exists and its hash begins with the given digits.
func (s *State) Has(seq int64, hash string) bool {
	return seq > 0 && seq <= int64(len(s.links)) && strings.HasPrefix(s.links[seq-1].hash, hash)
}

// CheckHead returns an error if no event has the hash that a person wrote down earlier. known is the whole hash, its first
// 8 or more digits, or a text made by Chain. Any event may match, because later events may have followed. If one matches,
// all events up to it are unchanged.
func (s *State) CheckHead(known string) error {
	digits := strings.ToLower(strings.TrimSpace(known))
	if cell := chainCell.FindStringSubmatch(strings.TrimSpace(known)); cell != nil {
		digits = cell[2]
	}
	if len(digits) < 8 || strings.Trim(digits, "0123456789abcdef") != "" {
		return fmt.Errorf("%q is not a code of this record. Copy the code that campaign tell printed, or a hash: at least 8 digits, 0 to 9 "+
			"and a to f", known)
	}
	if slices.ContainsFunc(s.links, func(l link) bool { return strings.HasPrefix(l.hash, digits) }) {
		return nil
	}
	return fmt.Errorf("no event has the hash %s. Either events were removed or rewritten since it was noted, or it belongs to another "+
		"campaign", known)
}

// checkChain returns an error if another copy of the campaign made the sheet's list, or a later state of it: ids and rows
// may name other pulls there.
func (s *State) checkChain(r Results) error {
	// all rows of one list have the same cell, which is checked once
	last := ""
	for _, row := range r.sheet.Rows {
		text := row.Text(ChainColumn)
		if text == last {
			continue
		}
		last = text
		cell := chainCell.FindStringSubmatch(text)
		// other texts in the column are the laboratory's own or typing errors, and are ignored
		if cell == nil {
			continue
		}
		seq, _ := strconv.ParseInt(cell[1], 10, 64) // cannot fail: at most 15 digits
		at, err := time.Parse(chainTime, cell[3])
		if err != nil || s.Has(seq, cell[2]) { // Chain does not write invalid times
			continue
		}
		here := fmt.Sprintf("ends with event %d of %s", s.Seq, s.At.UTC().Format(time.DateTime))
		if seq <= s.Seq {
			here = fmt.Sprintf("has another event %d, of %s", seq, s.links[seq-1].at.UTC().Format(time.DateTime))
		}
		return fmt.Errorf("line %d: this list belongs to another campaign, or to a copy of this one. It was made after event %d of %s (UTC), "+
			"but this folder %s. Record the list in the folder that made it. If the results belong here nevertheless, remove the column %s",
			row.Line, seq, at.Format(time.DateTime), here, ChainColumn)
	}
	return nil
}
