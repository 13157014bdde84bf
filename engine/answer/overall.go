package answer

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Overall is one recommendation for all tasks together: the option with the highest weighted mean of its expected rewards.
type Overall struct {
	Arm      string         `json:"arm"`                // name of the option
	Label    string         `json:"label"`              // its values in the columns of the arms, such as "Merlin, 80"
	Features map[string]any `json:"features"`           // its values by column, as in the table
	Estimate float64        `json:"estimate"`           // posterior mean of the weighted mean, reward units
	CI95     [2]float64     `json:"ci95"`               // 95 % interval of the weighted mean, with the uncertainty that all options share
	Within   float64        `json:"probability_within"` // posterior probability that no option is better overall by more than epsilon
	Loss     float64        `json:"expected_loss"`      // expected simple regret of the weighted mean, reward units; ≥ 0
	// label of the other option that is most probably the best overall; "" if there is none
	RunnerUp string `json:"runner_up"`
	// weighted mean of the pick minus that of the runner-up; null without a runner-up
	Difference *Difference    `json:"difference_to_runner_up"`
	PerTask    []TaskLoss     `json:"per_task"` // the pick at each task
	Options    []OverallPlace `json:"options"`  // all options, the best first
	// labels of the options that have, at every task, a probability below 1 % of being best
	Drop []string `json:"drop"`
	// labels of options that are left out because they are not at every task
	Partial []string `json:"not_everywhere,omitempty"`
}

// Difference of two expected rewards, reward units.
type Difference struct {
	Estimate float64    `json:"estimate"` // posterior mean
	CI95     [2]float64 `json:"ci95"`     // central 95 % of the posterior
}

// TaskLoss describes the overall recommendation at one task.
type TaskLoss struct {
	Task     string  `json:"task"`          // name of the task
	Weight   float64 `json:"weight"`        // weight of the task; all weights sum to 1
	Estimate float64 `json:"estimate"`      // posterior mean of the expected reward of the pick at the task
	Loss     float64 `json:"expected_loss"` // expected shortfall from the best option of the task, reward units; ≥ 0
	Best     string  `json:"best"`          // label of the option with the highest estimate at the task
	// probability that a measurement of the pick gives a value at the task; null if no measurement failed
	Works *float64 `json:"works_probability,omitempty"`
}

// OverallPlace is one option in the ranking over all tasks.
type OverallPlace struct {
	Arm      string  `json:"arm"`      // name of the option
	Label    string  `json:"label"`    // its values in the columns of the arms
	Estimate float64 `json:"estimate"` // posterior mean of the weighted mean
	// weighted mean minus that of the pick
	Difference Difference `json:"difference_to_pick"`
	Best       float64    `json:"probability_best"`          // posterior probability that the option has the best weighted mean
	Anywhere   float64    `json:"probability_best_anywhere"` // posterior probability that the option is the best of at least one task
	// Finlay-Wilkinson slope: how much the option's mean reward at a task grows if the mean over all options grows by 1;
	// null for fewer than three tasks
	Slope *float64 `json:"slope"`
	Worst string   `json:"worst_task"` // the task with the largest expected loss
}

// leastAnywhere is the probability of being the best of any task below which Drop lists an option.
const leastAnywhere = 0.01

// everywhere are the options that can be chosen at every task with a positive weight.
type everywhere struct {
	weights []float64 // weights of tasks, with sum 1
	arms    [][]int   // of each option: its arm at each task, in the order of the tasks
	draws   *mat.Dense
	mean    []float64 // mean of draws of each option
	means   []float64 // mean of the posterior draws of each arm; set by slope
	level   []float64 // mean over options at each task; set by slope
}

// newEverywhere returns the options that are candidates at every task. partial has one arm of each option that is not.
func newEverywhere(b *belief.Belief, open [][]int) (e *everywhere, partial []int) {
	p := b.Problem
	e = &everywhere{weights: p.Weights}
	if e.weights == nil {
		e.weights = slices.Repeat([]float64{1}, p.V())
	}
	sum := lists.Total(e.weights)
	e.weights = lists.Map(e.weights, func(w float64) float64 { return w / sum })
	tasks := indices.Where(p.V(), func(v int) bool { return e.weights[v] > 0 })
	place, at := map[string]int{}, [][]int{}
	for _, v := range tasks {
		for _, i := range open[v] {
			k, known := place[p.Arms.Names[i]]
			if !known {
				k = len(at)
				place[p.Arms.Names[i]], at = k, append(at, nil)
			}
			at[k] = append(at[k], i)
		}
	}
	for _, arms := range at {
		if len(arms) == len(tasks) {
			e.arms = append(e.arms, arms)
		} else {
			partial = append(partial, arms[0])
		}
	}
	count, _ := b.Draws.Dims()
	if len(e.arms) == 0 {
		return e, partial
	}
	e.draws = mat.NewDense(count, len(e.arms), nil)
	for d := range count {
		row, from := e.draws.RawRowView(d), b.Draws.RawRowView(d)
		for k, arms := range e.arms {
			for _, i := range arms {
				row[k] += e.weights[p.TaskOf[i]] * from[i]
			}
		}
	}
	e.mean = lists.Make(len(e.arms), func(k int) float64 { return meanOf(mat.Col(nil, k, e.draws)) })
	return e, partial
}

// overall sets Overall. It returns the options, and the index of the recommended one. It returns nil if no option is a
// candidate at every task.
func (a *Answer) overall(b *belief.Belief, open [][]int) (*everywhere, int) {
	p := b.Problem
	e, partial := newEverywhere(b, open)
	labels := func(arms []int) []string { return lists.Map(arms, func(i int) string { return a.Arms[i].Label }) }
	if len(e.arms) == 0 {
		return nil, 0
	}
	count, n := e.draws.Dims()
	all := indices.All(n)
	pick := first(all, func(k int) float64 { return e.mean[k] })
	best, anywhere, within, loss := make([]int, n), e.anywhere(b, open), 0, 0.0
	for d := range count {
		row := e.draws.RawRowView(d)
		top := first(all, func(k int) float64 { return row[k] })
		best[top]++
		behind := row[top] - row[pick]
		loss += behind / float64(count)
		if behind <= a.Epsilon {
			within++
		}
	}
	share := func(draws int) float64 { return float64(draws) / float64(count) }
	arm := a.Arms[e.arms[pick][0]]
	o := &Overall{Arm: arm.Arm, Label: arm.Label, Features: arm.Features, Within: share(within), Loss: loss, Partial: labels(partial)}
	own := mat.Col(nil, pick, e.draws)
	o.Estimate, o.CI95 = p.Turned(e.mean[pick]), *p.TurnedBounds(intervalOf(own))
	losses := e.losses(b, open)
	picked := mat.Col(nil, pick, e.draws)
	for k, arms := range e.arms {
		d := lists.Make(count, func(i int) float64 { return e.draws.At(i, k) - picked[i] })
		x := OverallPlace{Arm: p.Arms.Names[arms[0]], Label: a.Arms[arms[0]].Label, Estimate: p.Turned(e.mean[k]), Best: share(best[k]),
			Anywhere: share(anywhere[k]), Slope: e.slope(b, k),
			Difference: Difference{p.Turned(e.mean[k] - e.mean[pick]), *p.TurnedBounds(intervalOf(d))}}
		worst := slices.MaxFunc(arms, func(i, j int) int { return cmp.Compare(losses[i], losses[j]) })
		x.Worst = p.Tasks.Names[p.TaskOf[worst]]
		o.Options = append(o.Options, x)
		if x.Anywhere < leastAnywhere && best[k] == 0 && k != pick {
			o.Drop = append(o.Drop, x.Label)
		}
	}
	if rivals := rivalsOf(all, pick); len(rivals) > 0 {
		second := slices.MaxFunc(rivals, func(j, k int) int {
			return cmp.Or(cmp.Compare(best[j], best[k]), cmp.Compare(e.mean[j], e.mean[k]))
		})
		d := o.Options[second].Difference
		o.RunnerUp, o.Difference = o.Options[second].Label, &Difference{-d.Estimate, [2]float64{-d.CI95[1], -d.CI95[0]}}
	}
	slices.SortStableFunc(o.Options, func(x, y OverallPlace) int { return cmp.Compare(p.Turned(y.Estimate), p.Turned(x.Estimate)) })
	for _, i := range e.arms[pick] {
		v := p.TaskOf[i]
		top := first(open[v], func(j int) float64 { return p.Turned(a.Arms[j].Estimate) })
		o.PerTask = append(o.PerTask, TaskLoss{Task: p.Tasks.Names[v], Weight: e.weights[v], Estimate: a.Arms[i].Estimate, Loss: losses[i],
			Best: a.Arms[top].Label, Works: a.Arms[i].Works})
	}
	a.Overall = o
	return e, pick
}

// anywhere returns, for each option, the number of draws in which it is the best of at least one task.
func (e *everywhere) anywhere(b *belief.Belief, open [][]int) []int {
	option := map[int]int{}
	for k, arms := range e.arms {
		for _, i := range arms {
			option[i] = k
		}
	}
	count, _ := b.Draws.Dims()
	out, last := make([]int, len(e.arms)), slices.Repeat([]int{-1}, len(e.arms))
	for d := range count {
		row := b.Draws.RawRowView(d)
		for v, arms := range open {
			if e.weights[v] == 0 || len(arms) == 0 {
				continue
			}
			if k, is := option[first(arms, func(i int) float64 { return row[i] })]; is && last[k] < d {
				last[k] = d
				out[k]++
			}
		}
	}
	return out
}

// losses returns the expected loss of each arm: the mean over draws of the best reward of its task minus its reward.
func (e *everywhere) losses(b *belief.Belief, open [][]int) []float64 {
	count, n := b.Draws.Dims()
	out := make([]float64, n)
	for d := range count {
		row := b.Draws.RawRowView(d)
		for _, arms := range open {
			if len(arms) == 0 {
				continue
			}
			top := row[first(arms, func(i int) float64 { return row[i] })]
			for _, i := range arms {
				out[i] += (top - row[i]) / float64(count)
			}
		}
	}
	return out
}

// slope returns the slope of a linear regression, over tasks, of an option's mean reward on the mean over all options
// [FW63]. It returns nil for fewer than three tasks.
//
// [FW63]: K. W. Finlay, G. N. Wilkinson, The analysis of adaptation in a plant-breeding programme, Aust. J. Agric. Res.
// 14(6), 1963.
func (e *everywhere) slope(b *belief.Belief, option int) *float64 {
	tasks := len(e.arms[option])
	if tasks < 3 {
		return nil
	}
	if e.means == nil {
		e.means = lists.Make(b.Problem.N(), func(i int) float64 { return stat.Mean(mat.Col(nil, i, b.Draws), nil) })
		e.level = lists.Make(tasks, func(v int) float64 {
			return lists.Sum(e.arms, func(arms []int) float64 { return e.means[arms[v]] }) / float64(len(e.arms))
		})
	}
	_, beta := stat.LinearRegression(e.level, indices.Of(e.means, e.arms[option]), nil, false)
	return &beta
}

// intervalOf returns the central 95 % interval of draws. It reorders draws.
func intervalOf(draws []float64) *[2]float64 {
	return &[2]float64{quantile(draws, 0.025), quantile(draws, 0.975)}
}

// quantile returns the quantile of x at p > 0 with linear interpolation, as stat.LinInterp. It reorders x, but does not sort
// it, which would take most of the time of an answer for many arms.
func quantile(x []float64, p float64) float64 {
	at := p * float64(len(x))
	k := max(int(math.Ceil(at))-1, 0)
	for lo, hi := 0, len(x)-1; lo < hi; { // quickselect: x[k] comes to its place, and no larger number before it
		pivot, i, j := x[lo+(hi-lo)/2], lo, hi
		for i <= j {
			for x[i] < pivot {
				i++
			}
			for x[j] > pivot {
				j--
			}
			if i <= j {
				x[i], x[j] = x[j], x[i]
				i, j = i+1, j-1
			}
		}
		switch {
		case k <= j:
			hi = j
		case k >= i:
			lo = i
		default:
			lo = hi
		}
	}
	if k == 0 {
		return x[0]
	}
	before := float64(k+1) - at
	return before*slices.Max(x[:k]) + (1-before)*x[k]
}
