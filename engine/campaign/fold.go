package campaign

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
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
	// A repair comes after what it sets aside, so that repairs are read before the first event is folded. A state that lacked
	// the repair could not fold what it sets aside, and so never has to take anything back.
	if err := lists.Each(events, s.setAside); err != nil {
		return err
	}
	for _, e := range events {
		if err := s.add(e); err != nil {
			return &FoldError{Event: e, Err: err}
		}
		s.Seq, s.Hash, s.At = e.Seq, e.Hash, e.At // also of events that are set aside: the chain goes through them
		s.links = append(s.links, link{e.Hash, e.At})
	}
	return nil
}

// add folds one event. Texts of people are made Plain here and in the folds of bodies: events may have the original
// texts.
func (s *State) add(e Event) error {
	s.events++
	if s.aside[e.Seq] {
		return nil
	}
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

// setAside takes in which events before it a repair sets aside. Other events do nothing here.
func (s *State) setAside(e Event) error {
	if e.Kind != KindRepair {
		return nil
	}
	b, err := e.body()
	if err != nil {
		return &FoldError{Event: e, Err: err}
	}
	for _, a := range b.(*RepairBody).Aside {
		s.aside[a.Seq] = true
		s.Aside = append(s.Aside, a)
	}
	return nil
}

// link is what a list says of an event.
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

// FoldError reports an event that does not fit those before it.
type FoldError struct {
	Event Event // as recorded
	Err   error // why not; errLater where its kind is not known
}

func (e *FoldError) Error() string {
	return fmt.Sprintf("event %d (%s): %v", e.Event.Seq, e.Event.Kind, e.Err)
}

func (e *FoldError) Unwrap() error { return e.Err }

// errLater answers an event of a kind that this program does not know.
var errLater = errors.New("this program does not know events of this kind. A later version wrote it: use that version")

// RepairBody sets events aside that do not fit those before them. They keep their places and hashes.
type RepairBody struct {
	Aside  []Aside `json:"aside"`  // in the order in which they were found; at least one
	Reason string  `json:"reason"` // never ""
}

// Aside is an event that is set aside.
type Aside struct {
	Seq  int64     `json:"seq"` // its number; the rest repeats the event for readers
	Kind Kind      `json:"kind"`
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	Why  string    `json:"why"` // it does not fit
}

// String names the event and its fault, without a full stop.
func (a Aside) String() string {
	return fmt.Sprintf("event %d (%s of %s by %s): %s", a.Seq, a.Kind, a.At.Format(time.DateTime), someone(Plain(a.By)), Plain(a.Why))
}

// Repair returns the event that sets aside the events which do not fit those before them, none if all fit. It is an
// error if a later version of the program wrote an event, and if the start does not fit: a campaign needs its start.
// Without a reason it returns the events that do not fit together with ErrReason, so that they can be shown.
func Repair(events []Event, taskOf []int, reason, by string, now time.Time) ([]Aside, []Event, error) {
	b := RepairBody{Reason: reason}
	// Each turn folds all from the beginning without the events set aside so far: one of these may be needed by another
	// event, as results need the event that handed out their pulls. There is an end, since one event more is aside each time.
	for {
		s := NewState()
		for _, a := range b.Aside {
			s.aside[a.Seq] = true
		}
		err := s.Add(events, taskOf)
		if err == nil {
			break
		}
		f := (*FoldError)(nil)
		if !errors.As(err, &f) || errors.Is(err, errLater) || f.Event.Kind == KindStart {
			return nil, nil, err
		}
		e := f.Event
		b.Aside = append(b.Aside, Aside{e.Seq, e.Kind, e.At, e.By, f.Err.Error()})
	}
	if len(b.Aside) == 0 {
		return nil, nil, nil
	}
	if strings.TrimSpace(reason) == "" {
		return b.Aside, nil, ErrReason
	}
	return b.Aside, []Event{NewEvent(KindRepair, now, by, b)}, nil
}

// fold only says it in the log: setAside has done the rest.
func (b *RepairBody) fold(s *State, e Event) error {
	words := lists.Map(b.Aside, func(a Aside) string { return a.String() })
	s.note(e, "set aside: "+sentence.List(words, 8), Plain(b.Reason))
	return nil
}
