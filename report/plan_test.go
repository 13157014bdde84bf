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
	} {
		if !strings.HasSuffix(c.got, c.want) {
			t.Errorf("got %q, want %q at its end", c.got, c.want)
		}
	}
}
