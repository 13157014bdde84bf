package report

import (
	"math"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/plan"
)

// Methods that do not always decide have infinite means, and sentences say so in words.
func TestEndlessForecast(t *testing.T) {
	row := plan.Row{Gap: 0.1, Algorithm: "CoTestFC", Runs: 20, Undecided: 3, SamplesPerAgent: math.Inf(1), SamplesTotal: math.Inf(1), SamplesTotalQ90: 1200, Tasks: 2}
	for _, c := range []struct{ got, want string }{
		{planBlocks(plan.Forecast{Problem: "p", Delta: 0.05, Rows: []plan.Row{row}})[0].(Paragraph).Text, "With a gap of 0.1, no method decided in every simulated run."},
		{whatIfBlocks(plan.Comparison{Problem: "p", Rows: []plan.Row{row}})[0].(Paragraph).Text, "CoTestFC left at least one task undecided in 3 of 20 simulated runs; 90 % of the runs need at most 1,200 samples in all."},
	} {
		if !strings.HasSuffix(c.got, c.want) {
			t.Errorf("got %q, want %q at its end", c.got, c.want)
		}
	}
}

// Bars have lengths in proportion where all of them can be seen so.
func TestAlternativesFromZero(t *testing.T) {
	rows := []plan.Row{{Change: "as it is", SamplesPerAgent: 30}, {Change: "δ = 0.01", SamplesPerAgent: 40}}
	for _, c := range []struct {
		most float64
		log  bool
	}{{40, false}, {4000, true}} {
		rows[1].SamplesPerAgent = c.most
		f, err := planFigure("p", rows, plan.Prices{}, PlotOptions{X: "change", Y: []string{"samples"}})
		if err != nil || f.LogX != c.log {
			t.Errorf("30 beside %g: logarithmic %v, %v", c.most, f.LogX, err)
		}
	}
}
