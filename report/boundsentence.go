package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
)

// BoundSentence sets what was measured beside the bounds of the same problem, in words made from
// the numbers: which bound is the tightest, by what factor the measurement sits below it, and above
// the lower bound. It states samples for fixed confidence and the error rate for a fixed budget.
func BoundSentence(b bounds.Report, r engine.Result) string {
	if r.Mode == engine.ModeFB {
		return errorSentence(b, r)
	}
	return sampleSentence(b, r)
}

// named is a bound with its name.
type named struct {
	name  string
	value float64
}

// tightest returns the smallest of the finite bounds, several where they are equal but for
// rounding.
func tightest(all []named) (names []string, value float64) {
	value = math.Inf(1)
	for _, n := range all {
		if finite(n.value) {
			value = min(value, n.value)
		}
	}
	for _, n := range all {
		if finite(n.value) && n.value <= value*(1+1e-9) {
			names = append(names, n.name)
		}
	}
	return names, value
}

func forms(c bounds.ABC) []named {
	return []named{{"(a), by information gain,", c.A}, {"(b), by effective dimension,", c.B}, {"(c), by ranks,", c.C}}
}

// algorithm returns the name of the algorithm measured.
func algorithm(r engine.Result) string {
	if r.Schedule == "" {
		return r.Algorithm
	}
	return fmt.Sprintf("%s (%s schedule)", r.Algorithm, r.Schedule)
}

func sampleSentence(b bounds.Report, r engine.Result) string {
	m := notNegative(r.SamplesPerAgent)
	out := tightestSentence("Theorem 1", "Corollary 1", named{"Theorem 1", b.Theorem.FC}, forms(b.Corollary.FC), "samples per agent")
	out += fmt.Sprintf(" %s measured %s", algorithm(r), cell(m, 0))
	_, best := tightest(append(forms(b.Corollary.FC), named{"", b.Theorem.FC}))
	var parts []string
	if finite(best) && m.Mean > 0 {
		what := "the tightest bound"
		if r.Schedule != "" && r.Schedule != engine.SchedulePaper {
			what += ", which is one for the literal schedule"
		}
		parts = append(parts, factor(m.Mean, best, m.CI95[0] > best, what))
	}
	if low := b.LowerBoundSamples; finite(low) && m.Mean > 0 {
		parts = append(parts, factor(m.Mean, low, false, "the lower bound of "+decimal(low, 0)))
	}
	if len(parts) > 0 {
		out += ": " + strings.Join(parts, ", and ")
	}
	return out + "."
}

// factor says on which side of a bound a measurement lies, and by how much.
func factor(x, bound float64, contradicts bool, what string) string {
	side, times := "below", bound/x
	if x > bound {
		side, times = "above", x/bound
	}
	if times < 1.005 {
		return "at " + what
	}
	out := fmt.Sprintf("%s times %s %s", decimal(times, 3), side, what)
	if contradicts {
		out += ", which it contradicts"
	}
	return out
}

// tightestSentence names the tightest of all bounds and, where that is the theorem,
// the tightest form of its corollary.
func tightestSentence(theorem, corollary string, t named, abc []named, unit string) string {
	all, best := tightest(append([]named{t}, abc...))
	if len(all) == 0 {
		return fmt.Sprintf("Neither %s nor a form of %s gives a finite bound.", theorem, corollary)
	}
	inner, value := tightest(abc)
	at := strings.TrimSuffix(join(inner, 3), ",")
	verb := "is"
	if len(inner) > 1 {
		verb = "are equally tight and"
		at = strings.ReplaceAll(at, ", and", " and")
	}
	if !slices.Contains(all, t.name) {
		return fmt.Sprintf("The tightest upper bound is %s %s: %s %s.", corollary, at, decimal(best, 0), unit)
	}
	out := fmt.Sprintf("The tightest upper bound is %s: %s %s.", theorem, decimal(best, 0), unit)
	if len(inner) > 0 {
		out += fmt.Sprintf(" Of the forms of %s %s %s the tightest, %s times as many.", corollary, at, verb, decimal(value/best, 3))
	}
	return out
}

func errorSentence(b bounds.Report, r engine.Result) string {
	if b.Budget != r.Budget {
		return fmt.Sprintf("The bounds are for a budget of %s per agent and the runs had %s: they cannot be compared.", cell(b.Budget, 0),
			cell(r.Budget, 0))
	}
	measured := fmt.Sprintf("%s erred in %s of %s, %s", r.Algorithm, cell(r.Errors.Count, 0), plural(r.Errors.Runs, "run"),
		interval(r.Errors.Rate, r.Errors.CI95[0], r.Errors.CI95[1]))
	if r.Errors.Runs == 0 {
		measured = fmt.Sprintf("Whether %s erred is not known", r.Algorithm)
	}
	all, best := tightest(append([]named{{"Theorem 2", b.Theorem.FB}}, forms(b.Corollary.FB)...))
	at := fmt.Sprintf("At a budget of %s per agent", cell(b.Budget, 0))
	if len(all) == 0 || best >= 1 {
		out := fmt.Sprintf("%s every bound on the error probability is vacuous. %s.", at, measured)
		if names, need := tightest(append([]named{{"Theorem 2", b.Theorem.FBBudget}}, forms(b.Corollary.FBBudget)...)); len(names) > 0 {
			out += fmt.Sprintf(" The tightest, %s, promises %s from a budget of %s on, %s times as much.",
				strings.TrimSuffix(corollaryName(names[0]), ","), decimal(b.Delta, 0), decimal(need, 0), decimal(need/float64(b.Budget), 3))
		}
		return out
	}
	out := fmt.Sprintf("%s the tightest bound on the error probability is %s: %s. %s", at, strings.TrimSuffix(corollaryName(all[0]), ","),
		decimal(best, 3), measured)
	switch e := r.Errors; {
	case e.Runs == 0:
	case e.Count == 0 && e.CI95[1] > best:
		out += ": too few runs to tell how far below the bound that is"
	case e.Count == 0:
		out += fmt.Sprintf(": at least %s times below it", decimal(best/e.CI95[1], 3))
	default:
		out += ": " + factor(e.Rate, best, e.CI95[0] > best, "it")
	}
	return out + "."
}

// corollaryName returns the full name of a form of Corollary 2.
func corollaryName(form string) string {
	if strings.HasPrefix(form, "(") {
		return "Corollary 2 " + form
	}
	return form
}
