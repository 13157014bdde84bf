package bounds

import (
	"context"
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/wire"
)

// Plan forecasts, before anything is sampled, what CoKernelFC will need under
// each schedule: it runs the algorithm on the expected rewards without noise
// (in the tuned schedule, an arm then goes when its true gap reaches the width,
// which is what happens in the median run). With unknown means it plans for a
// smallest gap of Options.Gap: every arm stays until the round whose resolution
// is below it.
func Plan(ctx context.Context, p *engine.Problem, opt engine.Options) (Forecast, error) {
	m, err := engine.NewModel(p, opt.Unit)
	if err != nil {
		return Forecast{}, err
	}
	m.Until(ctx)
	if opt.Delta == 0 {
		opt.Delta = engine.DefaultDelta
	}
	f := Forecast{Problem: p.Name, Delta: opt.Delta}
	lower := 0.0
	if p.Mean != nil {
		bound, err := m.LowerBound(opt.Delta, opt.Epsilon)
		if err != nil {
			return f, fmt.Errorf("plan: %w", err)
		}
		lower = bound / float64(p.V())
	} else if opt.Gap == 0 {
		return f, fmt.Errorf("plan: the expected rewards are unknown; give gap, the smallest difference between best and second arm to plan for")
	}
	for _, schedule := range []string{engine.SchedulePaper, engine.ScheduleTuned} {
		opt.Schedule = schedule
		row, err := forecast(ctx, m, opt)
		if err != nil {
			return f, fmt.Errorf("plan: %w", err)
		}
		if lower > 0 {
			row.RatioToLower = row.SamplesPerAgent / lower
		}
		f.Rows = append(f.Rows, row)
	}
	if p.Mean == nil {
		f.Notes = append(f.Notes, fmt.Sprintf("the expected rewards are unknown: planned for every rival %g below the best arm of its task", opt.Gap))
	}
	return f, nil
}

// forecast runs one schedule on noiseless rewards.
func forecast(ctx context.Context, m *engine.Model, opt engine.Options) (ForecastRow, error) {
	alg, err := engine.NewCoKernelFC(m, opt)
	if err != nil {
		return ForecastRow{}, err
	}
	p := m.Problem
	env := &noiseless{means: expected(m, opt), model: m}
	out, err := engine.Run(ctx, alg, env, opt)
	if err != nil {
		return ForecastRow{}, err
	}
	row := ForecastRow{
		Algorithm: "CoKernelFC", Schedule: opt.Schedule, Rounds: len(out.Rounds),
		SamplesTotal: float64(out.Samples), SamplesPerAgent: float64(out.Samples) / float64(p.V()),
		Messages: int(env.sent.Messages), Bytes: int(env.sent.Merged),
	}
	if out.Status == engine.StatusRounds || out.Status == engine.StatusSamples {
		row.SamplesTotal, row.SamplesPerAgent = math.Inf(1), math.Inf(1)
	}
	if len(out.Rounds) > 0 {
		row.FirstRound = out.Rounds[0].Pulls
	}
	return row, nil
}

// expected are the means to plan with: the known ones, or a first arm that is
// Gap above all others.
func expected(m *engine.Model, opt engine.Options) []float64 {
	p := m.Problem
	if p.Mean != nil {
		return p.Mean
	}
	means := make([]float64, p.N())
	for v := 0; v < p.V(); v++ {
		lo, _ := p.ArmsOf(v)
		means[lo] = opt.Gap
	}
	return means
}

// noiseless is an environment that returns expected rewards, and measures what the
// agents broadcast.
type noiseless struct {
	means []float64
	model *engine.Model
	sent  wire.Traffic
}

// Pull returns the expected rewards, whatever the counts, and the squared deviations
// that noise of the stated scales is expected to have.
func (n *noiseless) Pull(_ context.Context, p engine.Plan) (engine.Batch, error) {
	n.sent.Add(wire.Round(p.Round, n.model.Problem.TaskOf, p.Counts, n.model.Rank(), p.Spread))
	b := engine.Batch{Counts: p.Counts, Means: n.means}
	if p.Spread {
		b.Squares = make([]float64, len(p.Counts))
		for i, count := range p.Counts {
			sigma := n.model.Problem.Noise[i]
			b.Squares[i] = float64(max(count-1, 0)) * sigma * sigma
		}
	}
	return b, nil
}
