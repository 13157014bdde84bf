package report

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Each estimate of the length of a campaign states on what it is based.
func TestDurationTable(t *testing.T) {
	s := campaign.Status{Name: "days", Algorithm: "CoBayesFC", Rounds: 1, Remaining: 1.2, TimeLeft: 1,
		Forecast: &campaign.ForecastRow{Samples: campaign.Range{Median: 570, Low: 182, High: 1524}, Time: campaign.Range{Median: 9, Low: 2, High: 30}}}
	rows := durationTable(s).Rows
	if len(rows) != 2 || rows[0][1] != "570 (182 to 1,524)" || rows[1][1] != "1.2" || !strings.Contains(rows[1][3].(string), "as if they were exact") {
		t.Errorf("rows %q", rows)
	}
	s.Renewed = &campaign.Renewal{Samples: campaign.Range{Median: 5, Low: 1, High: 52}, Runs: 20}
	if rows = durationTable(s).Rows; len(rows) != 2 || rows[1][1] != "5 (1 to 52)" || !strings.Contains(rows[1][3].(string), "results so far") {
		t.Errorf("rows %q with a new forecast", rows)
	}
}

// The status of a test gives each number of further samples its meaning, and has no second number for another probability.
func TestFurtherSamplesAreExplained(t *testing.T) {
	s := campaign.Status{Name: "days", Algorithm: "CoBayesFC", Forecast: &campaign.ForecastRow{Samples: campaign.Range{Median: 570, Low: 182, High: 1524}},
		Tasks: []campaign.TaskStatus{{Progress: engine.Progress{Task: "a", Leader: "x", Rival: "y", Gap: 1, Error: 1, Samples: 11}}},
		Best:  &answer.Answer{Picks: []answer.Pick{{Task: "a", Arm: "x", More: 5}}}}
	holds(t, campaignSentence(s), "Forecast for the whole campaign: 570 (182 to 1,524) measurements")
	holds(t, strings.Join(campaignTasks(s).Notes, " "), "as if today's estimates were exact")
	two := s
	two.TimeUnit, two.Tasks = "days", slices.Repeat(s.Tasks, 2)
	two.Tasks[0].TimeLeft = 3
	holds(t, strings.Join(campaignTasks(two).Notes, " "), "all together can need more days than one task alone")
	s.Best.Epsilon, s.Best.Picks[0].Within, s.Delta = 1, 0.98, 0.05
	why := func() bool {
		return slices.ContainsFunc(campaignBlocks(s), func(b Block) bool {
			x, ok := b.(Table)
			return ok && strings.Contains(strings.Join(x.Notes, " "), "A task can stay open although its probability here is above 95")
		})
	}
	if !why() {
		t.Error("an open task with a probability above the campaign's has no reason")
	}
	s.Best.Picks[0].Within = 0.9
	if why() {
		t.Error("a reason for a difference that the screen does not show")
	}
	reaches := func() bool {
		return slices.ContainsFunc(campaignBlocks(s), func(b Block) bool { x, ok := b.(Table); return ok && x.Caption == "To reach 95 %" })
	}
	if reaches() {
		t.Error("a second number of further measurements, for another probability")
	}
	if s.Result = (&engine.Result{Mode: engine.ModeFB}); !reaches() {
		t.Error("a fixed budget tests nothing, and has no number of further measurements")
	}
}

// The settings of a protocol say what delta and noise mean, and the kernel comes last. Medians of counts are whole numbers.
func TestSettingsAreExplained(t *testing.T) {
	q := example()
	p := campaign.Protocol{Problem: q, Algorithm: "CoBayesFC", Mode: engine.ModeFC, Options: engine.Options{Delta: 0.1}}
	facts := protocolBlocks(p)[1].(KeyValues).Items
	if last := facts[len(facts)-1].Key; last != "kernel" {
		t.Errorf("the last setting is %s", last)
	}
	for key, want := range map[string]string{"delta": "0.1, so the campaign stops at a probability of 90\u00a0% for all tasks together",
		"noise": "standard deviation in reward units"} {
		if !slices.ContainsFunc(facts, func(k KeyValue) bool { return k.Key == key && strings.Contains(fmt.Sprint(k.Value), want) }) {
			t.Errorf("%s: %+v", key, facts)
		}
	}
	if got := rangeWords(campaign.Range{Median: 28.5, Low: 12, High: 58}); got != "29 (12 to 58)" {
		t.Errorf("half a round: %s", got)
	}
}

// A task whose answer is the largest estimate has one leader: the pick of the belief, where that is shown.
func TestOneLeader(t *testing.T) {
	s := campaign.Status{Result: &engine.Result{Mode: engine.ModeFB},
		Tasks: []campaign.TaskStatus{{Progress: engine.Progress{Task: "a", Leader: "x", Rival: "y", Gap: 1, Error: 1, Samples: -1}}}}
	leads := func() bool {
		return slices.ContainsFunc(campaignTasks(s).Columns, func(c Column) bool { return c.Name == "leader" || c.Name == "gap" })
	}
	if !leads() {
		t.Error("no leader, and nothing else says which arm is believed best")
	}
	if s.Best = new(answer.Answer); leads() {
		t.Error("a leader beside the pick, which may be another arm")
	}
}

// A list of arms whose feature is called arm, too, has one column of the name: else no sheet of it could be read.
func TestColumnsOfAListDiffer(t *testing.T) {
	x := WorklistTable(campaign.List{Columns: []string{"arm", "dose"},
		Rows: []campaign.ListRow{{ID: "A", Arm: "a", X: []float64{0, 2}, Settings: []string{"a", "2"}}}})
	var names []string
	for _, c := range x.Columns {
		names = append(names, c.Name)
	}
	if want := "id round plate position task arm dose reward status note"; strings.Join(names, " ") != want || len(x.Rows[0]) != len(names) {
		t.Errorf("columns %q, row %v", names, x.Rows[0])
	}
}
