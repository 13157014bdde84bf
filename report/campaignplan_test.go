package report

import (
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
	holds(t, blocks[0].(Paragraph).Text, "CoBayesFC would be quicker: 1 (1 to 2) rounds.")
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
	holds(t, protocolBlocks(q)[0].(Paragraph).Text, "CoBayesFC would be quicker: 1 round.")
	f.Capacity, f.Rows[1].Time.High = 24, 2
	holds(t, protocolBlocks(q)[0].(Paragraph).Text, "CoBayesFC would be quicker: 1 (1 to 2) days.")
}
