package report

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// shownWarnings is the maximum number of warnings that are not folded.
const shownWarnings = 2

// warned returns the first shownWarnings warnings as notes, and the others as a folded table; others is nil if there
// are none.
func warned(sentences []string) (first, others []Block) {
	shown := min(shownWarnings, len(sentences))
	first = lists.Map(sentences[:shown], func(w string) Block { return Note{Text: w + ".", Warning: true} })
	if shown == len(sentences) {
		return first, nil
	}
	return first, []Block{Table{Caption: "Further warnings", Columns: columns("warning Warning"), Collapsed: true,
		Rows: lists.Map(sentences[shown:], func(w string) []any { return []any{w + "."} })}}
}

// sweepWarnings returns one sentence for each kind of warning of the runs, with the number of results that have it.
func sweepWarnings(s sim.Sweep) []string {
	kinds, rows := warningsOf(resultsOf(s))
	return lists.Map(worstFirst(kinds), func(alike []engine.Warning) string {
		count := len(rows[alike[0].Kind])
		return fmt.Sprintf("%s (%d of %s%s)", engine.WarningText(alike...), count, plural(len(s.Rows), "result"), ofFirst(alike))
	})
}

// warningsOf groups the warnings of results by kind, and returns the indices of the results with each kind.
func warningsOf(results []engine.Result) (kinds [][]engine.Warning, rows map[engine.WarningKind][]int) {
	rows = map[engine.WarningKind][]int{}
	for i, r := range results {
		for _, alike := range byKind(r.Warnings) {
			rows[alike[0].Kind] = append(rows[alike[0].Kind], i)
		}
	}
	return byKind(lists.Flat(results, func(r engine.Result) []engine.Warning { return r.Warnings })), rows
}

// ofFirst returns a remark that only the first of several similar warnings is shown; "" if they are equal.
func ofFirst(alike []engine.Warning) string {
	if alike[0].Named() && slices.ContainsFunc(alike, func(w engine.Warning) bool { return !w.Same(alike[0]) }) {
		return "; the first is shown"
	}
	return ""
}

// resultWarnings returns one sentence for each kind of warning of a result.
func resultWarnings(r engine.Result) []string {
	return lists.Map(worstFirst(byKind(r.Warnings)), func(alike []engine.Warning) string {
		text := engine.WarningText(alike...)
		if len(alike) > 1 && alike[0].Named() {
			text += fmt.Sprintf(" (the first of %d different warnings of this kind in all runs)", len(alike))
		}
		return text
	})
}

// worst lists the kinds of warnings that mean wrong answers. They are shown first.
var worst = []engine.WarningKind{engine.WarnErrors, engine.WarnKernel, engine.WarnLackOfFit}

// worstFirst moves the warnings in worst to the front, in the order of worst. Other warnings keep their order.
func worstFirst(kinds [][]engine.Warning) [][]engine.Warning {
	rank := func(alike []engine.Warning) int {
		if k := slices.Index(worst, alike[0].Kind); k >= 0 {
			return k
		}
		if slices.Contains(engine.GroupKinds[:], alike[0].Kind) { // how the test worked, not what is wrong
			return len(worst) + 1
		}
		return len(worst)
	}
	slices.SortStableFunc(kinds, func(a, b []engine.Warning) int { return rank(a) - rank(b) })
	return kinds
}

// byKind groups warnings by kind, in the order in which the kinds first occur.
func byKind(warnings []engine.Warning) [][]engine.Warning {
	return lists.Groups(warnings, func(w engine.Warning) engine.WarningKind { return w.Kind })
}

// lowest returns a cell that explains the goal "min"; nil for any other goal.
func lowest(goal string) any {
	if goal != problem.GoalMin {
		return nil
	}
	return "the lowest reward; gaps and regrets say how far above the best"
}

// noiseKnown returns a word for the type of a problem's noise model, and a sentence about its consequences.
func noiseKnown(p problem.Problem) (word, sense string) {
	const estimated = ": estimated while sampling, by algorithms that can"
	switch b := p.Noise.Bounds; {
	case p.Noise.UnknownBy == problem.UnknownProblem:
		return "unknown common", "scale unknown, up to one factor for all arms" + estimated
	case p.Noise.UnknownBy == problem.UnknownTested:
		return "unknown", "scale unknown, common to all arms until the rewards show differences" + estimated
	case p.Noise.UnknownBy == problem.UnknownTask:
		return "unknown task", "scale unknown, up to a factor for each task" + estimated
	case p.Noise.UnknownBy != "":
		return "unknown " + p.Noise.UnknownBy, "scale unknown for each arm" + estimated
	case b != nil:
		shown := p.TurnedBounds(b)
		return "bounded", fmt.Sprintf("of any distribution, with rewards between %s and %s", cell(shown[0], 6), cell(shown[1], 6))
	case p.Noise.Estimated():
		return "estimated", "scale estimated from the data: guarantees that take it as known are heuristic"
	}
	return "known", "scale known"
}

// environmentWords describes how rewards are simulated.
func environmentWords(p problem.Problem) string {
	switch p.Noise.Environment {
	case problem.EnvironmentPosterior:
		return "drawn around expected rewards that the measurements make plausible, new for each run"
	case problem.EnvironmentPrior:
		return "drawn around expected rewards that come from the kernel, new for each run"
	}
	return cmp.Or(p.Noise.Environment, problem.EnvironmentGaussian)
}

// rewardUnits is the unit of rewards for tables that do not name one.
const rewardUnits = "reward units"

// inWords returns blocks in which tasks, arms and rewards have the names of the user's table.
func inWords(blocks []Block, c problem.Words) []Block {
	if c.IsZero() {
		return blocks
	}
	out := slices.Clone(blocks)
	for k, b := range out {
		switch b := b.(type) {
		case Table:
			out[k] = b.inWords(c)
		case Figure:
			out[k] = figureInWords(b, c)
		case Drawn:
			out[k] = Drawn{Figure: figureInWords(b.Figure, c), Data: b.Data.inWords(c)}
		case KeyValues:
			b.Items = slices.Clone(b.Items)
			for i := range b.Items {
				b.Items[i].Unit = unitOf(b.Items[i].Unit, c)
			}
			out[k] = b
		}
	}
	return out
}

// inWords returns the table with the user's names for tasks, arms and rewards.
func (t Table) inWords(c problem.Words) Table {
	t.Columns, t.Rows = slices.Clone(t.Columns), slices.Clone(t.Rows)
	for j := range t.Columns {
		column := &t.Columns[j]
		column.Unit = unitOf(column.Unit, c)
		label := func(s string) string { return s }
		switch column.Name {
		case "task":
			label, column.Title = c.TaskLabel, c.TaskTitle()
		case "arm", "leader", "rival", "best", "candidates", "out", "story":
			label = c.ArmLabel
		}
		switch {
		case column.Title == "Arm":
			column.Title = c.ArmTitle()
		case column.Title == "Estimated reward" && c.Reward != "":
			column.Title = "Estimated " + c.Reward
		}
		for i, row := range t.Rows {
			if s, ok := row[j].(string); ok {
				t.Rows[i] = slices.Clone(row)
				t.Rows[i][j] = label(s)
			}
		}
	}
	return t
}

// figureInWords returns the figure with the user's names for tasks, arms and rewards.
func figureInWords(f Figure, c problem.Words) Figure {
	if c.IsZero() {
		return f
	}
	label := func(s string) string {
		switch {
		case s == "task":
			return c.TaskTitle()
		case s == "arm":
			return c.ArmTitle()
		case (s == "estimated reward" || s == "expected reward") && c.Reward != "":
			return s[:len(s)-len("reward")] + c.Reward
		}
		return s
	}
	f.XLabel, f.YLabel, f.Categories = label(f.XLabel), label(f.YLabel), lists.Map(f.Categories, c.Shorten)
	f.Panels = lists.Map(f.Panels, func(p Figure) Figure { return figureInWords(p, c) })
	return f
}

// unitOf returns the unit with the user's name for it, if it is rewardUnits.
func unitOf(unit string, c problem.Words) string {
	if unit == rewardUnits && c.Reward != "" {
		return c.Reward
	}
	return unit
}
