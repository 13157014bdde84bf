package sim

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// outside is the probability that a 95 % interval misses.
const outside = 0.05

// Paired sets an algorithm beside a reference on the same problem, by one of
// Measures. Runs are compared one by one when both results have Detail of the same
// runs from the same seed, and mean against mean otherwise.
//
// Differences of means have Student's interval over the differences of paired runs, or
// Welch's; differences of error rates the adjusted Wald intervals of Bonett and Price
// (2012), or of Agresti and Caffo (2000). Ratios have the interval of their logarithm
// by the delta method; for error rates after adding half a wrong run to both sides.
//
// An unknown measure, a result without runs, one whose truth is unknown where the
// measure needs it, and different problems or modes are errors.
func Paired(algorithm, reference engine.Result, measure string) (Comparison, error) {
	if algorithm.Problem != reference.Problem || algorithm.Mode != reference.Mode {
		return Comparison{}, fmt.Errorf("only runs on the same problem compare: %s has %s on %q, %s has %s on %q",
			algorithm.Algorithm, algorithm.Mode, algorithm.Problem, reference.Algorithm, reference.Mode, reference.Problem)
	}
	return compared(algorithm.Algorithm, []engine.Result{algorithm}, []engine.Result{reference}, measure)
}

// compared pairs results that differ in the seed only.
func compared(name string, algorithm, reference []engine.Result, measure string) (Comparison, error) {
	c, err := contrasted(algorithm, reference, measure)
	if err != nil {
		return Comparison{}, err
	}
	return Comparison{Algorithm: name, Difference: c.difference(outside), Ratio: c.ratio(outside), Paired: c.paired, Runs: c.runs()}, nil
}

func contrasted(algorithm, reference []engine.Result, measure string) (contrast, error) {
	a, err := sampleOf(measure, algorithm...)
	if err != nil {
		return contrast{}, err
	}
	b, err := sampleOf(measure, reference...)
	if err != nil {
		return contrast{}, err
	}
	return newContrast(a, b), nil
}

// Compare sets every other algorithm of a sweep beside the reference, for each
// combination of the other swept names. Seeds are repetitions and no condition:
// cells that differ only in the swept seed are pooled. It is an error when the
// sweep has no algorithms to compare, or lacks the reference somewhere.
func Compare(s Sweep, reference, measure string) (Comparisons, error) {
	t, err := s.table()
	if err != nil {
		return Comparisons{}, err
	}
	if err := t.needs(reference); err != nil {
		return Comparisons{}, err
	}
	if len(t.algorithms) < 2 {
		return Comparisons{}, fmt.Errorf("the sweep has no algorithm besides %s to compare", reference)
	}
	out := Comparisons{Names: t.names, Reference: reference, Measure: measure}
	for _, g := range t.groups {
		if g.results[reference] == nil {
			return Comparisons{}, g.missing(t.names, reference)
		}
		for _, name := range t.algorithms {
			if name == reference || g.results[name] == nil {
				continue
			}
			c, err := compared(name, g.results[name], g.results[reference], measure)
			if err != nil {
				return Comparisons{}, fmt.Errorf("at %s: %w", place(t.names, g.values), err)
			}
			c.Values = slices.Clone(g.values)
			out.Rows = append(out.Rows, c)
		}
	}
	return out, nil
}

// judge scores runs against the truth, where it is known.
type judge struct {
	budget    bool // fixed budget: every leader counts as told
	perV      bool // samples are divided by V once more
	agents    int
	tolerance float64              // shortfall that is not an error, reward units
	lost      []map[string]float64 // best minus arm, by task and arm; nil when unknown
	spread    []float64            // best minus median arm, by task
	best      []string             // arm, by task
}

// score holds what is kept of every run. Its fields are exported for the text of a Part.
type score struct {
	Done             bool `json:"-"` // the run finished
	Status           engine.Status
	Samples          float64 // per agent
	Rounds           int
	Wrong, Undecided bool `json:",omitempty"` // some task
	WrongTasks       int  `json:",omitempty"`
	Decided          int  `json:",omitempty"` // tasks
	WrongDecided     bool `json:",omitempty"` // some task that is decided
	Regret, Relative float64
}

// newJudge returns the judge of runs with the expected rewards of p.
func newJudge(x Experiment, p *problem.Problem, entry algorithms.Entry) judge {
	j := judge{budget: x.Mode == engine.ModeFB, perV: entry.DividedByV, agents: p.V()}
	if p.Mean == nil {
		return j
	}
	largest := 0.0
	for _, m := range p.Mean {
		largest = max(largest, math.Abs(m))
	}
	// epsilon, and the rounding of tied means
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

// shortfall returns best minus the named arm of task v, reward units.
func (j judge) shortfall(v int, arm string) float64 {
	if lost, ok := j.lost[v][arm]; ok {
		return lost
	}
	return math.NaN()
}

// score scores one run. A task is wrong when it was told an arm further than
// epsilon from its best; in fixed budget every leader counts as told.
func (j judge) score(o *engine.Outcome) score {
	s := score{Done: true, Status: o.Status, Rounds: len(o.Rounds), Samples: float64(o.Samples) / float64(j.agents)}
	if j.perV {
		s.Samples /= float64(j.agents)
	}
	for v, a := range o.Answers {
		s.Undecided = s.Undecided || !a.Decided
		s.Decided += count(a.Decided)
		if j.lost == nil {
			continue
		}
		lost := j.shortfall(v, a.Leader)
		bad := lost > j.tolerance
		s.Wrong = s.Wrong || (bad && (a.Decided || j.budget))
		s.WrongDecided = s.WrongDecided || bad && a.Decided
		s.WrongTasks += count(bad)
		s.Regret += lost / float64(len(o.Answers))
		if spread := j.spread[v]; spread > 0 {
			s.Relative += lost / spread / float64(len(o.Answers))
		}
	}
	return s
}

func count(b bool) int {
	if b {
		return 1
	}
	return 0
}

// worse orders the ways to end: a set of runs has the status of its worst.
func worse(a, b engine.Status) bool {
	order := []engine.Status{engine.StatusDecided, engine.StatusEpsilon, engine.StatusBudget, engine.StatusLeft, engine.StatusRounds,
		engine.StatusSamples, engine.StatusInterrupted}
	return slices.Index(order, a) > slices.Index(order, b)
}

// Reason says why a claim has its verdict, or what qualifies it. Its String is the sentence; the
// zero value says nothing.
type Reason struct {
	Kind    ReasonKind
	Names   []string  // of the sentence
	Numbers []float64 // of the sentence, shares in %
}

// ReasonKind says what a Reason tells.
type ReasonKind string

// The kinds of reasons.
const (
	ReasonStopped ReasonKind = "stopped"  // names: algorithm, status
	ReasonFewRuns ReasonKind = "few runs" // numbers: runs, fewest runs

	ReasonBarely       ReasonKind = "barely"       // numbers: bound on the difference
	ReasonNoDifference ReasonKind = "no different" // as ReasonBarely
	ReasonTimes        ReasonKind = "times"        // numbers: ratio
	ReasonWithin       ReasonKind = "within"       // numbers: margin, difference
	ReasonMargin       ReasonKind = "margin"       // numbers: margin
	ReasonWide         ReasonKind = "wide"         // numbers: margin
	ReasonNear         ReasonKind = "near"         // numbers: largest difference
	ReasonOne          ReasonKind = "one"

	ReasonMoreErrors   ReasonKind = "more errors"  // numbers: difference
	ReasonFewerErrors  ReasonKind = "fewer errors" // numbers: difference
	ReasonSameRuns     ReasonKind = "same runs"
	ReasonZero         ReasonKind = "zero"
	ReasonErrorsWithin ReasonKind = "errors within"   // numbers: margin, difference
	ReasonErrorsWide   ReasonKind = "errors wide"     // numbers: margin
	ReasonBelow        ReasonKind = "below"           // numbers: upper end of both intervals
	ReasonAbove        ReasonKind = "above"           // numbers: lower end of both intervals
	ReasonFirstBelow   ReasonKind = "below in case 1" // as ReasonBelow
	ReasonFirstAbove   ReasonKind = "above in case 1" // as ReasonAbove
	ReasonApart        ReasonKind = "apart"           // numbers: difference
)

// reasons have a verb for each name and number, in the order of the Reason.
var reasons = map[ReasonKind]string{
	ReasonStopped: "runs of %s ended undecided (%s)",
	ReasonFewRuns: "%d runs are too few for an interval to be trusted; %d at least",

	ReasonBarely:       "but by less than %g %%",
	ReasonNoDifference: "the two differ by less than %g %%",
	ReasonTimes:        "it is %.3g times as many",
	ReasonWithin:       "within %.0f %%; a difference of %.2g %% shows",
	ReasonMargin:       "a difference shows, but not whether it is more than %.0f %%",
	ReasonWide:         "the interval is wider than %.0f %%: more runs would tell",
	ReasonNear:         "the two are within %.2g %% of each other",
	ReasonOne:          "the interval includes 1: more runs may tell",

	ReasonMoreErrors:   "it errs in %.2g %% more of the runs",
	ReasonFewerErrors:  "it errs in %.2g %% fewer of the runs",
	ReasonSameRuns:     "the two err in the same runs",
	ReasonZero:         "the interval includes 0: more runs may tell",
	ReasonErrorsWithin: "within %.2g %% of the runs; a difference of %.2g %% shows",
	ReasonErrorsWide:   "the interval reaches past %.2g %%: more runs would tell",
	ReasonBelow:        "both below %.2g %%: not measurable",
	ReasonAbove:        "both above %.2g %%: not measurable",
	ReasonFirstBelow:   "in case 1 both below %.2g %%: not measurable",
	ReasonFirstAbove:   "in case 1 both above %.2g %%: not measurable",
	ReasonApart:        "they are %.2g %% of the runs further apart",
}

// because returns a reason with numbers.
func because(kind ReasonKind, numbers ...float64) Reason { return Reason{Kind: kind, Numbers: numbers} }

// String returns the sentence, "" for none.
func (r Reason) String() string { return ReasonText(r) }

// ReasonText returns one sentence for several reasons of one kind and the same names, at least
// one, with a range for each number that differs. A kind that is not listed is its own sentence.
func ReasonText(rs ...Reason) string {
	format, listed := reasons[rs[0].Kind]
	if !listed {
		return string(rs[0].Kind)
	}
	var numbers [][]float64
	for _, r := range rs {
		numbers = append(numbers, r.Numbers)
	}
	return sentence.Write(format, rs[0].Names, numbers...)
}

// doubt says what the error rate over several runs tells about delta, unless it tells
// that errors stay within: nothing then, nor for one run or none, which claim nothing.
//
// That errors exceed delta goes by the exact interval: at an error rate of delta it is said with
// probability 2.5 % at most, where Wilson's interval, whose lower end is too high near 0, says it
// with up to 16 %.
func doubt(errors engine.Rate, delta float64) []engine.Warning {
	wrong, runs := float64(errors.Count), float64(errors.Runs)
	w := engine.Warning{Kind: engine.WarnFewRuns, Numbers: []float64{runs, delta, wrong, runs, 100 * errors.CI95[1]}}
	switch {
	case errors.Runs < 2 || errors.CI95[1] <= delta:
		return nil
	case exceeds(errors, delta):
		w = engine.Warning{Kind: engine.WarnErrors, Numbers: []float64{wrong, runs, exact(errors)[0]}}
	case errors.Rate > delta:
		interval := exact(errors)
		w = engine.Warning{Kind: engine.WarnErrorsUnclear, Numbers: []float64{delta, wrong, runs, 100 * interval[0], 100 * interval[1]}}
	case errors.Count == 0:
		w.Kind, w.Numbers = engine.WarnFewRunsRight, append(w.Numbers, float64(enoughRuns(delta)))
	}
	return []engine.Warning{w}
}

// exceeds reports whether the exact 95 % interval lies above delta: whether that number of errors
// has a probability below 2.5 % at that rate.
func exceeds(errors engine.Rate, delta float64) bool {
	k, n := float64(errors.Count), float64(errors.Runs)
	return k > 0 && delta < 1 && mathext.RegIncBeta(k, n-k+1, delta) < 0.025
}

// exact returns the 95 % interval of [Clopper and Pearson 1934].
func exact(errors engine.Rate) [2]float64 {
	k, n := float64(errors.Count), float64(errors.Runs)
	interval := [2]float64{0, 1}
	if k > 0 {
		interval[0] = distuv.Beta{Alpha: k, Beta: n - k + 1}.Quantile(0.025)
	}
	if k < n {
		interval[1] = distuv.Beta{Alpha: k + 1, Beta: n - k}.Quantile(0.975)
	}
	return interval
}

// enoughRuns returns the smallest number n of runs whose Wilson interval for 0 errors, up to
// z²/(n+z²), ends at delta.
func enoughRuns(delta float64) int {
	n := math.Ceil(normal95 * normal95 * (1 - delta) / delta)
	return int(math.Min(n, math.MaxInt32))
}

// understated reports an arm whose rewards vary more than its noise scale says, beyond the 5 % that
// separate a sample standard deviation from its population's.
func understated(p *problem.Problem) []engine.Warning {
	worst, ratio := 0, 0.0
	for i, sd := range p.Noise.SD {
		if r := sd / p.Noise.Scales[i]; r > ratio && p.Noise.UnknownBy == "" {
			worst, ratio = i, r
		}
	}
	if ratio <= 1.05 {
		return nil
	}
	return []engine.Warning{{Kind: engine.WarnNoiseTooSmall, Names: p.NamesOf(worst), Numbers: []float64{p.Noise.SD[worst], ratio}}}
}
