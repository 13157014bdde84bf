package sim

import (
	"math"

	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Reason explains or qualifies the verdict on a claim. Its String is the sentence; the zero value has none.
type Reason struct {
	Kind    ReasonKind
	Names   []string  // for the sentence
	Numbers []float64 // for the sentence, fractions in %
}

// ReasonKind is the kind of a Reason.
type ReasonKind string

// The kinds of reasons.
const (
	ReasonStopped ReasonKind = "stopped"  // names: algorithm, status
	ReasonFewRuns ReasonKind = "few runs" // numbers: runs, fewest runs

	ReasonBarely       ReasonKind = "barely"       // numbers: bound on the difference
	ReasonNoDifference ReasonKind = "no different" // numbers: those of ReasonBarely
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
	ReasonFirstBelow   ReasonKind = "below in case 1" // numbers: those of ReasonBelow
	ReasonFirstAbove   ReasonKind = "above in case 1" // numbers: those of ReasonAbove
	ReasonApart        ReasonKind = "apart"           // numbers: difference
)

// reasons has the format of each kind, with a verb for each name and number in order.
var reasons = map[ReasonKind]string{
	ReasonStopped: "runs of %s ended undecided (%s)",
	ReasonFewRuns: "%d runs are too few for a reliable interval; at least %d are needed",

	ReasonBarely:       "but by less than %g %%",
	ReasonNoDifference: "the two differ by less than %g %%",
	ReasonTimes:        "it is %.3g times as many",
	ReasonWithin:       "within %.0f %%; a difference of %.2g %% shows",
	ReasonMargin:       "a difference shows, but not whether it is more than %.0f %%",
	ReasonWide:         "the interval is wider than %.0f %%; use more runs",
	ReasonNear:         "the two are within %.2g %% of each other",
	ReasonOne:          "the interval includes 1; more runs may decide",

	ReasonMoreErrors:   "it errs in %.2g %% more of the runs",
	ReasonFewerErrors:  "it errs in %.2g %% fewer of the runs",
	ReasonSameRuns:     "the two err in the same runs",
	ReasonZero:         "the interval includes 0; more runs may decide",
	ReasonErrorsWithin: "within %.2g %% of the runs; a difference of %.2g %% shows",
	ReasonErrorsWide:   "the interval extends beyond %.2g %%; use more runs",
	ReasonBelow:        "both are below %.2g %%, too small to compare",
	ReasonAbove:        "both are above %.2g %%, too large to compare",
	ReasonFirstBelow:   "in case 1 both are below %.2g %%, too small to compare",
	ReasonFirstAbove:   "in case 1 both are above %.2g %%, too large to compare",
	ReasonApart:        "they are %.2g %% of the runs further apart",
}

func because(kind ReasonKind, numbers ...float64) Reason { return Reason{Kind: kind, Numbers: numbers} }

// String returns the sentence, "" for none.
func (r Reason) String() string { return ReasonText(r) }

// ReasonText returns one sentence for one or more reasons of one kind with the same names, with a range for each number that differs. An
// unknown kind is its own sentence.
func ReasonText(rs ...Reason) string {
	format, listed := reasons[rs[0].Kind]
	if !listed {
		return string(rs[0].Kind)
	}
	return sentence.Write(format, rs[0].Names, lists.Map(rs, func(r Reason) []float64 { return r.Numbers })...)
}

// doubt returns a warning if the error rate over several runs exceeds delta, or if the runs are too few to tell; nil for 0 or 1 run.
//
// The warning that errors exceed delta uses the exact interval: at an error rate of delta its probability is at most 2.5 %. With Wilson's
// interval, whose lower end is too high near 0, it would be up to 16 %.
func doubt(errors engine.Rate, delta float64) []engine.Warning {
	wrong, runs := float64(errors.Count), float64(errors.Runs)
	w := engine.Warning{Kind: engine.WarnFewRuns, Numbers: []float64{runs, delta, wrong, runs, 100 * errors.CI95[1]}}
	switch {
	case errors.Runs < 2 || errors.CI95[1] <= delta:
		return nil
	case exceeds(errors, delta):
		w = engine.Warning{Kind: engine.WarnErrors, Numbers: []float64{wrong, runs, Exact(errors)[0]}}
	case errors.Rate > delta:
		interval := Exact(errors)
		w = engine.Warning{Kind: engine.WarnErrorsUnclear, Numbers: []float64{delta, wrong, runs, 100 * interval[0], 100 * interval[1]}}
	case errors.Count == 0:
		w.Kind, w.Numbers = engine.WarnFewRunsRight, append(w.Numbers, float64(enoughRuns(delta)))
	}
	return []engine.Warning{w}
}

// exceeds reports whether the exact 95 % interval lies above delta: this number of errors has probability below 2.5 % at that rate.
func exceeds(errors engine.Rate, delta float64) bool {
	k, n := float64(errors.Count), float64(errors.Runs)
	return k > 0 && delta < 1 && mathext.RegIncBeta(k, n-k+1, delta) < 0.025
}

// Exact returns the 95 % interval of [Clopper and Pearson 1934].
func Exact(errors engine.Rate) [2]float64 {
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

// enoughRuns returns the smallest n for which Wilson's interval of 0 errors, up to z²/(n+z²), ends at delta.
func enoughRuns(delta float64) int {
	n := math.Ceil(normal95 * normal95 * (1 - delta) / delta)
	return int(math.Min(n, math.MaxInt32))
}

// understated reports an arm whose rewards vary more than its noise scale states, beyond the 5 % by which sample and population standard
// deviations may differ.
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
