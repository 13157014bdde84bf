package plan

import (
	"context"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// methods returns the algorithms that a forecast compares: those of the catalogue that carry a
// guarantee and that somebody would choose.
func methods() []method {
	all := []method{{"CoKernelFC", engine.SchedulePaper}, {"CoKernelFC", engine.ScheduleTuned}}
	for _, name := range []string{"CoTestFC", "IndTestFC"} {
		if _, err := algorithms.Named(engine.ModeFC, name); err == nil {
			all = append(all, method{algorithm: name})
		}
	}
	return all
}

// prepared fills in what was left out, and reports what is out of range.
func (q Question) prepared(p *problem.Problem) (Question, error) {
	if q.Runs == 0 {
		q.Runs = RunsFor(p)
	}
	if q.Runs < 0 {
		return q, fmt.Errorf("runs must be at least 1, got %d", q.Runs)
	}
	if q.Memory == nil {
		q.Memory = new(model.Memory) // one for all methods
	}
	return q, q.Prices.check()
}

// Of forecasts what the methods will need on a problem. A method that cannot
// run, such as one whose ridge needs a norm, leaves a note in place of its row; it is an
// error when that is so of all. After an interrupt it returns the rows of the runs that
// finished, together with the error.
func Of(ctx context.Context, p *problem.Problem, q Question) (Forecast, error) {
	sparing := q.Runs == 0 && p.N() > manyArms
	q, err := q.prepared(p)
	if err != nil {
		return Forecast{}, fmt.Errorf("plan: %w", err)
	}
	scenarios, notes, err := q.scenarios(ctx, p)
	if err != nil {
		return Forecast{}, fmt.Errorf("plan: %w", err)
	}
	out := Forecast{Problem: p.Name, Delta: q.Options.Delta, Epsilon: q.Options.Epsilon, Prices: q.Prices, Words: p.Words(), Notes: notes}
	if out.Delta == 0 {
		out.Delta = engine.DefaultDelta
	}
	for _, w := range q.resolution(ctx, p) {
		out.note(w)
	}
	tried := methods()
	f := &forecaster{Question: q, sparing: sparing, total: q.Runs * len(tried) * len(scenarios)}
	f.start()
	var failed error
	for _, s := range scenarios {
		from := len(out.Rows)
		for _, m := range tried {
			row, err := f.row(ctx, m, s, q.Options)
			if row.Runs > 0 {
				out.Rows = append(out.Rows, row)
			}
			if ctx.Err() != nil {
				return out.interrupted(ctx, from)
			}
			if err != nil && row.Runs == 0 {
				failed = err
				out.note(engine.Warning{Kind: engine.WarnNotForecast, Names: []string{err.Error()}})
			}
		}
		q.Prices.mark(out.Rows[from:])
	}
	if len(out.Rows) == 0 {
		return out, fmt.Errorf("plan: %w", failed)
	}
	return out, nil
}

// interrupted returns what was forecast before an interrupt.
func (f Forecast) interrupted(ctx context.Context, from int) (Forecast, error) {
	f.Prices.mark(f.Rows[from:])
	f.note(engine.Warning{Kind: engine.WarnForecastStopped})
	return f, ctx.Err()
}

// note adds a note once: a method fails in the same way for every gap.
func (f *Forecast) note(w engine.Warning) {
	if !slices.ContainsFunc(f.Notes, w.Same) {
		f.Notes = append(f.Notes, w)
	}
}

// resolution says when the kernel tells very many directions apart at the accuracy that is asked for:
// epsilon, else the smallest gap to plan for, else a tenth of the scatter of the rewards.
func (q Question) resolution(ctx context.Context, p *problem.Problem) []engine.Warning {
	accuracy := model.Scatter(p) / 10
	if len(q.Gaps) > 0 {
		accuracy = slices.Min(q.Gaps)
	}
	if q.Options.Epsilon > 0 {
		accuracy = q.Options.Epsilon
	}
	r, err := model.Resolve(ctx, p, accuracy)
	if err != nil {
		return nil // what is wrong is said by whatever needs the model
	}
	return r.Warnings()
}
