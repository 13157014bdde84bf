package campaign

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
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
	if x.model, err = p.question().Model(ctx, x.memory); err != nil {
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
