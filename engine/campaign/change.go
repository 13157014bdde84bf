package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// change applies an amendment of the protocol between two rounds.
func (x *replayer) change(ctx context.Context, a amendment) error {
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
		err = x.steps.Withdraw(x.numbers(a.WithdrawArms)...)
		x.run.Withdrawn += len(a.WithdrawArms)
	}
	if a.Add != nil && err == nil {
		err = x.extend(ctx, *a.Growth)
	}
	if errors.Is(err, engine.ErrFixedQuestion) {
		why := ""
		if e, known := x.protocol.Entry(); known == nil && e.Scheduled {
			why = " (its widths are for the arms, delta and epsilon of the start: a union over the pairs of arms that there were)"
		}
		remedy := "capacity can be changed"
		if a.Add != nil {
			remedy = "start another campaign with the grown table, and attach the measurements of this one to it, which guide it (export writes them)"
		}
		return fmt.Errorf("%s: %w%s; %s", x.protocol.Algorithm, err, why, remedy)
	}
	return err
}

// numbers returns the numbers that arms had before additions that were not taken in yet.
func (x *replayer) numbers(arms []int) []int {
	up := x.state.upFrom(x.generation)
	if up == nil {
		return arms
	}
	var out []int
	for _, i := range arms {
		out = append(out, slices.Index(up, i))
	}
	return out
}

// extend goes on with the arms that were added.
func (x *replayer) extend(ctx context.Context, g Growth) error {
	p := x.protocol.generation(x.generation + 1)
	e, err := p.Entry()
	if err != nil {
		return err
	}
	if x.model, err = p.model(ctx, x.memory); err != nil {
		return err
	}
	alg, err := e.New(x.model, x.steps.Options())
	if err != nil {
		return err
	}
	x.generation++
	x.run.Added += len(g.Added)
	return x.steps.Extend(alg, g.At)
}

// Try reports why the algorithm refuses a change that was recorded last. While a round is open it is
// tried before the rewards of that.
func (s *State) Try(ctx context.Context, p Protocol, memory *model.Memory) error {
	x, err := s.replayer(ctx, p, memory)
	if err != nil {
		return err
	}
	if err := x.all(ctx); err != nil {
		return err
	}
	return x.before(ctx, math.MaxInt64)
}

// Amend returns the event that changes the protocol. The caller replays what would be before it
// records it: an algorithm may refuse.
func (s *State) Amend(p Protocol, b AmendBody, by string, now time.Time) ([]Event, error) {
	b.WithdrawArms, b.Withdraw = nil, p.WithSlashes(b.Withdraw)
	switch {
	case strings.TrimSpace(b.Reason) == "":
		return nil, ErrReason
	case b.Epsilon != nil && (!(*b.Epsilon >= 0) || math.IsInf(*b.Epsilon, 0)):
		return nil, fmt.Errorf("epsilon must be 0 or more, got %g", *b.Epsilon)
	case b.Delta != nil && !(*b.Delta > 0 && *b.Delta < 1):
		return nil, fmt.Errorf("delta must lie strictly between 0 and 1, got %g", *b.Delta)
	case b.Capacity != nil && *b.Capacity < 0:
		return nil, fmt.Errorf("capacity must be at least 1, or 0 for none, got %d", *b.Capacity)
	}
	for _, w := range b.Withdraw {
		v := slices.Index(p.Problem.Tasks.Names, w[0])
		if v < 0 {
			return nil, fmt.Errorf("no task is called %q; there are %s", w[0], joined(p.Problem.Tasks.Names, 8))
		}
		lo, hi := p.Problem.ArmsOf(v)
		k := p.armNamed(v, w[1])
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
