package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Options of Best. The zero value asks for the best arms and proposes no further measurements.
type Options struct {
	Epsilon float64 // accuracy: an arm this close to the best counts as right, reward units; ≥ 0
	Next    int     // number of further measurements to propose; ≥ 0
	Retry   bool    // whether options whose measurements all failed may be recommended and proposed again
	Overall bool    // whether one option is recommended for all tasks together, besides the options of each task; Next then serves this choice
	// limits of the proposed measurements: PerBlock of one option in a block, Distinct on the number of different options;
	// 0 for no limit
	PerBlock, Distinct int
	Checks             []string   // options that are in every proposed block, given by name or label
	Quantities         []Quantity // posteriors of the problem's other measured quantities
	// receives the finished fraction of the work, 0 to 1, including the posterior that Best computes; may be nil
	Progress func(share float64)
}

// tell calls Progress if it is set.
func (o Options) tell(share float64) {
	if o.Progress != nil {
		o.Progress(share)
	}
}

// MaxNext is the largest Options.Next.
const MaxNext = 10_000

// Answer has the recommendation of every task and its basis. Rewards are in the units and with the sign of the data.
type Answer struct {
	Problem string `json:"problem"`
	Goal    string `json:"goal,omitempty"`   // "min" where lower rewards are better
	Reward  string `json:"reward,omitempty"` // column of the rewards, for a long table
	// columns of the blocks whose effects are removed
	Blocks []string `json:"block_columns,omitempty"`
	// columns of the tasks, for a long table
	Tasks []string `json:"task_columns,omitempty"`
	// columns of the arms, for a long table
	Columns  []string `json:"arm_columns,omitempty"`
	Measured []string `json:"-"` // columns of measured values in a long table
	// texts in the task columns, for each task name
	TaskValues map[string][]string `json:"task_values,omitempty"`

	Epsilon float64 `json:"epsilon"` // accuracy, reward units

	Picks []Pick `json:"picks"` // recommended options, one for each task with a candidate
	// tasks without a recommendation, because all measurements of all their options failed
	Unanswered []string `json:"unanswered,omitempty"`

	// if there are several rewards: options that may be Pareto optimal, sorted by task and probability
	Pareto   []ParetoPoint `json:"pareto,omitempty"`
	Required []string      `json:"required,omitempty"` // conditions that a recommended option has to meet

	Overall *Overall `json:"overall,omitempty"` // one recommendation for all tasks together; nil if not requested

	Next      []Pull  `json:"next"`       // proposed measurements, the most valuable first
	LossNow   float64 `json:"loss_now"`   // mean over tasks of the expected simple regret, reward units
	LossAfter float64 `json:"loss_after"` // the same mean, as expected after the measurements of Next

	Kernel  string         `json:"kernel"`    // the most probable kernel, with the prior mean as a term, as script text
	Log     []string       `json:"log"`       // columns of the arms whose decimal logarithm the kernel uses
	Noise   string         `json:"noise"`     // noise model as text
	Scatter belief.Scatter `json:"noise_law"` // kind of noise model and its scales
	// standard deviations of the effects of random columns; empty without such columns
	Random      []belief.RandomEffect `json:"random,omitempty"`
	LeaveOneOut belief.LeaveOneOut    `json:"left_out"` // leave-one-out predictions of the arms
	// share of the variance that each matrix of relatives and the stated kernel explain
	Similar []belief.Given `json:"similar,omitempty"`
	// groups of tasks that the measurements suggest; nil if they suggest none
	TaskGroups *belief.TaskGroups `json:"task_groups,omitempty"`
	Basis      string             `json:"basis"` // how far to trust the answer, and which measurements would improve it
	// strongest contradiction between measurements and model; nil unless its probability is small
	Check *ModelCheck `json:"model_check,omitempty"`
	// reason why the measurements do not distinguish options; nil if they do
	Undetermined *belief.Undetermined `json:"undetermined,omitempty"`
	Warnings     []string             `json:"warnings,omitempty"`

	Arms []Arm `json:"arms"` // all arms in the order of the problem
	// how much the estimates depend on each column of the arms, largest share first; empty for a single column
	Importance []Importance `json:"importance,omitempty"`
}

// ModelCheck is a contradiction between measurements and model.
type ModelCheck struct {
	Task  string `json:"task,omitempty"`  // task of the option; "" if the contradiction concerns all measurements
	Arm   string `json:"arm,omitempty"`   // name of the option; "" as for Task
	Label string `json:"label,omitempty"` // values of the option in the columns of the arms
	belief.Check
}

// Importance states how much the estimates of the options depend on one column.
type Importance struct {
	Column string `json:"column"` // column of the arms
	// Share of the variance of the estimates within tasks that the column alone explains. The share that a column without
	// effect would explain by chance is subtracted; the result is at least 0. Shares of several columns need not sum to 1.
	Share float64 `json:"share"`
}

// Pick is the recommended arm of a task.
type Pick struct {
	Task     string         `json:"task"`
	Arm      string         `json:"arm"`
	Label    string         `json:"label"`              // values in the columns of the arms, such as "Merlin, 80"
	Features map[string]any `json:"features"`           // values as in the table, by column
	Estimate float64        `json:"estimate"`           // posterior mean of the expected reward, reward units
	CI95     *[2]float64    `json:"ci95"`               // 95 % interval of the expected reward; null if undetermined
	Count    float64        `json:"count"`              // number of measurements
	Failed   int            `json:"failed,omitempty"`   // measurements that gave no value
	Options  int            `json:"options"`            // number of options; with one option the probability is 1, but nothing is decided
	Within   float64        `json:"probability_within"` // posterior probability that no arm is better by more than epsilon
	Loss     float64        `json:"expected_loss"`      // expected simple regret, reward units; ≥ 0, null if undetermined
	// posterior probability that the arm meets the requirements; null without requirements
	Feasible *float64 `json:"feasible_probability,omitempty"`
	// probability that a measurement of the arm gives a value, learned from failed measurements; null if none failed
	Works    *float64 `json:"works_probability,omitempty"`
	RunnerUp string   `json:"runner_up"` // label of the arm with the second largest probability of being the best; "" for a single candidate
	// approximate number of further measurements of this task after which the expected probability_within reaches 0.95; 0
	// if it already does or if undetermined, -1 if 4096 are not enough
	More   int      `json:"more"`
	MoreOf []string `json:"more_of,omitempty"` // labels of the arms that get most of these measurements
}

// Arm is the posterior of one arm, with a summary of its measurements.
type Arm struct {
	Task     string         `json:"task"`
	Arm      string         `json:"arm"`
	Label    string         `json:"label"`            // values in the columns of the arms, such as "Merlin, 80"
	Features map[string]any `json:"features"`         // values as in the table, by column
	Estimate float64        `json:"estimate"`         // posterior mean of the expected reward, reward units
	CI95     *[2]float64    `json:"ci95"`             // 95 % interval of the expected reward; null if undetermined
	Best     float64        `json:"probability_best"` // posterior probability that the arm is the best of its task
	// expected reward minus that of the recommended arm of the task; missing for that arm itself, and for arms that are
	// left out because all their measurements failed
	Difference *Difference `json:"difference_to_pick,omitempty"`
	// posterior probability that the arm meets the requirements; null without requirements
	Feasible *float64 `json:"feasible_probability,omitempty"`
	// probability that a measurement of the arm gives a value, learned from failed measurements; null if none failed
	Works  *float64 `json:"works_probability,omitempty"`
	Mean   *float64 `json:"mean"`             // mean of the measurements that the answer uses; null if there are none
	Count  float64  `json:"count"`            // number of measurements that the answer uses
	Failed int      `json:"failed,omitempty"` // measurements that gave no value
}

// Pull is a proposed number of measurements of one arm.
type Pull struct {
	Task     string         `json:"task"`
	Arm      string         `json:"arm"`
	Label    string         `json:"label"`    // values in the columns of the arms
	Features map[string]any `json:"features"` // values as in the table, by column
	Count    int            `json:"count"`    // number of measurements
	// probability that a measurement of the arm gives a value, learned from failed measurements; null if none failed
	Works *float64 `json:"works_probability,omitempty"`
	// number of the new block, from 1; 0 if the data have no blocks
	Block int `json:"block,omitempty"`
	// cost of all these measurements together; 0 if the data have no costs
	Cost float64 `json:"cost,omitempty"`
}

// Best recommends an arm for each task from the measurements of a problem. It learns the kernel from these data; a kernel
// stated in p is a term of the prior. Equal problems give equal answers. Best returns an error for options out of range, a
// problem without measurements, and if ctx ends. If the measurements do not distinguish arms, it returns the answer of
// Undetermined.
func Best(ctx context.Context, p *problem.Problem, opt Options) (*Answer, error) {
	const believing = 0.7 // approximate fraction of the work for the posterior
	tell := opt.tell
	b, err := belief.Of(ctx, p, belief.Options{Progress: func(share float64) { tell(believing * min(share, 1)) }})
	var u *belief.Undetermined
	switch {
	case errors.As(err, &u) && u.Measured > 0:
		return Undetermined(p, u, opt)
	case err != nil:
		return nil, err
	}
	opt.Progress = func(share float64) { tell(believing + (1-believing)*share) }
	return Of(ctx, b, opt)
}

// Of is Best for an existing posterior b.
func Of(ctx context.Context, b *belief.Belief, opt Options) (_ *Answer, err error) {
	defer try.Caught(&err)
	p := b.Problem
	try.To(opt.check())
	a := newAnswer(p, opt)
	a.Similar, a.TaskGroups = b.Given, b.Groups
	a.Scatter, a.LeaveOneOut, a.Kernel, a.Log = b.Scatter, b.LeaveOneOut, b.Usable.Kernel.String(), append(a.Log, b.Log...)
	opt.tell(0)
	b = doubted(b)
	m := momentsOf(b)
	opt.tell(0.1)
	open := candidates(p, opt.Retry)
	rewards := b
	b, feasible := required(b, opt.Quantities)
	likely, failed := "", failuresOf(p)
	if !opt.Retry {
		b, likely = a.working(b, failed, open)
	}
	if feasible != nil || likely != "" {
		m.mean = momentsOf(b).mean // estimates and intervals stay those of the reward
	}
	picks := a.pick(b, m, open)
	a.compare(rewards, picks, open)
	a.Importance = importance(p, m.mean)
	a.feasible(picks, feasible, opt.Quantities)
	a.works(picks, failed)
	try.To(a.pareto(ctx, rewards, opt.Quantities, open))
	opt.tell(0.3)
	last := 1.0 // fraction of the work before further measurements are proposed
	if opt.Next > 0 {
		last = 0.6
	}
	for v := range a.Picks {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if a.Picks[v].Within < Sure {
			own := try.Of(newPlanner(b, m, picks, []int{v}, open, opt))
			own.more(&a.Picks[v], 0, a.Arms)
		}
		opt.tell(0.3 + (last-0.3)*float64(v+1)/float64(len(a.Picks)))
	}
	var e *everywhere
	pick := 0
	if opt.Overall {
		e, pick = a.overall(b, open)
	}
	var plan *planner
	switch {
	case opt.Next == 0: // the facts of blocks are still checked
		err = (&planner{b: b}).constrain(opt)
	case e != nil:
		plan, err = newOverallPlanner(b, e, pick, opt)
	default:
		plan, err = newPlanner(b, m, picks, a.planned(), open, opt)
	}
	if err != nil {
		return nil, err
	}
	if opt.Next > 0 {
		try.To(a.next(ctx, plan, opt.Next, func(share float64) { opt.tell(last + (1-last)*share) }))
	}
	a.describe(b, opt.Retry)
	a.Basis += likely
	return a, ctx.Err()
}

// moments are the posterior mean and the 95 % interval of each arm, from draws; higher is better.
type moments struct {
	mean, lo, hi []float64
	shown        []float64 // mean and interval ends lo and hi count draws outside the stated bounds as the nearest bound
}

func momentsOf(b *belief.Belief) moments {
	count, n := b.Draws.Dims()
	m := moments{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	bounds := b.Problem.Noise.Bounds
	column := make([]float64, count)
	for j := range n {
		mat.Col(column, j, b.Draws)
		m.mean[j] = meanOf(column)
		if m.shown[j] = m.mean[j]; bounds != nil {
			for i, y := range column {
				column[i] = bounded(b.Problem, y)
			}
			m.shown[j] = bounded(b.Problem, meanOf(column))
		}
		ends := intervalOf(column)
		m.lo[j], m.hi[j] = ends[0], ends[1]
	}
	return m
}

// meanOf returns the mean of x. It sums differences from x[0], because sums of numbers that are large relative to their
// differences lose digits.
func meanOf(x []float64) float64 {
	return x[0] + stat.Mean(lists.Map(x, func(v float64) float64 { return v - x[0] }), nil)
}

// candidates returns, for each task, the arms that may be recommended. Arms whose measurements all failed are excluded
// unless retry is set.
func candidates(p *problem.Problem, retry bool) [][]int {
	open := p.Groups()
	if retry || p.Failed == nil {
		return open
	}
	for v, arms := range open {
		open[v] = lists.Where(arms, func(i int) bool { return !p.OnlyFailed(i) })
	}
	return open
}

// pick sets Arms, Picks and Unanswered. open has the candidates of each task. It returns the index of the recommended arm
// of each task with a candidate.
func (a *Answer) pick(b *belief.Belief, m moments, open [][]int) []int {
	p := b.Problem
	count, n := b.Draws.Dims()
	best := make([]int, n) // number of draws in which the arm is best
	var picks, within []int
	for v, arms := range open {
		if len(arms) == 0 {
			a.Unanswered = append(a.Unanswered, p.Tasks.Names[v])
			continue
		}
		pick, k := first(arms, func(i int) float64 { return m.mean[i] }), len(picks)
		picks, within, a.Picks = append(picks, pick), append(within, 0), append(a.Picks, Pick{Options: len(arms)})
		for i := range count {
			row := b.Draws.RawRowView(i)
			top := first(arms, func(j int) float64 { return row[j] })
			best[top]++
			behind := row[top] - row[pick]
			a.Picks[k].Loss += behind / float64(count)
			if behind <= a.Epsilon {
				within[k]++
			}
		}
	}
	a.believe(b.Used(), m, lists.Map(best, func(draws int) float64 { return float64(draws) / float64(count) }))
	for k, i := range picks {
		pick := &a.Picks[k]
		pick.take(a.Arms[i])
		pick.Within = float64(within[k]) / float64(count)
		if rivals := rivalsOf(open[p.TaskOf[i]], i); len(rivals) > 0 {
			second := slices.MaxFunc(rivals, func(j, k int) int {
				return cmp.Or(cmp.Compare(best[j], best[k]), cmp.Compare(m.mean[j], m.mean[k]))
			})
			pick.RunnerUp = a.Arms[second].Label
		}
	}
	return picks
}

// believe sets Arms. p has only the measurements that the posterior uses. best has the probability of each arm to be the
// best of its task.
func (a *Answer) believe(p *problem.Problem, m moments, best []float64) {
	words := p.Words()
	for i, probability := range best {
		arm := armOf(p, words, i)
		arm.Best = probability
		arm.Estimate, arm.CI95 = p.Turned(m.shown[i]), p.TurnedBounds(&[2]float64{m.lo[i], m.hi[i]})
		a.Arms = append(a.Arms, arm)
	}
}

// first returns the arm with the largest value of; if values are equal, the one with the smallest index.
func first(arms []int, of func(i int) float64) int {
	return slices.MaxFunc(arms, func(i, j int) int { return cmp.Or(cmp.Compare(of(i), of(j)), cmp.Compare(j, i)) })
}

// rivalsOf returns arms without the arm but.
func rivalsOf(arms []int, but int) []int {
	return lists.Where(arms, func(j int) bool { return j != but })
}

// featuresOf returns the features of arm i by column, with values as in the table.
func featuresOf(p *problem.Problem, i int) map[string]any {
	out := map[string]any{}
	for c, name := range p.Arms.Columns {
		v := p.Arms.Value(c, i)
		if names := p.Categories[name]; names != nil {
			out[name] = names[int(v)]
		} else {
			out[name] = v
		}
	}
	for name, text := range p.ArmTexts(i) {
		out[name] = text
	}
	return out
}

// labelOf returns the values of arm i in the given columns, joined by commas. It returns the arm's name if there are no
// columns.
func labelOf(p *problem.Problem, columns []string, i int) string {
	var texts []string
	for _, column := range columns {
		c := slices.Index(p.Arms.Columns, column)
		if c < 0 {
			return p.Arms.Names[i]
		}
		texts = append(texts, p.ArmText(c, i))
	}
	return cmp.Or(strings.Join(texts, ", "), p.Arms.Names[i])
}

// describe sets the expected losses, the noise text, the basis and the warnings.
func (a *Answer) describe(b *belief.Belief, retry bool) {
	if a.Overall != nil {
		a.LossNow = a.Overall.Loss
	} else {
		a.LossNow = a.lossOf(indices.All(len(a.Picks)))
	}
	a.LossAfter += a.LossNow
	a.Noise = noiseWords(b.Scatter)
	if blocks := b.Problem.Blocks; b.Blocks > 0 {
		of := ""
		if l := b.Problem.Long; l != nil {
			of, a.Blocks = " of "+strings.Join(l.Blocks, ", "), l.Blocks
		}
		a.Noise += fmt.Sprintf("; effects of %d blocks%s, standard deviation %s, are removed", len(blocks), of, short(b.Blocks))
	}
	if a.Random = b.Random; a.Random != nil {
		effects := lists.Map(a.Random, func(e belief.RandomEffect) string { return e.Name + " " + short(e.SD) })
		a.Noise += "; standard deviation of the random effects: " + strings.Join(effects, ", ")
	}
	l := b.LeaveOneOut
	a.Basis = fmt.Sprintf("How far to trust this: the program hid the measurements of each option in turn and predicted their mean. "+
		"The prediction error (root mean square) was %s with the fitted similarities (the kernel)", short(l.Error))
	switch {
	case l.Error < 0.99*l.Without:
		a.Basis += fmt.Sprintf(", and %s with the mean of the task's other options. So the kernel lowers the error by %.2g %%",
			short(l.Without), 100*(1-l.Error/l.Without))
	case l.Without > 0:
		a.Basis += fmt.Sprintf(", and %s with the mean of the task's other options. So the kernel does not help: trust "+
			"no estimate of an option without measurements", short(l.Without))
	}
	a.Basis += "." + a.checked(b) + a.groups() + a.relatives(b.Problem) + a.enough()
	if !retry {
		a.Basis += a.failed()
	}
	a.Warnings = a.warnings(b)
}

// surprising is the largest probability at which Check reports a contradiction.
const surprising = 0.05

// checked sets Check if the contradiction is significant, and returns a sentence about it; "" otherwise. If single
// measurements contradict all others, it returns "", because a warning names these.
func (a *Answer) checked(b *belief.Belief) string {
	c := b.Check
	if c == nil || c.Probability > surprising || len(b.Unlikely) > 0 {
		return ""
	}
	a.Check = &ModelCheck{Check: *c}
	found, arm := "", a.where(b.Problem, c.Arm)
	switch c.Kind {
	case belief.CheckSkew:
		ways := []string{"upwards", "downwards"}
		if c.Size < 0 {
			slices.Reverse(ways)
		}
		found = fmt.Sprintf("repeated measurements are skewed (they scatter further %s than %s), so intervals may be too narrow",
			ways[0], ways[1])
	case belief.CheckScatter:
		found = fmt.Sprintf("measurements of %s scatter %s times as widely as expected, so trust its interval less", arm, short(c.Size))
	case belief.CheckMean:
		found = fmt.Sprintf("the mean of %s is %s standard deviations off what the other options predict, so measure it again",
			arm, short(c.Size))
	}
	if x := a.Arms[c.Arm]; c.Kind != belief.CheckSkew {
		a.Check.Task, a.Check.Arm, a.Check.Label = x.Task, x.Arm, x.Label
	}
	return " The model may be wrong: " + found + "."
}

// groups returns a sentence with the groups of tasks that the measurements suggest; "" if none is more probable than not.
func (a *Answer) groups() string {
	g := a.TaskGroups
	if g == nil || g.Probability <= 0.5 {
		return ""
	}
	named := lists.Map(g.Groups, func(tasks []string) string { return "(" + sentence.List(tasks, 3*mostNamed) + ")" })
	return " The measurements suggest groups of tasks that are alike: " + strings.Join(named, ", ") + "."
}

// relatives returns sentences with the share of the variance that each matrix of relatives and the stated kernel explain.
// If the stated kernel is not used, it returns the reason.
func (a *Answer) relatives(p *problem.Problem) (text string) {
	used := false
	for _, g := range a.Similar {
		name := "similar " + g.Name + ":"
		if g.Name == belief.StatedKernel {
			name, used = "The stated kernel explains", true
		}
		text += fmt.Sprintf(" %s %.0f %% of the variance between options.", name, 100*g.Share)
	}
	switch {
	case used || p.KernelFound || len(p.Kernel.Terms) == 0:
	case p.KernelFittedHere():
		text += " The kernel of the problem was fitted to these measurements, so it is not used. They would count twice."
	default:
		text += " The stated kernel relates all options of a task alike, so it does not help to choose."
	}
	return text
}

// failed returns a sentence with the options that are excluded because all their measurements failed; "" if there are
// none. It skips tasks without a recommendation.
func (a *Answer) failed() string {
	var named []string
	for _, x := range a.Arms {
		if x.Failed > 0 && x.Mean == nil && !slices.Contains(a.Unanswered, x.Task) {
			text := sentence.Name(x.Label)
			if len(a.Picks) > 1 {
				text += " at " + x.Task
			}
			named = append(named, fmt.Sprintf("%s (%d of %[2]d failed)", text, x.Failed))
		}
	}
	if len(named) == 0 {
		return ""
	}
	return " Options that failed each time are left out: " + sentence.List(named, 3*mostNamed) +
		". To include them, write retry=true (--retry)."
}

// enough returns a sentence if no further measurement is needed, "" otherwise.
func (a *Answer) enough() string {
	if len(a.Next) > 0 && a.LossNow == 0 {
		return " No further measurement is needed to choose. The proposed ones compare the recommended options with their closest rivals."
	}
	return ""
}

// leastCoverage is the fraction of leave-one-out means within their 95 % intervals below which a warning is given. The
// warning needs at least fewestLeft arms. With 20 arms and correct intervals, 1 of 200 tables falls below it.
const leastCoverage, fewestLeft = 0.8, 20

// noiseWords describes the noise model in words.
func noiseWords(l belief.Scatter) string {
	one := short(l.Scales[1])
	each := one
	if lowest := short(l.Scales[0]); lowest != one { // each task has its own scale
		each = lowest + " to " + one
		one = each + ", in proportion to the scale of each task"
	}
	said := map[string]string{
		belief.ScatterStated:  "standard deviation " + each + ", as stated",
		belief.ScatterCounts:  "from counts of successes",
		belief.ScatterTask:    "standard deviation " + each + ", by task",
		belief.ScatterArm:     "standard deviation " + each + ", by option",
		belief.ScatterMean:    "standard deviation " + each + ", depending on the mean",
		belief.ScatterUnknown: "standard deviation " + one + ", estimated from the kernel because nothing was measured twice",
	}[l.Kind]
	return cmp.Or(said, "standard deviation "+one+", the same for all options")
}

// short returns v with three significant digits, without an exponent if it is between 1e-4 and 1e6.
func short(v float64) string {
	text := strconv.FormatFloat(v, 'g', 3, 64)
	if a := math.Abs(v); a >= 999.5 && a < 1e6 {
		text = strconv.FormatFloat(v, 'f', 0, 64)
	}
	return text
}
