package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// protocolBlocks returns the blocks of a protocol.
func protocolBlocks(p campaign.Protocol) []Block {
	if p.Problem == nil {
		return nil
	}
	facts := KeyValues{Caption: "Fixed at the start"}
	facts.add("goal", lowest(p.Problem.Goal))
	for _, s := range p.Settings() {
		if s.Name == "schedule" && s.Value == "" {
			s.Value = engine.ScheduleTuned // the setting is "", which means the tuned schedule
		}
		if explain := settingWords[s.Name]; explain != nil {
			s.Value = explain(p, s.Value)
		}
		name := s.Name
		if name == "noise" && p.Problem.Noise.Bounds != nil {
			name = "rewards"
		}
		facts.Items = append(facts.Items, KeyValue{Key: name, Value: s.Value})
	}
	facts.Items = append(facts.Items, KeyValue{Key: "kernel", Value: shownKernel(p.Problem.Kernel.String())})
	out := []Block{Paragraph{Lead: true, Text: protocolSentence(p)}, facts}
	if p.Forecast == nil {
		return out
	}
	return append(out, ForecastBlocks(*p.Forecast)...)
}

// settingWords maps a setting to a function that explains its value.
var settingWords = map[string]func(p campaign.Protocol, value string) string{
	"delta": func(p campaign.Protocol, value string) string {
		if p.Mode == engine.ModeFB {
			return value + ", the error probability of answers that are tested"
		}
		return value + ", so the campaign stops at a probability of " + levelWords(p.Options.Delta) + " for all tasks together"
	},
	"noise": func(p campaign.Protocol, value string) string {
		if len(p.Problem.Noise.Scales) > 0 && p.Problem.Noise.Bounds == nil {
			if kind, scales, found := strings.Cut(value, " "); found && (kind == "task" || kind == "arm") {
				value = scales + ", estimated for each " + kind
			}
			value += ", standard deviation in reward units"
		}
		return value
	},
}

// levelWords returns 1 - delta in per cent.
func levelWords(delta float64) string { return fmt.Sprintf("%.6g\u00a0%%", 100*(1-delta)) }

// protocolSentence returns a sentence with the problem, the algorithm and the forecast of a protocol.
func protocolSentence(p campaign.Protocol) string {
	s := fmt.Sprintf("Protocol for the problem %s: %s, %s, %s.", p.Problem.Name, plural(p.Problem.V(), "task"),
		plural(p.Problem.N(), "option"), p.Algorithm)
	if p.Forecast == nil {
		return s
	}
	for _, r := range p.Forecast.Rows {
		if r.Chosen {
			s += fmt.Sprintf(" Forecast: %s measurements", rangeWords(r.Samples))
			if p.Capacity > 0 {
				s += fmt.Sprintf(", %s at %d per %s", timeWords(r.Time, p.Unit()), p.Capacity, strings.TrimSuffix(p.Unit(), "s"))
			}
			s += "."
			if n := len(r.Buys); n > 0 { // with a fixed budget, all methods take equally long
				right := bestWithin(p.Options.Epsilon)
				return s + fmt.Sprintf(" Then %s of the recommendations are expected to be %s, with a mean simple regret of %s.",
					percent(r.Buys[n-1].Right), right, decimal(r.Buys[n-1].Loss, 2))
			}
		}
	}
	return s + quickest(*p.Forecast)
}

// quickest returns a sentence that names a quicker method than the chosen one; "" if there is none.
func quickest(f campaign.Forecast) string {
	for _, r := range f.Rows {
		if r.Quickest && !r.Chosen {
			if r.Time.High == 0 {
				return fmt.Sprintf(" %s would need no further measurement. Its answers rest on %s.", r.Algorithm, r.Backing)
			}
			return fmt.Sprintf(" %s would be quicker: %s. Answers of %[1]s rest on %[3]s.",
				r.Algorithm, timeWords(r.Time, forecastUnit(f)), r.Backing)
		}
		if r.Quickest {
			return fmt.Sprintf(" %s is the quickest method in the forecast below. Its answers rest on %s.", r.Algorithm, r.Backing)
		}
	}
	return ""
}

// ForecastBlocks returns the blocks of a forecast: the expected samples, time and cost of a campaign.
func ForecastBlocks(f campaign.Forecast) []Block {
	unit := forecastUnit(f)
	caption := "Forecast before the first measurement"
	if f.WithTable() {
		caption = "Forecast, starting from the measurements of the table"
	}
	t := Table{
		Caption: caption,
		Columns: columns("algorithm Algorithm", "#samples Measurements", "#time Time ["+unit+"]", "#rounds Rounds", "#cost Cost",
			"backing Answers rest on"),
		Notes: []string{fmt.Sprintf(
			"Numbers are medians of %s. A range should contain the number of a real campaign with probability at least %.0f %%, "+
				"if the model is right (docs/explanation/forecasts.md). Simulated with %s.",
			plural(f.Runs, "simulated campaign"), 100*f.Share, f.Assumes)},
	}
	for _, r := range f.Rows {
		row := []any{r.Algorithm, rangeWords(r.Samples), rangeWords(r.Time), rangeWords(r.Rounds), nil, r.Backing}
		if r.Cost != (campaign.Range{}) {
			row[4] = rangeWords(r.Cost)
		}
		if r.Chosen {
			row[0] = r.Algorithm + " (this protocol)"
		}
		if r.Undecided > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s did not end within the limit of the simulation in %d of %s.", r.Algorithm, r.Undecided,
				plural(cmp.Or(r.Runs, f.Runs), "run")))
		}
		if r.Wrong > 0 && len(r.Buys) == 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("%s gave a wrong answer in %d of %s.", r.Algorithm, r.Wrong,
				plural(cmp.Or(r.Runs, f.Runs), "run")))
		}
		t.Rows = append(t.Rows, row)
	}
	out := []Block{t.withoutEmptyColumns()}
	for _, r := range f.Rows {
		if len(r.Buys) > 0 {
			out = append(out, boughtTable("Expected result by budget, after each round", r.Buys, "Means over tasks and simulated "+
				"runs. A recommendation is right if it is within epsilon of the best arm of its simulated run."))
		}
	}
	return append(out, remarks(f.Notes, false)...)
}

// boughtTable lists what each budget is expected to achieve.
func boughtTable(caption string, buys []campaign.Bought, note string) Table {
	return Table{
		Caption: caption,
		Columns: columns("#samples Measurements", "#right Right recommendations", "#loss Simple regret [reward units]"),
		Rows:    lists.Map(buys, func(b campaign.Bought) []any { return []any{b.Samples, Share(b.Right), b.Loss} }),
		Notes:   []string{note},
	}
}

// forecastUnit returns the unit of time in a forecast. It is rounds if the campaign has no capacity per unit of time.
func forecastUnit(f campaign.Forecast) string {
	if f.Capacity == 0 {
		return "rounds"
	}
	return f.Unit
}

// timeWords formats a range of times, for example "1 day" or "3 (2 to 5) days".
func timeWords(r campaign.Range, unit string) string {
	words := rangeWords(r)
	if words == "1" {
		unit = strings.TrimSuffix(unit, "s")
	}
	return words + " " + unit
}

// rangeWords formats a range, for example "430 (390 to 500)".
func rangeWords(r campaign.Range) string {
	word := func(x float64) string {
		if math.IsInf(x, 0) {
			return "no end"
		}
		return decimal(x, 3)
	}
	if r.Low == r.High {
		return word(r.Median)
	}
	if r.Low == math.Trunc(r.Low) && r.High == math.Trunc(r.High) { // round the median if both ends are whole numbers
		r.Median = math.Ceil(r.Median)
	}
	return fmt.Sprintf("%s (%s to %s)", word(r.Median), word(r.Low), word(r.High))
}

// CampaignReport returns the displays of a campaign's report: recommendations with their guarantee, protocol, actions of
// people with their reasons, rounds, corrections and hashes.
func CampaignReport(st campaign.Status, p campaign.Protocol, h campaign.History, files []campaign.File) []Display {
	p.Forecast = h.Start.Forecast
	out := []Display{{Value: st}}
	if st.Best != nil {
		out = append(out, Display{Value: answerFigure(*st.Best)})
	}
	if n := len(st.Days); n > 1 && st.Days[0].Open != st.Days[n-1].Open {
		x := "day"
		if st.Capacity == 0 {
			x = "round"
		}
		out = append(out, Display{Value: campaignFigure(st, PlotOptions{X: x, Y: []string{"open"}})})
	}
	out = append(out, Display{Value: p}, Display{Value: loggedTable(h)}, Display{Value: campaignRounds(h)})
	if t := correctedTable(h); len(t.Rows) > 0 {
		out = append(out, Display{Value: t})
	}
	return append(out, Display{Value: campaignHashes(h, files)})
}

// loggedTable lists the actions of people, with their reasons.
func loggedTable(h campaign.History) Table {
	t := Table{Caption: "Actions and their reasons",
		Columns: columns("#event Event", "at Time", "by Person", "what Action", "reason Reason")}
	for _, l := range h.Log {
		t.Rows = append(t.Rows, []any{int(l.Seq), l.At.Format("2006-01-02 15:04"), known(l.By), l.What, known(l.Reason)})
	}
	if len(t.Rows) == 0 {
		t.Notes = []string{"No pull was given back, no result corrected, no round closed and no protocol amended."}
	}
	return t
}

// campaignRounds returns a table with one row per round.
func campaignRounds(h campaign.History) Table {
	t := Table{Caption: "Rounds",
		Columns: columns("#round Round", "began Began", "#planned Planned", "#measured Measured", "ended Ended",
			"digest Digest of the plan", "build Planned by")}
	for _, r := range h.Rounds {
		ended := "complete"
		switch {
		case r.Closed != "":
			ended = "closed: " + r.Closed
		case !r.Over:
			ended = "open"
		}
		if r.Cut {
			ended += ", cut to the capacity"
		}
		t.Rows = append(t.Rows, []any{r.Round, r.Began.Format("2006-01-02 15:04"), r.Planned, r.Measured, ended, r.Digest, r.Build})
	}
	return t
}

// correctedTable lists corrected results with their old and new values.
func correctedTable(h campaign.History) Table {
	t := Table{Caption: "Corrected results",
		Columns: columns("id Id", "#round Round", "task Task", "arm Arm", "old Old", "#new New")}
	for _, m := range h.Measurements {
		if len(m.Old) == 0 {
			continue
		}
		old := lists.Map(m.Old, func(x float64) string { return decimal(x, 0) })
		t.Rows = append(t.Rows, []any{m.ID, m.Round, m.Task, m.Arm, strings.Join(old, ", then "), m.Reward})
	}
	return t
}

// campaignHashes lists the hashes of all files, of the protocol and of the last event.
func campaignHashes(h campaign.History, files []campaign.File) Table {
	t := Table{Caption: "Hashes (SHA-256)", Columns: columns("what Item", "sha256 Hash")}
	t.Rows = append(t.Rows, lists.Map(files, func(f campaign.File) []any { return []any{f.Path, f.SHA256} })...)
	t.Rows = append(t.Rows, []any{"problem and protocol", h.Start.Problem}, []any{fmt.Sprintf("last of %d events", h.Events), h.Hash})
	t.Notes = []string{"Each hash covers its event and the hash before it, so the last one covers all events. gonb-cope " +
		"campaign verify recomputes them."}
	return t
}
