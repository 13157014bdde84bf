package campaign

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Fold returns the state after some events, of a problem whose arms had these tasks at the start. It reports an
// event that does not fit those before it; hashes are not looked at, see CheckChain.
func Fold(events []Event, taskOf []int) (*State, error) {
	s := NewState()
	return s, s.Add(events, taskOf)
}

// Add takes further events in, in the order of their numbers. taskOf counts in the first call alone: later the state has its own. After an
// error the state is half changed, and must be made again from the first event.
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

// add folds one event. Texts of people are made Plain here and in the folds of bodies: events may have the original
// texts.
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

// note puts an event into the log that the report shows.
func (s *State) note(e Event, what, reason string) {
	s.log = append(s.log, LogLine{Seq: e.Seq, Kind: e.Kind, At: e.At, By: e.By, What: Plain(what), Reason: Plain(reason)})
}

// link identifies an event in a list of measurements.
type link struct {
	hash string    // hash of the event, in full
	at   time.Time // time of the event
}

// ChainColumn is the column of a list that names the last event of the campaign which made it.
const ChainColumn = "campaign_chain"

// chainTime is the form of the time in a cell of ChainColumn. It begins with a letter, so that spreadsheets do not read
// the cell as a number or a date.
const chainTime = "20060102T150405Z"

// chainCell has the number of at most 15 digits, which an int64 holds, 8 digits of the hash and the time.
var chainCell = regexp.MustCompile(`^c([1-9][0-9]{0,14})-([0-9a-f]{8})-([0-9]{8}T[0-9]{6}Z)$`)

// Chain names the last event: its number, the first digits of its hash, and its time.
func (s *State) Chain() string {
	return fmt.Sprintf("c%d-%.8s-%s", s.Seq, s.Hash, s.At.UTC().Format(chainTime))
}

// Has reports whether the hash of the event with a number begins with these digits; false for numbers that are not there.
func (s *State) Has(seq int64, hash string) bool {
	return seq > 0 && seq <= int64(len(s.links)) && strings.HasPrefix(s.links[seq-1].hash, hash)
}

// CheckHead reports that no event has a hash which a person wrote down: in full, by at least 8 digits, or as Chain. Any
// event may have it, since more was recorded after it was written down. Then all events up to it are unchanged.
func (s *State) CheckHead(known string) error {
	digits := strings.ToLower(strings.TrimSpace(known))
	if cell := chainCell.FindStringSubmatch(strings.TrimSpace(known)); cell != nil {
		digits = cell[2]
	}
	if len(digits) < 8 || strings.Trim(digits, "0123456789abcdef") != "" {
		return fmt.Errorf("%q is not a hash of an event. A hash has at least 8 digits, 0 to 9 and a to f", known)
	}
	if slices.ContainsFunc(s.links, func(l link) bool { return strings.HasPrefix(l.hash, digits) }) {
		return nil
	}
	return fmt.Errorf("no event has the hash %s. Either events were removed or rewritten since it was noted, or it belongs to another "+
		"campaign", known)
}

// checkChain reports a sheet whose list was made by another copy of the campaign, or by a later state of it than
// this one: ids and rows may mean other pulls there.
func (s *State) checkChain(r Results) error {
	// the rows of one list have one cell, which is looked at once
	last := ""
	for _, row := range r.sheet.Rows {
		text := row.Text(ChainColumn)
		if text == last {
			continue
		}
		last = text
		cell := chainCell.FindStringSubmatch(text)
		// other texts in the column are the laboratory's own, or a slip of the pen, and are ignored
		if cell == nil {
			continue
		}
		seq, _ := strconv.ParseInt(cell[1], 10, 64) // at most 15 digits
		at, err := time.Parse(chainTime, cell[3])
		if err != nil || s.Has(seq, cell[2]) { // a time that no calendar has was not written by Chain
			continue
		}
		here := fmt.Sprintf("ends with event %d of %s", s.Seq, s.At.UTC().Format(time.DateTime))
		if seq <= s.Seq {
			here = fmt.Sprintf("has another event %d, of %s", seq, s.links[seq-1].at.UTC().Format(time.DateTime))
		}
		return fmt.Errorf("line %d: the list was made after event %d of %s (UTC), but this folder %s. One of the two is a copy, or an older "+
			"backup that was continued. Record the sheet in the folder that made the list. If the results belong here nevertheless, remove the "+
			"column %s", row.Line, seq,
			at.Format(time.DateTime), here, ChainColumn)
	}
	return nil
}
