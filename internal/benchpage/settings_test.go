package benchpage

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// The settings of an arm are below its name, as the table has it: units, text and all, and of
// features that only say yes or no their names.
func TestSettings(t *testing.T) {
	columns := []string{"x_T/°C", "x_solvent", "x_P_Cy", "x_P_tBu"}
	rows := []pull{
		{ListRow: campaign.ListRow{X: []float64{70.5, 1, 1, 0}, Settings: []string{"70.5", "DMF", "1", "0"}}},
		{ListRow: campaign.ListRow{X: []float64{0, 0, 0, 1}, Settings: []string{"0", "2-MeTHF, dry", "0", "1"}}},
	}
	plates := []plate{{Rows: rows[:1]}, {Rows: rows[1:]}}
	for i, want := range []string{"T/°C 70.5 · solvent DMF · P_Cy", "T/°C 0 · solvent 2-MeTHF, dry · P_tBu"} {
		if got := settings(columns, plates, rows[i].ListRow); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	// names of arms that are made of their settings say them already
	named := campaign.ListRow{Arm: "Sorte=Merlin, N kg/ha=0", X: []float64{1, 0, 8}, Settings: []string{"Merlin", "0", "8.5"}}
	if got := settings([]string{"Sorte", "N kg/ha", "pH"}, []plate{{Rows: []pull{{ListRow: named}}}}, named); got != "pH 8.5" {
		t.Errorf("settings that the name has: %q", got)
	}
	if got := settings(columns, plates, campaign.ListRow{}); got != "" {
		t.Errorf("a row without settings: %q", got)
	}
}

func TestLead(t *testing.T) {
	status := campaign.TaskStatus{Estimate: 92.6927}
	status.Gap, status.Error = 8.21, 9.04
	if got, want := lead(status), "leads with 92.69, ahead by 8.2 ± 9"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	status.Error = math.Inf(1)
	if got, want := lead(status), "leads with 92.69"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
