package report

import (
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Answer shows best(...).
func (views) Answer(a answer.Answer) view {
	return view{
		blocks: func() []Block { return answerBlocks(a) },
		axes:   func(string) (xs, ys []string) { return []string{"arm"}, []string{"reward"} },
		figure: func(PlotOptions) (Figure, error) { return answerFigure(a), nil },
	}
}

// answerBlocks shows which arm to take in each task, what to measure next, and how far to believe it.
func answerBlocks(a answer.Answer) []Block {
	out := []Block{Paragraph{Text: answerSentence(a), Lead: true}, pickTable(a)}
	if len(a.Next) > 0 {
		out = append(out, nextTable(a))
	}
	out = append(out, Paragraph{Text: a.Basis})
	for _, w := range a.Warnings {
		out = append(out, Note{Text: upper(w) + ".", Warning: true})
	}
	log := ""
	if len(a.Log) > 0 {
		log = " (of " + join(a.Log, 4) + " the decimal logarithm)"
	}
	return append(out, answerFigure(a), KeyValues{Caption: "What was found", Items: []KeyValue{
		{Key: "Noise", Value: a.Noise},
		{Key: "Kernel" + log, Value: shownKernel(a.Kernel)},
		{Key: "Guarantee", Value: "none: this is a belief, as true as the kernel predicts; for a proof run a campaign with CoTestFC (docs/campaigns.md)"},
	}})
}

// answerSentence says what is known.
func answerSentence(a answer.Answer) string {
	sure := 0
	for _, p := range a.Picks {
		if p.Within >= answer.Sure {
			sure++
		}
	}
	what := "is the best"
	if a.Epsilon > 0 {
		what = "is within " + decimal(a.Epsilon, 4) + " of the best"
	}
	if len(a.Picks) == 1 {
		p := a.Picks[0]
		return fmt.Sprintf("%s %s with probability %s: %s [%s, %s].", p.Label, what, percent(p.Within), decimal(p.Estimate, 4), decimal(p.CI95[0], 4), decimal(p.CI95[1], 4))
	}
	return fmt.Sprintf("The pick %s, with a probability of 95 %% or more, in %d of %s.", what, sure, plural(len(a.Picks), "task"))
}

// percent writes a probability; 99.97 % is not 100 %.
func percent(p float64) string {
	switch {
	case p > 0.999:
		return "above 99.9 %"
	case p < 0.001:
		return "below 0.1 %"
	}
	return decimal(100*p, 3) + " %"
}

// taskTitle, armTitle and rewardTitle are the user's own names of columns.
func taskTitle(a answer.Answer) string {
	if len(a.Tasks) > 0 {
		return strings.Join(a.Tasks, ", ")
	}
	return "Task"
}

func armTitle(a answer.Answer) string {
	if len(a.Columns) > 0 {
		return strings.Join(a.Columns, ", ")
	}
	return "Arm"
}

func rewardTitle(a answer.Answer) string {
	if a.Reward != "" {
		return a.Reward
	}
	return "reward"
}

// pickTable has a row for each task.
func pickTable(a answer.Answer) Table {
	best := "Highest"
	if a.Goal == problem.GoalMin {
		best = "Lowest"
	}
	within := "P(best)"
	if a.Epsilon > 0 {
		within = "P(within " + decimal(a.Epsilon, 4) + " of the best)"
	}
	t := Table{
		Caption: "What to take",
		Columns: []Column{
			text("task", taskTitle(a)), text("arm", best+": "+armTitle(a)), number("estimate", rewardTitle(a), ""), text("ci95", "95 % interval"),
			number("probability_within", within, ""), number("expected_loss", "Expected loss", ""), text("runner_up", "Runner-up"), number("count", "Measured", ""),
		},
		Notes: []string{"The expected loss is by how much the pick is worse than the best arm of its task, on average over what may be true."},
	}
	for _, p := range a.Picks {
		t.Rows = append(t.Rows, []any{p.Task, p.Label, p.Estimate, fmt.Sprintf("%s to %s", decimal(p.CI95[0], 4), decimal(p.CI95[1], 4)),
			Share(p.Within), p.Loss, orAbsent(p.RunnerUp), p.Count})
	}
	return t
}

// nextTable lists what to measure next.
func nextTable(a answer.Answer) Table {
	t := Table{
		Caption: "What to measure next",
		Columns: []Column{text("task", taskTitle(a)), text("arm", armTitle(a)), number("count", "Times", "")},
		Notes:   []string{fmt.Sprintf("Taken now, the picks lose %s a task on average; after these measurements %s is expected.", decimal(a.LossNow, 3), decimal(a.LossAfter, 3))},
	}
	for _, p := range a.Next {
		t.Rows = append(t.Rows, []any{p.Task, p.Label, p.Count})
	}
	return t
}

// mostAnswerArms is how many arms of a task the picture shows: the best of them.
const mostAnswerArms = 60

// answerFigure draws the estimate and interval of every arm beside its measured mean, a panel for each task.
func answerFigure(a answer.Answer) Figure {
	f := Figure{Title: "What is believed of every arm", XLabel: armTitle(a), YLabel: rewardTitle(a)}
	at := map[string]int{}
	for _, arm := range a.Arms {
		l := arm.Label
		if _, ok := at[l]; !ok {
			at[l] = len(f.Categories)
			f.Categories = append(f.Categories, l)
		}
	}
	for _, p := range a.Picks {
		panel := f
		panel.Title, panel.Panels = p.Task, nil
		believed, measured, best := Series{Name: "believed, 95 %", Style: Points, Hue: 1}, Series{Name: "mean measured", Style: Points, Hue: 2}, Series{Name: "pick", Style: Points, Hue: 3}
		for _, arm := range a.Arms {
			if arm.Task != p.Task {
				continue
			}
			x := float64(at[arm.Label])
			if arm.Arm == p.Arm {
				best.X, best.Y = append(best.X, x), append(best.Y, arm.Estimate)
				best.Lo, best.Hi = append(best.Lo, arm.CI95[0]), append(best.Hi, arm.CI95[1])
			} else {
				believed.X, believed.Y = append(believed.X, x), append(believed.Y, arm.Estimate)
				believed.Lo, believed.Hi = append(believed.Lo, arm.CI95[0]), append(believed.Hi, arm.CI95[1])
			}
			if arm.Mean != nil {
				measured.X, measured.Y = append(measured.X, x), append(measured.Y, *arm.Mean)
			}
		}
		panel.Series = []Series{believed, measured, best}
		f.Panels = append(f.Panels, panel)
	}
	if len(f.Panels) == 1 {
		one := f.Panels[0]
		one.Title = f.Title
		return one
	}
	return f
}
