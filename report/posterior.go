package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// Limits of a figure of the posterior.
const (
	mostPosteriorTasks = 24
	mostPosteriorArms  = 400 // maximum number of arms of a task that are all drawn, in the order of the problem
	bestPosteriorArms  = 200 // number of arms drawn if a task has more: those with the best estimates
)

// The possible quantities along x.
const (
	alongArms   = "arm"
	alongRounds = "round"
)

// PosteriorX returns the possible x of a figure of the posterior, the default first.
func PosteriorX() []string { return []string{alongArms, alongRounds} }

// posteriorOf draws the estimates of every arm in the first run of a result, one panel per task. If x is the arms, the
// intervals after the first and a middle round are shaded, and the last round has means with intervals. If x is the
// rounds, each arm is a curve.
func posteriorOf(v any, o PlotOptions) (Figure, error) {
	r := v.(engine.Result) // see CheckPlot
	if r.Estimates == nil || len(r.Estimates.Rounds) == 0 {
		return refused("posterior", "posterior is true; this result does not hold what its first run made of the arms",
			"results of sweeps do not, nor those that were read from files or come from a Go cell; run fc or fb by itself")
	}
	p := picture{Estimates: *r.Estimates, reference: !o.NoReference, lowest: r.Goal == problem.GoalMin, compared: truthOf(r)}
	p.choose()
	tasks, err := tasksToDraw(p.Tasks, o.Task, mostPosteriorTasks, "posterior",
		"posterior is true; it draws up to %d tasks, and the result has %d")
	if err != nil {
		return Figure{}, err
	}
	p.dense = p.crowded(tasks, o.Width)
	what := "Estimates of the arms by "
	if p.Posterior {
		what = "Posterior of the arms by "
	}
	f := Figure{Title: what + r.Algorithm + ", " + r.Problem, XLabel: "arm", YLabel: "expected reward"}
	if p.omitted > 0 {
		f.XLabel = fmt.Sprintf("the %d arms of each task with the best estimates, best first", bestPosteriorArms)
	}
	if o.X == alongRounds {
		f.XLabel = "round"
	} else if p.omitted == 0 {
		f.Categories = p.categories(tasks)
	}
	f.YLim = p.span(tasks)
	all := panels(f, tasks, func(panel *Figure, v int) {
		panel.Title = p.Tasks[v]
		if o.X == alongRounds {
			panel.Series = p.byRound(v)
		} else {
			panel.Series = p.byArm(v, f.Categories)
		}
	})
	if f.Panels = all; len(all) == 1 {
		all[0].Title = f.Title + ": " + all[0].Title
		f = all[0]
	}
	f.Alt = p.describe(f, tasks)
	return f, nil
}

// picture holds the estimates of a run, and how to draw them.
type picture struct {
	engine.Estimates
	reference bool    // whether to draw the true means
	lowest    bool    // whether the lowest reward is best
	compared  string  // name of the simulation's true means
	dense     bool    // whether there are too many arms for interval bars; they are then shaded areas
	drawn     [][]int // for each task, the indices of the arms to draw, in order
	omitted   int     // number of arms that are not drawn
}

// choose sets p.drawn and p.omitted. If no task has more than mostPosteriorArms arms, all arms are drawn. Otherwise each
// task has at most bestPosteriorArms arms, those with the best final estimates.
func (p *picture) choose() {
	p.drawn = indices.Groups(len(p.Tasks), p.TaskOf)
	if !slices.ContainsFunc(p.drawn, func(arms []int) bool { return len(arms) > mostPosteriorArms }) {
		return
	}
	for v, arms := range p.drawn {
		p.best(arms)
		if n := len(arms); n > bestPosteriorArms {
			p.drawn[v], p.omitted = arms[:bestPosteriorArms], p.omitted+n-bestPosteriorArms
		}
	}
}

// best sorts arms by their final estimates, best first. Arms without an estimate come last.
func (p picture) best(arms []int) {
	mean := p.Rounds[len(p.Rounds)-1].Mean
	slices.SortStableFunc(arms, func(i, j int) int {
		a, b := mean[i], mean[j]
		switch {
		case math.IsNaN(a) || math.IsNaN(b):
			return indices.Indicator(math.IsNaN(a)) - indices.Indicator(math.IsNaN(b))
		case p.lowest:
			return cmp.Compare(a, b)
		}
		return cmp.Compare(b, a)
	})
}

// crowded reports whether some task has too many arms for markers with interval bars in its panel.
func (p picture) crowded(tasks []int, columns float64) bool {
	f := Figure{Width: columns, Panels: make([]Figure, len(tasks))}
	return slices.ContainsFunc(tasks, func(v int) bool { return len(p.drawn[v]) > f.PanelRoom() })
}

// tasksToDraw returns the indices of the tasks to draw: the task named by the option, or all. It returns an error if there
// are more than most; rule is the format of its message, with places for most and the number of tasks.
func tasksToDraw(tasks []string, asked string, most int, option, rule string) ([]int, error) {
	out := indices.Where(len(tasks), func(v int) bool { return asked == "" || asked == tasks[v] })
	switch {
	case len(out) == 0:
		return nil, &OptionError{Option: "task", Message: fmt.Sprintf("task is %q; the tasks are %s", asked, join(tasks, 8))}
	case len(out) > most:
		return nil, &OptionError{Option: option, Message: fmt.Sprintf(rule, most, len(out)),
			Hint: fmt.Sprintf("choose one with task=%q", tasks[0])}
	}
	return out, nil
}

// arms returns the indices of the arms of task v that are drawn.
func (p picture) arms(v int) []int { return slices.Clone(p.drawn[v]) }

// categories returns the names of the drawn arms, for an axis of names. It returns nil if the tasks have too few names in
// common; the axis then shows numbers.
func (p picture) categories(tasks []int) []string {
	var names []string
	most := 0
	for _, v := range tasks {
		arms := p.arms(v)
		most = max(most, len(arms))
		for _, i := range arms {
			names = lists.Add(names, p.Arms[i])
		}
	}
	if 2*len(names) > 3*most {
		return nil
	}
	for _, v := range tasks {
		at := lists.Map(p.arms(v), func(i int) int { return slices.Index(names, p.Arms[i]) })
		if !slices.IsSorted(at) { // tasks order their arms differently, so sort the names
			slices.SortFunc(names, naturally)
			return names
		}
	}
	return names
}

// naturally compares names so that numbers in them are in order: "N=20" comes before "N=100".
func naturally(a, b string) int {
	digits := func(s string) int {
		n := 0
		for n < len(s) && (s[n] >= '0' && s[n] <= '9' || s[n] == '.' && n > 0) {
			n++
		}
		return n
	}
	for a != "" && b != "" {
		if i, j := digits(a), digits(b); i > 0 && j > 0 {
			x, _ := strconv.ParseFloat(a[:i], 64)
			if y, _ := strconv.ParseFloat(b[:j], 64); x != y {
				return cmp.Compare(x, y)
			}
			a, b = a[i:], b[j:]
			continue
		}
		if a[0] != b[0] {
			return cmp.Compare(a[0], b[0])
		}
		a, b = a[1:], b[1:]
	}
	return cmp.Compare(len(a), len(b))
}

// scale reports whether the names contain increasing numbers of one column. Only then is a line between the arms
// meaningful.
func scale(names []string) bool {
	values, keys, keyed := figure.Keyed(names)
	if !keyed || strings.Contains(keys, ",") {
		return false
	}
	last := math.Inf(-1)
	for _, v := range values {
		x, err := strconv.ParseFloat(v, 64)
		if err != nil || x <= last {
			return false
		}
		last = x
	}
	return true
}

// shown returns the rounds that a figure along the arms shows: the first, the middle and the last.
func (p picture) shown() []engine.RoundEstimates {
	all := p.Rounds
	n := len(all)
	if n <= 3 {
		return all
	}
	return []engine.RoundEstimates{all[0], all[n/2], all[n-1]}
}

// span returns the limits of the axis of rewards. They contain the intervals of the last round and the true means. Longer
// intervals of earlier rounds are cut at one such width beyond either end.
func (p picture) span(tasks []int) *[2]float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	cover := func(x float64) {
		if isFinite(x) {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	shown := p.shown()
	last := shown[len(shown)-1]
	arms := lists.Flat(tasks, p.arms)
	for _, i := range arms {
		cover(last.Mean[i] - last.Half[i])
		cover(last.Mean[i] + last.Half[i])
		if p.Truth != nil && p.reference {
			cover(p.Truth[i])
		}
	}
	if !(lo < hi) {
		return nil
	}
	least, most := lo-(hi-lo), hi+(hi-lo)
	for _, r := range shown {
		for _, i := range arms {
			for _, x := range lists.Where([]float64{r.Mean[i] - r.Half[i], r.Mean[i] + r.Half[i]}, isFinite) {
				cover(min(max(x, least), most))
			}
		}
	}
	room := 0.04 * (hi - lo)
	return &[2]float64{lo - room, hi + room}
}

// describe returns the figure's description in words.
func (p picture) describe(f Figure, tasks []int) string {
	arms, known := lists.Sum(tasks, func(v int) int { return len(p.drawn[v]) }), ""
	if p.Truth != nil && p.reference {
		known = ", with the " + strings.Replace(p.compared, "mean", "means", 1)
	}
	kind := "95 % confidence intervals of each arm by itself"
	if p.Posterior {
		kind = "95 % credible intervals of each arm by itself"
	}
	of := plural(arms, "arm")
	if p.omitted > 0 {
		of = fmt.Sprintf("the %d arms with the best estimates of %d", arms, arms+p.omitted)
	}
	return fmt.Sprintf("%s: means and %s of %s of %s after %s of %s%s.", f.Title, kind, of, plural(len(tasks), "task"),
		"up to three", plural(p.Rounds[len(p.Rounds)-1].Round, "round"), known)
}
