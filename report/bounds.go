package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
)

// Bounds returns the view of bounds(...): the lower bound, the upper bounds of the theorems, and the quantities in both.
func (views) Bounds(r bounds.Report) view {
	return view{
		blocks: func() []Block {
			out := []Block{Paragraph{Text: boundsSentence(r), Lead: true}}
			out = append(out, remarks(r.Notes, false)...)
			return append(out, promisesTable(r), quantitiesTable(r), boundsFacts(r))
		},
		bars:   "bound",
		axes:   fixedAxes("bound", "samples", "budget", "error"),
		figure: func(o PlotOptions) (Figure, error) { return boundsFigure(r, o.Y[0]), nil },
	}
}

func boundsSentence(r bounds.Report) string {
	goal := "find the best arm"
	if r.Epsilon > 0 {
		goal = fmt.Sprintf("find an arm within %s of the best", decimal(r.Epsilon, 0))
	}
	s := fmt.Sprintf("To %s of %s with error probability at most %s", goal, each(r.Tasks), decimal(r.Delta, 0))
	switch {
	case finite(r.LowerBoundSamples):
		s += fmt.Sprintf(", any algorithm needs at least %s samples per agent in expectation", decimal(r.LowerBoundSamples, 0))
	case r.LowerBoundSamples > 0:
		s += ", no finite number of samples is enough: a task has two equally good best arms"
	default:
		s += ", the smallest number of samples is not known. The lower bound is not computed if rewards have limits or block " +
			"effects, or if all arms are within epsilon of the best"
	}
	if finite(r.Theorem.FC) {
		s += ". " + theoremSentence(r)
	}
	return s + "."
}

// finite reports whether x is positive and finite.
func finite(x float64) bool { return x > 0 && !math.IsInf(x, 1) }

// promise is one upper bound of the theory in its three forms.
type promise struct {
	name                string
	fc, error, fbBudget float64
}

// promises returns the upper bounds of the theorem and of the corollaries.
func promises(r bounds.Report) []promise {
	c := r.Corollary
	return []promise{
		{"Theorem 1 / 2", r.Theorem.FC, r.Theorem.FB, r.Theorem.FBBudget},
		{"Corollary (a), by information gain", c.FC.A, c.FB.A, c.FBBudget.A},
		{"Corollary (b), by effective dimension", c.FC.B, c.FB.B, c.FBBudget.B},
		{"Corollary (c), by ranks", c.FC.C, c.FB.C, c.FBBudget.C},
	}
}

// limitName is the title of the lower bound for answers within ε of the best.
const limitName = "Lower bound as δ → 0"

func promisesTable(r bounds.Report) Table {
	t := Table{
		Caption: "Lower and upper bounds",
		Columns: columns("bound Bound", "#samples Fixed confidence: samples per agent", "#ratio Times the lower bound",
			"#error Fixed budget: error probability", "#budget Fixed budget: samples per agent for error δ"),
		Rows: [][]any{{"Lower bound, any algorithm", known(r.LowerBoundSamples), nil, nil, nil}},
	}
	if r.LowerBoundSamplesLimit > 0 {
		row := []any{limitName, r.LowerBoundSamplesLimit, nil, nil, nil}
		if finite(r.LowerBoundSamples) {
			row[2] = r.LowerBoundSamplesLimit / r.LowerBoundSamples
		}
		t.Rows = append(t.Rows, row)
	}
	for _, p := range promises(r) {
		row := []any{p.name, known(p.fc), nil, nil, known(p.fbBudget)}
		if finite(p.fc) && finite(r.LowerBoundSamples) {
			row[2] = p.fc / r.LowerBoundSamples
		}
		if r.Budget > 0 {
			row[3] = p.error
		}
		t.Rows = append(t.Rows, row)
	}
	if m := r.Misfit; m != nil {
		row := []any{fmt.Sprintf("Elimination under misfit %s", decimal(m.Stated, 3)), known(m.Samples), nil, nil, nil}
		if finite(m.Samples) && finite(r.LowerBoundSamples) {
			row[2] = m.Samples / r.LowerBoundSamples
		}
		t.Rows = append(t.Rows, row)
	}
	if finite(r.LowerBoundSamples) {
		t.Rows[0][2] = 1.0
	}
	t.Notes = []string{"Upper bounds use the constants of the proofs. A bound of 1 on an error probability is trivial."}
	if m := r.Misfit; m != nil && m.Samples == 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Under this misfit, estimates by the kernel need not distinguish gaps below %s. "+
			"Arms that are measured directly can be distinguished.", decimal(m.Floor, 3)))
	}
	if r.LowerBoundSamplesLimit > 0 {
		t.Notes = append(t.Notes, "As δ → 0, an algorithm must settle on one of the answers within ε (Degenne and Koolen 2019). At a fixed δ "+
			"this is not a bound.")
	}
	if note := conditionNote(r); note != "" {
		t.Notes = append(t.Notes, note)
	}
	if r.Budget > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("Error probabilities hold for a budget of %s pulls per agent.", cell(r.Budget, 0)))
	}
	return t.withoutEmptyColumns()
}

func quantitiesTable(r bounds.Report) Table {
	t := Table{
		Caption: "Quantities of the theory",
		Columns: columns("symbol Symbol", "meaning Meaning", "#value Value", "#lower Certified lower bound", "#gap Relative gap"),
	}
	t.Columns[2].Digits, t.Columns[3].Digits, t.Columns[4].Digits = 6, 6, 2
	add := func(symbol, meaning string, value, lower, gap any) {
		t.Rows = append(t.Rows, []any{symbol, meaning, value, lower, gap})
	}
	certified := func(symbol, meaning string, c bounds.Certified) {
		var gap any
		if c.Lower > 0 {
			gap = c.Value/c.Lower - 1
		}
		add(symbol, meaning, c.Value, c.Lower, gap)
	}
	if r.InformationGainUpper > 0 { // give an upper and a lower bound, as for other quantities
		add("Υ", "maximum information gain", r.InformationGainUpper, r.InformationGain, r.InformationGainGap)
	} else {
		add("Υ", "maximum information gain", r.InformationGain, nil, r.InformationGainGap)
	}
	add("d_eff", "effective dimension", r.EffectiveDimension, nil, nil)
	add("rank K_Z", "rank of the task kernel", r.RankTask, nil, nil)
	add("rank K_X", "rank of the arm kernel", r.RankArm, nil, nil)
	add("rank K", "rank of the joint kernel", r.RankJoint, nil, nil)
	add("d̃", "effective rank", r.RoundingDimension, nil, nil)
	certified("ρ_1", "ρ* of the first round", r.Rho1)
	certified("ρ*", "problem complexity", r.RhoStar)
	certified("ω", "principal dimension of all arms", r.Omega)
	add("T*", "characteristic time", known(r.CharacteristicTime), nil, nil)
	return t
}

func boundsFacts(r bounds.Report) KeyValues {
	kv := KeyValues{Caption: "Assumptions", Items: []KeyValue{
		{Key: "Problem", Value: fmt.Sprintf("%s (%s, %s)", r.Problem, plural(r.Tasks, "task"), plural(r.Arms, "arm"))},
		{Key: "Error probability, δ", Value: r.Delta},
		{Key: "Smallest gap, Δ_min", Value: r.DeltaMin, Unit: "reward units"},
		{Key: "Ridge, ξ", Value: r.Ridge},
		normFact(r),
		{Key: "Unit of rewards (largest noise scale)", Value: r.Unit},
		{Key: "Rounds of fixed confidence", Value: r.RoundsFC},
		{Key: "Rounds of fixed budget", Value: r.RoundsFB},
	}}
	kv.add("Accuracy, ε", known(r.Epsilon))
	kv.add("Budget per agent, T", known(r.Budget))
	return kv
}

// unmet reports whether the notes of r say that ξ violates the condition of a theorem, such as "Theorem 1".
func unmet(r bounds.Report, theorem string) bool {
	return slices.ContainsFunc(r.Notes, func(w engine.Warning) bool {
		return w.Kind == engine.WarnBoundsRidge && slices.Contains(w.Names, theorem)
	})
}

// normUnknown reports whether the norm of the rewards is unknown. If so, the conditions on ξ were not checked.
func normUnknown(r bounds.Report) bool {
	return slices.ContainsFunc(r.Notes, func(w engine.Warning) bool { return w.Kind == engine.WarnBoundsNorm })
}

// theoremSentence returns a sentence with the bound of Theorem 1. It says whether the theorem's condition on ξ holds,
// fails or is unknown.
func theoremSentence(r bounds.Report) string {
	samples := decimal(r.Theorem.FC, 0)
	times := ""
	if finite(r.LowerBoundSamples) {
		times = fmt.Sprintf(" (%s times as many)", decimal(r.Theorem.FC/r.LowerBoundSamples, 3))
	}
	switch {
	case normUnknown(r):
		return fmt.Sprintf("Whether Theorem 1 holds at this ξ is unknown; its formula gives %s%s for CoKernelFC", samples, times)
	case unmet(r, "Theorem 1"):
		return fmt.Sprintf("Theorem 1 gives no guarantee, because ξ does not meet its condition; its formula gives %s%s for CoKernelFC",
			samples, times)
	}
	return fmt.Sprintf("By Theorem 1, CoKernelFC needs at most %s%s, with probability at least 1 - δ", samples, times)
}

// conditionNote returns the note that some upper bounds are not guaranteed; "" if all are guaranteed.
func conditionNote(r bounds.Report) string {
	first, second := unmet(r, "Theorem 1"), unmet(r, "Theorem 2")
	const what = "%s at this ξ, which does not meet the condition of %s."
	switch {
	case normUnknown(r):
		return "Upper bounds hold only if ξ meets the conditions of the theorems. They were not checked, because the norm is unknown."
	case first && second:
		return fmt.Sprintf(what, "Upper bounds are not guaranteed", "either theorem")
	case first:
		return fmt.Sprintf(what, "Numbers of samples for fixed confidence are not guaranteed", "Theorem 1")
	case second:
		return fmt.Sprintf(what, "Budgets and error probabilities are not guaranteed", "Theorem 2")
	}
	return ""
}

// normFact returns the norm used by the bounds, as a fact.
func normFact(r bounds.Report) KeyValue {
	const key = "Bound on ‖θ*‖"
	if normUnknown(r) {
		return KeyValue{Key: key, Value: "unknown"}
	}
	return KeyValue{Key: key, Value: r.Norm, Unit: "normalised"}
}

// algorithm returns the name of the algorithm of a result, with its schedule.
func algorithm(r engine.Result) string { return scheduled(r.Algorithm, r.Schedule, " schedule") }
