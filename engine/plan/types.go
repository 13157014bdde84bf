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

// DefaultRuns is the number of simulated runs per method with few arms.
const DefaultRuns = 20

const (
	// manyArms is the number of arms above which fewer runs are simulated, because each run takes seconds.
	manyArms = 200
	// leastRuns is the smallest number of runs.
	leastRuns = 4
)

// RunsFor returns the default number of simulated runs of each method: DefaultRuns up to 200 arms, above in proportion to
// 1/arms², and at least 4.
func RunsFor(p *problem.Problem) int {
	n := float64(p.N()) / manyArms
	if n <= 1 {
		return DefaultRuns
	}
	return max(leastRuns, int(math.Ceil(DefaultRuns/(n*n))))
}

// Question is the input of a forecast. With the zero value, the forecast uses the known expected rewards and the default
// options, without prices.
type Question struct {
	Options engine.Options // for every method; Of sets the schedule
	// Gaps are the leads of the best arm over its rivals to plan for, reward units, one scenario each. If empty, the
	// forecast uses the known expected rewards or, if they are unknown, Options.Gap.
	Gaps []float64
	// Runs is the number of simulated runs of each method and gap; 0 means RunsFor. With 0 and many arms, a method whose
	// first run ends undecided is not simulated further.
	Runs    int
	Seed    uint64
	Prices  Prices
	Workers int           // as in sim.Experiment
	Memory  *model.Memory // as in sim.Experiment
	// Progress is called after each simulated run, never concurrently; may be nil.
	Progress func(sim.Step)
}

// Prices are the cost and duration of sampling. The zero value omits both.
type Prices struct {
	Sample float64 `json:"sample,omitempty"` // cost of one sample
	// cost of a round for each agent that samples in it
	Round float64 `json:"round,omitempty"`
	// batch size of an agent; 0 means all samples of a round
	Parallel int `json:"parallel,omitempty"`
	// batch size of all agents together, for a shared machine; 0 means unlimited. If set, batches are counted over all
	// agents, and Parallel must be 0
	Capacity   int     `json:"capacity,omitempty"`
	SampleTime float64 `json:"sample_time,omitempty"` // duration of a batch
	// time between rounds: analysis and communication
	RoundTime float64 `json:"round_time,omitempty"`
	TimeUnit  string  `json:"time_unit,omitempty"` // unit of the durations, such as "days"
	// column with the cost of a measurement of each option; "" if all cost the same
	Column string `json:"column,omitempty"`
}

// costs reports whether there are prices; takes reports whether there are durations.
func (p Prices) costs() bool { return p.Sample > 0 || p.Round > 0 || p.Column != "" }
func (p Prices) takes() bool { return p.SampleTime > 0 || p.RoundTime > 0 }

// check returns an error for prices out of range.
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
		return errors.New("parallel counts the pulls of each agent, capacity the pulls of all agents. Give one of them")
	}
	return nil
}

// Forecast is the value of plan(...): the needs of a run, one row per method and gap, sorted by gap.
type Forecast struct {
	Problem string           `json:"problem"`
	Delta   float64          `json:"delta"`
	Epsilon float64          `json:"epsilon,omitempty"`
	Rows    []Row            `json:"rows"`
	Prices  Prices           `json:"prices"`
	Notes   []engine.Warning `json:"notes,omitempty"` // assumptions, and methods without a forecast
	// column names of tasks, arms and rewards in the table of the problem
	Words problem.Words `json:"columns,omitzero"`
	// the forecast for a fixed budget; if set, Rows is empty
	Budget *Budget `json:"budget,omitempty"`
}

// Row has the needs of the simulated runs of one method: means and 90 % quantiles, where a quantile is the smallest value
// that at least 90 % of the runs do not exceed. A run that reaches a limit undecided counts as infinite.
type Row struct {
	Gap       float64 `json:"gap,omitempty"` // assumed gap; 0 for the known rewards
	Algorithm string  `json:"algorithm"`
	Schedule  string  `json:"schedule,omitempty"`
	Delta     float64 `json:"delta"`
	Epsilon   float64 `json:"epsilon,omitempty"`
	Tasks     int     `json:"tasks"`
	Runs      int     `json:"runs"`
	Undecided int     `json:"undecided,omitempty"` // number of runs that reached a limit

	Rounds    float64 `json:"rounds"`
	RoundsQ90 float64 `json:"rounds_q90"`
	// number of samples of one agent, thus of one task
	SamplesPerAgent     float64    `json:"samples_per_agent"`
	SamplesPerAgentCI95 [2]float64 `json:"samples_per_agent_ci95"`
	SamplesTotal        float64    `json:"samples_total"`
	SamplesTotalQ90     float64    `json:"samples_total_q90"`
	// largest number of samples of one agent in a run, averaged over runs
	SamplesBusiest float64 `json:"samples_busiest_agent"`
	Messages       float64 `json:"messages"`
	Bytes          float64 `json:"bytes"`
	RatioToLower   float64 `json:"ratio_to_lower_bound"` // 0 if the bound is unknown
	FirstRound     float64 `json:"first_round_samples"`  // samples of all agents in the first round

	Cost    float64 `json:"cost,omitempty"`
	CostQ90 float64 `json:"cost_q90,omitempty"`
	Time    float64 `json:"time,omitempty"` // calendar time, in the unit of the prices
	TimeQ90 float64 `json:"time_q90,omitempty"`

	Cheapest bool `json:"cheapest,omitempty"` // whether its cost is the smallest for its gap; without prices, its number of samples
	// whether its calendar time is the smallest for its gap; without durations, its number of rounds
	Quickest bool `json:"quickest,omitempty"`
}

// errUnknown is the error for a problem without expected rewards and a question without gaps.
var errUnknown = errors.New("the expected rewards are unknown; give gaps, the smallest difference between best and second arm to plan for")

// mark sets Cheapest and Quickest among the rows of one gap. Among equal rows it chooses the one with fewer samples, and
// it marks none if no number is finite.
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

// quantile90 returns the smallest value that at least 90 % of the values do not exceed.
func quantile90(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(math.Ceil(0.9*float64(len(sorted))-1e-9))-1]
}
