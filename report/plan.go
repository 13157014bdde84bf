package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Plan returns the view of plan(...).
func (views) Plan(f plan.Forecast) view {
	if f.Budget != nil {
		return view{
			words: f.Words,
			blocks: func() []Block {
				out := []Block{Paragraph{Lead: true, Text: budgetSentence(f)}, budgetTable(f)}
				return append(append(out, remarks(f.Notes, false)...), budgetFigure(f))
			},
			axes:   fixedAxes("budget", "loss"),
			figure: func(PlotOptions) (Figure, error) { return budgetFigure(f), nil },
		}
	}
	return view{
		words:  f.Words,
		blocks: func() []Block { return planBlocks(f) },
		table:  func() (Table, error) { return needTable(f.Rows, f.Prices).without("method"), nil },
		axes:   func(string) (xs, ys []string) { return planAxes(f.Rows, f.Prices) },
		figure: func(o PlotOptions) (Figure, error) {
			return planFigure("Forecast for "+f.Problem, f.Rows, f.Prices, o)
		},
	}
}

// planBlocks returns the blocks of plan(...): the expected samples, rounds and costs of a run, for each method and gap.
func planBlocks(f plan.Forecast) []Block {
	lead := fmt.Sprintf("No forecast for %s.", f.Problem)
	if len(f.Rows) > 0 {
		lead = fmt.Sprintf("Forecast for the problem %s at δ = %s%s. %s", f.Problem, decimal(f.Delta, 0), withEpsilon(f.Epsilon), planSentence(f))
	}
	return needBlocks(lead, f.Notes, f.Rows, f.Prices, "Forecast of the samples if nothing has been measured yet")
}

// needBlocks returns the lead sentence, the notes and the two tables of a forecast.
func needBlocks(lead string, notes []engine.Warning, rows []plan.Row, prices plan.Prices, caption string) []Block {
	out := append([]Block{Paragraph{Lead: true, Text: lead}}, remarks(notes, false)...)
	runs := 0
	for _, r := range rows {
		runs = max(runs, r.Runs)
		if r.Undecided > 0 {
			what := "reached their limit without a decision and count"
			if r.Undecided == 1 {
				what = "reached its limit without a decision and counts"
			}
			out = append(out, Note{Warning: true,
				Text: fmt.Sprintf("%d of %s of %s %s as infinite.", r.Undecided, plural(r.Runs, "simulated run"), methodName(r), what)})
		}
	}
	if len(rows) == 0 {
		return out
	}
	only := func(names ...string) Table {
		return needTable(rows, prices).where(func(_ int, c Column) bool { return slices.Contains(names, c.Name) })
	}
	first := only("gap", "method", "rounds", "rounds_q90", "samples", "samples_total", "samples_total_q90", "ratio", "best")
	first.Caption = caption
	first.Notes = []string{fmt.Sprintf(
		"Means of %s; brackets are 95 %% intervals. Overlapping intervals do not show that two methods are equal: more runs "+
			"may still show a difference. Columns with 90 %% are 90 %% quantiles over the runs.", plural(runs, "simulated run"))}
	second := only("gap", "method", "cost", "cost_q90", "time", "time_q90", "busiest", "first_round", "messages", "bytes")
	second.Caption = "Cost and communication"
	if prices.SampleTime > 0 || prices.RoundTime > 0 {
		second.Notes = []string{"In every round, collaborating agents wait for the busiest one."}
	}
	return append(out, first.withoutEmptyColumns().withoutConstant("method"), second.withoutEmptyColumns().withoutConstant("method"))
}

// needTable returns the table of a forecast with all columns. Files omit its column method.
func needTable(rows []plan.Row, prices plan.Prices) Table {
	t := Table{
		Columns: columns("#gap Gap [reward units]", "method Method", "algorithm Algorithm", "schedule Schedule",
			"#delta δ", "#epsilon ε", "#runs Simulated runs", "#undecided Undecided", "#rounds Rounds",
			"#rounds_q90 Rounds, 90 % quantile", "#samples Samples per agent", "#samples_total Samples, all agents",
			"#samples_total_q90 All agents, 90 % quantile", "#ratio Times the lower bound", "#cost Cost",
			"#cost_q90 Cost, 90 % quantile", "#time Calendar time ["+prices.TimeUnit+"]", "#time_q90 Time, 90 % quantile ["+prices.TimeUnit+"]",
			"#busiest Samples of the busiest agent", "#first_round First round, all agents", "#messages Messages",
			"#bytes Communication [bytes]", "best Remark"),
	}
	for _, r := range rows {
		t.Rows = append(t.Rows, []any{
			known(r.Gap), scheduled(r.Algorithm, r.Schedule, ""), r.Algorithm, known(r.Schedule), r.Delta,
			known(r.Epsilon), r.Runs, r.Undecided,
			r.Rounds, r.RoundsQ90, engine.Interval{Mean: r.SamplesPerAgent, CI95: r.SamplesPerAgentCI95}, r.SamplesTotal, r.SamplesTotalQ90,
			known(r.RatioToLower), known(r.Cost), known(r.CostQ90), known(r.Time), known(r.TimeQ90),
			r.SamplesBusiest, r.FirstRound, known(r.Messages), known(r.Bytes), best(r, prices),
		})
	}
	return t
}

func best(r plan.Row, prices plan.Prices) any {
	least, quick := bestWords(prices)
	var words []string
	if r.Cheapest {
		words = append(words, least)
	}
	if r.Quickest {
		words = append(words, quick)
	}
	return known(strings.Join(words, ", "))
}

// bestWords returns the words for the rows with the least cost and the shortest time. Without prices the cost is the
// samples; without durations the time is the rounds.
func bestWords(prices plan.Prices) (least, quick string) {
	least, quick = "fewest samples", "fewest rounds"
	if prices.Sample > 0 || prices.Round > 0 {
		least = "cheapest"
	}
	if prices.SampleTime > 0 || prices.RoundTime > 0 {
		quick = "quickest"
	}
	return least, quick
}

// planSentence returns a sentence that names the cheapest and the quickest method for each gap.
func planSentence(f plan.Forecast) string {
	least, quick := bestWords(f.Prices)
	var parts []string
	for _, gap := range gapsOf(f.Rows) {
		words := ""
		if gap > 0 {
			words = fmt.Sprintf("with a gap of %s, ", decimal(gap, 0))
		}
		of := func(best string, r plan.Row) {
			words += fmt.Sprintf("%s: %s, about %s per agent in %s%s", best, methodName(r), amount(r.SamplesPerAgent, "sample"),
				amount(r.Rounds, "round"), price(r, f.Prices))
		}
		for _, r := range f.Rows {
			switch {
			case r.Gap == gap && r.Cheapest && r.Quickest:
				of(least+" and "+quick, r)
			case r.Gap == gap && r.Cheapest:
				of(least, r)
			}
		}
		for _, r := range f.Rows {
			if r.Gap == gap && r.Quickest && !r.Cheapest {
				words += "; "
				of(quick, r)
			}
		}
		if !slices.ContainsFunc(f.Rows, func(r plan.Row) bool { return r.Gap == gap && (r.Cheapest || r.Quickest) }) {
			words += "no method decided in every simulated run"
		}
		parts = append(parts, upper(words))
	}
	return strings.Join(parts, ". ") + "."
}

// price returns the cost and the time of a row as text, as far as prices and durations are given.
func price(r plan.Row, prices plan.Prices) string {
	var words []string
	if r.Cost > 0 {
		words = append(words, "cost "+decimal(r.Cost, 0))
	}
	if r.Time > 0 {
		words = append(words, decimal(r.Time, 3)+" "+cmp.Or(prices.TimeUnit, "units of time"))
	}
	if len(words) == 0 {
		return ""
	}
	return " (" + strings.Join(words, ", ") + ")"
}

// gapsOf lists the different gaps of rows, in order of first occurrence.
func gapsOf(rows []plan.Row) []float64 {
	var gaps []float64
	for _, r := range rows {
		gaps = lists.Add(gaps, r.Gap)
	}
	return gaps
}

// scheduled returns the name of an algorithm; if it has a schedule, the schedule and the given word follow in parentheses.
func scheduled(algorithm, schedule, word string) string {
	if schedule == "" {
		return algorithm
	}
	return algorithm + " (" + schedule + word + ")"
}

func methodName(r plan.Row) string { return scheduled(r.Algorithm, r.Schedule, " schedule") }

func withEpsilon(epsilon float64) string {
	if epsilon == 0 {
		return ""
	}
	return ", ε = " + decimal(epsilon, 0)
}

// amount returns a mean count with its noun as text.
func amount(x float64, noun string) string {
	if x == 1 {
		return "1 " + noun
	}
	return decimal(x, 3) + " " + noun + "s"
}

// budgetSentence returns a sentence on the expected regret at the end of the budget, and on the knee of the curve.
func budgetSentence(f plan.Forecast) string {
	b := f.Budget
	first, last := b.Points[0], b.Points[len(b.Points)-1]
	spent := ""
	if f.Prices.Column != "" {
		spent = fmt.Sprintf(" at a total cost of %s (%s)", decimal(last.Cost, 4), f.Prices.Column)
	}
	s := fmt.Sprintf("After %s%s on %s, the expected simple regret is %s per task", plural(int(last.Samples), "further measurement"), spent,
		f.Problem, decimal(last.Loss, 3))
	if b.Simulated == "" {
		s += fmt.Sprintf(" (%s now)", decimal(first.Loss, 3))
	}
	s += fmt.Sprintf(", and on average a recommendation is then %s with probability %s.", bestWithin(f.Epsilon), percent(last.Within))
	if b.Knee >= 0 {
		k := b.Points[b.Knee]
		s += fmt.Sprintf(" A sensible budget (the knee of the curve) is %s", plural(int(k.Samples), "measurement"))
		switch along := f.Prices.Along(k); {
		case k.Cost > 0 && along == k.Cost:
			s += fmt.Sprintf(", a cost of %s", decimal(k.Cost, 4))
		case k.Time > 0 && along == k.Time:
			s += fmt.Sprintf(", %s %s", decimal(k.Time, 4), cmp.Or(f.Prices.TimeUnit, "units of time"))
		}
		s += fmt.Sprintf(": expected loss %s. Later measurements reduce it much less.", decimal(k.Loss, 3))
	}
	return s
}

// carriedOn is the note below forecasts that start from the present posterior.
const carriedOn = "Computed from the measurements so far; each next one reduces the expected loss most%s. Kernel and noise " +
	"keep their present estimates. Loss and probability are means over tasks."

// budgetTable returns a table with one row per point of the curve.
func budgetTable(f plan.Forecast) Table {
	b := f.Budget
	t := Table{
		Caption: "Expected loss by number of measurements",
		Columns: []Column{
			number("samples", "Measurements", ""), number("cost", "Cost", f.Prices.Column), number("time", "Calendar time", f.Prices.TimeUnit),
			{Name: "loss", Title: "Expected loss", Unit: rewardUnits, Align: Right, Digits: 3},
			number("within", withinTitle(f.Epsilon), ""), text("knee", ""),
		},
	}
	for k, p := range b.Points {
		mark := any(nil) // nil if the curve has no knee
		switch {
		case k == b.Knee:
			mark = "knee"
		case b.Knee >= 0:
			mark = ""
		}
		t.Rows = append(t.Rows, []any{p.Samples, known(p.Cost), known(p.Time), p.Loss, Share(p.Within), mark})
	}
	if b.Simulated == "" {
		perCost := ""
		if f.Prices.Column != "" {
			perCost = " for its cost"
		}
		t.Notes = []string{fmt.Sprintf(carriedOn, perCost)}
	} else {
		t.Notes = []string{fmt.Sprintf("Means over tasks and %s of %s, after each round, simulated with %s.", plural(b.Runs, "run"),
			b.Algorithm, b.Simulated)}
	}
	return t.withoutEmptyColumns()
}

// budgetFigure draws the curve with its knee.
func budgetFigure(f plan.Forecast) Figure {
	b := f.Budget
	out := Figure{Title: "Expected loss against measurements, " + f.Problem, XLabel: "further measurements",
		YLabel: "expected loss (" + unitOf(rewardUnits, f.Words) + ")", NonNegative: true}
	switch {
	case f.Prices.Column != "":
		out.XLabel = "cost (" + f.Prices.Column + ")"
	case f.Prices.Sample > 0 || f.Prices.Round > 0:
		out.XLabel = "cost"
	case f.Prices.SampleTime > 0 || f.Prices.RoundTime > 0:
		out.XLabel = "time"
		if f.Prices.TimeUnit != "" {
			out.XLabel += " (" + f.Prices.TimeUnit + ")"
		}
	}
	var s Series
	for _, p := range b.Points {
		s.Add(f.Prices.Along(p), p.Loss)
	}
	out.Series, out.Repeats = []Series{s}, true
	if b.Knee >= 0 {
		out.Lines = []ReferenceLine{{Label: "knee", At: s.X[b.Knee], Vertical: true}}
	}
	return out
}
