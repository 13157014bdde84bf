package report

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// Answer shows best(...).
func (views) Answer(a answer.Answer) view {
	return view{
		blocks: func() []Block { return answerBlocks(a) },
		table:  func() (Table, error) { return pickRows(a), nil },
		axes:   func(string) (xs, ys []string) { return []string{"arm"}, []string{"reward"} },
		figure: func(PlotOptions) (Figure, error) { return answerFigure(a), nil },
	}
}

// answerBlocks shows the recommended arm of each task, what to measure next, and how far to trust the answer.
func answerBlocks(a answer.Answer) []Block {
	out := append(remarks(a.Warnings, true), overallBlocks(a)...)
	if len(a.Pareto) > 0 {
		out = append(out, paretoTable(a))
	}
	if sentence := answerSentence(a); a.Overall == nil || len(a.Overall.PerTask) == 1 {
		out = append(out, Paragraph{Text: sentence, Lead: true})
	} else {
		out = append(out, Paragraph{Text: "For each task by itself, another option can be better. " + sentence})
	}
	if len(a.Picks) > 0 {
		out = append(out, pickTable(a))
	}
	if len(a.Next) > 0 {
		out = append(out, nextTable(a))
	}
	out = append(out, Paragraph{Text: a.Basis})
	if t := moreTable(a); len(t.Rows) > 0 {
		out = append(out, t)
	}
	log := ""
	if len(a.Log) > 0 {
		log = " (with the decimal logarithm of " + join(a.Log, 4) + ")"
	}
	if a.Undetermined != nil { // a picture would show nothing
		return out
	}
	figure := answerFigure(a)
	return append(out, Drawn{Figure: figure, Data: armTable(a, figure.Title)}, KeyValues{Caption: "Model", Items: []KeyValue{
		{Key: "Noise", Value: a.Noise},
		{Key: "Kernel" + log, Value: shownKernel(a.Kernel)},
		{Key: "Guarantee", Value: "heuristic. The probabilities are right only if the fitted kernel is. A proof needs normal noise and " +
			"a campaign with CoTestFC (docs/how-to/campaigns.md)"},
	}})
}

// answerSentence summarises the answer. A task with one option leaves nothing to choose and is not counted.
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
			return fmt.Sprintf("%s is the only option: %s [%s, %s].", p.Label, estimate, lo, hi)
		}
		return fmt.Sprintf("%s is %s with probability %s: %s [%s, %s].", p.Label, bestWithin(a.Epsilon), percent(p.Within), estimate, lo, hi)
	}
	text := "There is nothing to choose"
	if len(choices) > 0 {
		text = recommendations(a.Epsilon, choices)
	}
	text += "."
	only := lists.Map(others, func(p answer.Pick) string { return label(p.Task) })
	if len(only) > 0 {
		text += " " + join(only, 3) + map[bool]string{true: " has only one option.", false: " have only one option each."}[len(only) == 1]
	}
	if len(a.Unanswered) > 0 {
		text += " No option gave a value at " + join(lists.Map(a.Unanswered, label), 3) + "."
	}
	return text
}

// recommendations states how many recommended arms are good enough with a probability of 95 %, and how probable it is for the others.
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
		return fmt.Sprintf("No recommendation has reached 95\u00a0%% yet: each is %s with probability %s", good, hi)
	default:
		rest := map[bool]string{true: "the other has", false: "the others have"}[len(open) == 1]
		return fmt.Sprintf("%d of %d recommended options are %s with probability 95\u00a0%% or more; %s %s", sure, all, good, rest, hi)
	}
}

// bestWithin states what an arm is that is good enough.
func bestWithin(epsilon float64) string {
	if epsilon > 0 {
		return "within " + decimal(epsilon, 4) + " of the best"
	}
	return "the best"
}

// withinTitle heads the probability that an arm is good enough.
func withinTitle(epsilon float64) string {
	return "P(" + strings.TrimPrefix(bestWithin(epsilon), "the ") + ")"
}

// percent writes a probability in per cent, rounded down as in tables: in tenths below 1 %, else whole; 99.97 % is not 100 %.
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

// columnsOf are the user's own names of columns.
func columnsOf(a answer.Answer) problem.Words {
	return problem.Words{Task: a.Tasks, Arm: a.Columns, Reward: a.Reward}
}

func rewardTitle(a answer.Answer) string { return cmp.Or(a.Reward, "reward") }

// pickTable has a row for each task.
func pickTable(a answer.Answer) Table {
	t := Table{
		Caption: "Recommended", Cards: true,
		Columns: []Column{
			text("task", columnsOf(a).TaskTitle()), text("arm", "Best ("+columnsOf(a).ArmTitle()+")"),
			number("probability_within", withinTitle(a.Epsilon), ""), number("estimate", rewardTitle(a), ""), text("ci95", "95 % interval"),
			{Name: "expected_loss", Title: "Expected loss", Align: Right, Digits: 2}, text("runner_up", "Runner-up"),
			number("count", "Times measured", ""),
		},
		Notes: []string{"Expected loss (simple regret): how much worse the recommended option is than the best, on average."},
	}
	if a.Goal == problem.GoalMin {
		t.Caption += ": the lowest " + rewardTitle(a)
	}
	if a.Required != nil {
		t.Columns = append(t.Columns, number("feasible_probability", "P("+strings.Join(a.Required, ", ")+")", ""))
		t.Notes = append(t.Notes, "An option that does not meet the requirement counts as the worst of its task.")
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
		if failed {
			row = append(row, fmt.Sprintf("%d of %s", p.Failed, decimal(float64(p.Failed)+p.Count, 4)))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// rounded writes a number and both ends of an interval around it to two digits of the interval's half.
func rounded(x float64, ci [2]float64) (estimate, lo, hi string) {
	half := (ci[1] - ci[0]) / 2
	return wording.ToStep(x, half), wording.ToStep(ci[0], half), wording.ToStep(ci[1], half)
}

// pickRows is pickTable for programs: the columns of the arms by their names, and intervals in two columns.
func pickRows(a answer.Answer) Table {
	t := Table{Columns: columns("task Task", "arm Arm")}
	t.Columns = append(t.Columns, lists.Map(a.Columns, func(c string) Column { return text(c, c) })...)
	t.Columns = append(t.Columns, columns("#estimate estimate", "#ci95_low ci95_low", "#ci95_high ci95_high",
		"#probability_within probability_within", "#expected_loss expected_loss", "runner_up runner_up", "#count count", "#more more",
		"#options options", "#failed failed")...)
	for _, p := range a.Picks {
		row := append([]any{p.Task, p.Arm}, lists.Map(a.Columns, func(c string) any { return p.Features[c] })...)
		lo, hi := math.NaN(), math.NaN()
		if p.CI95 != nil {
			lo, hi = p.CI95[0], p.CI95[1]
		}
		row = append(row, p.Estimate, lo, hi, p.Within, p.Loss, known(p.RunnerUp), p.Count, p.More, p.Options, p.Failed)
		t.Rows = append(t.Rows, row)
	}
	return t
}

// moreTable lists how many further measurements make each recommendation 95 % probable.
func moreTable(a answer.Answer) Table {
	t := Table{Caption: "To reach 95 %", Columns: []Column{text("task", columnsOf(a).TaskTitle()), text("more", "Further measurements"),
		text("more_of", "Options to measure most")}}
	for _, p := range a.Picks {
		more := "about " + decimal(float64(p.More), 2)
		if p.More < 0 {
			more = "more than " + strconv.Itoa(answer.MaxMore)
		}
		if p.More != 0 {
			t.Rows = append(t.Rows, []any{columnsOf(a).TaskLabel(p.Task), more, strings.Join(p.MoreOf, "; ")})
		}
	}
	if len(a.Picks) > 1 && len(t.Rows) > 0 {
		t.Notes = []string{"Each number is for 95 % in that task alone. A campaign decides about all tasks together and needs more: " +
			"campaign start prints a forecast."}
	}
	if a.Epsilon == 0 && len(t.Rows) > 0 {
		t.Notes = append(t.Notes, "If small differences do not matter, state the tolerance epsilon= (--epsilon): fewer measurements are needed.")
	}
	return t.withoutEmptyColumns()
}

// nextTable lists what to measure next.
func nextTable(a answer.Answer) Table {
	t := Table{
		Caption: "What to measure next",
		Columns: []Column{text("task", columnsOf(a).TaskTitle()), text("arm", columnsOf(a).ArmTitle()), number("count", "Times", "")},
		Notes:   []string{lossNote(a)},
	}
	if a.Undetermined != nil {
		t.Notes = []string{"These options were measured least."}
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
		t.Notes = append(t.Notes, "Measure rows with the same number together, in one block. Options are compared within a block, so its effect cancels.")
	}
	for _, p := range a.Next {
		row := []any{columnsOf(a).TaskLabel(p.Task), p.Label, p.Count}
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

// lossNote says by how much the proposed measurements are expected to lower the expected loss.
func lossNote(a answer.Answer) string {
	what := "the expected loss, averaged over tasks,"
	if a.Overall != nil {
		what = "the expected loss of the option for all tasks"
	}
	if a.LossAfter >= a.LossNow {
		return fmt.Sprintf("%s is %s. These measurements should not change it.", upper(what), decimal(a.LossNow, 3))
	}
	return fmt.Sprintf("These measurements should lower %s from %s to %s.", what,
		decimal(a.LossNow, 3), decimal(a.LossAfter, 3))
}

// armTable has a row for each option of each task, the best estimates of a task first.
func armTable(a answer.Answer, caption string) Table {
	t := Table{Caption: caption, Columns: []Column{text("task", columnsOf(a).TaskTitle()), text("arm", columnsOf(a).ArmTitle()),
		number("estimate", rewardTitle(a), ""), text("ci95", "95 % interval"), number("mean", "Mean measured", ""), number("count", "Times measured", "")}}
	for _, arms := range lists.Groups(a.Arms, func(x answer.Arm) string { return x.Task }) {
		slices.SortStableFunc(arms, func(x, y answer.Arm) int {
			if a.Goal == problem.GoalMin {
				x, y = y, x
			}
			return cmp.Compare(y.Estimate, x.Estimate)
		})
		for _, x := range arms {
			estimate, interval, mean := decimal(x.Estimate, 4), any(nil), any(nil)
			if x.CI95 != nil {
				of, lo, hi := rounded(x.Estimate, *x.CI95)
				estimate, interval = of, lo+"\u00a0to\u00a0"+hi
			}
			if x.Mean != nil {
				mean = *x.Mean
			}
			t.Rows = append(t.Rows, []any{columnsOf(a).TaskLabel(x.Task), x.Label, estimate, interval, mean, x.Count})
		}
	}
	return t.withoutEmptyColumns()
}

// The most that a picture of an answer shows.
const (
	mostAnswerTasks  = 24
	mostAnswerGroups = 6  // lines in a panel
	mostAnswerArms   = 24 // of a task along an axis of names: those most probably best
	fewestNumbers    = 3  // different values of a column that is an axis
)

// answerFigure draws the estimate and interval of every arm beside its measured mean, and shades the pick, a panel for each task: along the
// column of numbers with the most values, a line for each combination of the others; if there is none, or there
// are too many combinations, along the names of the arms.
func answerFigure(a answer.Answer) Figure {
	f := Figure{Title: "Estimates, with 95 % intervals", YLabel: rewardTitle(a)}
	along := answerAxis(a)
	picks := a.Picks[:min(len(a.Picks), mostAnswerTasks)]
	if along != "" {
		f.XLabel, f.LogX = along, slices.Contains(a.Log, along)
	} else {
		f.XLabel, f.Categories = columnsOf(a).ArmTitle(), answerNames(a, picks)
	}
	byTask := map[string][]answer.Arm{}
	for _, arm := range a.Arms {
		byTask[arm.Task] = append(byTask[arm.Task], arm)
	}
	f.YLim = answerSpan(a)
	all := panels(f, picks, func(panel *Figure, p answer.Pick) {
		if along != "" {
			panel.Series = answerLines(a, p, byTask[p.Task], along)
			panel.Lines = []ReferenceLine{{Label: p.Label, At: p.Features[along].(float64), Vertical: true, Wide: true}}
		} else {
			panel.Series = answerPoints(p, byTask[p.Task], f.Categories)
			panel.Lines = []ReferenceLine{{At: float64(slices.Index(f.Categories, p.Label)), Vertical: true, Wide: true}}
		}
		if len(picks) > 1 {
			panel.Title = p.Task
		}
	})
	if len(all) == 1 {
		return all[0]
	}
	f.Panels = all
	return f
}

// answerSpan returns the ends of the axis of rewards: where all intervals and means are.
func answerSpan(a answer.Answer) *[2]float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, arm := range a.Arms {
		if arm.CI95 != nil {
			lo, hi = min(lo, arm.CI95[0]), max(hi, arm.CI95[1])
		}
		if arm.Mean != nil {
			lo, hi = min(lo, *arm.Mean), max(hi, *arm.Mean)
		}
	}
	if margin := (hi - lo) / 20; margin > 0 {
		return &[2]float64{lo - margin, hi + margin}
	}
	return nil
}

// answerAxis returns the column of numbers along which arms are drawn; "" for their names.
func answerAxis(a answer.Answer) string {
	best, most := "", fewestNumbers-1
	for _, c := range a.Columns {
		values := map[float64]bool{}
		for _, arm := range a.Arms {
			if v, is := arm.Features[c].(float64); is {
				values[v] = true
			}
		}
		if len(values) > most {
			best, most = c, len(values)
		}
	}
	groupOf := answerGroups(a, best)
	groups := lists.Keyed(a.Arms, func(_ int, arm answer.Arm) (string, bool) { return groupOf(arm), true })
	if len(groups) > mostAnswerGroups {
		return ""
	}
	return best
}

// answerGroups returns a function that names an arm by its values in the columns besides one, in digits that no two values share.
func answerGroups(a answer.Answer, without string) func(answer.Arm) string {
	digits := lists.Map(a.Columns, func(c string) int { return digitsApart(a, c) })
	return func(arm answer.Arm) string {
		var words []string
		for k, c := range a.Columns {
			if v, is := arm.Features[c].(float64); c != without && is {
				words = append(words, c+" "+decimal(v, digits[k]))
			} else if c != without {
				words = append(words, fmt.Sprint(arm.Features[c]))
			}
		}
		return strings.Join(words, ", ")
	}
}

// digitsApart returns the fewest digits, four at least, by which the values of a column of numbers differ.
func digitsApart(a answer.Answer, column string) int {
	values := map[float64]bool{}
	for _, arm := range a.Arms {
		if v, is := arm.Features[column].(float64); is {
			values[v] = true
		}
	}
	for digits := 4; digits < 17; digits++ {
		texts := map[string]bool{}
		for v := range values {
			texts[decimal(v, digits)] = true
		}
		if len(texts) == len(values) {
			return digits
		}
	}
	return 17
}

// answerLines draws a task along a column of numbers.
func answerLines(a answer.Answer, p answer.Pick, arms []answer.Arm, along string) []Series {
	arms = slices.Clone(arms)
	x := func(arm answer.Arm) float64 { return arm.Features[along].(float64) }
	slices.SortStableFunc(arms, func(b, c answer.Arm) int { return cmp.Compare(x(b), x(c)) })
	var names []string
	groupOf := answerGroups(a, along)
	for _, arm := range a.Arms { // in one order in all panels
		names = lists.Add(names, groupOf(arm))
	}
	slices.Sort(names)
	var lines, means []Series
	for k, name := range names {
		title := cmp.Or(name, "estimate")
		line, mean := Series{Name: title, Hue: k + 1}, Series{Name: "mean measured", Style: Points, Hue: k + 1, Measured: true}
		for _, arm := range arms {
			if groupOf(arm) != name {
				continue
			}
			line.Add(x(arm), arm.Estimate, ends(arm)...)
			if arm.Mean != nil {
				mean.Add(x(arm), *arm.Mean)
			}
		}
		lines, means = append(lines, line), append(means, mean)
	}
	pick := Series{Name: "recommended", Style: Points, Reference: true}
	pick.Add(p.Features[along].(float64), p.Estimate)
	return withPoints(append(slices.Concat(lines, means), pick))
}

// ends returns the ends of the interval of an arm, nil if it has no interval.
func ends(arm answer.Arm) []float64 {
	if arm.CI95 == nil {
		return nil
	}
	return arm.CI95[:]
}

// withPoints leaves out series without points.
func withPoints(all []Series) []Series {
	return lists.Where(all, func(s Series) bool { return len(s.X) > 0 })
}

// answerNames returns the labels of the arms most probably best in some task, in the order of their names.
func answerNames(a answer.Answer, picks []answer.Pick) []string {
	best := map[string]float64{}
	for _, arm := range a.Arms {
		best[arm.Label] = max(best[arm.Label], arm.Best)
	}
	for _, p := range picks {
		best[p.Label] = 1
	}
	labels := slices.SortedFunc(maps.Keys(best), func(x, y string) int { return cmp.Or(cmp.Compare(best[y], best[x]), cmp.Compare(x, y)) })
	labels = labels[:min(len(labels), mostAnswerArms)]
	slices.Sort(labels)
	return labels
}

// answerPoints draws a task along the names of its arms. The recommended arm is among the estimates, and is marked on top of them.
func answerPoints(p answer.Pick, arms []answer.Arm, names []string) []Series {
	believed, measured, pick := Series{Name: "estimate", Style: Points, Hue: 1}, Series{Name: "mean measured", Style: Points, Hue: 2},
		Series{Name: "recommended", Style: Points, Hue: 3}
	for _, arm := range arms {
		at := slices.Index(names, arm.Label)
		if at < 0 {
			continue
		}
		believed.Add(float64(at), arm.Estimate, ends(arm)...)
		if arm.Arm == p.Arm {
			pick.Add(float64(at), arm.Estimate, ends(arm)...)
		}
		if arm.Mean != nil {
			measured.Add(float64(at), *arm.Mean)
		}
	}
	return withPoints([]Series{believed, measured, pick})
}
