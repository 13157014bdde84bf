package plan

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
)

// DefaultRuns is the number of runs that a forecast simulates of each method, on few arms.
const DefaultRuns = 20

const (
	// manyArms is the number of arms above which fewer runs are simulated: a run takes seconds there.
	manyArms = 200
	// leastRuns is how few, at least.
	leastRuns = 4
)

// RunsFor returns the number of runs that a forecast simulates of each method when nobody says how many:
// DefaultRuns, and of more than 200 arms as many fewer as the square of their number is larger, down to 4.
func RunsFor(p *problem.Problem) int {
	n := float64(p.N()) / manyArms
	if n <= 1 {
		return DefaultRuns
	}
	return max(leastRuns, int(math.Ceil(DefaultRuns/(n*n))))
}

// Question says what a forecast is about; the zero value asks for what the known expected rewards
// need by the defaults of engine.Options, without prices.
type Question struct {
	Options engine.Options // for every method; Of sets the schedule
	// Gaps are leads of the best arm over its rivals to plan for, reward units, each its own
	// scenario. None means the known expected rewards, or Options.Gap where they are unknown.
	Gaps []float64
	// Runs simulated for each method and gap; 0 means as RunsFor says, and on many arms one of a method
	// that ends undecided in it.
	Runs    int
	Seed    uint64
	Prices  Prices
	Workers int           // as in sim.Experiment
	Memory  *model.Memory // as in sim.Experiment
	// Progress is called after each simulated run, never concurrently; may be nil.
	Progress func(sim.Step)
}

// Prices holds what sampling costs and how long it takes. The zero value leaves both out.
type Prices struct {
	Sample float64 `json:"sample,omitempty"` // cost of one sample
	// cost of a round, for every agent that samples in it
	Round float64 `json:"round,omitempty"`
	// samples that an agent takes at once, in one batch; 0 means all of a round
	Parallel int `json:"parallel,omitempty"`
	// samples that all agents together make in one batch, as a robot that they share; 0 means any number.
	// Batches are then counted over all agents, and Parallel must be 0
	Capacity   int     `json:"capacity,omitempty"`
	SampleTime float64 `json:"sample_time,omitempty"` // duration of a batch
	// duration between rounds: analysis and communication
	RoundTime float64 `json:"round_time,omitempty"`
	TimeUnit  string  `json:"time_unit,omitempty"` // of the durations, such as "days"
}

// costs and takes report whether there are prices and durations.
func (p Prices) costs() bool { return p.Sample > 0 || p.Round > 0 }
func (p Prices) takes() bool { return p.SampleTime > 0 || p.RoundTime > 0 }

// check reports prices outside their range.
func (p Prices) check() error {
	for _, x := range []struct {
		name  string
		value float64
	}{{"cost", p.Sample}, {"cost_round", p.Round}, {"sample_time", p.SampleTime}, {"round_time", p.RoundTime}} {
		if !(x.value >= 0) || math.IsInf(x.value, 0) {
			return fmt.Errorf("%s must be 0 or more, got %g", x.name, x.value)
		}
	}
	if p.Parallel < 0 || p.Capacity < 0 {
		return fmt.Errorf("parallel and capacity must be at least 1, got %d and %d", p.Parallel, p.Capacity)
	}
	if p.Parallel > 0 && p.Capacity > 0 {
		return errors.New("parallel is of each agent, and capacity of all together: give one of them")
	}
	return nil
}

// Forecast is the value of plan(...): what a run will need, one row per method and
// gap, gap by gap.
type Forecast struct {
	Problem string           `json:"problem"`
	Delta   float64          `json:"delta"`
	Epsilon float64          `json:"epsilon,omitempty"`
	Rows    []Row            `json:"rows"`
	Prices  Prices           `json:"prices"`
	Notes   []engine.Warning `json:"notes,omitempty"` // what was assumed, and what could not be forecast
	// what the table of the problem calls tasks, arms and rewards
	Words problem.Words `json:"columns,omitzero"`
	// instead of Rows: what a number of measurements buys
	Budget *Budget `json:"budget,omitempty"`
}

// Comparison is the value of what_if(...): the forecast of one method as it is, and under
// each change.
type Comparison struct {
	Problem string           `json:"problem"`
	Rows    []Row            `json:"rows"` // the first is the baseline
	Prices  Prices           `json:"prices"`
	Notes   []engine.Warning `json:"notes,omitempty"`
}

// Row holds what the simulated runs of one method needed: means, and quantiles of 90 % (the
// smallest value that at least 90 % of the runs keep to). A run that came to a limit undecided
// counts as needing infinitely much.
type Row struct {
	Change    string  `json:"change,omitempty"` // of a Comparison: what differs from the baseline
	Gap       float64 `json:"gap,omitempty"`    // planned for; 0: the gap of the known rewards
	Algorithm string  `json:"algorithm"`
	Schedule  string  `json:"schedule,omitempty"`
	Delta     float64 `json:"delta"`
	Epsilon   float64 `json:"epsilon,omitempty"`
	Tasks     int     `json:"tasks"`
	Runs      int     `json:"runs"`
	Undecided int     `json:"undecided,omitempty"` // runs that came to a limit

	Rounds    float64 `json:"rounds"`
	RoundsQ90 float64 `json:"rounds_q90"`
	// one agent per task: also samples per task
	SamplesPerAgent     float64    `json:"samples_per_agent"`
	SamplesPerAgentCI95 [2]float64 `json:"samples_per_agent_ci95"`
	SamplesTotal        float64    `json:"samples_total"`
	SamplesTotalQ90     float64    `json:"samples_total_q90"`
	// of the agent with the most, run by run
	SamplesBusiest float64 `json:"samples_busiest_agent"`
	Messages       float64 `json:"messages"`
	Bytes          float64 `json:"bytes"`
	RatioToLower   float64 `json:"ratio_to_lower_bound"` // 0 when the bound is unknown
	FirstRound     float64 `json:"first_round_samples"`  // all agents

	Cost    float64 `json:"cost,omitempty"`
	CostQ90 float64 `json:"cost_q90,omitempty"`
	Time    float64 `json:"time,omitempty"` // calendar time, in the unit of the prices
	TimeQ90 float64 `json:"time_q90,omitempty"`

	Cheapest bool `json:"cheapest,omitempty"` // of its gap: by cost, without prices by samples
	// of its gap: by calendar time, without durations by rounds
	Quickest bool `json:"quickest,omitempty"`

	// of a Comparison: samples, all agents
	RatioToBaseline float64 `json:"ratio_to_baseline,omitempty"`
}

// The things that a Change can vary.
const (
	VaryDelta   = "delta"
	VaryEpsilon = "epsilon"
	VaryTasks   = "tasks"
)

// Change is one alternative to a baseline.
type Change struct {
	Vary  string
	Value float64 // for VaryDelta and VaryEpsilon
	Tasks []int   // for VaryTasks: those kept, by number from 0
	Name  string  // for VaryTasks: as a reader sees it
}

// errUnknown answers a question without gaps about a problem without means.
var errUnknown = errors.New("the expected rewards are unknown; give gaps, the smallest difference between best and second arm to plan for")

// mark finds the cheapest and the quickest of rows that belong together: of equal ones the one with
// fewer samples, and none if nothing is finite.
func (p Prices) mark(rows []Row) {
	least := func(of func(Row) float64) int {
		best := -1
		for i, r := range rows {
			if v := of(r); !math.IsInf(v, 0) &&
				(best < 0 || cmp.Or(cmp.Compare(v, of(rows[best])), cmp.Compare(r.SamplesTotal, rows[best].SamplesTotal)) < 0) {
				best = i
			}
		}
		return best
	}
	cost, time := func(r Row) float64 { return r.SamplesTotal }, func(r Row) float64 { return r.Rounds }
	if p.costs() {
		cost = func(r Row) float64 { return r.Cost }
	}
	if p.takes() {
		time = func(r Row) float64 { return r.Time }
	}
	if i := least(cost); i >= 0 {
		rows[i].Cheapest = true
	}
	if i := least(time); i >= 0 {
		rows[i].Quickest = true
	}
}

// quantile90 returns the smallest of the values that at least 90 % of them do not exceed.
func quantile90(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(math.Ceil(0.9*float64(len(sorted))-1e-9))-1]
}
