package campaign

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
)

// change applies an amendment of the protocol between two rounds.
func (x *replayer) change(a amendment) error {
	var err error
	if a.Epsilon != nil {
		err = x.steps.SetEpsilon(*a.Epsilon)
		x.run.Epsilon = a.Epsilon
	}
	if a.Delta != nil && err == nil {
		err = x.steps.SetDelta(*a.Delta)
		x.run.Delta = max(x.run.Delta, *a.Delta)
	}
	if len(a.WithdrawArms) > 0 && err == nil {
		err = x.steps.Withdraw(a.WithdrawArms...)
		x.run.Changes += len(a.WithdrawArms)
	}
	if errors.Is(err, engine.ErrFixedQuestion) {
		return fmt.Errorf("%s cannot change its question while it runs; capacity can be changed", x.protocol.Algorithm)
	}
	return err
}

// Amend returns the event that changes the protocol. The caller replays what would be before it
// records it: an algorithm may refuse.
func (s *State) Amend(p Protocol, b AmendBody, by string, now time.Time) ([]Event, error) {
	b.WithdrawArms = nil
	switch {
	case strings.TrimSpace(b.Reason) == "":
		return nil, errReason
	case b.Epsilon != nil && (!(*b.Epsilon >= 0) || math.IsInf(*b.Epsilon, 0)):
		return nil, fmt.Errorf("epsilon must be 0 or more, got %g", *b.Epsilon)
	case b.Delta != nil && !(*b.Delta > 0 && *b.Delta < 1):
		return nil, fmt.Errorf("delta must lie strictly between 0 and 1, got %g", *b.Delta)
	case b.Capacity != nil && *b.Capacity < 0:
		return nil, fmt.Errorf("capacity must be at least 1, or 0 for none, got %d", *b.Capacity)
	case b.Add != nil:
		return nil, errors.New("arms and tasks cannot be added to a running campaign yet; start another one, and attach what was measured")
	}
	for _, w := range b.Withdraw {
		v := slices.Index(p.Problem.Tasks.Names, w[0])
		if v < 0 {
			return nil, fmt.Errorf("no task is called %q; there are %s", w[0], joined(p.Problem.Tasks.Names, 8))
		}
		lo, hi := p.Problem.ArmsOf(v)
		k := slices.Index(p.Problem.Arms.Names[lo:hi], w[1])
		switch {
		case k < 0:
			return nil, fmt.Errorf("task %q has no arm %q; it has %s", w[0], w[1], joined(p.Problem.Arms.Names[lo:hi], 8))
		case s.withdrawn(lo + k):
			return nil, fmt.Errorf("task %q, arm %q is withdrawn already", w[0], w[1])
		case slices.Contains(b.WithdrawArms, lo+k):
			return nil, fmt.Errorf("task %q, arm %q is named twice", w[0], w[1])
		}
		b.WithdrawArms = append(b.WithdrawArms, lo+k)
	}
	if b.String() == "" {
		return nil, errors.New("nothing is to be changed")
	}
	return []Event{NewEvent(KindAmend, now, by, b)}, nil
}
