package report

import (
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
)

// resultBlocks tells of fc and fb: what was found and with what guarantee,
// warnings, the answers, the rounds, and the audit trail.
func resultBlocks(r engine.Result) []Block {
	out := []Block{Paragraph{Text: resultSentence(r), Lead: true}}
	if r.Guarantee != "" {
		out = append(out, Paragraph{Text: "Guarantee: " + r.Guarantee})
	}
	for _, w := range r.Warnings {
		out = append(out, Note{Text: w, Warning: true})
	}
	out = append(out, answersTable(r), resultFacts(r))
	if len(r.Trace) > 0 {
		out = append(out, traceTable(r))
	}
	if len(r.Eliminations) > 0 {
		out = append(out, eliminationsTable(r))
	}
	return out
}

// resultSentence says what was found, with how many samples, against what bound.
func resultSentence(r engine.Result) string {
	name := r.Algorithm
	if r.Schedule != "" {
		name += " (" + r.Schedule + " schedule)"
	}
	s := name + " " + verdict(r) + "."
	s += fmt.Sprintf(" It took %s samples per agent", cell(r.SamplesPerAgent, 0))
	if r.RatioToLowerBound > 0 {
		s += fmt.Sprintf(", %s times the lower bound of %s", decimal(r.RatioToLowerBound, 3), decimal(r.LowerBoundSamples, 0))
	}
	s += fmt.Sprintf(", in %s.", rounds(r))
	if r.Errors.Runs > 0 {
		s += fmt.Sprintf(" Runs with a wrong answer: %s", cell(r.Errors, 0))
		if r.Mode == "fc" && r.Delta > 0 {
			s += fmt.Sprintf(" (at most %s asked)", decimal(r.Delta, 0))
		}
		s += "."
	}
	return s
}

// verdict is the part of the sentence that must never oversell: a task without
// a decided answer is named as undecided.
func verdict(r engine.Result) string {
	var open []string
	for _, a := range r.Answers {
		if !a.Decided {
			open = append(open, a.Task)
		}
	}
	decided := len(r.Answers) - len(open)
	runs := ""
	if r.Runs > 1 {
		runs = fmt.Sprintf(" in %s", plural(r.Runs, "run"))
		if r.Undecided.Count > 0 {
			runs = fmt.Sprintf("; over all runs, %d of %d left some task undecided", r.Undecided.Count, r.Undecided.Runs)
		} else if len(open) > 0 {
			runs = " in the first run"
		}
	}
	if r.Runs < r.Asked {
		runs += fmt.Sprintf(" (%d of %d runs finished)", r.Runs, r.Asked)
	}
	switch {
	case len(r.Answers) == 0:
		return "has no answers: " + string(r.Status)
	case r.Mode == "fb":
		return fmt.Sprintf("used its budget of %s pulls per agent and recommends an arm for %s%s", cell(r.Budget, 0), each(len(r.Answers)), runs)
	case len(open) > 0:
		return fmt.Sprintf("decided %d of %s; undecided: %s (%s)%s", decided, plural(len(r.Answers), "task"), join(open, 8), r.Status, runs)
	case r.Status == engine.StatusEpsilon:
		return fmt.Sprintf("found an arm within %s of the best for %s%s", decimal(r.Epsilon, 0), each(decided), runs)
	}
	return fmt.Sprintf("found the best arm of %s%s", each(decided), runs)
}

func each(tasks int) string {
	if tasks == 1 {
		return "the task"
	}
	return "each of " + plural(tasks, "task")
}

// rounds is "4 rounds", or "3.9 rounds on average (4 at most)".
func rounds(r engine.Result) string {
	if r.Rounds == float64(r.MaxRounds) {
		return plural(r.MaxRounds, "round")
	}
	return fmt.Sprintf("%s rounds on average (%d at most)", decimal(r.Rounds, 3), r.MaxRounds)
}

// answersTable has a row per task. Only decided answers stand in the column
// Answer; the best guess among the rest is called that.
func answersTable(r engine.Result) Table {
	t := Table{
		Caption: "Answers",
		Columns: []Column{
			text("task", "Task"), text("arm", "Answer"), text("decided", "Decided"), text("leader", "Best estimate"),
			number("estimate", "Estimated reward", ""), number("margin", "Could be worse than the best by", ""),
			text("candidates", "Still possible"), text("best", "Truly best"), text("correct", "Best estimate correct"),
		},
	}
	guess := false
	for _, a := range r.Answers {
		row := []any{a.Task, "undecided", a.Decided, a.Leader, a.Estimate, a.Margin, nil, orAbsent(a.Best), nil}
		if a.Decided {
			row[1] = a.Arm
		} else {
			guess = true
			row[6] = possible(a.Candidates)
		}
		if a.Correct != nil {
			row[8] = *a.Correct
		}
		t.Rows = append(t.Rows, row)
	}
	if r.Runs > 1 {
		t.Caption = "Answers of the first run"
	}
	if guess {
		t.Notes = append(t.Notes, "For an undecided task the best estimate is a guess: the data do not support a winner.")
	}
	return t.withoutEmptyColumns()
}

// possible is the list of candidates, short enough for a table cell.
func possible(arms []string) any {
	if len(arms) == 0 {
		return nil
	}
	return fmt.Sprintf("%d: %s", len(arms), join(arms, 4))
}

// resultFacts are the settings and what was measured, once more in numbers.
func resultFacts(r engine.Result) KeyValues {
	kv := KeyValues{Caption: "Settings and measurements"}
	add := func(key string, value any) {
		if value != nil {
			kv.Items = append(kv.Items, KeyValue{Key: key, Value: value})
		}
	}
	add("Problem", fmt.Sprintf("%s (%s, %s)", r.Problem, plural(r.Tasks, "task"), plural(r.Arms, "arm")))
	add("Error probability asked, δ", known(r.Delta))
	add("Accuracy asked, ε", known(r.Epsilon))
	if r.Budget > 0 {
		add("Budget per agent, T", r.Budget)
	}
	add("Ridge, ξ", r.Ridge)
	add("Status", string(r.Status))
	add("Runs", r.Runs)
	for _, m := range measures() {
		add(m.title, m.value(r))
	}
	add("Seed", r.Seed)
	return kv
}

func traceTable(r engine.Result) Table {
	t := Table{
		Caption: "Rounds of the first run",
		Columns: []Column{
			number("round", "Round", ""), number("pulls", "Pulls, all agents", ""), number("rho", "Design value ρ", ""),
			number("rho_lower", "Certified lower", ""), number("rounding", "Rounding ratio", ""),
			number("alive", "Arms left", ""), text("digest", "Plan digest"),
		},
	}
	if r.Runs == 1 {
		t.Caption = "Rounds"
	}
	t.Columns[2].Digits, t.Columns[3].Digits = 6, 6
	for _, x := range r.Trace {
		t.Rows = append(t.Rows, []any{x.Round, x.Pulls, known(x.Rho), known(x.RhoLower), known(x.Rounding), x.Alive, short(x.Digest)})
	}
	return t.withoutEmptyColumns()
}

// short cuts a digest to what an eye can compare.
func short(digest string) any {
	if len(digest) > 12 {
		digest = digest[:12]
	}
	return orAbsent(digest)
}

func eliminationsTable(r engine.Result) Table {
	t := Table{
		Caption: fmt.Sprintf("Audit trail: why %s", plural(len(r.Eliminations), "arm")+" were dropped"),
		Columns: []Column{
			number("round", "Round", ""), text("task", "Task"), text("arm", "Arm"), text("rival", "Lost against"),
			number("gap", "Estimated gap", ""), number("width", "Threshold", ""), text("rule", "Rule"),
		},
		Collapsed: true,
	}
	t.Caption = strings.Replace(t.Caption, "1 arm were", "1 arm was", 1)
	for _, e := range r.Eliminations {
		t.Rows = append(t.Rows, []any{e.Round, e.Task, e.Arm, orAbsent(e.Rival), e.Gap, e.Width, e.Rule})
	}
	return t
}
