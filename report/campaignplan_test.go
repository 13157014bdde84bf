package report

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Without a capacity the time of a forecast is in rounds, in the sentence as in the table; without a
// stated schedule the tuned one is used.
func TestProtocolUnits(t *testing.T) {
	p := try.Of(problem.PaperCase(1, 0.4))
	f := &campaign.Forecast{Unit: "days", Runs: 20, Rows: []campaign.ForecastRow{
		{Algorithm: "CoKernelFC", Chosen: true, Time: campaign.Range{Median: 3, Low: 2, High: 5}},
		{Algorithm: "CoBayesFC", Quickest: true, Time: campaign.Range{Median: 1, Low: 1, High: 2}},
	}}
	q := campaign.Protocol{Problem: p, Algorithm: "CoKernelFC", Mode: "fc", Forecast: f}
	blocks := protocolBlocks(q)
	if s := blocks[0].(Paragraph).Text; !strings.Contains(s, "CoBayesFC would be quicker: 1 (1 to 2) rounds.") {
		t.Errorf("without a capacity: %q", s)
	}
	var schedule any
	for _, i := range blocks[1].(KeyValues).Items {
		if i.Key == "schedule" {
			schedule = i.Value
		}
	}
	if schedule != "tuned" {
		t.Errorf("schedule %q", schedule)
	}
	f.Rows[1].Time = campaign.Range{Median: 1, Low: 1, High: 1}
	if s := protocolBlocks(q)[0].(Paragraph).Text; !strings.Contains(s, "CoBayesFC would be quicker: 1 round.") {
		t.Errorf("in one round for sure: %q", s)
	}
	f.Capacity, f.Rows[1].Time.High = 24, 2
	if s := protocolBlocks(q)[0].(Paragraph).Text; !strings.Contains(s, "CoBayesFC would be quicker: 1 (1 to 2) days.") {
		t.Errorf("with a capacity: %q", s)
	}
}
