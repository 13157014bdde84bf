package report

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Explanation returns the view of explain(...): the progress of the run, of each task and of each arm.
func (views) Explanation(x engine.Explanation) view {
	return view{words: x.Words, blocks: func() []Block {
		out := []Block{Paragraph{Text: explanationSentence(x), Lead: true}, progressTable(x)}
		if t := armsTable(x); len(t.Rows) > 0 {
			out = append(out, t)
		}
		return out
	}}
}

// explanationSentence returns a sentence on the decided tasks, the end of the run, and the samples still needed.
func explanationSentence(x engine.Explanation) string {
	whose := x.Algorithm + " on " + x.Problem
	if x.Asked > 1 {
		whose = fmt.Sprintf("First of %s of %s", plural(x.Asked, "run"), whose)
	}
	open := x.Open()
	s := fmt.Sprintf("%s, %s measurements in %s", whose, decimal(x.Samples, 0), plural(x.Rounds, "round"))
	if why := x.Status; len(open) > 0 && x.Asked == 1 {
		s += " (" + why.Words() + ")"
	}
	done := len(x.Tasks) - len(open)
	summary := fmt.Sprintf("%d of %s decided", done, plural(len(x.Tasks), "task"))
	switch {
	case len(x.Tasks) == 1 && done == 1:
		summary = fmt.Sprintf("%s is decided", x.Tasks[0].Progress.Task)
	case len(x.Tasks) == 1:
		summary = fmt.Sprintf("%s is not decided", x.Tasks[0].Progress.Task)
	case len(open) == 0:
		summary = fmt.Sprintf("all %s decided", plural(done, "task"))
	}
	if len(open) == 0 {
		return s + ": " + summary + "."
	}
	return s + ": " + summary + ". " + outlook(x, open)
}

// outlook returns a sentence on the samples that the open tasks still need.
func outlook(x engine.Explanation, open []engine.TaskExplanation) string {
	remaining := x.Remaining
	if len(x.Tasks) == 1 {
		remaining = open[0].Progress.Samples
	}
	hopeless := lists.Where(open, func(s engine.TaskExplanation) bool { return s.Progress.Samples < 0 })
	switch {
	case len(hopeless) > 0 && x.Mode == engine.ModeFB:
		return ""
	case len(hopeless) > 0:
		whose := "its"
		if len(hopeless) > 1 {
			whose = "their"
		}
		tasks := lists.Map(hopeless, func(s engine.TaskExplanation) string { return s.Progress.Task })
		return upper(fmt.Sprintf("%s cannot be decided this way: %s arms are too close to each other.", join(tasks, 4), whose))
	case !isFinite(remaining) || remaining <= 0:
		return ""
	}
	what := "The open tasks need"
	if x.Mode == engine.ModeFB {
		what = "To decide the open tasks by the data, a further round needs"
	}
	s := fmt.Sprintf("%s about %s more measurements in all", what, decimal(twoFigures(remaining), 0))
	if slices.ContainsFunc(open, func(s engine.TaskExplanation) bool { return s.Progress.Uncertain() }) {
		s += ". This number is very uncertain, because a leader is less than two standard errors ahead"
	}
	return s + "."
}

// twoFigures rounds x to two significant digits.
func twoFigures(x float64) float64 {
	if !(x > 0) || !isFinite(x) {
		return x
	}
	unit := math.Pow(10, math.Floor(math.Log10(x))-1)
	return math.Round(x/unit) * unit
}

// progressTable returns a table with one row per task.
func progressTable(x engine.Explanation) Table {
	t := Table{
		Caption: "Progress of each task",
		Columns: columns("task Task", "status Status", "leader Leader", "rival Hardest rival", "#gap Lead [reward units]",
			"reached Evidence reached", "#further_samples Further measurements, this task alone", "#arms_possible Arms possible"),
	}
	open := x.Open()
	for _, s := range x.Tasks {
		p := s.Progress
		row := []any{p.Task, progressStatus(p, x.Mode), known(p.Leader), known(p.Rival), nil, Share(p.Reached), nil, p.Open}
		if !p.Decided {
			row[4] = MeanError{Mean: p.Gap, StandardError: p.Error}
			if p.Samples >= 0 {
				row[6] = twoFigures(p.Samples)
			}
		}
		t.Rows = append(t.Rows, row)
	}
	if len(open) > 0 {
		t.Notes = append(t.Notes, "Evidence reached is (test statistic / boundary)², which grows in proportion to the measurements. "+
			"± is one standard error.")
	}
	predicted := lists.Count(open, func(s engine.TaskExplanation) bool { return s.Progress.Samples >= 0 })
	if predicted > 0 {
		t.Notes = append(t.Notes, "Further measurements are predicted from the lead and its standard error, without a guarantee. For an unclear "+
			"task the prediction is very uncertain. In the first two rounds it is usually far too low.")
	}
	if predicted > 1 {
		t.Notes = append(t.Notes, "Tasks that share rounds need fewer measurements together than the sum.")
	}
	return t.withoutEmptyColumns()
}

// byEstimate reports whether a task's recommendation is the arm with the largest estimate, without a test.
func byEstimate(p engine.Progress, mode string) bool {
	return !p.Decided && p.Samples < 0 && mode == engine.ModeFB
}

// progressStatus returns a word for the status of a task. With a fixed budget, a finished task may be undecided.
func progressStatus(p engine.Progress, mode string) string {
	switch {
	case p.Decided:
		return "✓ decided"
	case byEstimate(p, mode):
		return "… not tested"
	case p.Samples < 0:
		return "✗ cannot be decided"
	case p.Uncertain():
		return "? open, leader uncertain"
	}
	return "… open"
}

// armsTable returns a table with the status of each arm of each task.
func armsTable(x engine.Explanation) Table {
	t := Table{
		Caption:   "Status of each arm",
		Columns:   columns("task Task", "arm Arm", "#round Excluded in round", "story Reason"),
		Collapsed: len(x.Tasks) > 1,
	}
	for _, s := range x.Tasks {
		p := s.Progress
		eliminated := map[string]engine.Elimination{}
		for _, e := range slices.Backward(s.Eliminated) { // so that the first elimination of an arm is the one kept
			eliminated[e.Arm] = e
		}
		what := "leads"
		if p.Decided {
			what = "the answer"
		}
		if p.Leader != "" { // "" before the first measurement
			t.Rows = append(t.Rows, []any{p.Task, p.Leader, nil, what})
		}
		for _, arm := range s.Arms {
			if arm != p.Leader {
				t.Rows = append(t.Rows, []any{p.Task, arm, nil, possibleSentence(x.Goal, p, arm, eliminated)})
			}
		}
		for _, e := range s.Eliminated {
			if e.Arm != p.Leader && !slices.Contains(s.Arms, e.Arm) {
				t.Rows = append(t.Rows, []any{p.Task, e.Arm, e.Round, leftSentence(x.Goal, e)})
			}
		}
	}
	return t.withoutEmptyColumns()
}

// possibleSentence describes an arm that may still be the best. A fixed budget may have dropped it, although the data do
// not exclude it.
func possibleSentence(goal string, p engine.Progress, arm string, eliminated map[string]engine.Elimination) string {
	what := "still possible"
	if arm == p.Rival {
		what = fmt.Sprintf("still possible: %s, with %d %% of the evidence that would exclude it", behind(goal, p.Gap, p.Leader),
			int(100*p.Reached))
	}
	if e, cut := eliminated[arm]; cut {
		return leftSentence(goal, e) + "; " + what
	}
	return what
}

// leftSentence says why an arm was eliminated.
func leftSentence(goal string, e engine.Elimination) string {
	gap, width := behind(goal, e.Gap, e.Rival), decimal(e.Width, 3)
	switch e.Rule {
	case engine.RuleSame:
		return fmt.Sprintf("excluded before any data: the kernel does not distinguish it from %s", e.Rival)
	case engine.RuleEpsilon:
		return fmt.Sprintf("excluded in round %d: %s; they are close enough, whichever is better (within epsilon)", e.Round, gap)
	case engine.RuleLargest:
		return fmt.Sprintf("not chosen in round %d: %s (%s)", e.Round, gap, ruleWords(goal, e.Rule))
	case engine.RulePosterior:
		return fmt.Sprintf("excluded in round %d, when the task was decided: %s, posterior standard deviation %s (posterior)",
			e.Round, gap, width)
	}
	if e.Rule.ByRank() {
		return fmt.Sprintf("cut in round %d by its rank, without a test: %s, standard error at most %s (%s)", e.Round, gap, width, e.Rule)
	}
	return fmt.Sprintf("excluded in round %d: %s, threshold %s (%s)", e.Round, gap, width, e.Rule)
}

// behind returns a text such as "12.3 below MTBD", or "12.3 above MTBD" if lower rewards are better.
func behind(goal string, gap float64, rival string) string {
	side := "below"
	if (gap < 0) != (goal == problem.GoalMin) {
		side = "above"
	}
	return fmt.Sprintf("%s %s %s", decimal(math.Abs(gap), 3), side, rival)
}

// ruleWords describes an elimination rule in words.
func ruleWords(goal string, rule engine.Rule) string {
	if rule == engine.RuleLargest && goal == problem.GoalMin {
		return "smallest estimate"
	}
	return string(rule)
}
