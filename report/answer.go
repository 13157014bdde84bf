package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// Answer returns the view of best(...).
func (views) Answer(a answer.Answer) view {
	return view{
		blocks: func() []Block { return answerBlocks(a) },
		table:  func() (Table, error) { return pickRows(a), nil },
		axes:   func(string) (xs, ys []string) { return []string{"arm"}, []string{"reward"} },
		figure: func(PlotOptions) (Figure, error) { return answerFigure(a), nil },
	}
}

// answerBlocks returns the blocks of an answer: the recommended arm of each task, what to measure next, and how reliable
// the answer is.
func answerBlocks(a answer.Answer) []Block {
	many := len(a.Picks) > mostAnswerTasks
	if many {
		a.Picks = slices.SortedStableFunc(slices.Values(a.Picks), lessSure)
	}
	out := append(remarks(a.Warnings, true), overallBlocks(a)...)
	if len(a.Pareto) > 0 {
		out = append(out, paretoTable(a))
	}
	if summary := answerSentence(a); a.Overall == nil || len(a.Overall.PerTask) == 1 {
		out = append(out, Paragraph{Text: summary, Lead: true})
	} else {
		out = append(out, Paragraph{Text: "For each task by itself, another option can be better. " + summary})
	}
	if many {
		out = append(out, sureTable(a))
	}
	if len(a.Picks) > 0 {
		out = append(out, leastSureFirst(pickTable(a), many))
	}
	if len(a.Next) > 0 {
		out = append(out, nextTable(a))
	}
	out = append(out, Paragraph{Text: a.Basis})
	if t := moreTable(a); len(t.Rows) > 0 {
		out = append(out, leastSureFirst(t, many))
	}
	log := ""
	if len(a.Log) > 0 {
		log = " (with the decimal logarithm of " + join(a.Log, 4) + ")"
	}
	if a.Undetermined != nil { // a figure would show nothing
		return out
	}
	out = append(out, answerFigure(a))
	if len(a.Importance) > 0 {
		out = append(out, importanceTable(a))
	}
	return append(out, KeyValues{Caption: "Model", Items: []KeyValue{
		{Key: "Noise", Value: a.Noise},
		{Key: "Kernel" + log, Value: shownKernel(a.Kernel)},
		{Key: "Guarantee", Value: "heuristic. The probabilities are right only if the fitted model is right. For a proof, run a " +
			"campaign with CoTestFC (docs/explanation/what-proven-means.md)"},
	}})
}

// lessSure orders recommendations by their probability. Tasks with a single option, which need no choice, come last.
func lessSure(p, q answer.Pick) int {
	return cmp.Or(cmp.Compare(indices.Indicator(p.Options == 1), indices.Indicator(q.Options == 1)), cmp.Compare(p.Within, q.Within))
}

// leastSureFirst folds a table of many tasks, whose rows are in the order of lessSure, and says so.
func leastSureFirst(t Table, many bool) Table {
	if t.Collapsed = many; many {
		t.Caption += ", the least certain first"
	}
	return t
}

// sureTable counts the tasks by the probability of their recommendation. a.Picks are in the order of lessSure.
func sureTable(a answer.Answer) Table {
	t := Table{Caption: "How certain the recommendations are", Columns: []Column{text("probability_within", withinTitle(a.Epsilon)),
		number("tasks", "Tasks", ""), text("of", "Such as"), {Name: "expected_loss", Title: "Mean expected loss", Align: Right, Digits: 2}}}
	add := func(title string, picks []answer.Pick) {
		if len(picks) == 0 {
			return
		}
		losses := lists.Where(lists.Map(picks, func(p answer.Pick) float64 { return p.Loss }), func(l float64) bool { return !math.IsNaN(l) })
		loss := any(nil)
		if len(losses) > 0 {
			loss = lists.Total(losses) / float64(len(losses))
		}
		tasks := lists.Map(picks[:min(len(picks), 3)], func(p answer.Pick) string { return columnsOf(a).TaskLabel(p.Task) })
		t.Rows = append(t.Rows, []any{title, len(picks), strings.Join(tasks, "; "), loss})
	}
	choices := lists.Where(a.Picks, func(p answer.Pick) bool { return p.Options > 1 })
	for k, level := range sureLevels {
		title := fmt.Sprintf("%.0f to %.0f\u00a0%%", 100*level, 100*sureLevels[max(k-1, 0)])
		switch {
		case k == 0:
			title = fmt.Sprintf("%.0f\u00a0%% or more", 100*level)
		case level == 0:
			title = fmt.Sprintf("below %.0f\u00a0%%", 100*sureLevels[k-1])
		}
		add(title, lists.Where(choices, func(p answer.Pick) bool {
			return p.Within >= level && (k == 0 || p.Within < sureLevels[k-1])
		}))
	}
	add("only option", a.Picks[len(choices):])
	return t
}

// sureLevels are the lower ends of the rows of sureTable.
var sureLevels = [...]float64{answer.Sure, 0.8, 0.5, 0}

// answerSentence returns the summary of an answer. It does not count tasks with only one arm.
func answerSentence(a answer.Answer) string {
	choices := lists.Where(a.Picks, func(p answer.Pick) bool { return p.Options > 1 })
	others := lists.Where(a.Picks, func(p answer.Pick) bool { return p.Options == 1 })
	label := columnsOf(a).TaskLabel
	if a.Undetermined != nil {
		return upper(a.Undetermined.Error()) + "."
	}
	if len(a.Picks) == 1 && len(a.Unanswered) == 0 {
		p := a.Picks[0]
		estimate, lo, hi := rounded(p.Estimate, *p.CI95)
		if len(choices) == 0 {
			return fmt.Sprintf("%s is the only option. Its expected %s is %s (95 %% interval %s to %s).", sentence.Name(p.Label),
				rewardTitle(a), estimate, lo, hi)
		}
		return fmt.Sprintf("%s is %s with probability %s. Its expected %s is %s (95 %% interval %s to %s).", sentence.Name(p.Label),
			bestWithin(a.Epsilon), percent(p.Within), rewardTitle(a), estimate, lo, hi)
	}
	text := "There is nothing to choose"
	if len(choices) > 0 {
		text = recommendations(a.Epsilon, choices)
	}
	text += "."
	only := lists.Map(others, func(p answer.Pick) string { return label(p.Task) })
	if len(only) > 0 {
		text += " " + join(only, 3) + map[bool]string{
			true: " has only one option with a value.", false: " have only one option with a value each."}[len(only) == 1]
	}
	if len(a.Unanswered) > 0 {
		text += " No option gave a value at " + join(lists.Map(a.Unanswered, label), 3) + "."
	}
	return text
}

// recommendations returns a sentence: how many recommended arms are good enough with a probability of at least 95 %, and
// the range of the probabilities of the others.
func recommendations(epsilon float64, choices []answer.Pick) string {
	var open []float64 // probabilities below 95 %
	for _, p := range choices {
		if p.Within < answer.Sure {
			open = append(open, p.Within)
		}
	}
	good, all := bestWithin(epsilon), len(choices)
	switch {
	case len(open) == 0 && all == 1:
		return "The recommended option is " + good + " with probability 95\u00a0% or more"
	case len(open) == 0:
		return fmt.Sprintf("Each of the %d recommended options is %s with probability 95\u00a0%% or more", all, good)
	}
	lo, hi := percent(slices.Min(open)), percent(slices.Max(open))
	if lo != hi {
		hi = strings.TrimSuffix(lo, "\u00a0%") + " to " + hi
	}
	switch sure := all - len(open); {
	case sure == 0:
		return fmt.Sprintf("No recommendation has reached a probability of 95\u00a0%% yet. The recommended options are %s with probability %s",
			good, hi)
	default:
		rest := map[bool]string{true: "the other has", false: "the others have"}[len(open) == 1]
		return fmt.Sprintf("%d of %d recommended options %s %s with probability 95\u00a0%% or more; %s %s", sure, all,
			map[bool]string{true: "is", false: "are"}[sure == 1], good, rest, hi)
	}
}

// bestWithin returns the phrase for a good enough arm: "the best", or for example "within 5 of the best".
func bestWithin(epsilon float64) string {
	if epsilon > 0 {
		return "within " + decimal(epsilon, 4) + " of the best"
	}
	return "the best"
}

// withinTitle returns the heading of the column with the probability that an arm is good enough.
func withinTitle(epsilon float64) string {
	return "P(" + strings.TrimPrefix(bestWithin(epsilon), "the ") + ")"
}

// percent formats a probability in per cent. It rounds down, to tenths below 1 % and to whole numbers above, so that 99.97
// % is not shown as 100 %.
func percent(p float64) string {
	switch {
	case p > 0.999:
		return ">\u00a099.9\u00a0%"
	case p < 0.001:
		return "<\u00a00.1\u00a0%"
	}
	if p < 0.01 {
		return fmt.Sprintf("%.1f\u00a0%%", math.Floor(1000*p)/10)
	}
	return fmt.Sprintf("%d\u00a0%%", int(100*p))
}

// columnsOf returns the column names of the user's table.
func columnsOf(a answer.Answer) problem.Words {
	return problem.Words{Task: a.Tasks, Arm: a.Columns, Reward: a.Reward}
}

func rewardTitle(a answer.Answer) string { return cmp.Or(a.Reward, "reward") }

// pickTable returns a table with the recommendation for each task.
func pickTable(a answer.Answer) Table {
	t := Table{
		Caption: "Recommended", Cards: true,
		Columns: []Column{
			text("task", columnsOf(a).TaskTitle()), text("arm", "Best ("+columnsOf(a).ArmTitle()+")"),
			number("probability_within", withinTitle(a.Epsilon), ""), number("estimate", rewardTitle(a), ""), text("ci95", "95 % interval"),
			{Name: "expected_loss", Title: "Expected loss", Align: Right, Digits: 2}, text("runner_up", "Runner-up"),
			number("count", "Times measured", ""),
		},
		Notes: []string{"Expected loss (simple regret): how much reward the recommended option is expected to lose to the best."},
	}
	if a.Goal == problem.GoalMin {
		t.Caption += ": the lowest " + rewardTitle(a)
	}
	if a.Required != nil {
		t.Columns = append(t.Columns, number("feasible_probability", "P("+strings.Join(a.Required, ", ")+")", ""))
		t.Notes = append(t.Notes, "An option that does not meet the requirement counts as the worst of its task.")
	}
	works := len(a.Picks) > 0 && a.Picks[0].Works != nil
	if works {
		t.Columns = append(t.Columns, worksColumn)
		t.Notes = append(t.Notes, "P(works) is the probability that a measurement gives a value. It is learned from failed measurements.")
	}
	failed := slices.ContainsFunc(a.Picks, func(p answer.Pick) bool { return p.Failed > 0 })
	if failed {
		t.Columns = append(t.Columns, text("failed", "Failed"))
	}
	for _, p := range a.Picks {
		estimate, interval, loss := decimal(p.Estimate, 4), any(nil), any(nil)
		if p.CI95 != nil {
			of, lo, hi := rounded(p.Estimate, *p.CI95)
			estimate, interval = of, lo+"\u00a0to\u00a0"+hi
		}
		if !math.IsNaN(p.Loss) {
			loss = p.Loss
		}
		var within any = Chance(p.Within)
		if p.Options == 1 {
			within = "only option"
		}
		row := []any{columnsOf(a).TaskLabel(p.Task), p.Label, within, estimate, interval, loss, known(p.RunnerUp), p.Count}
		if a.Required != nil && p.Feasible != nil {
			row = append(row, Chance(*p.Feasible))
		} else if a.Required != nil {
			row = append(row, nil)
		}
		if works {
			row = append(row, Chance(*p.Works))
		}
		if failed {
			row = append(row, fmt.Sprintf("%d of %s", p.Failed, decimal(float64(p.Failed)+p.Count, 4)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// worksColumn has the probability that a measurement gives a value. Tables have it if measurements failed.
var worksColumn = number("works_probability", "P(works)", "")

// rounded formats a number x and the ends of its interval ci to two digits of half the interval's width.
func rounded(x float64, ci [2]float64) (estimate, lo, hi string) {
	half := (ci[1] - ci[0]) / 2
	return wording.ToStep(x, half), wording.ToStep(ci[0], half), wording.ToStep(ci[1], half)
}

// pickRows returns pickTable for data files: the features of arms have their own columns, and each interval has two
// columns.
func pickRows(a answer.Answer) Table {
	t := Table{Columns: columns("task Task", "arm Arm")}
	t.Columns = append(t.Columns, lists.Map(a.Columns, func(c string) Column { return text(c, c) })...)
	t.Columns = append(t.Columns, columns("#estimate estimate", "#ci95_low ci95_low", "#ci95_high ci95_high",
		"#probability_within probability_within", "#expected_loss expected_loss", "runner_up runner_up", "#count count", "#more more",
		"#options options", "#failed failed")...)
	// only where options have requirements, and where measurements failed
	always := len(t.Columns)
	t.Columns = append(t.Columns, columns("#feasible_probability feasible_probability", "#works_probability works_probability")...)
	for _, p := range a.Picks {
		row := append([]any{p.Task, p.Arm}, lists.Map(a.Columns, func(c string) any { return p.Features[c] })...)
		lo, hi := math.NaN(), math.NaN()
		if p.CI95 != nil {
			lo, hi = p.CI95[0], p.CI95[1]
		}
		row = append(row, p.Estimate, lo, hi, p.Within, p.Loss, known(p.RunnerUp), p.Count, p.More, p.Options, p.Failed)
		for _, x := range []*float64{p.Feasible, p.Works} {
			if x == nil {
				row = append(row, nil)
			} else {
				row = append(row, *x)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	return t.where(func(j int, _ Column) bool {
		return j < always || slices.ContainsFunc(t.Rows, func(r []any) bool { return r[j] != nil })
	})
}

// moreTable lists how many further measurements would make each recommendation 95 % probable.
func moreTable(a answer.Answer) Table {
	t := Table{Caption: "To reach 95 %", Columns: []Column{text("task", columnsOf(a).TaskTitle()), text("more", "Further measurements"),
		text("more_of", "Options to measure most")}}
	for _, p := range a.Picks {
		more := "about " + decimal(twoFigures(float64(p.More)), 0)
		if p.More < 0 {
			more = "more than " + decimal(answer.MaxMore, 0)
		}
		if p.More != 0 {
			t.Rows = append(t.Rows, []any{columnsOf(a).TaskLabel(p.Task), more, strings.Join(p.MoreOf, "; ")})
		}
	}
	if len(a.Picks) > 1 && len(t.Rows) > 0 {
		t.Notes = []string{"With this many further measurements that task alone should reach 95 %, if the noise is as estimated " +
			"from this table. A campaign needs more, because its guarantee is for all tasks together: campaign start prints a forecast."}
	}
	if a.Epsilon == 0 && len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "If small differences do not matter, state the tolerance epsilon= (--epsilon): fewer measurements are needed.")
	}
	return t.withoutEmptyColumns()
}

// nextTable lists the measurements to make next.
func nextTable(a answer.Answer) Table {
	t := Table{
		Caption: "What to measure next",
		Columns: []Column{text("task", columnsOf(a).TaskTitle()), text("arm", columnsOf(a).ArmTitle()), number("count", "Times", "")},
		Notes:   []string{lossNote(a)},
	}
	if a.Undetermined != nil {
		t.Notes = []string{"These options were measured least."}
	}
	works := a.Next[0].Works != nil
	if works {
		t.Columns = append(t.Columns, worksColumn)
	}
	costs := a.Next[0].Cost > 0
	if costs {
		t.Columns = append(t.Columns, Column{Name: "cost", Title: "Cost", Align: Right, Digits: 3})
		t.Notes = append(t.Notes, fmt.Sprintf("They cost %s together. Costs of options without measurements are predicted.",
			decimal(lists.Sum(a.Next, func(p answer.Pull) float64 { return p.Cost }), 4)))
	}
	blocks := a.Next[0].Block > 0
	if blocks {
		t.Columns = append(t.Columns, number("block", "New "+cmp.Or(join(a.Blocks, 3), "block"), ""))
		t.Notes = append(t.Notes, "Measure rows with the same number together, in one block. "+
			"Options are compared within a block, so its effect cancels.")
	}
	for _, p := range a.Next {
		row := []any{columnsOf(a).TaskLabel(p.Task), p.Label, p.Count}
		if works {
			row = append(row, Chance(*p.Works))
		}
		if costs {
			row = append(row, p.Cost)
		}
		if blocks {
			row = append(row, p.Block)
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// lossNote returns the sentence about the expected loss before and after the proposed measurements.
func lossNote(a answer.Answer) string {
	what := "the expected loss, averaged over tasks,"
	switch {
	case len(a.Picks) == 1:
		what = "the expected loss"
	case a.Overall != nil:
		what = "the expected loss of the option for all tasks"
	}
	if a.LossAfter >= a.LossNow {
		return fmt.Sprintf("%s is %s. These measurements should hardly lower it.", upper(what), decimal(a.LossNow, 3))
	}
	return fmt.Sprintf("These measurements should lower %s from %s to %s.", what,
		decimal(a.LossNow, 3), decimal(a.LossAfter, 3))
}
