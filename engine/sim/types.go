package sim

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Swept names that are not conditions of an experiment.
const (
	nameAlgorithm = "algorithm" // these are compared
	nameSeed      = "seed"      // these are repetitions
)

// table is a sweep over algorithms, with finished cells grouped by condition. A condition is a combination of the swept
// names except algorithm and seed.
type table struct {
	names      []string
	algorithms []string // all, by first appearance
	groups     []*group // by first appearance
}

// group has the results of one condition, by algorithm; one for each seed.
type group struct {
	values  []any
	results map[string][]engine.Result
}

// table groups the rows of a sweep over algorithms.
func (s Sweep) table() (*table, error) {
	if !slices.Contains(s.Names, nameAlgorithm) {
		return nil, fmt.Errorf("algorithms are compared over a sweep of %q, but this one sweeps %s", nameAlgorithm, listed(s.Names))
	}
	t := &table{}
	var columns []int
	for k, name := range s.Names {
		if name != nameAlgorithm && name != nameSeed {
			t.names, columns = append(t.names, name), append(columns, k)
		}
	}
	index := map[string]*group{}
	for _, row := range s.Rows {
		if row.Result.Runs == 0 {
			continue // interrupted before its first run was finished
		}
		values := lists.Map(columns, func(k int) any { return row.Values[k] })
		key := fmt.Sprintf("%q", texts(values))
		g := index[key]
		if g == nil {
			g = &group{values, map[string][]engine.Result{}}
			index[key] = g
			t.groups = append(t.groups, g)
		}
		name := row.Result.Algorithm
		g.results[name] = append(g.results[name], row.Result)
		t.algorithms = lists.Add(t.algorithms, name)
	}
	if len(t.groups) == 0 {
		return nil, fmt.Errorf("the sweep has no finished run")
	}
	return t, nil
}

// has returns an error if the algorithm has no runs in the sweep, or none in one of its conditions.
func (t *table) has(algorithm string) error {
	if !slices.Contains(t.algorithms, algorithm) {
		return fmt.Errorf("the sweep has no runs of %s; it has %s", algorithm, listed(t.algorithms))
	}
	return lists.Each(t.groups, func(g *group) error {
		if g.results[algorithm] == nil {
			return fmt.Errorf("the sweep has no finished runs of %s at %s", algorithm, place(t.names, g.values))
		}
		return nil
	})
}

// place describes a condition, such as "case 2, gap 0.4".
func place(names []string, values []any) string {
	if len(names) == 0 {
		return "its only cell"
	}
	parts := lists.Make(len(names), func(k int) string { return fmt.Sprintf("%s %v", names[k], values[k]) })
	return strings.Join(parts, ", ")
}

// texts returns the values as text. Numbers of different types have equal texts if they are equal.
func texts(values []any) []string {
	return lists.Map(values, func(v any) string { return fmt.Sprint(v) })
}

func listed(names []string) string {
	if len(names) == 0 {
		return "nothing"
	}
	return strings.Join(names, ", ")
}

func quoted(names []string) string {
	return strings.Join(lists.Map(names, func(name string) string { return fmt.Sprintf("%q", name) }), ", ")
}

// Sweep is the value of sweep(...). Rows has one result for each combination of swept values. Its table may have a row for
// each run instead.
type Sweep struct {
	Names []string `json:"names"` // swept names, in the given order
	// what a row of its table is: "cell" or "" for one combination of swept values, "run" for one run
	Per string `json:"per,omitempty"`
	// number of Rows that were read from a store and not run
	Stored int        `json:"stored,omitempty"`
	Rows   []SweepRow `json:"rows"`
}

// Values of Sweep.Per.
const (
	PerCell = "cell" // one combination of the swept values
	PerRun  = "run"  // one run of one combination; needs Result.Detail
)

// SweepRow is one cell: the swept values (numbers or text), and its result.
type SweepRow struct {
	Values []any         `json:"values"`
	Result engine.Result `json:"result"`
}

// Comparison compares one algorithm with a reference on the same problem, with 95 % intervals.
type Comparison struct {
	Values     []any           `json:"values"` // values of the swept names without the algorithm
	Algorithm  string          `json:"algorithm"`
	Difference engine.Interval `json:"difference"` // algorithm - reference, in units of the measure
	// algorithm / reference; zero if the ratio is not defined
	Ratio engine.Interval `json:"ratio"`
	// whether runs with common seeds are paired
	Paired bool `json:"paired"`
	Runs   int  `json:"runs"` // number of runs of the smaller sample
}

// Comparisons is the value of paired(...).
type Comparisons struct {
	Names     []string     `json:"names"` // swept names without the algorithm
	Reference string       `json:"reference"`
	Measure   string       `json:"measure"` // "samples", "error", "rounds" or "regret"
	Rows      []Comparison `json:"rows"`
}

// Speedup is β of [Du23, eq. (4)], measured and predicted, one row per combination of the swept names without the algorithm.
type Speedup struct {
	Names     []string     `json:"names"`
	Algorithm string       `json:"algorithm"` // collaborative algorithm
	Alone     string       `json:"alone"`     // single-agent algorithm, run once for each of V agents
	Tasks     int          `json:"tasks"`     // V, the largest possible speedup
	Rows      []SpeedupRow `json:"rows"`
}

// SpeedupRow is the speedup at one condition.
type SpeedupRow struct {
	Values     []any           `json:"values"`
	Beta       engine.Interval `json:"beta"`        // measured: samples alone / samples together
	ByRank     float64         `json:"by_rank"`     // V / rank K_Z
	ByHardness float64         `json:"by_hardness"` // Σ_v ρ*_v(ξ) / ρ*(ξ)
}

// SpeedupOf measures the speedup β of [Du23, eq. (4)] at each condition of a sweep: samples per agent of the single-agent
// algorithm alone, divided by the samples of the collaborative algorithm, with the interval of Compare. It also returns V / rank
// K_Z and Σ_v ρ*_v(ξ)/ρ*(ξ), which are 0 if results have no Detail.
//
// The paper's β uses the best single-agent algorithm; this one uses alone. SpeedupOf returns an error if the sweep lacks
// either algorithm at a condition, is not for fixed confidence, or names an algorithm whose samples are already divided by
// V.
func SpeedupOf(s Sweep, algorithm, alone string) (_ Speedup, err error) {
	defer try.Caught(&err)
	t := try.Of(s.table())
	out := Speedup{Names: t.names, Algorithm: algorithm, Alone: alone}
	for _, name := range []string{algorithm, alone} {
		try.To(t.has(name))
		entry, err := algorithms.Named(engine.ModeFC, name)
		if err != nil {
			return Speedup{}, fmt.Errorf("a speedup compares samples of fixed confidence: %w", err)
		}
		if entry.DividedByV {
			return Speedup{}, fmt.Errorf("the samples of %s are already divided by the number of agents, so there is no speedup to measure", name)
		}
	}
	for _, g := range t.groups {
		c, err := contrasted(g.results[alone], g.results[algorithm], MeasureSamples)
		if err != nil {
			return Speedup{}, fmt.Errorf("at %s: %w", place(t.names, g.values), err)
		}
		r := g.results[algorithm][0]
		out.Tasks = max(out.Tasks, r.Tasks)
		row := SpeedupRow{Values: slices.Clone(g.values), Beta: c.ratio(outside)}
		if d := r.Detail; d != nil {
			row.ByHardness = d.Speedup
			if d.TaskRank > 0 {
				row.ByRank = float64(r.Tasks) / float64(d.TaskRank)
			}
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}
