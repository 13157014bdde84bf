package folder

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The unchanged settings of a sheet that comes back do not become notes, with any number of decimals. A changed setting
// is noted beside the result, and so are the laboratory's own columns.
func TestSettingsOfSheets(t *testing.T) {
	p := campaign.Protocol{Name: "days", Mode: engine.ModeFC, Algorithm: "CoTestFC", Options: engine.Options{Delta: 0.1}, Seed: 4}
	c, _ := beginTable(t, p, kernels.Identity{}, "task,arm,x_T/°C,x_solvent\nA,1,20.3,DMF\nA,2,80.7,\"2-MeTHF, dry\"\n", problem.LoadOptions{Standardize: true})
	l := asked(t, c, "Ann", 4)
	sheet := "id;task;arm;x_T/°C;x_solvent;reward;Waage\n"
	for k, r := range l.Rows {
		// 20.3 comes back as 20,3; of the first row the laboratory took another temperature
		setting := strings.Replace(r.Settings[0], ".", ",", 1)
		if k == 0 {
			setting = "50,5"
		}
		sheet += fmt.Sprintf("%s;A;%s;%s;\"%s\";%d,5;B\n", r.ID, r.Arm, setting, r.Settings[1], 10+k)
	}
	r, err := c.Tell(t.Context(), []byte(sheet), campaign.TellOptions{By: "Ann", Sheet: "Montag.csv"})
	if err != nil || r.Counts[campaign.RowNew] != 4 {
		t.Fatalf("%v: %+v", err, r)
	}
	if len(r.Lines) != 1 || r.Lines[0].Line != 2 || !strings.Contains(r.Lines[0].Text, "the row has x_T/°C=50,5 instead of") {
		t.Errorf("the receipt has %+v, but the changed setting must be said, and nothing else", r.Lines)
	}
	try.Of(closeBy(t.Context(), c, "enough", "Ann"))
	try.To(c.Advance(t.Context()))
	h := try.Of(c.History(t.Context()))
	// by id
	notes := map[string]string{}
	for _, m := range h.Measurements {
		notes[m.ID] = m.Note
	}
	for k, r := range l.Rows {
		want := "Waage=B"
		if k == 0 {
			want = "x_T/°C=50,5 instead of " + r.Settings[0] + "; Waage=B"
		}
		if notes[r.ID] != want {
			t.Errorf("note %q, want %q", notes[r.ID], want)
		}
	}
}
