package report

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
)

// unmet reports whether ξ is known not to meet the condition of a theorem, such as "Theorem 1", as the notes say.
func unmet(r bounds.Report, theorem string) bool {
	return slices.ContainsFunc(r.Notes, func(w engine.Warning) bool {
		return w.Kind == engine.WarnBoundsRidge && slices.Contains(w.Names, theorem)
	})
}

// normUnknown reports whether nobody knows a norm, so that the conditions on ξ were not looked at.
func normUnknown(r bounds.Report) bool {
	return slices.ContainsFunc(r.Notes, func(w engine.Warning) bool { return w.Kind == engine.WarnBoundsNorm })
}

// theoremClause says what Theorem 1 promises, or of what value its bound is where its condition on ξ
// does not hold or was not looked at.
func theoremClause(r bounds.Report) string {
	samples := decimal(r.Theorem.FC, 0)
	times := ""
	if finite(r.LowerBoundSamples) {
		times = fmt.Sprintf(" (%s times as many)", decimal(r.Theorem.FC/r.LowerBoundSamples, 3))
	}
	switch {
	case normUnknown(r):
		return fmt.Sprintf("; whether Theorem 1 holds at this ξ is unknown, and its formula gives %s%s for CoKernelFC", samples, times)
	case unmet(r, "Theorem 1"):
		return fmt.Sprintf("; Theorem 1 promises nothing, because ξ does not meet its condition (its formula gives %s%s for CoKernelFC)",
			samples, times)
	}
	return fmt.Sprintf("; Theorem 1 promises that CoKernelFC needs at most %s%s", samples, times)
}

// conditionNote says below the table of bounds which of its upper bounds promise nothing; empty where all do.
func conditionNote(r bounds.Report) string {
	first, second := unmet(r, "Theorem 1"), unmet(r, "Theorem 2")
	const what = "%s at this ξ, which does not meet the condition of %s."
	switch {
	case normUnknown(r):
		return "Upper bounds hold only if ξ meets the conditions of the theorems, which nobody looked at because the norm is unknown."
	case first && second:
		return fmt.Sprintf(what, "Upper bounds promise nothing", "either theorem")
	case first:
		return fmt.Sprintf(what, "Numbers of samples for fixed confidence promise nothing", "Theorem 1")
	case second:
		return fmt.Sprintf(what, "Budgets and error probabilities promise nothing", "Theorem 2")
	}
	return ""
}

// normFact shows the norm that bounds go by.
func normFact(r bounds.Report) KeyValue {
	const key = "Bound on ‖θ*‖"
	if normUnknown(r) {
		return KeyValue{Key: key, Value: "unknown"}
	}
	return KeyValue{Key: key, Value: r.Norm, Unit: "normalised"}
}
