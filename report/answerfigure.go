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

// Limits of the figure of an answer.
const (
	mostAnswerTasks  = 24 // maximum number of tasks in a figure along a numeric column
	mostDottedTasks  = 8  // maximum number of tasks in a figure with named arms
	mostAnswerGroups = 6  // maximum number of lines in a panel
	leastAnswerArms  = 12 // number of named arms of a task that are always drawn: those with the best estimates
	mostAnswerArms   = 24 // maximum number of named arms of a task, including those that may be as good as the recommended arm
	fewestNumbers    = 3  // minimum number of different values of a column used as the x axis
	mostWidths       = 12 // maximum length of an axis of differences, as a multiple of the width of the runner-up's interval
)

// answerFigure draws the arms of each task in one panel. The x axis is the numeric column with the most values; each
// combination of the other columns is a line. Without such a column, or with too many combinations, differenceFigure draws
// the arms by name.
func answerFigure(a answer.Answer) Figure {
	byTask := map[string][]answer.Arm{}
	recommended := lists.Keyed(a.Picks, func(_ int, p answer.Pick) ([2]string, bool) { return [2]string{p.Task, p.Arm}, true })
	for _, arm := range a.Arms {
		if arm.Difference != nil || recommended[[2]string{arm.Task, arm.Arm}] { // omit arms whose measurements all failed
			byTask[arm.Task] = append(byTask[arm.Task], arm)
		}
	}
	along := answerAxis(a)
	if along == "" {
		return differenceFigure(a, byTask)
	}
	f := Figure{Title: "Estimates, with 95 % intervals", YLabel: rewardTitle(a), XLabel: along,
		LogX: slices.Contains(a.Log, along), FreeY: true, PanelsAre: columnsOf(a).TaskTitle()}
	others := lists.Where(a.Columns, func(c string) bool { return c != along })
	f.SeriesAre = strings.Join(others, ", ")
	picks := leastSure(a, mostAnswerTasks)
	if len(picks) < len(a.Picks) {
		f.Title += fmt.Sprintf(": the %d least certain of %d tasks", len(picks), len(a.Picks))
	}
	return oneOrPanels(f, panels(f, picks, func(panel *Figure, p answer.Pick) {
		panel.Series, panel.YLim = answerLines(a, p, byTask[p.Task], along), answerSpan(byTask[p.Task])
		panel.Lines = []ReferenceLine{{Label: p.Label, At: p.Features[along].(float64), Vertical: true, Wide: true}}
		if len(picks) > 1 {
			panel.Title = p.Task
		}
	}))
}

// oneOrPanels returns the only panel if there is one, and otherwise f with the panels in all.
func oneOrPanels(f Figure, all []Figure) Figure {
	if len(all) == 1 {
		return all[0]
	}
	f.Panels = all
	return f
}

// differenceFigure draws the best arms of each task as rows, each with its difference from the recommended arm. If there are
// too many tasks, it draws the least certain ones.
func differenceFigure(a answer.Answer, byTask map[string][]answer.Arm) Figure {
	f := Figure{Title: "Differences from the estimate of the recommended option, with 95 % intervals", YLabel: columnsOf(a).ArmTitle(),
		XLabel: rewardTitle(a) + ": difference", PanelsAre: columnsOf(a).TaskTitle()}
	picks := leastSure(a, mostDottedTasks)
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
		counts = append(counts, fmt.Sprintf("the %d least certain of %d tasks", len(picks), len(a.Picks)))
	}
	if f.Title += map[bool]string{true: ": "}[len(counts) > 0] + strings.Join(counts, ", "); len(parts) == 1 {
		parts[0].Title = f.Title
	}
	return oneOrPanels(f, parts)
}

// leastSure returns at most the given number of recommendations, those with the smallest probabilities, in the order of the
// tasks.
func leastSure(a answer.Answer, most int) []answer.Pick {
	order := indices.All(len(a.Picks))
	slices.SortStableFunc(order, func(i, j int) int { return lessSure(a.Picks[i], a.Picks[j]) })
	order = order[:min(len(order), most)]
	slices.Sort(order)
	return indices.Of(a.Picks, order)
}

// decisive returns the arms of a task that matter for the choice, best first: the recommended arm, the runner-up, the arms
// with the best estimates, and arms whose difference from the recommended arm may be 0.
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

// answerDots returns series of differences from the recommended arm p: estimates with intervals, measured means, and the
// recommended arm at 0. arms are the rows.
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

// differenceSpan returns the limits of an axis of differences. They are at most mostWidths times as far apart as the
// runner-up's interval is wide, so that this interval stays visible. It returns nil if all differences fit.
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

// importanceTable lists how strongly the estimates depend on each column of the arms.
func importanceTable(a answer.Answer) Table {
	t := Table{Caption: "Importance of the columns", Columns: []Column{text("column", "Column"), number("share", "Share of the variance", "")},
		Notes: []string{"Share: how much of the differences between the estimates in a task (their variance) the column " +
			"explains by itself. The " +
			"share that chance alone would give is subtracted, and negative shares are shown as 0. So with few options it can be 0 although the " +
			"estimates differ. Shares need not add up to 100 %: the effect of one column can depend on another, and columns can change together."}}
	for _, x := range a.Importance {
		t.Rows = append(t.Rows, []any{x.Column, Share(x.Share)})
	}
	return t
}

// answerSpan returns the limits of an axis of rewards, which contain the intervals and means of the arms.
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

// answerAxis returns the numeric column that becomes the x axis; "" if the arms must be drawn by name.
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

// answerGroups returns a function that describes an arm by its values in all columns except without. Numbers have enough
// digits to differ.
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

// digitsApart returns the number of significant digits, at least four, with which all values of a numeric column differ.
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

// answerLines returns the series of a task's panel, whose x axis is the numeric column along. Each combination of the
// other columns is a series.
func answerLines(a answer.Answer, p answer.Pick, arms []answer.Arm, along string) []Series {
	arms = slices.Clone(arms)
	x := func(arm answer.Arm) float64 { return arm.Features[along].(float64) }
	slices.SortStableFunc(arms, func(b, c answer.Arm) int { return cmp.Compare(x(b), x(c)) })
	var names []string
	groupOf := answerGroups(a, along)
	for _, arm := range a.Arms { // so that all panels have the same order
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

// ends returns the two ends of an arm's interval; nil if the arm has no interval.
func ends(arm answer.Arm) []float64 {
	if arm.CI95 == nil {
		return nil
	}
	return arm.CI95[:]
}

// withPoints returns the series that have points.
func withPoints(all []Series) []Series {
	return lists.Where(all, func(s Series) bool { return len(s.X) > 0 })
}
