package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Result returns the view of fc(...) or fb(...).
func (views) Result(r engine.Result) view {
	return view{
		words:  r.Words,
		blocks: func() []Block { return resultBlocks(r) },
		table:  func() (Table, error) { return answerRows(r), nil },
		bars:   "task",
		axes: func(x string) (xs, ys []string) {
			switch x {
			case "", "task":
				ys = []string{"estimate"}
			case "round":
				ys = []string{"alive", "pulls", "rho", "open"}
			default:
				ys = []string{"estimate", "alive", "pulls", "rho", "open"}
			}
			return []string{"task", "round"}, ys
		},
		figure: func(o PlotOptions) (Figure, error) {
			if o.X == "round" && o.Y[0] == "open" {
				return openFigure(r), nil
			}
			if o.X == "round" {
				return traceFigure(r, o.Y[0]), nil
			}
			return estimateFigure(r), nil
		},
	}
}

// resultsView shows a list of results.
func resultsView(rs []engine.Result) view {
	return view{
		blocks:  func() []Block { return []Block{Compare(rs)} },
		table:   func() (Table, error) { return labelledRows(rs), nil },
		axes:    func(string) (xs, ys []string) { return []string{"algorithm"}, measureNames(rs) },
		figure:  func(o PlotOptions) (Figure, error) { return resultsFigure(rs, o.Y) },
		bars:    "algorithm",
		several: true,
	}
}

// guaranteeText splits a guarantee such as "proven: all decided answers ..." into two sentences.
func guaranteeText(guarantee string) string {
	if kind, claim, found := strings.Cut(guarantee, ": "); found {
		guarantee = kind + ". " + upper(claim)
	}
	return "Guarantee: " + guarantee
}

// resultBlocks returns the blocks of fc(...) and fb(...): summary, guarantee, warnings, answers, settings, rounds and
// eliminations.
func resultBlocks(r engine.Result) []Block {
	out := []Block{Paragraph{Text: resultSentence(r), Lead: true}}
	if s := reliability(r); s != "" {
		out = append(out, Paragraph{Text: s})
	}
	warnings := resultWarnings(r)
	if r.Guarantee != "" {
		out = append(out, Paragraph{Text: guaranteeText(r.Guarantee) + "."})
	}
	first, others := warned(warnings)
	out = slices.Concat(out, first, []Block{answersTable(r)}, others, []Block{resultFacts(r)})
	if len(r.Trace) > 0 {
		out = append(out, traceTable(r))
	}
	if t, long := openTable(r); long {
		out = append(out, t)
	}
	if len(r.Eliminations) > 0 {
		out = append(out, eliminationsTable(r))
	}
	return out
}

// resultSentence returns the summary: decisions, number of samples, and their ratio to the lower bound.
func resultSentence(r engine.Result) string {
	who := algorithm(r)
	if slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool {
		return w.Kind == engine.WarnTestsAlone || w.Kind == engine.WarnTestsAloneMany
	}) {
		who += ", run without sharing,"
	}
	if simulated(r) {
		who = "Simulation: " + who
	}
	samples := cell(notNegative(r.SamplesPerAgent), 0) + " samples"
	if samples == "1 samples" {
		samples = "1 sample"
	}
	s := fmt.Sprintf("%s %s, with %s per agent in %s.", who, verdict(r), samples, rounds(r))
	if r.RatioToLowerBound > 0 {
		s += fmt.Sprintf(" This is %s times the lower bound of %s.", decimal(r.RatioToLowerBound, 3), decimal(r.LowerBoundSamples, 0))
	}
	return s
}

// simulated reports whether the rewards were simulated, so that the truly best arms are known.
func simulated(r engine.Result) bool {
	return stated(r, engine.SettingAgents) == nil && slices.ContainsFunc(r.Answers, func(a engine.Answer) bool { return a.Best != "" })
}

// verdict returns the predicate of resultSentence. It counts each task without a decided answer as undecided.
func verdict(r engine.Result) string {
	undecided := lists.Where(r.Answers, func(a engine.Answer) bool { return !a.Decided })
	open := lists.Map(undecided, func(a engine.Answer) string { return a.Task })
	n := len(r.Answers)
	why := " (" + r.Status.Words() + ")"
	if r.Status == engine.StatusSamples {
		why = " (the next round would exceed the sample limit)"
	}
	if r.Status == engine.StatusInterrupted && r.Runs > 0 {
		why = "" // the first run is complete; the interrupt affected later ones
	}
	switch {
	case n == 0:
		return "has no answers" + why
	case untested(r):
		return "recommends an arm for " + each(n)
	case len(open) > 0:
		first := ""
		if r.Runs > 1 { // answers of the first run
			first = " in its first run"
		}
		return fmt.Sprintf("decided %d of %s%s and left %s undecided%s", n-len(open), plural(n, "task"), first, join(open, 8), why)
	case r.Status == engine.StatusEpsilon:
		return fmt.Sprintf("decided %s to within %s of the best arm", each(n), decimal(r.Epsilon, 0))
	case n <= 4 && r.Runs == 1:
		answer := func(a engine.Answer) string { return r.Words.ArmLabel(a.Arm) + " for " + r.Words.TaskLabel(a.Task) }
		return "decided on " + join(lists.Map(r.Answers, answer), 4)
	}
	return "decided " + each(n)
}

// reliability returns a sentence that compares the error rate of the runs with the allowed error probability. It returns
// "" for a single run, or if the true means are unknown.
func reliability(r engine.Result) string {
	var parts []string
	switch {
	case r.Runs == 0 && len(r.Trace) > 0:
		parts = append(parts, fmt.Sprintf(
			"No run finished%s. Answers, samples and rounds come from the unfinished first run; explain(…) shows its progress.",
			interruptedBy(r)))
	case r.Runs < r.Asked:
		parts = append(parts, fmt.Sprintf("Only %d of %s finished%s.", r.Runs, plural(r.Asked, "run"), interruptedBy(r)))
	}
	picks := untested(r)
	if r.Undecided.Count > 0 && r.Runs > 1 && !picks {
		parts = append(parts, fmt.Sprintf("%d of %s left at least one task undecided.", r.Undecided.Count, plural(r.Undecided.Runs, "run")))
	}
	if picks && r.TaskErrors.Runs > 0 {
		parts = append(parts, regretSentence(r))
	} else if r.Mode == engine.ModeFC && r.DecidedErrors.Runs > 1 && r.DecidedTasks == 0 {
		parts = append(parts, "No run decided a task, so there are no answers to count errors of.")
	} else if e := r.Errors; e.Runs > 0 {
		what := "had a wrong answer"
		switch other := "other than the arm with the " + strings.ToLower(highest(r.Goal)) + " mean of the table"; {
		case r.Sampled && r.Mode == engine.ModeFB:
			what = "recommended, for at least one task, an arm " + other
		case r.Sampled:
			what = "answered, for at least one task, with an arm " + other
		case r.Mode == engine.ModeFB:
			what = "recommended a wrong arm for at least one task"
		}
		if r.Mode == engine.ModeFB && r.DecidedErrors.Runs > 0 && r.Delta > 0 {
			d := r.DecidedErrors
			parts = append(parts, fmt.Sprintf("In all runs together, %d of %s were decided. %d of %s had a wrong decided answer: "+
				"error rate %s (allowed: δ = %s).", r.DecidedTasks, plural(r.Runs*len(r.Answers), "answer"), d.Count, plural(d.Runs, "run"),
				interval(d.Rate, d.CI95[0], d.CI95[1]), decimal(r.Delta, 0)))
		}
		s := fmt.Sprintf("%d of %s %s", e.Count, plural(e.Runs, "run"), what)
		if e.Runs > 1 {
			s += ": error rate " + interval(e.Rate, e.CI95[0], e.CI95[1])
		}
		if r.Mode == engine.ModeFC && r.Delta > 0 {
			s += fmt.Sprintf(" (allowed: δ = %s)", decimal(r.Delta, 0))
		}
		parts = append(parts, s+"."+tooFew(e.Runs))
	}
	if r.Errors.Runs > 0 && r.Drawn {
		from := "posterior of the measurements"
		if r.FromKernel {
			from = "kernel"
		}
		parts = append(parts, "Each run drew its true means from the "+from+"; errors and regret refer to these means.")
		if !r.FromKernel {
			parts = append(parts, "For the answer to the measurements, write best(p).")
		}
	}
	if r.Errors.Runs > 0 && r.Sampled {
		parts = append(parts, "These means are measurements, so an arm can lead by luck. best(p) recommends arms by their posterior.")
	}
	return strings.Join(parts, " ")
}

// untested reports whether a fixed-budget result contains only untested recommendations. This is so if no task is decided
// and no recommendation has a bound on its simple regret.
func untested(r engine.Result) bool {
	return r.Mode == engine.ModeFB && len(r.Answers) > 0 &&
		!slices.ContainsFunc(r.Answers, func(a engine.Answer) bool { return a.Decided || !math.IsInf(a.Margin, 1) })
}

// regretSentence returns a sentence on how often the recommendations were right, and on their simple regret.
func regretSentence(r engine.Result) string {
	right := "the best arm of their task"
	switch {
	case r.Sampled:
		right = "the arm with the " + strings.ToLower(highest(r.Goal)) + " mean of the table"
	case r.Epsilon > 0:
		right = "within " + decimal(r.Epsilon, 0) + " of the best arm of their task"
	}
	e := r.TaskErrors
	s := fmt.Sprintf("%d of %s are %s", e.Runs-e.Count, plural(e.Runs, "recommendation"), right)
	if r.Runs > 1 {
		s += ": rate " + interval(1-e.Rate, 1-e.CI95[1], 1-e.CI95[0])
	}
	return s + fmt.Sprintf(". The simple regret is %s on average.", cell(notNegative(r.Regret), 0)) + tooFew(r.Runs)
}

// tooFew returns a sentence, preceded by a blank, if the runs are too few for an error rate; "" otherwise.
func tooFew(runs int) string {
	if runs > 1 {
		return ""
	}
	return " One run is too few for an error rate: write runs=20 or more."
}

// highest returns the word for the best mean: "highest", or "lowest" for the goal min.
func highest(goal string) string {
	if goal == problem.GoalMin {
		return "Lowest"
	}
	return "Highest"
}

// interruptedBy returns why runs are missing.
func interruptedBy(r engine.Result) string {
	if r.Status == engine.StatusInterrupted {
		return ": interrupted"
	}
	return ""
}

func each(tasks int) string {
	if tasks == 1 {
		return "the task"
	}
	return "each of " + plural(tasks, "task")
}

// rounds returns the number of rounds as text, for example "4 rounds" or "3.9 rounds on average (4 at most)".
func rounds(r engine.Result) string {
	if r.Rounds == float64(r.MaxRounds) {
		return plural(r.MaxRounds, "round")
	}
	return fmt.Sprintf("%s rounds on average (%d at most)", decimal(r.Rounds, 3), r.MaxRounds)
}

// answersTable returns a table with one row per task. Its column Answer has only decided answers; undecided tasks have a
// best estimate. Recommendations of a fixed budget are not called answers.
func answersTable(r engine.Result) Table {
	t := Table{
		Caption: "Answers",
		Columns: columns("task Task", "arm Answer", "decided Decided", "leader Leader", "#estimate Estimated reward",
			"#margin Regret at most", "candidates Still possible", "best True best", "correct Leader is the best arm"),
	}
	guess := "The leader has the best estimate. For an undecided task the data do not establish that it is best."
	if r.Mode == engine.ModeFB {
		t.Caption, t.Columns[3].Title, t.Columns[6].Title = "Recommendations", "Recommended", "Not excluded by a test"
		t.Columns[8].Title = "Is the best arm"
		guess = "If Decided is no, the data do not exclude other arms."
	}
	if r.Epsilon > 0 {
		t.Columns[8].Title = upper(bestWithin(r.Epsilon))
	}
	if r.Drawn {
		t.Columns[7].Title = "True best (simulated)"
	}
	if r.Sampled {
		t.Columns[7].Title, t.Columns[8].Title = highest(r.Goal)+" mean", "Is this arm"
		if r.Epsilon > 0 {
			t.Columns[8].Title = "Within " + decimal(r.Epsilon, 0) + " of it"
		}
	}
	open, picks := false, untested(r)
	for _, a := range r.Answers {
		margin := known(a.Margin)
		if math.IsInf(a.Margin, 1) {
			margin = "no bound"
		}
		row := []any{a.Task, "undecided", a.Decided, a.Leader, known(a.Estimate), margin, possible(a.Candidates), known(a.Best),
			pointed(a.Correct)}
		open = open || !a.Decided
		if a.Decided {
			row[1] = a.Arm
		}
		if r.Mode == engine.ModeFB {
			row[1] = nil
		}
		if picks { // these cells are equal in all rows
			row[2], row[5], row[6] = nil, nil, nil
		}
		t.Rows = append(t.Rows, row)
	}
	if r.Runs > 1 {
		t.Caption += " of the first run"
	}
	if t.Collapsed = len(r.Answers) > mostAnswerTasks; t.Collapsed && open && !picks {
		t.Caption += ", undecided tasks first"
		slices.SortStableFunc(t.Rows, func(x, y []any) int {
			return cmp.Compare(indices.Indicator(x[2] == true), indices.Indicator(y[2] == true))
		})
	}
	if open && !picks {
		t.Notes = append(t.Notes, guess)
	}
	return t.withoutEmptyColumns()
}

// possible returns the list of candidate arms, shortened to fit into a table cell.
func possible(arms []string) any {
	if len(arms) == 0 {
		return nil
	}
	text := join(arms, 4)
	if strings.Contains(arms[0], ", ") { // arm names contain commas themselves
		text = strings.Join(arms[:min(4, len(arms))], "; ")
		if more := len(arms) - 4; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
	}
	return fmt.Sprintf("%d: %s", len(arms), text)
}

// resultFacts returns the settings and all measures of a result as facts.
func resultFacts(r engine.Result) KeyValues {
	kv := KeyValues{Caption: "Settings and measurements"}
	kv.add("Problem", fmt.Sprintf("%s (%s, %s)", r.Problem, plural(r.Tasks, "task"), plural(r.Arms, "arm")))
	kv.add("Goal", lowest(r.Goal))
	if !untested(r) {
		kv.add("Error probability allowed, δ", known(r.Delta))
	}
	kv.add("Accuracy, ε", known(r.Epsilon))
	kv.add("Budget per agent, T", known(r.Budget))
	kv.add("Estimator", known(r.Regime))
	kv.add("Ridge, ξ", known(r.Ridge))
	if r.NormBound > 0 {
		kv.Items = append(kv.Items, KeyValue{Key: "Norm bound of the reward function", Value: r.NormBound, Unit: "reward units"})
	}
	kv.add("Status", r.Ended())
	kv.add("Runs", r.Runs)
	if r.Runs > 1 {
		kv.add("Brackets", "95 % intervals: Student's t for means; Wilson for error rates, by runs")
	}
	all := lists.Map(measures(), func(m measure) string { return m.name })
	for _, m := range measuresFor([]engine.Result{r}, all...) {
		if v := m.value(r); v != nil {
			if of, is := v.(engine.Rate); is && r.Runs == 1 { // an interval of one run says nothing
				v = fmt.Sprintf("%d of %d", of.Count, of.Runs)
			}
			kv.Items = append(kv.Items, KeyValue{Key: m.title, Value: v, Unit: m.unit})
		}
	}
	if run := stated(r, engine.SettingAgents); run != nil {
		kv.add("Rewards", fmt.Sprintf("measured by the agents of run %s", run))
	} else {
		kv.add("Seed", r.Seed)
	}
	return kv
}

func traceTable(r engine.Result) Table {
	t := Table{
		Caption: "Rounds of the first run",
		Columns: columns("#round Round", "#pulls Pulls, all agents", "#rho Design value ρ", "#rho_lower Certified minimum",
			"#rounding Rounding ratio", "#alive Arms left", "#lack_of_fit Lack of fit, p", "digest Plan digest"),
	}
	if r.Runs == 1 {
		t.Caption = "Rounds"
	}
	t.Columns[2].Digits, t.Columns[3].Digits = 6, 6
	for _, x := range r.Trace {
		var alive any // at least 1 if the algorithm reports it; user-defined algorithms need not
		if x.Alive > 0 {
			alive = x.Alive
		}
		t.Rows = append(t.Rows, []any{x.Round, x.Pulls, known(x.Rho), known(x.RhoLower), known(x.Rounding), alive, pointed(x.LackOfFit),
			short(x.Digest)})
	}
	t = t.withoutEmptyColumns()
	for _, c := range t.Columns {
		note := traceNotes[c.Name]
		if c.Name == "rho" && slices.Contains(plansPulls, r.Algorithm) {
			note = "Design value: what the plan of a round minimises. In round 1 it is a variance times the pulls, later the number of pulls."
		}
		if note != "" {
			t.Notes = append(t.Notes, note)
		}
	}
	return t
}

// plansPulls lists the algorithms that plan the smallest number of pulls for the information they need in later rounds.
var plansPulls = []string{"CoTestFC", "IndTestFC"}

// traceNotes maps columns of the table of rounds to notes that explain them.
var traceNotes = map[string]string{
	"rho":         "Design value: what the plan of a round minimises, such as the largest variance of an estimated gap times the pulls.",
	"rho_lower":   "Certified minimum: no plan of that round has a smaller design value.",
	"rounding":    "Rounding ratio: largest variance of a gap after rounding to whole pulls, divided by the value before rounding.",
	"lack_of_fit": "Lack of fit: the rewards contradict the kernel if p is below 0.01/(r(r+1)) in round r.",
	"digest":      "Plan digest: two runs with equal digests had equal plans and data so far.",
}

// short returns the first characters of a digest, enough for a person to compare.
func short(digest string) any {
	if len(digest) > 12 {
		digest = digest[:12]
	}
	return known(digest)
}

func eliminationsTable(r engine.Result) Table {
	return Table{
		Caption: fmt.Sprintf("Audit trail: why %s %s eliminated", plural(len(r.Eliminations), "arm"), were(len(r.Eliminations))),
		Columns: []Column{
			number("round", "Round", ""), text("task", "Task"), text("arm", "Arm"), text("rival", "Eliminated by"),
			number("gap", "Estimated gap", ""), number("width", widthTitle(r), ""), text("rule", "Rule"),
		},
		Rows: lists.Map(r.Eliminations, func(e engine.Elimination) []any {
			return []any{e.Round, e.Task, e.Arm, known(e.Rival), e.Gap, e.Width, ruleWords(r.Goal, e.Rule)}
		}),
		Collapsed: true,
	}
}

// widthTitle returns the title of the column after the gap. A fixed-budget elimination without a test compares ranks and
// has no threshold.
func widthTitle(r engine.Result) string {
	tested := slices.ContainsFunc(r.Eliminations, func(e engine.Elimination) bool { return e.Rule == engine.RuleCombination })
	if r.Mode == engine.ModeFB && !tested {
		return "Standard error, at most"
	}
	return "Threshold"
}
