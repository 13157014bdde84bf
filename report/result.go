package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Result shows fc(...) or fb(...).
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

// resultBlocks shows fc and fb: what was found and with what guarantee, warnings, the answers, the
// rounds, and the audit trail.
func resultBlocks(r engine.Result) []Block {
	out := []Block{Paragraph{Text: resultSentence(r), Lead: true}}
	if s := reliability(r); s != "" {
		out = append(out, Paragraph{Text: s})
	}
	warnings := resultWarnings(r)
	if r.Guarantee != "" {
		out = append(out, Paragraph{Text: "Guarantee: " + r.Guarantee})
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

// resultSentence says what was decided, with how many samples, against what bound.
func resultSentence(r engine.Result) string {
	s := fmt.Sprintf("%s %s, with %s samples per agent", algorithm(r), verdict(r), cell(notNegative(r.SamplesPerAgent), 0))
	if r.RatioToLowerBound > 0 {
		s += fmt.Sprintf(" (%s times the lower bound of %s)", decimal(r.RatioToLowerBound, 3), decimal(r.LowerBoundSamples, 0))
	}
	return s + fmt.Sprintf(" in %s.", rounds(r))
}

// verdict returns the part of the sentence that must never oversell: a task without a decided
// answer is named as undecided, whatever the mode.
func verdict(r engine.Result) string {
	undecided := lists.Where(r.Answers, func(a engine.Answer) bool { return !a.Decided })
	open := lists.Map(undecided, func(a engine.Answer) string { return a.Task })
	n := len(r.Answers)
	why := " (" + r.Status.Words() + ")"
	if r.Status == engine.StatusInterrupted && r.Runs > 0 {
		why = "" // the interrupt ended the runs, not the one that these answers are of
	}
	switch {
	case n == 0:
		return "has no answers" + why
	case untested(r):
		return "picked an arm for " + each(n)
	case len(open) > 0:
		return fmt.Sprintf("decided %d of %s and left %s undecided%s", n-len(open), plural(n, "task"), join(open, 8), why)
	case r.Status == engine.StatusEpsilon:
		return fmt.Sprintf("decided %s up to an accuracy of %s", each(n), decimal(r.Epsilon, 0))
	case n <= 4 && r.Runs == 1:
		answer := func(a engine.Answer) string { return r.Words.ArmLabel(a.Arm) + " for " + r.Words.TaskLabel(a.Task) }
		return "decided on " + join(lists.Map(r.Answers, answer), 4)
	}
	return "decided " + each(n)
}

// reliability describes how the runs compare with what was asked. It is "" for a single run without
// known truth.
func reliability(r engine.Result) string {
	var parts []string
	switch {
	case r.Runs == 0 && len(r.Trace) > 0:
		parts = append(parts, fmt.Sprintf(
			"No run finished%s. Answers, samples and rounds are the first one's so far; explain(…) says what it still takes.",
			interruptedBy(r)))
	case r.Runs < r.Asked:
		parts = append(parts, fmt.Sprintf("Only %d of %s finished%s.", r.Runs, plural(r.Asked, "run"), interruptedBy(r)))
	}
	picks := untested(r)
	if r.Undecided.Count > 0 && r.Runs > 1 && !picks {
		parts = append(parts, fmt.Sprintf("%d of %s left some task undecided.", r.Undecided.Count, plural(r.Undecided.Runs, "run")))
	}
	if picks && r.TaskErrors.Runs > 0 {
		parts = append(parts, picksRight(r))
	} else if e := r.Errors; e.Runs > 0 {
		what := "gave some task a wrong answer"
		switch other := "other than the arm with the " + strings.ToLower(highest(r.Goal)) + " mean of the table"; {
		case r.Sampled && r.Mode == engine.ModeFB:
			what = "had a best estimate in some task " + other
		case r.Sampled:
			what = "gave some task an answer " + other
		case r.Mode == engine.ModeFB:
			what = "had a wrong best estimate in some task"
		}
		if r.Mode == engine.ModeFB && r.DecidedErrors.Runs > 0 && r.Delta > 0 {
			d := r.DecidedErrors
			parts = append(parts, fmt.Sprintf("%s were decided; %d of %s had a decided answer that is wrong: error rate %s, at most δ = %s asked.",
				plural(r.DecidedTasks, "answer"), d.Count, plural(d.Runs, "run"), interval(d.Rate, d.CI95[0], d.CI95[1]), decimal(r.Delta, 0)))
		}
		s := fmt.Sprintf("%d of %s %s: error rate %s", e.Count, plural(e.Runs, "run"), what, interval(e.Rate, e.CI95[0], e.CI95[1]))
		if r.Mode == engine.ModeFC && r.Delta > 0 {
			s += fmt.Sprintf(", at most δ = %s asked", decimal(r.Delta, 0))
		}
		parts = append(parts, s+".")
	}
	if r.Errors.Runs > 0 && r.Drawn {
		parts = append(parts, "Each run drew its expected rewards from what the measurements say, and is graded by these.")
	}
	if r.Errors.Runs > 0 && r.Sampled {
		parts = append(parts, "These means are measurements: that arm may be ahead by luck. best(p) says which arm the measurements speak for.")
	}
	return strings.Join(parts, " ")
}

// untested reports whether a fixed budget ended in picks that nothing was tested about: no task is decided, and nothing
// bounds by how much another arm could be better.
func untested(r engine.Result) bool {
	return r.Mode == engine.ModeFB && len(r.Answers) > 0 &&
		!slices.ContainsFunc(r.Answers, func(a engine.Answer) bool { return a.Decided || !math.IsInf(a.Margin, 1) })
}

// picksRight says how often picks are right, and what they lose.
func picksRight(r engine.Result) string {
	right := "the best arm of their task"
	switch {
	case r.Sampled:
		right = "the arm with the " + strings.ToLower(highest(r.Goal)) + " mean of the table"
	case r.Epsilon > 0:
		right = "within " + decimal(r.Epsilon, 0) + " of the best arm of their task"
	}
	e := r.TaskErrors
	s := fmt.Sprintf("Of %s %d are %s: %s", plural(e.Runs, "pick"), e.Runs-e.Count, right, interval(1-e.Rate, 1-e.CI95[1], 1-e.CI95[0]))
	return s + fmt.Sprintf(". A pick is worse than the best by %s on average.", cell(notNegative(r.Regret), 0))
}

// highest says which mean is the best.
func highest(goal string) string {
	if goal == problem.GoalMin {
		return "Lowest"
	}
	return "Highest"
}

// interruptedBy says why runs are missing.
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

// rounds returns "4 rounds", or "3.9 rounds on average (4 at most)".
func rounds(r engine.Result) string {
	if r.Rounds == float64(r.MaxRounds) {
		return plural(r.MaxRounds, "round")
	}
	return fmt.Sprintf("%s rounds on average (%d at most)", decimal(r.Rounds, 3), r.MaxRounds)
}

// answersTable returns a table with a row per task. Only decided answers stand in the column
// Answer; the best guess among the rest is called that. A fixed budget ends in best estimates,
// which are not called answers either.
func answersTable(r engine.Result) Table {
	t := Table{
		Caption: "Answers",
		Columns: columns("task Task", "arm Answer", "decided Decided", "leader Best estimate", "#estimate Estimated reward",
			"#margin Worse by at most", "candidates Still possible", "best Truly best", "correct Best estimate correct"),
	}
	guess := "For an undecided task the best estimate is a guess: the data do not support a winner."
	if r.Mode == engine.ModeFB {
		t.Caption, t.Columns[3].Title, t.Columns[8].Title = "Best estimates", "Best estimate", "Correct"
		guess = "Where Decided says no, the data do not exclude other arms."
	}
	if r.Drawn {
		t.Columns[7].Title = "Best in its rewards"
	}
	if r.Sampled {
		t.Columns[7].Title, t.Columns[8].Title = highest(r.Goal)+" mean", "Best estimate has it"
	}
	open, picks := false, untested(r)
	for _, a := range r.Answers {
		row := []any{a.Task, "undecided", a.Decided, a.Leader, a.Estimate, known(a.Margin), possible(a.Candidates), known(a.Best),
			pointed(a.Correct)}
		open = open || !a.Decided
		if a.Decided {
			row[1] = a.Arm
		}
		if r.Mode == engine.ModeFB {
			row[1] = nil
		}
		if picks { // the same for all
			row[2], row[5], row[6] = nil, nil, nil
		}
		t.Rows = append(t.Rows, row)
	}
	if r.Runs > 1 {
		t.Caption += " of the first run"
	}
	if open && !picks {
		t.Notes = append(t.Notes, guess)
	}
	return t.withoutEmptyColumns()
}

// possible returns the list of candidates, short enough for a table cell.
func possible(arms []string) any {
	if len(arms) == 0 {
		return nil
	}
	text := join(arms, 4)
	if strings.Contains(arms[0], ", ") { // a comma parts the columns of one arm
		text = strings.Join(arms[:min(4, len(arms))], "; ")
		if more := len(arms) - 4; more > 0 {
			text += fmt.Sprintf("; and %d more", more)
		}
	}
	return fmt.Sprintf("%d: %s", len(arms), text)
}

// resultFacts returns the settings and what was measured, once more in numbers.
func resultFacts(r engine.Result) KeyValues {
	kv := KeyValues{Caption: "Settings and measurements"}
	kv.add("Problem", fmt.Sprintf("%s (%s, %s)", r.Problem, plural(r.Tasks, "task"), plural(r.Arms, "arm")))
	kv.add("Goal", lowest(r.Goal))
	if !untested(r) {
		kv.add("Error probability asked, δ", known(r.Delta))
	}
	kv.add("Accuracy asked, ε", known(r.Epsilon))
	kv.add("Budget per agent, T", known(r.Budget))
	kv.add("Form", known(r.Regime))
	kv.add("Ridge, ξ", r.Ridge)
	if r.NormBound > 0 {
		kv.Items = append(kv.Items, KeyValue{Key: "Bound stated on the norm of the reward function", Value: r.NormBound, Unit: "reward units"})
	}
	kv.add("Status", r.Ended())
	kv.add("Runs", r.Runs)
	for _, m := range measures() {
		if v := m.value(r); v != nil {
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
		Columns: columns("#round Round", "#pulls Pulls, all agents", "#rho Design value ρ", "#rho_lower Certified lower",
			"#rounding Rounding ratio", "#alive Arms left", "#lack_of_fit Lack of fit, p", "digest Plan digest"),
	}
	if r.Runs == 1 {
		t.Caption = "Rounds"
	}
	t.Columns[2].Digits, t.Columns[3].Digits = 6, 6
	for _, x := range r.Trace {
		t.Rows = append(t.Rows, []any{x.Round, x.Pulls, known(x.Rho), known(x.RhoLower), known(x.Rounding), x.Alive, pointed(x.LackOfFit),
			short(x.Digest)})
	}
	return t.withoutEmptyColumns()
}

// short cuts a digest to what an eye can compare.
func short(digest string) any {
	if len(digest) > 12 {
		digest = digest[:12]
	}
	return known(digest)
}

func eliminationsTable(r engine.Result) Table {
	return Table{
		Caption: fmt.Sprintf("Audit trail: why %s %s dropped", plural(len(r.Eliminations), "arm"), were(len(r.Eliminations))),
		Columns: []Column{
			number("round", "Round", ""), text("task", "Task"), text("arm", "Arm"), text("rival", "Lost against"),
			number("gap", "Estimated gap", ""), number("width", widthTitle(r), ""), text("rule", "Rule"),
		},
		Rows: lists.Map(r.Eliminations, func(e engine.Elimination) []any {
			return []any{e.Round, e.Task, e.Arm, known(e.Rival), e.Gap, e.Width, ruleWords(r.Goal, e.Rule)}
		}),
		Collapsed: true,
	}
}

// widthTitle names what stands beside a gap: an elimination in fixed budget goes
// by rank and has no threshold, but for a test's.
func widthTitle(r engine.Result) string {
	tested := slices.ContainsFunc(r.Eliminations, func(e engine.Elimination) bool { return e.Rule == engine.RuleCombination })
	if r.Mode == engine.ModeFB && !tested {
		return "Standard error, at most"
	}
	return "Threshold"
}
