package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A result is shown in the words of the user's table; files keep the names by which a problem knows its arms.
func TestWordsOfTheTable(t *testing.T) {
	r := engine.Result{
		Mode: engine.ModeFC, Algorithm: "CoTestFC", Status: engine.StatusDecided, Runs: 1, Asked: 1,
		Words: problem.Words{Task: []string{"Site"}, Arm: []string{"Variety", "N kg/ha"}, Reward: "Yield t/ha"},
		Answers: []engine.Answer{{
			Task: "Moor", Decided: true, Arm: "Variety=Merlin, N kg/ha=80", Leader: "Variety=Merlin, N kg/ha=80", Estimate: 7.5,
			Candidates: []string{"Variety=Merlin, N kg/ha=80", "Variety=Falke, N kg/ha=0"},
		}},
	}
	var text, csv bytes.Buffer
	try.To(Text(&text, Document{Displays: []Display{{Value: r}}}, TextOptions{}))
	for _, want := range []string{"Site Answer", "Merlin, 80", "Estimated Yield t/ha", "2: Merlin, 80; Falke, 0"} {
		if got := strings.Join(strings.Fields(text.String()), " "); !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
	lacks(t, text.String(), "Variety=")
	try.To(CSV(&csv, r))
	holds(t, csv.String(), `"Variety=Merlin, N kg/ha=80"`)
	f := try.Of(FigureOf(r, PlotOptions{}))
	if f.YLabel != "Site" || f.XLabel != "estimated Yield t/ha" || f.Categories[0] != "Moor: Merlin, 80" {
		t.Errorf("a figure of %q over %q with %q", f.XLabel, f.YLabel, f.Categories)
	}
}
