package campaign

import (
	"fmt"
)

// Fold returns the state after some events, of a problem whose arms had these tasks at the start. It reports an
// event that does not fit those before it; hashes are not looked at, see CheckChain.
func Fold(events []Event, taskOf []int) (*State, error) {
	s := NewState()
	return s, s.Add(events, taskOf)
}

// Add takes further events in.
func (s *State) Add(events []Event, taskOf []int) error {
	if s.taskOf == nil {
		s.taskOf = taskOf
	}
	for _, e := range events {
		if err := s.setAside(e); err != nil {
			return err
		}
	}
	for _, e := range events {
		if err := s.add(e); err != nil {
			return &FoldError{Event: e, Err: err}
		}
		s.Seq, s.Hash, s.At = e.Seq, e.Hash, e.At
		s.links = append(s.links, link{e.Hash, e.At})
	}
	return nil
}

// add takes one event in.
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

func (s *State) note(e Event, what, reason string) {
	s.log = append(s.log, LogLine{Seq: e.Seq, Kind: e.Kind, At: e.At, By: e.By, What: Plain(what), Reason: Plain(reason)})
}

// setAside takes in which events before it a repair sets aside.
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
		s.repairs = append(s.repairs, a)
	}
	return nil
}
