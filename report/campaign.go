package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/campaign"
)

// Protocol shows protocol(...): what a campaign keeps to, and what it is expected to take.
func (views) Protocol(p campaign.Protocol) view {
	return view{blocks: func() []Block { return protocolBlocks(p) }}
}

// Campaign shows how far a campaign is.
func (views) Campaign(s campaign.Status) view {
	return view{
		blocks: func() []Block { return campaignBlocks(s) },
		axes: func(string) (xs, ys []string) {
			return []string{"day", "round"}, []string{"open", "decided", "samples"}
		},
		figure: func(o PlotOptions) (Figure, error) { return campaignFigure(s, o), nil },
	}
}

// Worklist shows ask(...): what to measure.
func (views) Worklist(l campaign.List) view {
	return view{blocks: func() []Block { return worklistBlocks(l) }}
}

// Receipt shows tell(...): what became of the rows.
func (views) Receipt(r campaign.Receipt) view {
	return view{blocks: func() []Block { return receiptBlocks(r) }}
}

// protocolBlocks shows protocol(...).
func protocolBlocks(p campaign.Protocol) []Block {
	if p.Problem == nil {
		return nil
	}
	facts := KeyValues{Caption: "Fixed from the start on"}
	for _, s := range p.Settings() {
		facts.Items = append(facts.Items, KeyValue{Key: s.Name, Value: s.Value})
	}
	out := []Block{Paragraph{Lead: true, Text: protocolSentence(p)}, facts}
	if p.Forecast == nil {
		return out
	}
	out = append(out, ForecastBlocks(*p.Forecast)...)
	return out
}

// protocolSentence says what the protocol is of, and what it is expected to take.
func protocolSentence(p campaign.Protocol) string {
	s := fmt.Sprintf("Protocol for %s: %s of %s, %s.", p.Problem.Name, plural(p.Problem.V(), "task"), plural(p.Problem.N(), "arm"), p.Algorithm)
	if p.Forecast == nil {
		return s
	}
	for _, r := range p.Forecast.Rows {
		if r.Chosen {
			s += fmt.Sprintf(" Expected: %s samples", rangeWords(r.Samples))
			if p.Capacity > 0 {
				s += fmt.Sprintf(", %s %s at %d a %s", rangeWords(r.Time), p.Unit(), p.Capacity, strings.TrimSuffix(p.Unit(), "s"))
			}
			s += "."
		}
	}
	return s + quickest(*p.Forecast)
}

// quickest names the quicker method where it is not the one chosen.
func quickest(f campaign.Forecast) string {
	for _, r := range f.Rows {
		if r.Quickest && !r.Chosen {
			return fmt.Sprintf(" %s would be quicker, %s %s; its answers are backed by %s.", r.Algorithm, rangeWords(r.Time), f.Unit, r.Backing)
		}
		if r.Quickest {
			return fmt.Sprintf(" It is the quickest of those compared; its answers are backed by %s.", r.Backing)
		}
	}
	return ""
}

// ForecastBlocks shows what campaigns are expected to take.
func ForecastBlocks(f campaign.Forecast) []Block {
	unit := f.Unit
	if f.Capacity == 0 {
		unit = "rounds"
	}
	t := Table{
		Caption: "Forecast, before anything is measured",
		Columns: []Column{text("algorithm", "Algorithm"), number("samples", "Samples", ""), number("time", "Time", unit), number("rounds", "Rounds", ""), number("cost", "Cost", ""), text("backing", "Answers backed by")},
		Notes:   []string{fmt.Sprintf("Median of %s, and their range: a later run is expected within it %.0f times of 100. Simulated with %s.", plural(f.Runs, "run"), 100*f.Share, f.Assumes)},
	}
	undecided := ""
	for _, r := range f.Rows {
		row := []any{r.Algorithm, rangeWords(r.Samples), rangeWords(r.Time), rangeWords(r.Rounds), nil, r.Backing}
		if r.Cost != (campaign.Range{}) {
			row[4] = rangeWords(r.Cost)
		}
		if r.Chosen {
			row[0] = r.Algorithm + " (this protocol)"
		}
		if r.Undecided > 0 {
			undecided = fmt.Sprintf("%d of %d runs of %s came to no end within the limit of the simulation.", r.Undecided, f.Runs, r.Algorithm)
		}
		t.Rows = append(t.Rows, row)
	}
	if undecided != "" {
		t.Notes = append(t.Notes, undecided)
	}
	out := []Block{t.withoutEmptyColumns()}
	for _, n := range f.Notes {
		out = append(out, Note{Text: upper(n) + "."})
	}
	return out
}

// rangeWords writes a range as "430 (390 to 500)".
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
	return fmt.Sprintf("%s (%s to %s)", word(r.Median), word(r.Low), word(r.High))
}

// campaignBlocks shows how far a campaign is.
func campaignBlocks(s campaign.Status) []Block {
	out := []Block{Paragraph{Lead: true, Text: campaignSentence(s)}}
	if s.Guarantee != "" {
		g := "Answers: " + s.Guarantee + "."
		if len(s.Assumes) > 0 {
			g += " It also assumes that " + strings.Join(s.Assumes, "; that ") + "."
		}
		out = append(out, Paragraph{Text: g})
	}
	for _, w := range append(append([]string{}, s.Differs...), s.Warnings...) {
		out = append(out, Note{Warning: true, Text: upper(w) + "."})
	}
	if len(s.Tasks) > 0 {
		out = append(out, campaignTasks(s))
	}
	if len(s.People) > 0 {
		t := Table{Caption: "Who has what", Columns: []Column{text("by", "Person"), number("pulls", "Pulls without result", ""), number("overdue", "Overdue", ""), text("until", "Due"), text("ids", "Ids")}}
		for _, d := range s.People {
			t.Rows = append(t.Rows, []any{person(d.By), d.Pulls, d.Overdue, due(d.Until), join(d.IDs, 4)})
		}
		out = append(out, t.withoutEmptyColumns())
	}
	for _, n := range s.Notes {
		out = append(out, Note{Text: upper(n) + "."})
	}
	return out
}

func person(by string) string {
	if by == "" {
		return "(no name)"
	}
	return by
}

// due writes when pulls must be told.
func due(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.Local().Format("2006-01-02 15:04")
}

// campaignSentence says how far the campaign is and what it still takes.
func campaignSentence(s campaign.Status) string {
	done := 0
	for _, t := range s.Tasks {
		if t.Decided {
			done++
		}
	}
	out := fmt.Sprintf("%s, %s: %d of %s decided after %s and %s samples.", s.Name, s.Algorithm, done, plural(len(s.Tasks), "task"), plural(s.Rounds, "round"), decimal(float64(s.Samples), 0))
	if s.Name == "" {
		out = upper(out[2:])
	}
	if s.Done {
		return out + fmt.Sprintf(" Nothing is left to measure (%s).", s.Ended)
	}
	if o := s.Open; o != nil {
		out += fmt.Sprintf(" Round %d: %d of %d measured, %d handed out", o.Round, o.Measured, o.Planned, o.Out)
		if o.Overdue > 0 {
			out += fmt.Sprintf(" (%d overdue)", o.Overdue)
		}
		out += fmt.Sprintf(", %d with nobody", o.Left)
		if o.Next > 0 {
			out += fmt.Sprintf("; next plate %d of %d", o.Next, o.Plates)
		}
		out += "."
	}
	if s.Remaining > 0 && isFinite(s.Remaining) {
		out += fmt.Sprintf(" About %s samples more", decimal(twoFigures(s.Remaining), 0))
		if s.TimeLeft > 0 && isFinite(s.TimeLeft) {
			out += fmt.Sprintf(", %s %s", decimal(twoFigures(s.TimeLeft), 0), s.TimeUnit)
		}
		if f := s.Forecast; f != nil {
			out += fmt.Sprintf("; at the start %s %s were expected", rangeWords(f.Time), s.TimeUnit)
		}
		out += "."
	}
	return out
}

// campaignTasks returns a row for each task.
func campaignTasks(s campaign.Status) Table {
	t := Table{
		Caption: "Tasks",
		Columns: []Column{
			text("task", "Task"), text("status", "Status"), text("leader", "Leader"), text("rival", "Hardest rival"), number("gap", "Leader ahead by", "reward units"),
			number("arms_open", "Arms open", ""), number("measured", "Measured", ""), number("further_samples", "Further samples by itself", ""), number("further_time", "Further time", s.TimeUnit), text("out", "Arms out last"),
		},
	}
	for _, k := range s.Tasks {
		row := []any{k.Task, progressStatus(k.Progress), k.Leader, orAbsent(k.Rival), nil, k.Open, k.Samples, nil, nil, nil}
		if !k.Decided && isFinite(k.Gap) && isFinite(k.Error) {
			row[4] = MeanError{Mean: k.Gap, StandardError: k.Error}
		}
		if !k.Decided && k.Progress.Samples > 0 && isFinite(k.Progress.Samples) {
			row[7] = twoFigures(k.Progress.Samples)
			if isFinite(k.TimeLeft) && k.TimeLeft > 0 {
				row[8] = twoFigures(k.TimeLeft)
			}
		}
		if n := len(k.Out); n > 0 {
			e := k.Out[n-1]
			row[9] = fmt.Sprintf("%s in round %d (%s)", e.Arm, e.Round, e.Rule)
		}
		t.Rows = append(t.Rows, row)
	}
	return t.withoutEmptyColumns()
}

// campaignFigure draws what was open, decided or measured over time.
func campaignFigure(s campaign.Status, o PlotOptions) Figure {
	y := o.Y[0]
	f := Figure{Title: "Campaign " + s.Name, XLabel: s.TimeUnit, YLabel: map[string]string{"open": "arms that may be an answer", "decided": "tasks decided", "samples": "samples"}[y]}
	if o.X == "round" || s.Capacity == 0 {
		f.XLabel = "round"
	}
	series := Series{Name: y}
	for _, d := range s.Days {
		at := float64(d.Time)
		if o.X == "round" {
			at = float64(d.Round)
		}
		series.X = append(series.X, at)
		series.Y = append(series.Y, float64(map[string]int{"open": d.Open, "decided": d.Decided, "samples": d.Samples}[y]))
	}
	f.Series = []Series{series}
	return f
}

// worklistBlocks shows a list for the laboratory.
func worklistBlocks(l campaign.List) []Block {
	if len(l.Rows) == 0 {
		return []Block{Paragraph{Lead: true, Text: upper(l.Note) + "."}}
	}
	lead := fmt.Sprintf("%s to measure, round %d", plural(len(l.Rows), "pull"), l.Round)
	if l.By != "" {
		lead += ", for " + l.By
	}
	if l.Again {
		lead += ": the list of before, which is not told yet"
	}
	lead += "."
	if at, ok := due(l.Until).(string); ok {
		lead += " Due " + at + "."
	}
	return []Block{Paragraph{Lead: true, Text: lead}, WorklistTable(l)}
}

// WorklistTable returns the list as a table for spreadsheets, with columns to fill in.
func WorklistTable(l campaign.List) Table {
	t := Table{Columns: []Column{text("id", "Id"), number("round", "Round", ""), number("plate", "Plate", ""), number("position", "Position", ""), text("task", "Task"), text("arm", "Arm")}}
	for _, c := range l.Columns {
		t.Columns = append(t.Columns, number(c, c, ""))
	}
	t.Columns = append(t.Columns, number("reward", "Reward", ""), text("status", "Status"), text("note", "Note"))
	for _, r := range l.Rows {
		row := []any{r.ID, r.Round, nil, nil, r.Task, r.Arm}
		if r.Plate > 0 {
			row[2], row[3] = r.Plate, r.Position
		}
		for k := range l.Columns {
			row = append(row, r.X[k])
		}
		var reward any
		if r.Reward != nil {
			reward = *r.Reward
		}
		t.Rows = append(t.Rows, append(row, reward, orAbsent(r.Status), orAbsent(r.Note)))
	}
	return t
}

// receiptBlocks shows what became of the rows of a sheet.
func receiptBlocks(r campaign.Receipt) []Block {
	lead := "Recorded: "
	if !r.Taken {
		lead = "Nothing recorded: "
	}
	lead += receiptCounts(r) + "."
	switch {
	case r.Over && r.Round > 0:
		lead += fmt.Sprintf(" Round %d is over.", r.Round)
	case r.Round > 0:
		lead += fmt.Sprintf(" Round %d waits for %s.", r.Round, plural(r.Left, "pull"))
	}
	out := []Block{Paragraph{Lead: true, Text: lead}}
	if r.Refused() && !r.Taken {
		out = append(out, Note{Warning: true, Text: "Some rows are wrong, so that none was taken. Mend them, or take the good ones alone (take_good=true, --take-good)."})
	}
	for _, n := range r.Notes {
		out = append(out, Note{Text: upper(n.String()) + "."})
	}
	if len(r.Lines) > 0 {
		t := Table{Columns: []Column{number("line", "Line", ""), text("id", "Id"), text("kind", "What"), text("text", "Why")}}
		for _, l := range r.Lines {
			var line any
			if l.Line > 0 {
				line = l.Line
			}
			t.Rows = append(t.Rows, []any{line, orAbsent(l.ID), l.Kind, l.Text})
		}
		out = append(out, t.withoutEmptyColumns())
	}
	return out
}

// receiptCounts lists how many rows were what.
func receiptCounts(r campaign.Receipt) string {
	var parts []string
	for _, kind := range []string{campaign.RowNew, campaign.RowKnown, campaign.RowLate, campaign.RowFailed, campaign.RowWaiting, campaign.RowConflict, campaign.RowUnknown, campaign.RowBad, campaign.RowSure} {
		if n := r.Counts[kind]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	if len(parts) == 0 {
		return "no rows with results"
	}
	return strings.Join(parts, ", ")
}
