package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Protocol returns the view of protocol(...): the settings of a campaign and its forecast.
func (views) Protocol(p campaign.Protocol) view {
	out := view{blocks: func() []Block { return protocolBlocks(p) }}
	if p.Problem != nil {
		out.words = p.Problem.Words()
	}
	return out
}

// Campaign returns the view of the progress and the recommendations of a campaign.
func (views) Campaign(s campaign.Status) view {
	return view{
		words:  s.Words,
		blocks: func() []Block { return campaignBlocks(s) },
		axes: func(string) (xs, ys []string) {
			return []string{"day", "round"}, []string{"open", "decided", "samples"}
		},
		figure: func(o PlotOptions) (Figure, error) { return campaignFigure(s, o), nil },
	}
}

// Worklist returns the view of ask(...): the next measurements.
func (views) Worklist(l campaign.List) view {
	return view{
		words:  l.Words,
		blocks: func() []Block { return worklistBlocks(l) },
		table:  func() (Table, error) { return WorklistTable(l), nil }, // an empty list needs it, because its blocks have no table
	}
}

// Receipt returns the view of the recorded and the rejected rows.
func (views) Receipt(r campaign.Receipt) view {
	return view{blocks: func() []Block { return receiptBlocks(r) }}
}

// campaignBlocks returns the blocks of a campaign: its progress and its recommendations.
func campaignBlocks(s campaign.Status) []Block {
	out := []Block{Paragraph{Lead: true, Text: campaignSentence(s)}}
	if s.Guarantee != "" {
		g := guaranteeText(s.Guarantee) + "."
		if answeredTasks(s) == 0 && !nothingTested(s) {
			g = "No answer is decided yet. " + strings.Replace(g, "Guarantee: ", "When a task is decided, its guarantee will be ", 1)
		}
		if len(s.Assumes) > 0 {
			words := lists.Map(s.Assumes, campaign.Note.String)
			g += " It also assumes that " + strings.Join(words, "; that ") + "."
		}
		out = append(out, Paragraph{Text: g})
	}
	out = slices.Concat(out, remarks(s.Differs, true), remarks(s.Warnings, true))
	if t := durationTable(s); !s.Done && len(t.Rows) > 1 {
		out = append(out, t)
	}
	if len(s.Tasks) > 0 {
		out = append(out, campaignTasks(s))
	}
	if s.Best != nil {
		t := pickTable(*s.Best)
		t.Caption = "Recommendation"
		if s.Open != nil {
			t.Caption += " without the results of the open round"
			t.Notes = append(t.Notes, "Results of the open round are used only when the round ends, "+
				"so that a lucky value cannot end the campaign early.")
		}
		if others := otherLeaders(s); len(others) > 0 {
			t.Notes = append(t.Notes, fmt.Sprintf("In %s the leader above is another option. The leader uses the protocol's kernel; "+
				"the recommendation averages all kernels that explain the measurements.", join(others, 4)))
		}
		if len(s.Tasks) > 0 && slices.ContainsFunc(s.Tasks, openButSure(s)) {
			level := levelWords(s.Delta)
			t.Notes = append(t.Notes, fmt.Sprintf("A task can stay open although its probability here is above %s. The stopping rule "+
				"needs %s for all tasks together, and keeps the kernel fixed at the start. This table uses newly fitted kernels.",
				level, level))
		}
		basis := s.Best.Basis
		if s.Best.Undetermined != nil {
			basis = answerSentence(*s.Best) + " " + basis
		}
		out = append(append(out, remarks(s.Best.Warnings, true)...), t, Paragraph{Text: basis})
		if more := moreTable(*s.Best); len(more.Rows) > 0 && modeOfRun(s) == engine.ModeFB { // tests list their own further samples
			more.Notes = nil
			out = append(out, more)
		}
	}
	if len(s.People) > 0 {
		t := Table{Caption: "Open lists",
			Columns: columns("by Person", "#pulls Measurements without result", "#overdue Overdue", "until Due", "ids Ids")}
		for _, d := range s.People {
			t.Rows = append(t.Rows, []any{cmp.Or(d.By, "(no name)"), d.Pulls, d.Overdue, due(d.Until), join(d.IDs, 4)})
		}
		out = append(out, t.withoutEmptyColumns())
	}
	return append(out, remarks(s.Notes, false)...)
}

// nothingTested reports whether the answers of all tasks are estimates without a test.
func nothingTested(s campaign.Status) bool {
	untested := lists.Count(s.Tasks, func(t campaign.TaskStatus) bool { return byEstimate(t.Progress, modeOfRun(s)) })
	return untested > 0 && untested == len(s.Tasks)
}

// openButSure returns a function that reports whether a task is undecided although its recommendation is good enough with
// probability 1 - delta or more.
func openButSure(s campaign.Status) func(campaign.TaskStatus) bool {
	return func(k campaign.TaskStatus) bool {
		return !k.Decided && slices.ContainsFunc(s.Best.Picks, func(p answer.Pick) bool { return p.Task == k.Task && p.Within >= 1-s.Delta })
	}
}

// otherLeaders returns the tasks for which the table shows a leading arm that is not the recommended arm.
func otherLeaders(s campaign.Status) (tasks []string) {
	for _, k := range s.Tasks {
		differs := func(p answer.Pick) bool { return p.Task == k.Task && p.Arm != k.Leader }
		if k.Leader != "" && !byEstimate(k.Progress, modeOfRun(s)) && slices.ContainsFunc(s.Best.Picks, differs) {
			tasks = append(tasks, k.Task)
		}
	}
	return tasks
}

// modeOfRun returns the mode of a campaign; "" if it has no result yet.
func modeOfRun(s campaign.Status) string {
	if s.Result == nil {
		return ""
	}
	return s.Result.Mode
}

// due formats the time by which results must be recorded; nil for the zero time.
func due(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.Local().Format("2006-01-02 15:04")
}

// answeredTasks counts the tasks with a decided answer.
func answeredTasks(s campaign.Status) int {
	return lists.Count(s.Tasks, func(t campaign.TaskStatus) bool { return t.Decided })
}

// campaignSentence returns a sentence on a campaign's progress and forecast.
func campaignSentence(s campaign.Status) string {
	progress := ""
	if !nothingTested(s) {
		progress = fmt.Sprintf("%d of %s decided after ", answeredTasks(s), plural(len(s.Tasks), "task"))
	}
	out := fmt.Sprintf("%s, %s: %s%s and %s measurements.",
		s.Name, s.Algorithm, progress, plural(s.Rounds, "finished round"), decimal(float64(s.Samples), 0))
	if s.Name == "" {
		out = upper(out[2:])
	}
	if s.Done {
		return out + fmt.Sprintf(" The campaign is finished (%s).", s.Ended)
	}
	if o := s.Open; o != nil {
		out += " " + openSentence(*o)
	}
	switch f, r := s.Forecast, s.Renewed; {
	case r != nil:
		out += fmt.Sprintf(" New forecast: %s further measurements", rangeWords(r.Samples))
		if s.Capacity > 0 {
			out += fmt.Sprintf(", %s %s", rangeWords(r.Time), r.Unit)
		}
		out += "."
	case f != nil && s.Rounds == 0:
		out += fmt.Sprintf(" Forecast for the whole campaign: %s measurements, %s %s.", rangeWords(f.Samples), rangeWords(f.Time), s.TimeUnit)
	}
	return out
}

// durationTable compares the estimates of how long a campaign takes, and on what each estimate is based.
func durationTable(s campaign.Status) Table {
	t := Table{Caption: "How long it takes",
		Columns: columns("estimate Estimate", "samples Measurements", "time "+upper(s.TimeUnit), "basis Based on")}
	add := func(cells ...any) { t.Rows = append(t.Rows, cells) }
	if f := s.Forecast; f != nil {
		add("forecast at the start (whole campaign)", rangeWords(f.Samples), rangeWords(f.Time), "what was known before the campaign")
	}
	if r := s.Renewed; r != nil {
		add("forecast of today (remaining measurements)", rangeWords(r.Samples), rangeWords(r.Time),
			"results so far, as if the campaign's kernel were right")
	}
	if s.Remaining > 0 && isFinite(s.Remaining) && s.Renewed == nil && s.Rounds > 0 {
		time := absent
		if s.TimeLeft > 0 && isFinite(s.TimeLeft) {
			time = decimal(twoFigures(s.TimeLeft), 0)
		}
		add("extrapolation (remaining measurements)", decimal(twoFigures(s.Remaining), 0), time, "today's estimates, as if they were exact")
	}
	if s.Forecast != nil && s.Rounds > 0 {
		t.Notes = []string{"During the first third of the forecast measurements, plan with the forecast made at the start. " +
			"Later, run campaign status --forecast."}
	}
	return t
}

// openSentence returns a sentence on the open round.
func openSentence(o campaign.OpenRound) string {
	out := fmt.Sprintf("Round %d has %s: %d measured, %d handed out", o.Round, plural(o.Planned, "measurement"), o.Measured, o.Out)
	if o.Overdue > 0 {
		out += fmt.Sprintf(" (%d overdue)", o.Overdue)
	}
	if o.Plates > 1 && o.Next > 0 {
		out += fmt.Sprintf("; the next plate is %d of %d", o.Next, o.Plates)
	}
	out += "."
	if o.Unassigned > 0 {
		are := "are"
		if o.Unassigned == 1 {
			are = "is"
		}
		out += fmt.Sprintf(" %d %s not handed out yet: run gonb-cope campaign ask.", o.Unassigned, are)
	}
	return out
}

// campaignTasks returns a table with one row per task.
func campaignTasks(s campaign.Status) Table {
	t := Table{
		Caption: "Tasks",
		Columns: columns("task Task", "status Status", "leader Leader", "rival Hardest rival", "#gap Lead [reward units]",
			"#arms_open Options open", "#measured Measured in finished rounds", "#beside From tables, or late",
			"#further_samples Still needed for this task", "#further_time Further "+s.TimeUnit+", this task alone",
			"out Last option excluded"),
	}
	if s.Goal == problem.GoalMin {
		t.Caption = "Tasks; the goal is the lowest reward"
	}
	mode, further, leads := modeOfRun(s), false, false
	for _, k := range s.Tasks {
		row := []any{k.Task, progressStatus(k.Progress, mode), known(k.Leader), known(k.Rival), nil, k.Open, k.Samples,
			known(k.Beside), nil, nil, nil}
		if s.Best != nil && byEstimate(k.Progress, mode) { // the next table has more precise recommendations, with intervals
			row[2], row[3] = nil, nil
		}
		if row[2] != nil && !k.Decided && isFinite(k.Gap) && isFinite(k.Error) {
			half := 1.96 * k.Error
			row[4] = engine.Interval{Mean: k.Gap, CI95: [2]float64{k.Gap - half, k.Gap + half}}
		}
		if !k.Decided && k.Progress.Samples > 0 && isFinite(k.Progress.Samples) {
			row[8] = twoFigures(k.Progress.Samples)
			if isFinite(k.TimeLeft) && k.TimeLeft > 0 {
				row[9] = twoFigures(k.TimeLeft)
			}
		}
		if n := len(k.Out); n > 0 {
			e := k.Out[n-1]
			row[10] = fmt.Sprintf("%s in round %d (%s)", e.Arm, e.Round, e.Rule)
		}
		further, leads = further || row[8] != nil, leads || row[4] != nil
		t.Rows = append(t.Rows, row)
	}
	if leads {
		t.Notes = []string{"Lead: the leader minus its hardest rival. Brackets are 95 % intervals with the kernel and the noise scale of the " +
			"campaign. The command `best` estimates kernel and noise from the table, so its intervals differ."}
	}
	if further {
		t.Notes = append(t.Notes, "Still needed: a rough number of further measurements, as if today's estimates were exact. The target is "+
			levelWords(s.Delta)+" for all tasks together.")
		if len(s.Tasks) > 1 && slices.ContainsFunc(t.Rows, func(row []any) bool { return row[9] != nil }) {
			t.Notes = append(t.Notes, "The tasks share the capacity, so all together can need more "+s.TimeUnit+" than one task alone.")
		}
	}
	return t.withoutEmptyColumns()
}

// campaignFigure draws the measure o.Y of a campaign over time: open tasks, decided tasks or measurements.
func campaignFigure(s campaign.Status, o PlotOptions) Figure {
	y := o.Y[0]
	f := Figure{Title: "Campaign " + s.Name, XLabel: s.TimeUnit,
		YLabel: map[string]string{"open": "arms not excluded", "decided": "tasks decided", "samples": "measurements"}[y]}
	if o.X == "round" || s.Capacity == 0 {
		f.XLabel = "round"
	}
	series := Series{Name: y}
	for _, d := range s.Days {
		at := float64(d.Time)
		if o.X == "round" {
			at = float64(d.Round)
		}
		series.Add(at, float64(map[string]int{"open": d.Open, "decided": d.Decided, "samples": d.Samples}[y]))
	}
	f.Series = []Series{series}
	return f
}

// worklistBlocks returns the blocks of a list of measurements to make.
func worklistBlocks(l campaign.List) []Block {
	if len(l.Rows) == 0 {
		return []Block{Paragraph{Lead: true, Text: upper(l.Note.String()) + "."}}
	}
	lead := fmt.Sprintf("%s to make, round %d", plural(len(l.Rows), "measurement"), l.Round)
	if l.By != "" {
		lead += ", for " + l.By
	}
	if l.Again {
		lead += ": your last list, whose results are still missing"
	}
	lead += "."
	if at, ok := due(l.Until).(string); ok {
		lead += " Due " + at + "."
	}
	l.Chain = "" // only files show it
	return []Block{Paragraph{Lead: true, Text: lead}, WorklistTable(l)}
}

// WorklistTable returns the list as a table for a spreadsheet, with empty columns for results.
func WorklistTable(l campaign.List) Table {
	t := Table{Rows: make([][]any, len(l.Rows))}
	add := func(c Column, of func(campaign.ListRow) any) { t.add(c, func(i int) any { return of(l.Rows[i]) }) }
	add(text("id", "Id"), func(r campaign.ListRow) any { return r.ID })
	add(number("round", "Round", ""), func(r campaign.ListRow) any { return r.Round })
	add(number("plate", "Plate", ""), func(r campaign.ListRow) any { return known(r.Plate) })
	add(number("position", "Position", ""), func(r campaign.ListRow) any { return known(r.Position) })
	if len(l.Rows) > 0 && l.Rows[0].Block > 0 {
		add(number("block", "Block", ""), func(r campaign.ListRow) any { return r.Block })
	}
	add(text("task", "Task"), func(r campaign.ListRow) any { return r.Task })
	add(text("arm", "Arm"), func(r campaign.ListRow) any { return r.Arm })
	for k, c := range l.Columns {
		names := slices.ContainsFunc(l.Rows, func(r campaign.ListRow) bool { return k < len(r.Settings) && !isNumeral(r.Settings[k], r.X[k]) })
		switch {
		case slices.Contains(t.ColumnNames(), c): // the column name exists already: a feature has the name of the arm column
		case names:
			add(text(c, c), func(r campaign.ListRow) any { return r.Settings[k] })
		default:
			add(number(c, c, ""), func(r campaign.ListRow) any {
				if k < len(r.Settings) && r.Settings[k] != CellText(r.X[k]) { // the data write the number differently, for example as 150.0
					return l.Dialect.Number(r.Settings[k])
				}
				return r.X[k]
			})
		}
	}
	for _, c := range l.Blocks {
		if !slices.Contains(t.ColumnNames(), c) {
			add(text(c, c), func(campaign.ListRow) any { return nil }) // an empty column to fill in
		}
	}
	add(number("reward", "Reward", ""), func(r campaign.ListRow) any { return pointed(r.Reward) })
	add(text("status", "Status"), func(r campaign.ListRow) any { return known(r.Status) })
	add(text("note", "Note"), func(r campaign.ListRow) any { return known(r.Note) })
	if len(l.Rows) > 0 && l.Rows[0].Works != nil { // a number with two decimals: the file has the data's dialect
		add(worksColumn, func(r campaign.ListRow) any { return math.Round(100**r.Works) / 100 })
	}
	if l.Chain != "" {
		add(text(campaign.ChainColumn, "Chain"), func(campaign.ListRow) any { return l.Chain })
	}
	return t
}

// isNumeral reports whether text parses to the number x. It is false for the name of a category such as 12.10, for which x
// is another number.
func isNumeral(text string, x float64) bool {
	v, err := strconv.ParseFloat(text, 64)
	return err == nil && math.Abs(v-x) <= 1e-9*math.Abs(v)
}

// receiptBlocks returns the blocks of a receipt: the recorded and the rejected rows of a sheet.
func receiptBlocks(r campaign.Receipt) []Block {
	good, wrong := r.Words()
	lead := "Recorded: " + good + "."
	switch {
	case r.Taken && wrong != "":
		lead += " Not recorded: " + wrong + "."
	case r.Taken:
	case wrong != "":
		lead = "Nothing was recorded, because some rows are wrong: " + wrong + "."
		if good != "" {
			lead += " The other rows can be recorded: " + good + "."
		}
	case good != "":
		lead = "Nothing to record: " + good + "."
	default:
		lead = "Nothing to record: the file has no rows with results."
	}
	switch {
	case r.Over && r.Round > 0:
		lead += fmt.Sprintf(" Round %d is over.", r.Round)
	case r.Round > 0:
		lead += fmt.Sprintf(" Round %d waits for %s.", r.Round, plural(r.Remaining, "measurement"))
	}
	if r.Taken && r.Chain != "" {
		lead += " This code identifies the results so far: " + r.Chain +
			". Keep it: campaign verify --head then detects any change of them."
	}
	out := []Block{Paragraph{Lead: true, Text: lead}}
	if r.Refused() && !r.Taken {
		text := "Correct the rows below, or add --take-good (take_good=true) to record only the other rows."
		if r.Counts[campaign.RowSure] > 0 {
			text += " If unlikely values are right, add --sure (sure=true)."
		}
		out = append(out, Note{Warning: true, Text: text})
	}
	for _, n := range r.Notes {
		text := n.String()
		if r.Sheet == "" || !strings.HasPrefix(text, r.Sheet) { // a file name does not get a capital letter
			text = upper(text)
		}
		out = append(out, Note{Text: text + "."})
	}
	if len(r.Lines) > 0 {
		t := Table{Columns: columns("#line Line", "id Id", "kind Result", "text Reason"),
			Rows: lists.Map(r.Lines, func(l campaign.ReceiptLine) []any { return []any{known(l.Line), known(l.ID), l.Kind, l.Text} })}
		out = append(out, t.withoutEmptyColumns())
	}
	return out
}
