package dsl

import (
	"cmp"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// planningFunctions returns the functions that forecast the samples of a run before anything is sampled.
func planningFunctions() []Function {
	runs := Param{Name: "runs", Synonyms: []string{"repetitions", "n", "trials"}, Types: []Type{Number}, Whole: true,
		Range: kernels.Range{Min: 1, Max: 10_000}, Default: fmt.Sprint(plan.DefaultRuns),
		Doc: "simulated runs per method and gap; if not given, fewer for more than 200 arms, at least 4"}
	seed := Param{Name: "seed", Types: []Type{Number}, Whole: true, Range: wholeFrom(0), Default: "1",
		Doc: "seed of the simulated rewards"}
	gaps := Param{Name: "gaps", Synonyms: []string{"effect", "effect_size", "difference"}, Types: []Type{Number, List},
		Range: positive, Default: unset,
		Doc: "smallest lead of the best arm to plan for, in reward units, instead of the known means: a number, or a list to compare"}
	prices := priceParams()
	return []Function{
		makeFunction(Function{
			Name: "plan", Section: SectionProblems, Synonyms: []string{"forecast", "sample_size", "power"},
			Doc: "forecasts what each algorithm needs, by simulation: rounds, samples and bytes; with prices also cost and time. With " +
				"total=, forecasts the expected simple regret along the measurements, the cost or the time",
			Params: append(append([]Param{problemParam, option("delta"), optional(option("epsilon")), gaps, runs, seed}, prices...),
				ofCoKernelFC(option("xi")), option("norm"), ofCoKernelFC(option("gap")), option("unit"), boughtParam()),
			Result: typeOf[plan.Forecast](), Example: `plan(paper(case=2), gaps=[0.1, 0.3], cost=12, parallel=24, sample_time=1, round_time=2, time_unit="days")`,
		}, checkPlan, evalPlan),
	}
}

// boughtParam returns the parameter total, which limits the number of measurements.
func boughtParam() Param {
	return Param{Name: "total", Synonyms: append(slices.Clone(option("total").Synonyms), "budget"), Types: []Type{Number}, Whole: true,
		Range: kernels.Range{Min: 1, Max: plan.MaxTotal}, Default: unset,
		Doc: "number of further measurements in all tasks together, or their total cost if the problem has cost=; the plan is then a curve of the expected simple regret"}
}

// priceParams returns the parameters for the money and time that samples take.
func priceParams() []Param {
	return []Param{
		{Name: "cost", Synonyms: []string{"price", "cost_per_sample"}, Types: []Type{Number}, Range: fromZero, Default: unset,
			Doc: "cost of one sample"},
		{Name: "cost_round", Synonyms: []string{"setup_cost", "fixed_cost"}, Types: []Type{Number}, Range: fromZero, Default: unset,
			Doc: "cost of a round per agent that samples in it"},
		{Name: "parallel", Synonyms: []string{"batch", "batch_size", "throughput"}, Types: []Type{Number}, Whole: true, Range: wholeFrom(1),
			Default: unset, Doc: "samples that an agent can take at once, in one batch; all of a round if not given"},
		{Name: "capacity", Synonyms: []string{"wells", "robot"}, Types: []Type{Number}, Whole: true, Range: wholeFrom(1), Default: unset,
			Doc: "samples that all agents together can take in one batch, as with one robot; instead of parallel"},
		{Name: "sample_time", Synonyms: []string{"batch_time", "delay", "duration"}, Types: []Type{Number}, Range: fromZero, Default: unset,
			Doc: "duration of one batch"},
		{Name: "round_time", Synonyms: []string{"turnaround", "latency"}, Types: []Type{Number}, Range: fromZero, Default: unset,
			Doc: "time between rounds, for analysis and communication"},
		{Name: "time_unit", Types: []Type{Text}, Default: unset, Doc: `unit of these durations, such as "days"`},
	}
}

// ofCoKernelFC returns a copy of p whose description says that only CoKernelFC uses it.
func ofCoKernelFC(p Param) Param {
	p.Doc += "; for CoKernelFC"
	return p
}

// planArgs are the arguments of plan.
type planArgs struct {
	P                                      *problem.Problem
	Delta, Epsilon                         float64
	Total                                  int       // limit on the measurements of all tasks together; 0 for no budget
	Cost, CostRound, SampleTime, RoundTime float64   // money and durations in the user's units; 0 if not given
	Parallel, Capacity                     int       // 0 if not given
	TimeUnit                               string    // "" if not given
	Gaps                                   []float64 // in reward units; nil for the gaps of the problem's means
	Runs                                   *int      // nil if not given, and plan.RunsFor then chooses the number
	Seed                                   uint64    `arg:"default"`
}

// question returns the question that the forecast must answer. Without the argument runs, the size of the problem
// determines the number of runs.
func (a planArgs) question(c *call) plan.Question {
	// Simulated runs use the session's designs and its limit on cores.
	q := plan.Question{
		Runs: plan.RunsFor(a.P), Seed: a.Seed, Gaps: a.Gaps, Workers: c.e.session.opt.Workers, Memory: &c.e.session.memory,
		Prices: plan.Prices{
			Sample: a.Cost, Round: a.CostRound, Parallel: a.Parallel, Capacity: a.Capacity,
			SampleTime: a.SampleTime, RoundTime: a.RoundTime, TimeUnit: a.TimeUnit,
		},
	}
	if a.Runs != nil {
		q.Runs = *a.Runs
	}
	return q
}

// checkPlan reports an empty list of gaps, gaps that are not numbers of their range, and a call with both gaps and total.
func checkPlan(c *call, _ planArgs) {
	gaps, before := c.arg("gaps"), c.e.mistakes
	if list, ok := gaps.Data.([]value); ok && len(list) == 0 {
		c.refuse(gaps, "", "gaps is an empty list; it must be a number, or a list of numbers")
	}
	one := c.fn.Params[c.fn.param("gaps")] // a copy that accepts only numbers
	one.Types = []Type{Number}
	for _, e := range c.elements("gaps") {
		c.checkArgument(one, &e)
	}
	if c.e.mistakes == before && c.has("total") && c.has("gaps") {
		c.fail(gaps, "plan: gaps and total exclude each other. gaps states a difficulty, total a number of measurements",
			"leave one of them out")
	}
}

// evalBudgetPlan evaluates plan(..., total=). The forecast is a curve over the number of measurements. It uses the
// posterior if the problem has measurements, and simulated runs otherwise.
func evalBudgetPlan(c *call, a planArgs) (_ any, err error) {
	defer try.Caught(&err)
	p, q, total := a.P, a.question(c), a.Total
	f := plan.Forecast{Problem: p.Name, Delta: cmp.Or(a.Delta, engine.DefaultDelta), Epsilon: a.Epsilon, Prices: q.Prices, Words: p.Words()}
	// The posterior predicts what further measurements gain.
	if p.Noise.Environment == problem.EnvironmentPosterior || p.Mean == nil && p.Means() != nil {
		if p.Cost != nil {
			if f.Prices.Column = p.Long.Cost; a.Cost > 0 {
				c.refuse(c.arg("cost"), "leave cost= out", "the column %q has the cost of each option", p.Long.Cost)
				return nil, nil
			}
		}
		b := try.Of(computePosterior(c, p, 0.7))
		f.Budget, err = plan.OfBudget(c.e.ctx, b, f.Epsilon, total, f.Prices)
		return f, err
	}
	// Without measurements, simulate a campaign with a fixed budget.
	protocol := campaign.Protocol{Problem: p, Mode: engine.ModeFB, Algorithm: algorithms.Default(engine.ModeFB).Name,
		Options: optionsOf(c), Seed: q.Seed}
	protocol.Options.Total, protocol.Options.Delta = total, f.Delta
	made := try.Of(campaign.MakeForecast(c.e.ctx, protocol, 0, q.Runs, countSteps(c, p.Name)))
	if len(made.Rows[0].Buys) == 0 { // the budget does not cover one round
		return nil, fmt.Errorf("plan: %d measurements are too few for a round of %s on %d tasks", total, protocol.Algorithm, p.V())
	}
	f.Notes = made.Notes
	// The curve shows, for each number of samples, the expected simple regret and the fraction of tasks whose
	// recommendation is within epsilon of the best arm.
	f.Budget = &plan.Budget{Total: total, Algorithm: protocol.Algorithm, Runs: made.Runs, Simulated: made.Assumes.String(),
		Points: lists.Map(made.Rows[0].Buys, func(b campaign.Bought) plan.Point {
			return plan.Point{Samples: b.Samples, Loss: b.Loss, Within: b.Right}
		})}
	f.Budget.Price(q.Prices, p.V())
	return f, nil
}

// evalPlan evaluates plan(...). After an interrupt it returns the rows of the methods whose simulation has finished.
func evalPlan(c *call, a planArgs) (any, error) {
	if a.Total > 0 {
		return evalBudgetPlan(c, a)
	}
	p, q := a.P, a.question(c)
	q.Options = optionsOf(c)
	var worth atomic.Bool
	q.Progress = noteFirstStep(progressOf(c.e, c.fn.Name, p.Name, q.Runs), &worth, isFinished)
	if a.Runs == nil {
		q.Runs = 0 // with 0, plan.Of chooses the number and omits methods that take too long
	}
	f, err := awaitRuns(c, &worth, func() (plan.Forecast, error) { return plan.Of(c.e.ctx, p, q) })
	if err != nil && len(f.Rows) == 0 {
		return nil, err
	}
	return f, err
}

// isFinished reports whether at least one run of a forecast has finished. If so, an interrupt keeps the finished runs.
func isFinished(s sim.Step) bool { return s.Done > 0 }
