package campaign

import (
	"encoding/json"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The assumptions of a forecast go to JSON and back.
func TestAssumptionsRead(t *testing.T) {
	var f Forecast
	// losses are stated for late results alone, so that the shares of both are named and the sentence says how to state them
	f.Assumes = Assumptions{{Kind: NoteRewardsDrawn}, {Kind: NoteOwnPart, Names: []string{"CoBayesFC"}}, {Kind: NoteLosses, Names: []string{"weeks"}, Numbers: []float64{0, 0.2, 0.1, 0.1, 2}}}
	text := try.Of(json.Marshal(f))
	var back Forecast
	try.To(json.Unmarshal(text, &back))
	want := "rewards drawn from the kernel as prior, whose variances are in squared reward units (gaps= plans for a lead of the best arm instead). CoBayesFC estimates how far arms differ from the kernel. In its runs, about half of the variance between the arms of a task is independent for each arm (from none to twice that). Up to 20 % of measurements fail, and 10 % of results are up to 2 weeks late (failed= and late= state the shares)"
	if got := back.Assumes.String(); got != want || len(back.Assumes) != 3 {
		t.Errorf("got %q of %s, want %q", got, text, want)
	}
}
