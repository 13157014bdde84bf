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
)

// Limits of the picture of an answer.
const (
	mostAnswerTasks  = 24 // largest number of tasks, drawn along a column of numbers
	mostDottedTasks  = 8  // largest number of tasks whose arms are drawn by name
	mostAnswerGroups = 6  // largest number of lines in a panel
	leastAnswerArms  = 12 // arms of a task that are drawn by name: those with the best estimates
	mostAnswerArms   = 24 // largest number, with arms whose difference to the recommended arm may be 0
	fewestNumbers    = 3  // least number of different values of a column that is used as an axis
	mostWidths       = 12 // largest length of an axis of differences, in widths of the runner-up's interval
)

// answerFigure draws the options of each task in a panel with own ends. Options that differ in numbers are along the column
// with the most values, with a line for each combination of the other columns. If there is no such column, or there are too many
// combinations, options are in rows, the best first, with their difference to the recommended option.
func answerFigure(a answer.Answer) Figure {
	byTask := map[string][]answer.Arm{}
	recommended := lists.Keyed(a.Picks, func(_ int, p answer.Pick) ([2]string, bool) { return [2]string{p.Task, p.Arm}, true })
	for _, arm := range a.Arms {
		if arm.Difference != nil || recommended[[2]string{arm.Task, arm.Arm}] { // others failed each time and are left out
			byTask[arm.Task] = append(byTask[arm.Task], arm)
		}
	}
	along := answerAxis(a)
	if along == "" {
		return differenceFigure(a, byTask)
	}
	f := Figure{Title: "Estimates, with 95 % intervals", YLabel: rewardTitle(a), XLabel: along,
		LogX: slices.Contains(a.Log, along), FreeY: true}
	picks := a.Picks[:min(len(a.Picks), mostAnswerTasks)]
	if len(picks) < len(a.Picks) {
		f.Title += fmt.Sprintf("; %d of %d tasks are drawn", len(picks), len(a.Picks))
	}
	return oneOrPanels(f, panels(f, picks, func(panel *Figure, p answer.Pick) {
		panel.Series, panel.YLim = answerLines(a, p, byTask[p.Task], along), answerSpan(byTask[p.Task])
		panel.Lines = []ReferenceLine{{Label: p.Label, At: p.Features[along].(float64), Vertical: true, Wide: true}}
		if len(picks) > 1 {
			panel.Title = p.Task
		}
	}))
}

// oneOrPanels returns the panel itself if there is only one, otherwise a figure of several panels.
func oneOrPanels(f Figure, all []Figure) Figure {
	if len(all) == 1 {
		return all[0]
	}
	f.Panels = all
	return f
}

// differenceFigure draws the best options of each task in rows, as differences to the recommended one. If there are many tasks, it
// draws the least certain.
func differenceFigure(a answer.Answer, byTask map[string][]answer.Arm) Figure {
	f := Figure{Title: "Difference to the recommended option, with 95 % intervals", YLabel: columnsOf(a).ArmTitle(),
		XLabel: rewardTitle(a) + ": difference to the recommended option"}
	picks := slices.Clone(a.Picks)
	slices.SortStableFunc(picks, func(p, q answer.Pick) int { return cmp.Compare(p.Within, q.Within) })
	picks = picks[:min(len(picks), mostDottedTasks)]
	order := func(p answer.Pick) int {
		return slices.IndexFunc(a.Picks, func(q answer.Pick) bool { return q.Task == p.Task })
	}
	slices.SortFunc(picks, func(p, q answer.Pick) int { return cmp.Compare(order(p), order(q)) })
	drawn, all := 0, 0
	parts := panels(f, picks, func(panel *Figure, p answer.Pick) {
		arms := decisive(a, p, byTask[p.Task])
		drawn, all = drawn+len(arms), all+len(byTask[p.Task])
		panel.Categories = lists.Map(arms, func(arm answer.Arm) string { return arm.Label })
		panel.Series = answerDots(p, arms)
		panel.Lines = []ReferenceLine{{At: 0, Vertical: true}}
		panel.XLim = differenceSpan(a, p, panel.Series)
		if len(picks) > 1 {
			panel.Title = columnsOf(a).TaskLabel(p.Task)
		}
	})
	var counts []string
	if drawn < all {
		counts = append(counts, fmt.Sprintf("%d of %d options", drawn, all))
	}
	if len(picks) < len(a.Picks) {
		counts = append(counts, fmt.Sprintf("the %d least sure of %d tasks", len(picks), len(a.Picks)))
	}
	if f.Title += map[bool]string{true: ": "}[len(counts) > 0] + strings.Join(counts, ", "); len(parts) == 1 {
		parts[0].Title = f.Title
	}
	return oneOrPanels(f, parts)
}

// decisive returns the options of a task that matter for the choice, the best first: the recommended one, its runner-up, those with
// the best estimates, and those whose difference to the recommended one may be 0.
func decisive(a answer.Answer, p answer.Pick, arms []answer.Arm) []answer.Arm {
	better := -1.0
	if a.Goal == problem.GoalMin {
		better = 1
	}
	must := func(arm answer.Arm) bool { return arm.Arm == p.Arm || arm.Label == p.RunnerUp }
	arms = slices.Clone(arms)
	slices.SortStableFunc(arms, func(x, y answer.Arm) int {
		return cmp.Or(cmp.Compare(indices.Indicator(y.Arm == p.Arm), indices.Indicator(x.Arm == p.Arm)),
			cmp.Compare(better*x.Estimate, better*y.Estimate))
	})
	var out []answer.Arm
	for k, arm := range arms {
		d := arm.Difference
		overlaps := d != nil && d.CI95[0] <= 0 && d.CI95[1] >= 0
		if must(arm) || k < leastAnswerArms || overlaps && len(out) < mostAnswerArms {
			out = append(out, arm)
		}
	}
	return out
}

// answerDots returns the options of a task as differences to the recommended one: estimates, means and the option itself.
func answerDots(p answer.Pick, arms []answer.Arm) []Series {
	estimates := Series{Name: "estimate", Style: Dots, Hue: 1}
	means := Series{Name: "mean measured", Style: Dots, Hue: 1, Measured: true}
	pick := Series{Name: "recommended", Style: Dots, Hue: 3}
	for k, arm := range arms {
		at := float64(k)
		switch d := arm.Difference; {
		case arm.Arm == p.Arm:
			pick.Add(at, 0)
		default:
			estimates.Add(at, d.Estimate, d.CI95[:]...)
		}
		if arm.Mean != nil {
			means.Add(at, *arm.Mean-p.Estimate)
		}
	}
	return withPoints([]Series{estimates, means, pick})
}

// differenceSpan returns the ends of an axis of differences, chosen so that the interval of the runner-up stays visible; nil if all
// differences fit.
func differenceSpan(a answer.Answer, p answer.Pick, series []Series) *[2]float64 {
	lo, hi, width := 0.0, 0.0, 0.0
	for _, s := range series {
		for k, y := range s.Y {
			lo, hi = min(lo, y), max(hi, y)
			if s.HasIntervals() {
				lo, hi = min(lo, s.Lo[k]), max(hi, s.Hi[k])
			}
		}
	}
	for _, arm := range a.Arms {
		if arm.Task == p.Task && arm.Label == p.RunnerUp && arm.Difference != nil {
			width = arm.Difference.CI95[1] - arm.Difference.CI95[0]
		}
	}
	if width == 0 || hi-lo <= mostWidths*width {
		return nil
	}
	room := mostWidths * width
	if a.Goal == problem.GoalMin {
		lo = max(lo, -room/3)
		return &[2]float64{lo, min(hi, lo+room)}
	}
	hi = min(hi, room/3)
	return &[2]float64{max(lo, hi-room), hi}
}

// importanceTable lists how much the estimates depend on each column of the options.
func importanceTable(a answer.Answer) Table {
	t := Table{Caption: "Importance of the columns", Columns: []Column{text("column", "Column"), number("share", "Share of the variance", "")},
		Notes: []string{"Share: how much of the variance of the estimates within a task the column explains by itself. What a column " +
			"without effect would explain by chance is subtracted, and a share below 0 is shown as 0. So with few options, a share can be 0 " +
			"although the estimates differ. Shares need not add up to 100 %: columns act together, or change together in the table."}}
	for _, x := range a.Importance {
		t.Rows = append(t.Rows, []any{x.Column, Share(x.Share)})
	}
	return t
}

// answerSpan returns the ends of an axis of rewards: where the intervals and means of some options are.
func answerSpan(arms []answer.Arm) *[2]float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, arm := range arms {
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

// answerGroups returns a function that names an arm by its values in the other columns. Numbers get enough digits to be different.
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

// digitsApart returns the number of digits, at least four, that distinguishes the values of a column of numbers.
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
