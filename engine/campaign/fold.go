package campaign

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
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
	switch e.Kind {
	case KindStart:
		s.StartAt = e.At
		err := body(e, &s.Start)
		s.Revision = s.Start.Revision
		return err
	case KindPlan:
		return s.addPlan(e)
	case KindAsk:
		return s.addAsk(e)
	case KindTell, KindLate, KindAttach:
		return s.addResults(e)
	case KindFail:
		return s.addFail(e)
	case KindCorrect:
		return s.addCorrect(e)
	case KindClose:
		return s.addClose(e)
	case KindAmend:
		return s.addAmend(e)
	case KindUpgrade:
		var b UpgradeBody
		err := body(e, &b)
		s.Revision = b.To
		s.note(e, fmt.Sprintf("revision %d of the decisions in place of %d", b.To, b.From), "")
		return err
	case KindRepair:
		return s.addRepair(e)
	case KindNote:
		var b NoteBody
		err := body(e, &b)
		s.note(e, b.Text, "")
		return err
	}
	return errLater
}

// body reads the body of an event.
func body(e Event, into any) error {
	if err := json.Unmarshal(e.Body, into); err != nil {
		return fmt.Errorf("cannot be read: %w", err)
	}
	return nil
}

func (s *State) note(e Event, what, reason string) {
	s.log = append(s.log, LogLine{Seq: e.Seq, Kind: e.Kind, At: e.At, By: e.By, What: Plain(what), Reason: Plain(reason)})
}

func (s *State) addPlan(e Event) error {
	var b PlanBody
	if err := body(e, &b); err != nil {
		return err
	}
	if r := s.open(); r != nil {
		if !s.complete(r) {
			return fmt.Errorf("round %d was not over", r.plan.Round)
		}
		r.closed = e.Seq
	}
	s.done, s.reopened = nil, false
	if b.Done {
		s.done, s.doneSeq = &b, e.Seq
		return nil
	}
	if len(b.Counts) != len(s.taskOf) || b.Round != len(s.rounds)+1 {
		return fmt.Errorf("round %d with %d arms, where round %d with %d arms must come", b.Round, len(b.Counts), len(s.rounds)+1, len(s.taskOf))
	}
	r := &round{plan: b, seq: e.Seq, at: e.At, generation: len(s.grown), filled: map[[2]int]*filling{}, highest: map[int]int{}, results: map[int][]*measured{}}
	r.list = worklist(b.Counts, s.taskOf, b.Plate, b.Seed)
	for i, n := range b.Counts {
		r.highest[i] = n
	}
	s.rounds = append(s.rounds, r)
	return nil
}

func (s *State) addAsk(e Event) error {
	var b AskBody
	if err := body(e, &b); err != nil {
		return err
	}
	r := s.open()
	if r == nil || r.plan.Round != b.Round {
		return fmt.Errorf("round %d is not open", b.Round)
	}
	for _, x := range b.Items {
		if s.items[x.ID] != nil {
			return fmt.Errorf("id %s was issued twice", x.ID)
		}
		if r.filled[[2]int{x.Arm, x.Number}] != nil {
			return fmt.Errorf("pull %d of arm %d was handed out twice", x.Number, x.Arm)
		}
		s.items[x.ID] = &item{Item: x, round: b.Round, by: e.By, at: e.At, until: b.Until}
		s.order = append(s.order, x.ID)
		if x.Again != "" {
			old := s.items[x.Again]
			if old == nil {
				return fmt.Errorf("id %s replaces %s, which was never issued", x.ID, x.Again)
			}
			old.replaced = x.ID
		}
		r.filled[[2]int{x.Arm, x.Number}] = &filling{id: x.ID}
		r.highest[x.Arm] = max(r.highest[x.Arm], x.Number)
	}
	if !slices.Contains(s.people, e.By) {
		s.people = append(s.people, e.By)
	}
	return nil
}

func (s *State) addFail(e Event) error {
	var b FailBody
	if err := body(e, &b); err != nil {
		return err
	}
	for _, id := range b.IDs {
		it := s.items[id]
		if it == nil || it.told != nil {
			return fmt.Errorf("id %s was never issued, or has a result", id)
		}
		it.failed = Plain(b.Reason)
		if r := s.open(); r != nil && it.round == r.plan.Round {
			r.free = append(r.free, id)
		}
	}
	s.note(e, fmt.Sprintf("%s without result: %s", pulls(len(b.IDs)), joined(b.IDs, 8)), b.Reason)
	return nil
}

func (s *State) addCorrect(e Event) error {
	var b CorrectBody
	if err := body(e, &b); err != nil {
		return err
	}
	it := s.items[b.ID]
	if it == nil || it.told == nil {
		return fmt.Errorf("id %s has no result", b.ID)
	}
	it.told.old = append(it.told.old, it.told.Reward)
	it.told.Reward = b.Reward
	s.reopened = s.done != nil
	s.note(e, fmt.Sprintf("%s corrected from %g to %g", b.ID, b.Old, b.Reward), b.Reason)
	return nil
}

func (s *State) addClose(e Event) error {
	var b CloseBody
	if err := body(e, &b); err != nil {
		return err
	}
	r := s.open()
	if r == nil || r.plan.Round != b.Round {
		return fmt.Errorf("round %d is not open", b.Round)
	}
	r.closed, r.reason, r.early = e.Seq, Plain(b.Reason), b.Early
	if b.Early {
		return nil // it happens nearly every day, and nobody has chosen it
	}
	s.note(e, fmt.Sprintf("round %d closed with %s lost", b.Round, pulls(b.Lost)), b.Reason)
	return nil
}

func (s *State) addAmend(e Event) error {
	var b AmendBody
	if err := body(e, &b); err != nil {
		return err
	}
	if b.Capacity != nil {
		s.Capacity = *b.Capacity
	}
	s.reopened = s.done != nil
	s.amends = append(s.amends, amendment{b, e.Seq, e.At, e.By})
	if b.Add != nil {
		if b.Growth == nil {
			return errors.New("it adds arms and does not say which")
		}
		if err := s.grow(*b.Growth); err != nil {
			return err
		}
	}
	s.note(e, b.String(), b.Reason)
	return nil
}
