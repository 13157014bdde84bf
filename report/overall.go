package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// mostOverall is the number of best arms in the table of arms for all tasks. Arms that may be as good as the recommended
// arm are added to it.
const mostOverall = 12

// overallBlocks returns the blocks of the recommendation of one arm for all tasks.
func overallBlocks(a answer.Answer) []Block {
	o := a.Overall
	if o == nil || len(o.PerTask) == 1 { // with one task, this is the recommendation of that task
		return nil
	}
	text := fmt.Sprintf("On average over all %d tasks, %s is %s with probability %s",
		len(o.PerTask), sentence.Name(o.Label), bestWithin(a.Epsilon), percent(o.Within))
	if o.Difference != nil {
		d := *o.Difference
		if a.Goal == problem.GoalMin { // better is then less
			d = answer.Difference{Estimate: -d.Estimate, CI95: [2]float64{-d.CI95[1], -d.CI95[0]}}
		}
		estimate, lo, hi := rounded(d.Estimate, d.CI95)
		text += fmt.Sprintf(". It is estimated to be better than the runner-up, %s, by %s (95 %% interval %s to %s", sentence.Name(o.RunnerUp),
			estimate, lo, hi)
		if d.CI95[0] < 0 {
			text += "; below 0, the runner-up is better"
		}
		text += ")"
	}
	out := []Block{Paragraph{Text: text + ".", Lead: true}, overallTasks(a), overallOptions(a)}
	if len(o.Drop) > 0 {
		out = append(out, dropTable(a))
	}
	if len(o.Partial) > 0 {
		out = append(out, Paragraph{Text: "These options are not in the table for every task, so they are left out: " +
			strings.Join(o.Partial, "; ") + ". To consider them, write candidates=\"all\" (--candidates all)."})
	}
	return out
}

// overallTasks returns a table with one row per task: the expected loss if the task uses the arm recommended for all.
func overallTasks(a answer.Answer) Table {
	o := a.Overall
	t := Table{Caption: o.Label + " in each task", Columns: []Column{text("task", columnsOf(a).TaskTitle()), number("weight", "Weight", ""),
		number("estimate", rewardTitle(a), ""), {Name: "expected_loss", Title: "Expected loss", Align: Right, Digits: 2},
		text("best", "Best of the task")}}
	works := o.PerTask[0].Works != nil
	if works {
		t.Columns = append(t.Columns, worksColumn)
	}
	for _, x := range o.PerTask {
		row := []any{columnsOf(a).TaskLabel(x.Task), wording.ToStep(x.Weight, 0.1), x.Estimate, x.Loss, x.Best}
		if works {
			row = append(row, Chance(*x.Works))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// overallOptions returns a table with one row per arm: the best arms, and those that may be as good as the recommended
// one.
func overallOptions(a answer.Answer) Table {
	o := a.Overall
	t := Table{Caption: "Options for all tasks", Columns: []Column{text("arm", columnsOf(a).ArmTitle()),
		text("difference", "Difference to the recommended option"),
		number("probability_best", "P(best)", ""), number("probability_best_anywhere", "P(best in at least one task)", ""),
		{Name: "slope", Title: "Slope", Align: Right, Digits: 2}, text("worst_task", "Largest loss at")},
		Notes: []string{"Differences have 95 % intervals."}}
	if slices.ContainsFunc(o.Options, func(x answer.OverallPlace) bool { return x.Slope != nil }) {
		t.Notes = append(t.Notes, "Slope: how much the estimate of an option rises between two tasks if the mean of all options rises by 1. "+
			"Above 1, the option depends on the task more than the average option.")
	}
	shown := lists.Where(o.Options, func(x answer.OverallPlace) bool { return x.Difference.CI95[0] <= 0 && x.Difference.CI95[1] >= 0 })
	if len(shown) < mostOverall {
		shown = o.Options[:min(mostOverall, len(o.Options))]
	}
	for _, x := range shown {
		difference, slope := interval(x.Difference.Estimate, x.Difference.CI95[0], x.Difference.CI95[1]), any(nil)
		if x.Arm == o.Arm {
			difference = "recommended"
		}
		if x.Slope != nil {
			slope = *x.Slope
		}
		t.Rows = append(t.Rows, []any{x.Label, difference, Chance(x.Best), Chance(x.Anywhere), slope, columnsOf(a).TaskLabel(x.Worst)})
	}
	if hidden := len(o.Options) - len(shown); hidden > 0 {
		t.Notes = append(t.Notes, fmt.Sprintf("%d of %d options are shown; JSON has all.", len(shown), len(o.Options)))
	}
	return t.withoutEmptyColumns()
}

// dropTable lists the arms that are almost certainly not the best of any task.
func dropTable(a answer.Answer) Table {
	o := a.Overall
	t := Table{Caption: fmt.Sprintf("Options that can be left out: %d of %d", len(o.Drop), len(o.Options)),
		Columns: []Column{text("arm", columnsOf(a).ArmTitle()), text("difference", "Difference to the recommended option"),
			number("probability_best_anywhere", "P(best in at least one task)", ""), text("worst_task", "Largest loss at")},
		Notes: []string{"For each of these, the probability of being the best in at least one task is below 1 %."}}
	for _, x := range o.Options {
		if slices.Contains(o.Drop, x.Label) {
			difference := interval(x.Difference.Estimate, x.Difference.CI95[0], x.Difference.CI95[1])
			t.Rows = append(t.Rows, []any{x.Label, difference, Chance(x.Anywhere), columnsOf(a).TaskLabel(x.Worst)})
		}
	}
	return t
}

// paretoTable lists the arms that may be the best compromise between several rewards.
func paretoTable(a answer.Answer) Table {
	t := Table{Caption: "Best trade-offs", Columns: []Column{text("task", columnsOf(a).TaskTitle()), text("arm", columnsOf(a).ArmTitle()),
		number("probability", "P(no option is better in every reward)", "")}}
	names := slices.Sorted(maps.Keys(a.Pareto[0].Estimates))
	for _, name := range names {
		t.Columns = append(t.Columns, number(name, name, ""))
	}
	works := a.Pareto[0].Works != nil
	if works {
		t.Columns = append(t.Columns, worksColumn)
	}
	for _, x := range a.Pareto {
		row := []any{columnsOf(a).TaskLabel(x.Task), x.Label, Chance(x.Probability)}
		for _, name := range names {
			row = append(row, x.Estimates[name])
		}
		if works {
			row = append(row, Chance(*x.Works))
		}
		t.Rows = append(t.Rows, row)
	}
	t.Notes = []string{"The recommendations below are for " + rewardTitle(a) + " alone."}
	return t
}
