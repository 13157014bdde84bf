package sim

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// outside is the probability that a 95 % interval misses the true value.
const outside = 0.05

// contrasted compares an algorithm with a reference on the same problem by one of Measures. The results of each may differ
// only in the seed. Runs are paired if all results have Detail for the same runs with the same seeds; otherwise means are
// compared.
//
// Differences of means have Student's interval over paired differences, or Welch's. Differences of error rates have the
// adjusted Wald intervals of Bonett and Price (2012), or of Agresti and Caffo (2000). Ratios have the delta-method
// interval of their logarithm; for error rates, half a wrong run is added to both samples.
//
// It returns an error for an unknown measure, for a result without runs, and if the measure needs a truth that is unknown.
func contrasted(algorithm, reference []engine.Result, measure string) (_ contrast, err error) {
	defer try.Caught(&err)
	return newContrast(try.Of(sampleOf(measure, algorithm...)), try.Of(sampleOf(measure, reference...))), nil
}

// comparison returns difference and ratio with their intervals for display.
func (c contrast) comparison(algorithm string) Comparison {
	return Comparison{Algorithm: algorithm, Difference: c.difference(outside), Ratio: c.ratio(outside), Paired: c.paired, Runs: c.runs()}
}

// Compare compares every other algorithm of a sweep with the reference, for each combination of the other swept names. It
// pools cells that differ only in the swept seed. It returns an error if the sweep has no other algorithm, or lacks the
// reference in a combination.
func Compare(s Sweep, reference, measure string) (_ Comparisons, err error) {
	defer try.Caught(&err)
	t := try.Of(s.table())
	try.To(t.has(reference))
	if len(t.algorithms) < 2 {
		return Comparisons{}, fmt.Errorf("the sweep has no algorithm besides %s to compare", reference)
	}
	out := Comparisons{Names: t.names, Reference: reference, Measure: measure}
	for _, g := range t.groups {
		for _, name := range t.algorithms {
			if name == reference || g.results[name] == nil {
				continue
			}
			c, err := contrasted(g.results[name], g.results[reference], measure)
			if err != nil {
				return Comparisons{}, fmt.Errorf("at %s: %w", place(t.names, g.values), err)
			}
			row := c.comparison(name)
			row.Values = slices.Clone(g.values)
			out.Rows = append(out.Rows, row)
		}
	}
	return out, nil
}

// judge compares the answers of runs with the true rewards, if they are known.
type judge struct {
	budget    bool // fixed budget: every leader counts as an answer
	perV      bool // samples are divided by V
	agents    int
	tolerance float64              // largest shortfall that is not an error, reward units
	lost      []map[string]float64 // best reward minus that of the arm, by task and arm; nil if unknown
	spread    []float64            // best reward minus the median, by task
	best      []string             // name of the best arm, by task
}

// score has the numbers that are kept of every run. Its fields are exported for the encoding of a Part.
type score struct {
	Done             bool `json:"-"` // whether the run finished
	Status           engine.Status
	Samples          float64 // per agent
	Rounds           int
	Wrong, Undecided bool `json:",omitempty"` // whether any task is wrong; whether any task is undecided
	WrongTasks       int  `json:",omitempty"`
	Decided          int  `json:",omitempty"` // number of decided tasks
	WrongDecided     bool `json:",omitempty"` // whether at least one decided task is wrong
	Regret, Relative float64
}

// newJudge returns the judge of runs with the expected rewards of p.
func newJudge(x Experiment, p *problem.Problem, entry algorithms.Entry) judge {
	j := judge{budget: x.Mode == engine.ModeFB, perV: entry.DividedByV, agents: p.V()}
	if p.Mean == nil {
		return j
	}
	largest := lists.Max(p.Mean, func(m float64) float64 { return math.Abs(m) })
	// epsilon, plus the rounding of tied means
	j.tolerance = x.Options.Epsilon*(1+1e-12) + model.TieTolerance*largest
	for v := range p.V() {
		lo, hi := p.ArmsOf(v)
		sorted := slices.Sorted(slices.Values(p.Mean[lo:hi]))
		n := len(sorted)
		lost := make(map[string]float64, n)
		for i := lo; i < hi; i++ {
			lost[p.Arms.Names[i]] = sorted[n-1] - p.Mean[i]
		}
		best := lo + slices.Index(p.Mean[lo:hi], sorted[n-1])
		j.best = append(j.best, p.Arms.Names[best])
		j.lost = append(j.lost, lost)
		j.spread = append(j.spread, sorted[n-1]-(sorted[(n-1)/2]+sorted[n/2])/2)
	}
	return j
}

// shortfall returns the best reward minus that of the named arm of task v, reward units; NaN for an unknown name.
func (j judge) shortfall(v int, arm string) float64 {
	if lost, ok := j.lost[v][arm]; ok {
		return lost
	}
	return math.NaN()
}

// marked returns answers with Best and Correct set: the best arm of the task, and whether the leader is right.
func (j judge) marked(answers []engine.Answer) []engine.Answer {
	out := slices.Clone(answers)
	for v := range out {
		correct := j.shortfall(v, out[v].Leader) <= j.tolerance
		out[v].Best, out[v].Correct = j.best[v], &correct
	}
	return out
}

// score returns the score of one run. A task is wrong if its leader is more than epsilon below its best arm. With fixed
// confidence, only a decided task makes a run wrong.
func (j judge) score(o *engine.Outcome) score {
	s := score{Done: true, Status: o.Status, Rounds: len(o.Rounds), Samples: float64(o.Samples) / float64(j.agents)}
	if j.perV {
		s.Samples /= float64(j.agents)
	}
	for v, a := range o.Answers {
		s.Undecided = s.Undecided || !a.Decided
		s.Decided += indices.Indicator(a.Decided)
		if j.lost == nil {
			continue
		}
		lost := j.shortfall(v, a.Leader)
		bad := lost > j.tolerance
		s.Wrong = s.Wrong || (bad && (a.Decided || j.budget))
		s.WrongDecided = s.WrongDecided || bad && a.Decided
		s.WrongTasks += indices.Indicator(bad)
		s.Regret += lost / float64(len(o.Answers))
		if spread := j.spread[v]; spread > 0 {
			s.Relative += lost / spread / float64(len(o.Answers))
		}
	}
	return s
}

// worse reports whether status a is worse than b. A set of runs has the status of its worst run.
func worse(a, b engine.Status) bool {
	order := []engine.Status{engine.StatusDecided, engine.StatusEpsilon, engine.StatusBudget, engine.StatusLeft, engine.StatusRounds,
		engine.StatusSamples, engine.StatusInterrupted}
	return slices.Index(order, a) > slices.Index(order, b)
}
