package campaign

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// FoldError reports an event that does not fit those before it.
type FoldError struct {
	Event Event
	Err   error
}

func (e *FoldError) Error() string {
	return fmt.Sprintf("event %d (%s): %v", e.Event.Seq, e.Event.Kind, e.Err)
}

func (e *FoldError) Unwrap() error { return e.Err }

// errLater answers an event of a kind that this program does not know.
var errLater = errors.New("this program knows no events of this kind; a later version wrote it")

// RepairBody sets events aside that do not fit those before them. They stay where they are, with their hashes.
type RepairBody struct {
	Aside  []Aside `json:"aside"`
	Reason string  `json:"reason"`
}

// Aside is an event that is set aside.
type Aside struct {
	Seq  int64     `json:"seq"`
	Kind Kind      `json:"kind"`
	At   time.Time `json:"at"`
	By   string    `json:"by"`
	Why  string    `json:"why"` // it does not fit
}

// String names the event and what is wrong with it, without a full stop.
func (a Aside) String() string {
	return fmt.Sprintf("event %d (%s of %s by %s): %s", a.Seq, a.Kind, a.At.Format(time.DateTime), someone(Plain(a.By)), Plain(a.Why))
}

// Repair returns the event that sets aside what does not fit the events before it, none where all fit.
// It is an error where a later version of the program wrote an event.
func Repair(events []Event, taskOf []int, reason, by string, now time.Time) ([]Aside, []Event, error) {
	b := RepairBody{Reason: reason}
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

func (b *RepairBody) fold(s *State, e Event) error {
	var words []string
	for _, a := range b.Aside {
		words = append(words, a.String())
	}
	s.note(e, "set aside: "+joined(words, 8), Plain(b.Reason))
	return nil
}
