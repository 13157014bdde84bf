package plan

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// methods returns the methods that a forecast compares: fixed-confidence algorithms with a guarantee.
func methods() []method {
	all := []method{{"CoKernelFC", engine.SchedulePaper}, {"CoKernelFC", engine.ScheduleTuned}}
	for _, name := range []string{"CoTestFC", "IndTestFC"} {
		if _, err := algorithms.Named(engine.ModeFC, name); err == nil {
			all = append(all, method{algorithm: name})
		}
	}
	return all
}

// prepared sets defaults. It returns an error for values out of range.
func (q Question) prepared(p *problem.Problem) (Question, error) {
	q.Runs = cmp.Or(q.Runs, RunsFor(p))
	if q.Runs < 0 {
		return q, fmt.Errorf("runs must be at least 1, got %d", q.Runs)
	}
	if q.Memory == nil {
		q.Memory = new(model.Memory) // one for all methods
	}
	return q, q.Prices.check()
}

// Of forecasts the needs of all methods on a problem. A method that cannot run, for example because its ridge needs a
// norm, gets a note and no row; if no method can run, Of returns an error. If ctx ends, it returns rows of the finished
// runs and the context's error.
func Of(ctx context.Context, p *problem.Problem, q Question) (_ Forecast, err error) {
	defer try.Caught(&err, "plan")
	sparing := q.Runs == 0 && p.N() > manyArms
	q = try.Of(q.prepared(p))
	scenarios, notes := try.Two(q.scenarios(ctx, p))
	out := Forecast{Problem: p.Name, Delta: q.Options.Delta, Epsilon: q.Options.Epsilon, Prices: q.Prices, Words: p.Words(), Notes: notes}
	out.Delta = cmp.Or(out.Delta, engine.DefaultDelta)
	for _, w := range q.resolution(ctx, p) {
		out.note(w)
	}
	tried := methods()
	f := &forecaster{Question: q, sparing: sparing, total: q.Runs * len(tried) * len(scenarios)}
	f.tell()
	var failed error
	for _, s := range scenarios {
		from := len(out.Rows)
		for _, m := range tried {
			row, err := f.row(ctx, m, s, q.Options)
			if row.Runs > 0 {
				out.Rows = append(out.Rows, row)
			}
			if ctx.Err() != nil {
				out.Prices.mark(out.Rows[from:])
				out.note(engine.Warning{Kind: engine.WarnForecastStopped})
				return out, ctx.Err()
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

// note adds a note unless it is already there. A method may fail in the same way for every gap.
func (f *Forecast) note(w engine.Warning) {
	if !slices.ContainsFunc(f.Notes, w.Same) {
		f.Notes = append(f.Notes, w)
	}
}

// resolution returns a warning if the kernel has very many effective dimensions at the required accuracy. This accuracy is
// epsilon if set, else the smallest gap to plan for, else a tenth of the scatter of the rewards.
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
		return nil // callers that need the model report the error
	}
	return r.Warnings()
}

// Budget is the expected quality of the recommendations as a function of the number of measurements.
type Budget struct {
	Total  int     `json:"total"`  // largest number of further measurements, all tasks together
	Points []Point `json:"points"` // sorted by number of measurements; the first is the present state if anything was measured
	// Index of the point after which further measurements gain much less, -1 if there is none. It is the point farthest
	// below the straight line from the first to the last [Satopää et al. 2011].
	Knee int `json:"knee"`
	// assumed rewards of the simulation; "" if the posterior of existing measurements is used
	Simulated string `json:"simulated,omitempty"`
	Algorithm string `json:"algorithm,omitempty"` // algorithm of the simulation
	Runs      int    `json:"runs,omitempty"`      // runs of the simulation
}

// Point is the expected state after a number of measurements; Loss and Within are means over tasks.
type Point struct {
	Samples float64 `json:"samples"`        // number of measurements in all tasks
	Loss    float64 `json:"loss"`           // expected simple regret, reward units
	Within  float64 `json:"within"`         // probability that a recommendation is within epsilon of the best
	Cost    float64 `json:"cost,omitempty"` // cost of all measurements so far
	Time    float64 `json:"time,omitempty"` // time at which they are finished, in the unit of the prices
}

// MaxTotal is the largest Budget.Total.
const MaxTotal = 1_000_000

// curvePoints is the largest number of points of a Budget, without the present state.
const curvePoints = 11

// OfBudget returns the expected quality after up to total further measurements, computed from the posterior b. It returns
// an error for numbers out of range and if ctx ends.
func OfBudget(ctx context.Context, b *belief.Belief, epsilon float64, total int, prices Prices) (_ *Budget, err error) {
	defer try.Caught(&err)
	if total < 1 || total > MaxTotal {
		return nil, fmt.Errorf("total must be a whole number from 1 to %d, got %d", MaxTotal, total)
	}
	try.To(prices.check())
	var counts []int
	for k := 1; k <= curvePoints; k++ {
		if n := int(math.Ceil(float64(total) * float64(k) / curvePoints)); len(counts) == 0 || n > counts[len(counts)-1] {
			counts = append(counts, n)
		}
	}
	ahead := try.Of(answer.Ahead(ctx, b, epsilon, counts))
	out := &Budget{Total: total, Points: lists.Map(ahead, func(o answer.Outlook) Point {
		x := Point{Samples: float64(o.Count), Loss: o.Loss, Within: o.Within}
		if b.Problem.Cost != nil {
			x.Cost = o.Cost
		}
		return x
	})}
	out.Price(prices, b.Problem.V())
	return out, nil
}

// Price adds prices to the costs of options and sets the time of each point. Measurements are made in whole batches, with
// an analysis after each. It sets Knee on the axis that Along returns.
func (b *Budget) Price(prices Prices, tasks int) {
	batch := float64(prices.Capacity)
	if prices.Parallel > 0 {
		batch = float64(prices.Parallel * tasks)
	}
	for k := range b.Points {
		p := &b.Points[k]
		batches := 0.0
		switch {
		case p.Samples > 0 && batch > 0:
			batches = math.Ceil(p.Samples / batch)
		case p.Samples > 0:
			batches = 1
		}
		p.Cost += p.Samples*prices.Sample + batches*prices.Round*float64(tasks)
		p.Time = batches * (prices.SampleTime + prices.RoundTime)
	}
	b.Knee = knee(b.Points, func(p Point) float64 { return prices.Along(p) })
}

// Along returns the position of a point on the horizontal axis: its cost if there are prices, else its time if there are
// durations, else its number of measurements.
func (p Prices) Along(x Point) float64 {
	switch {
	case p.costs():
		return x.Cost
	case p.takes():
		return x.Time
	}
	return x.Samples
}

// clearBend is the smallest distance of a knee below the straight line, relative to the total decrease of the loss.
const clearBend = 0.15

// knee returns the index of the point farthest below the straight line from the first to the last point; -1 if no point is
// clearly below.
func knee(points []Point, along func(Point) float64) int {
	first, last := points[0], points[len(points)-1]
	width, fall := along(last)-along(first), first.Loss-last.Loss
	if !(width > 0) || !(fall > 0) {
		return -1
	}
	best, at := clearBend, -1
	for k, p := range points {
		if bend := (first.Loss-p.Loss)/fall - (along(p)-along(first))/width; bend > best {
			best, at = bend, k
		}
	}
	return at
}
