package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Options of Best; the zero value asks for the best arm itself and for no further measurements.
type Options struct {
	Epsilon float64 // by how much the pick may be worse than the best, reward units; ≥ 0
	Next    int     // how many further measurements are proposed; ≥ 0
	// receives how much of the work is done, from 0 to 1, of Best the belief, too; nil tells nobody
	Progress func(share float64)
}

// tell passes on how much of the work is done.
func (o Options) tell(share float64) {
	if o.Progress != nil {
		o.Progress(share)
	}
}

// MaxNext is the most measurements that are proposed at once.
const MaxNext = 10_000

// Answer holds the pick of every task and what it rests on. Rewards are in the units of the data, with the sign of
// the data.
type Answer struct {
	Problem string `json:"problem"`
	Goal    string `json:"goal,omitempty"`   // "min" where lower rewards are better
	Reward  string `json:"reward,omitempty"` // the column of the rewards, where the data are a long table
	// the columns of the blocks whose effects are taken out
	Blocks []string `json:"block_columns,omitempty"`
	// the columns of the tasks, where the data are a long table
	Tasks []string `json:"task_columns,omitempty"`
	// the columns of the arms, where the data are a long table
	Columns []string `json:"arm_columns,omitempty"`
	Epsilon float64  `json:"epsilon"` // by how much a pick may be worse than the best, reward units

	Picks []Pick `json:"picks"` // one for each task

	Next      []Pull  `json:"next"`       // what to measure next, the most valuable first
	LossNow   float64 `json:"loss_now"`   // mean over tasks of the expected loss, reward units
	LossAfter float64 `json:"loss_after"` // what it is expected to be after the measurements of next

	Kernel      string             `json:"kernel"`    // the most probable one, with the level of the rewards as a term; it can be pasted
	Log         []string           `json:"log"`       // columns whose decimal logarithm it compares
	Noise       string             `json:"noise"`     // how measurements scatter, in words
	Scatter     belief.Scatter     `json:"noise_law"` // how measurements scatter
	LeaveOneOut belief.LeaveOneOut `json:"left_out"`  // how well each arm is predicted from the others
	Basis       string             `json:"basis"`     // how far to believe this, and what would make it surer
	// why the measurements tell nothing apart; null where they do
	Undetermined *belief.Undetermined `json:"undetermined,omitempty"`
	Warnings     []string             `json:"warnings,omitempty"`

	Arms []Arm `json:"arms"` // of all tasks, in the order of the problem
}

// Pick is the arm to take in a task.
type Pick struct {
	Task     string         `json:"task"`
	Arm      string         `json:"arm"`
	Label    string         `json:"label"`              // its values in the columns of the arms, as "Merlin, 80"
	Features map[string]any `json:"features"`           // by column, as in the table
	Estimate float64        `json:"estimate"`           // of its expected reward: the posterior mean, reward units
	CI95     *[2]float64    `json:"ci95"`               // of the expected reward; null where nothing says it
	Count    float64        `json:"count"`              // of measurements
	Within   float64        `json:"probability_within"` // that no arm is better by more than epsilon
	Loss     float64        `json:"expected_loss"`      // by which it is worse than the best, on average over what may be true; ≥ 0, null where nothing says it
	RunnerUp string         `json:"runner_up"`          // label of the most probable best arm besides it; "" of a single arm
	// further measurements of this task after which probability_within is expected to be 0.95, about; 0 where it is
	// now and where nothing says it, -1 where 4096 are not enough
	More   int      `json:"more"`
	MoreOf []string `json:"more_of,omitempty"` // labels of the arms that most of them are of
}

// Arm is what is believed of an arm.
type Arm struct {
	Task     string         `json:"task"`
	Arm      string         `json:"arm"`
	Label    string         `json:"label"`            // its values in the columns of the arms, as "Merlin, 80"
	Features map[string]any `json:"features"`         // by column, as in the table
	Estimate float64        `json:"estimate"`         // of its expected reward: the posterior mean, reward units
	CI95     *[2]float64    `json:"ci95"`             // of the expected reward; null where nothing says it
	Best     float64        `json:"probability_best"` // that it is the best arm of its task
	Mean     *float64       `json:"mean"`             // of its measurements; null where there are none
	Count    float64        `json:"count"`            // of measurements
}

// Pull is an arm to measure, so many times.
type Pull struct {
	Task     string         `json:"task"`
	Arm      string         `json:"arm"`
	Label    string         `json:"label"`    // its values in the columns of the arms
	Features map[string]any `json:"features"` // by column, as in the table
	Count    int            `json:"count"`    // how many times to measure it
	// which new block, from 1, it is measured in with others; 0 where the data have no blocks
	Block int `json:"block,omitempty"`
}

// Best answers from the means, standard deviations and counts of a problem, whose kernel it does not use. It is
// the same for the same problem. It reports options out of range, a problem without measurements,
// and the end of the context.
func Best(ctx context.Context, p *problem.Problem, opt Options) (*Answer, error) {
	const believing = 0.7 // of the work, about
	tell := opt.tell
	b, err := belief.Of(ctx, p, belief.Options{Progress: func(share float64) { tell(believing * share) }})
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

// Of is Best for a belief that is there already.
func Of(ctx context.Context, b *belief.Belief, opt Options) (*Answer, error) {
	p := b.Problem
	if err := opt.check(); err != nil {
		return nil, err
	}
	a := newAnswer(p, opt)
	a.Scatter, a.LeaveOneOut, a.Kernel, a.Log = b.Scatter, b.LeaveOneOut, b.Usable.Kernel.String(), append(a.Log, b.Log...)
	opt.tell(0)
	m := momentsOf(b)
	opt.tell(0.1)
	picks := a.pick(b, m)
	plan := newPlanner(b, m, picks, opt.Epsilon)
	opt.tell(0.3)
	last := 1.0 // what is done before further measurements are proposed
	if opt.Next > 0 {
		last = 0.6
	}
	for v := range a.Picks {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if a.Picks[v].Within < Sure {
			plan.more(&a.Picks[v], v, a.Arms)
		}
		opt.tell(0.3 + (last-0.3)*float64(v+1)/float64(len(a.Picks)))
	}
	if opt.Next > 0 {
		if err := a.next(ctx, plan, opt.Next, func(share float64) { opt.tell(last + (1-last)*share) }); err != nil {
			return nil, err
		}
	}
	a.describe(b)
	return a, ctx.Err()
}

// moments are means and limits of the draws of each arm, higher is better.
type moments struct {
	mean, lo, hi []float64
	shown        []float64 // the mean of what is possible, as lo and hi are: draws outside of stated bounds count as the nearest bound
}

func momentsOf(b *belief.Belief) moments {
	count, n := b.Draws.Dims()
	m := moments{make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)}
	bounds := b.Problem.Noise.Bounds
	column := make([]float64, count)
	for j := range n {
		mat.Col(column, j, b.Draws)
		m.mean[j] = stat.Mean(column, nil)
		if m.shown[j] = m.mean[j]; bounds != nil {
			for i, y := range column {
				column[i] = min(max(y, bounds[0]), bounds[1])
			}
			m.shown[j] = min(max(stat.Mean(column, nil), bounds[0]), bounds[1])
		}
		slices.Sort(column)
		m.lo[j], m.hi[j] = stat.Quantile(0.025, stat.LinInterp, column, nil), stat.Quantile(0.975, stat.LinInterp, column, nil)
	}
	return m
}

// pick fills in Arms and Picks, and returns the index of the pick of each task.
func (a *Answer) pick(b *belief.Belief, m moments) []int {
	p := b.Problem
	count, n := b.Draws.Dims()
	best := make([]int, n) // draws in which it is the best
	a.Picks = make([]Pick, p.V())
	picks, within := make([]int, p.V()), make([]int, p.V())
	for v := range p.V() {
		lo, hi := p.ArmsOf(v)
		picks[v] = lo + floats.MaxIdx(m.mean[lo:hi])
		for i := range count {
			row := b.Draws.RawRowView(i)
			top := lo + floats.MaxIdx(row[lo:hi])
			best[top]++
			behind := row[top] - row[picks[v]]
			a.Picks[v].Loss += behind / float64(count)
			if behind <= a.Epsilon {
				within[v]++
			}
		}
	}
	words := p.Words()
	for i := range n {
		arm := armOf(p, words, i)
		arm.Best = float64(best[i]) / float64(count)
		arm.Estimate, arm.CI95 = p.Turned(m.shown[i]), p.TurnedBounds(&[2]float64{m.lo[i], m.hi[i]})
		a.Arms = append(a.Arms, arm)
	}
	for v, i := range picks {
		pick := &a.Picks[v]
		pick.take(a.Arms[i])
		pick.Within = float64(within[v]) / float64(count)
		if rivals := rivalsOf(p, v, i); rivals != nil {
			second := slices.MaxFunc(rivals, func(j, k int) int { return cmp.Or(cmp.Compare(best[j], best[k]), cmp.Compare(m.mean[j], m.mean[k])) })
			pick.RunnerUp = a.Arms[second].Label
		}
	}
	return picks
}

// rivalsOf returns the arms of a task but one.
func rivalsOf(p *problem.Problem, v, but int) []int {
	lo, hi := p.ArmsOf(v)
	return lists.Where(lists.Make(hi-lo, func(k int) int { return lo + k }), func(j int) bool { return j != but })
}

// featuresOf returns the features of an arm as the table has them.
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
	return out
}

// labelOf names an arm by its values in the columns of the arms; none where the data are no long table.
func labelOf(columns []string, arm Arm) string {
	if columns == nil {
		return arm.Arm
	}
	var values []string
	for _, c := range columns {
		v, ok := arm.Features[c]
		if !ok {
			return arm.Arm
		}
		values = append(values, fmt.Sprint(v))
	}
	return strings.Join(values, ", ")
}

// describe completes the answer: losses, the noise in words, and how far to believe it.
func (a *Answer) describe(b *belief.Belief) {
	for _, p := range a.Picks {
		a.LossNow += p.Loss / float64(len(a.Picks))
	}
	a.LossAfter = max(a.LossAfter+a.LossNow, 0)
	a.Noise = noiseWords(b.Scatter)
	switch blocks := b.Problem.Blocks; {
	case b.Blocks > 0:
		of := ""
		if l := b.Problem.Long; l != nil {
			of, a.Blocks = " of "+strings.Join(l.Blocks, ", "), l.Blocks
		}
		a.Noise += fmt.Sprintf("; %d blocks%s differ by sd %s, which is taken out", len(blocks), of, short(b.Blocks))
	case len(blocks) > 0:
		a.Warnings = append(a.Warnings, "effects of blocks are not taken out of counts of successes")
	}
	if len(b.Unlikely) > 0 {
		a.Warnings = append(a.Warnings, a.unlikely(b))
	}
	l := b.LeaveOneOut
	a.Basis = fmt.Sprintf("Believe this as far as the kernel predicts: means that were left out, to ±%s", short(l.Error))
	if l.Without > 0 {
		a.Basis += fmt.Sprintf(" (the mean of the task's other arms: ±%s)", short(l.Without))
	}
	a.Basis += "."
	at := func(p Pick) string {
		if len(a.Picks) == 1 {
			return ""
		}
		return "at " + p.Task + " "
	}
	var unsure []string
	for _, p := range a.Picks {
		switch {
		case p.More > 0:
			unsure = append(unsure, fmt.Sprintf("%sabout %d more of %s", at(p), p.More, strings.Join(p.MoreOf, " and ")))
		case p.More < 0:
			unsure = append(unsure, fmt.Sprintf("%smore than %d", at(p), MaxMore))
		}
	}
	if len(unsure) > 0 {
		const shown = 3
		switch more := len(unsure) - shown; {
		case more == 1:
			unsure = append(unsure[:shown], "and so on for one further task")
		case more > 1:
			unsure = append(unsure[:shown], fmt.Sprintf("and so on for %d further tasks", more))
		}
		a.Basis += " To be 95 % sure: " + strings.Join(unsure, "; ") + "."
	}
	if l.Arms >= fewestLeft && l.Coverage < leastCoverage {
		a.Warnings = append(a.Warnings,
			fmt.Sprintf("of the means that were left out, %.0f %% lie in their 95 %% interval: the intervals above are too narrow", 100*l.Coverage))
	}
	if l.Arms >= fewestLeft && l.Without > 0 && l.Error > l.Without {
		a.Warnings = append(a.Warnings,
			"the features predict the arms no better than the mean of the task: the answer rests on what was measured of each arm alone")
	}
}

// mostNamed is how many measurements that others contradict are named.
const mostNamed = 2

// unlikely names the measurements that all others contradict, and says how one is left out.
func (a *Answer) unlikely(b *belief.Belief) string {
	p, reward, file := b.Problem, cmp.Or(a.Reward, "reward"), ""
	if len(p.Sources) > 0 {
		file = " of " + filepath.Base(p.Sources[0].Path)
	}
	var named []string
	for _, u := range b.Unlikely[:min(len(b.Unlikely), mostNamed)] {
		text := fmt.Sprintf("%s %g", reward, p.Turned(u.Reward))
		if u.Line > 0 {
			text += fmt.Sprintf(" in line %d%s", u.Line, file)
		}
		of := a.Arms[u.Arm].Label
		if p.V() > 1 {
			of = a.Arms[u.Arm].Task + ", " + of
		}
		text += " (" + of + ")"
		if ci := p.TurnedBounds(&u.CI95); ci[0] < ci[1] {
			text += fmt.Sprintf(", where %s to %s was to be expected", short(ci[0]), short(ci[1]))
		} else {
			text += ", where all others are one of two values"
		}
		named = append(named, text)
	}
	if more := len(b.Unlikely) - mostNamed; more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	text := "all other measurements speak against " + strings.Join(named, "; ") + "; correct what is a slip"
	if l, y := p.Long, b.Unlikely[0].Reward; l != nil && a.Reward == l.Reward && b.Unlikely[0].Line > 0 &&
		!slices.ContainsFunc(p.Rows, func(r problem.Row) bool { return r.Reward == y && r.Line != b.Unlikely[0].Line }) {
		text += fmt.Sprintf(", or leave it out: where=%q", problem.Unless(l.Reward, p.Turned(y)))
	}
	return text
}

// leastCoverage is the share of left-out means in their 95 % interval below which that is said, of
// fewestLeft arms at least: 20 of them fall below it once in 200 times.
const leastCoverage, fewestLeft = 0.8, 20

// noiseWords says how measurements scatter.
func noiseWords(l belief.Scatter) string {
	each := "sd " + short(l.Scales[0]) + " to " + short(l.Scales[1])
	said := map[string]string{
		belief.ScatterStated:  "as stated: " + each,
		belief.ScatterCounts:  "counts of successes",
		belief.ScatterTask:    "a scale for each task: " + each,
		belief.ScatterArm:     "a scale for each arm: " + each,
		belief.ScatterMean:    "it changes with the mean: " + each,
		belief.ScatterUnknown: "no arm was measured twice; from the kernel, sd " + short(l.Scales[1]),
	}[l.Kind]
	return cmp.Or(said, "the same everywhere: sd "+short(l.Scales[1]))
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
