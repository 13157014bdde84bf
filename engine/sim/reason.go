package sim

import "github.com/gonb-cope/gonb-cope/internal/sentence"

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
