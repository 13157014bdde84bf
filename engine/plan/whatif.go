package plan

import (
	"context"
	"errors"
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// WhatIf forecasts one algorithm as it is, and under each change taken by itself. The rewards are
// the baseline's throughout: a change of the tasks leaves out the others and keeps the rewards of
// the rest. The schedule is taken from Question.Options. It reports several gaps, of which there
// can be one. After an interrupt it returns the rows of the runs that finished, together with the
// error.
func WhatIf(ctx context.Context, p *problem.Problem, algorithm string, changes []Change, q Question) (Comparison, error) {
	q, err := q.prepared(p)
	if err == nil && len(q.Gaps) > 1 {
		err = errors.New("there can be one gap to plan for: what changes is compared at the same rewards")
	}
	if err != nil {
		return Comparison{}, fmt.Errorf("what_if: %w", err)
	}
	scenarios, notes, err := q.scenarios(ctx, p)
	if err != nil {
		return Comparison{}, fmt.Errorf("what_if: %w", err)
	}
	out := Comparison{Problem: p.Name, Prices: q.Prices, Notes: notes}
	f := &forecaster{Question: q, total: q.Runs * (1 + len(changes))}
	f.start()
	baseline := q.Options
	if baseline.Delta == 0 {
		baseline.Delta = engine.DefaultDelta
	}
	for _, c := range append([]Change{{}}, changes...) {
		opt, s := baseline, scenarios[0]
		switch c.Vary {
		case VaryDelta:
			opt.Delta = c.Value
		case VaryEpsilon:
			opt.Epsilon = c.Value
		case VaryTasks:
			s = s.only(c.Tasks)
		}
		row, err := f.row(ctx, method{algorithm, opt.Schedule}, s, opt)
		row.Change = c.words()
		if row.Runs > 0 {
			out.Rows = append(out.Rows, row)
			if base := out.Rows[0]; base.Undecided == 0 && base.SamplesTotal > 0 {
				out.Rows[len(out.Rows)-1].RatioToBaseline = row.SamplesTotal / base.SamplesTotal
			}
		}
		if err != nil && (len(out.Rows) == 0 || ctx.Err() != nil) {
			return out, err
		}
		if err != nil {
			out.Notes = append(out.Notes, engine.Warning{Kind: engine.WarnChangeFailed, Names: []string{row.Change, err.Error()}})
		}
	}
	return out, nil
}

// words returns the change as a reader sees it.
func (c Change) words() string {
	switch c.Vary {
	case VaryDelta:
		return fmt.Sprintf("δ = %g", c.Value)
	case VaryEpsilon:
		return fmt.Sprintf("ε = %g", c.Value)
	case VaryTasks:
		return c.Name
	}
	return "as it is"
}
