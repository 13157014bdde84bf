package report

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// TestBoundsSayWhatTheirConditionsAre: reports state no promise of a theorem whose condition on ξ fails or was
// not checked, and do not show an unknown norm as 0.
func TestBoundsSayWhatTheirConditionsAre(t *testing.T) {
	ridge := func(theorem string) engine.Warning {
		return engine.Warning{Kind: engine.WarnBoundsRidge, Names: []string{theorem}, Numbers: []float64{3, 2, 1}}
	}
	for _, c := range map[string]struct {
		notes         []engine.Warning
		norm          float64
		want, without []string
	}{
		"holds": {nil, 2, []string{"By Theorem 1, CoKernelFC needs at most 500 (10 times as many)", "‖θ*‖ 2"},
			[]string{"does not meet", "unknown"}},
		"norm unknown": {[]engine.Warning{{Kind: engine.WarnBoundsNorm}}, 0,
			[]string{"Whether Theorem 1 holds at this ξ is unknown", "gives 500 (10 times as many)", "‖θ*‖ unknown", "Upper bounds hold only if ξ meets"},
			[]string{"promises that", "‖θ*‖ 0"}},
		"theorem 1 unmet": {[]engine.Warning{ridge("Theorem 1")}, 2,
			[]string{"Theorem 1 gives no guarantee, because ξ does not meet its condition", "fixed confidence are not guaranteed"}, []string{"promises that", "Budgets"}},
		"theorem 2 unmet": {[]engine.Warning{ridge("Theorem 2")}, 2,
			[]string{"By Theorem 1, CoKernelFC needs", "Budgets and error probabilities are not guaranteed"}, []string{"either theorem"}},
		"both unmet": {[]engine.Warning{ridge("Theorem 1"), ridge("Theorem 2")}, 2,
			[]string{"Theorem 1 gives no guarantee", "condition of either theorem"}, []string{"promises that"}},
	} {
		r := bounds.Report{Tasks: 2, Arms: 6, Delta: 0.05, Ridge: 1, Norm: c.norm, LowerBoundSamples: 50, Notes: c.notes, Theorem: bounds.Theorem{FC: 500, FBBudget: 70}}
		var b strings.Builder
		try.To(Text(&b, Document{Displays: []Display{{Value: r}}}, TextOptions{Width: 400}))
		text := strings.Join(strings.Fields(b.String()), " ")
		holds(t, text, c.want...)
		lacks(t, text, c.without...)
	}
}
