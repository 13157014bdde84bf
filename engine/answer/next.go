package answer

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

const (
	// Sure is the target probability of Pick.More.
	Sure = 0.95
	// MaxMore is the largest Pick.More.
	MaxMore = 1 << 12

	shortlist   = 600 // largest number of arms of all tasks in a planner
	fewestArms  = 4   // smallest number of arms of each task in a planner
	moreArms    = 16  // largest number of arms of a task for Pick.More
	futures     = 400 // number of simulated results of a plan
	truths      = 200 // number of simulated true rewards for each result, for Pick.More
	furtherArms = 2   // largest number of arms in Pick.MoreOf
	moreSteps   = 64  // Pick.More adds measurements in steps of their number over this
	// largest number of tasks whose measurements are planned together; if there are more, those with the largest expected
	// losses
	plannedTasks = shortlist / fewestArms
)

// planner has the posterior mean and covariance of the shortlist, the arms that may be worth measuring. It compares each
// recommendation with the other arms of its task. For one recommendation for all tasks, it compares options by weighted
// means over tasks; these are further entries of the shortlist, which cannot be measured.
type planner struct {
	b       *belief.Belief
	epsilon float64
	arms    []int // index of each entry in the problem; -1 for a weighted mean
	taskOf  []int // index of the recommendation with which the entry is compared; -1 if it is not compared
	pick    []int // for each recommendation: its position on the shortlist
	tasks   int   // number of recommendations of the answer; may exceed len(pick)
	mean    []float64
	// covariance of the rewards of the shortlist, followed by the effects of new blocks, which are independent of the
	// rewards
	cov    *mat.SymDense
	noise  []float64 // variance of a measurement within its block
	effect []int     // row in cov of the effect of a new block with the arm
	blocks newBlocks
}

// planned returns the indices of the recommendations whose measurements are planned together: all, or the plannedTasks
// with the largest expected losses.
func (a *Answer) planned() []int {
	all := indices.All(len(a.Picks))
	if len(all) > plannedTasks {
		slices.SortStableFunc(all, func(v, w int) int { return cmp.Compare(a.Picks[w].Loss, a.Picks[v].Loss) })
		all = slices.Sorted(slices.Values(all[:plannedTasks]))
	}
	return all
}

// newPlanner returns a planner for the recommendations with indices some. Its shortlist has these, the candidates of their
// tasks with the highest 97.5 % quantiles, and the checks, which are in every block.
func newPlanner(b *belief.Belief, m moments, picks, some []int, open [][]int, opt Options) (*planner, error) {
	p := b.Problem
	q := &planner{b: b, epsilon: opt.Epsilon, tasks: len(picks)}
	if err := q.constrain(opt); err != nil {
		return nil, err
	}
	each := max(shortlist/p.V(), fewestArms)
	for v, i := range indices.Of(picks, some) {
		order := rivalsOf(open[p.TaskOf[i]], i)
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(m.hi[y], m.hi[x]) })
		checks := lists.Where(order, q.blocks.isCheck)
		order = lists.Where(order, func(j int) bool { return !q.blocks.isCheck(j) })
		order = slices.Concat([]int{i}, checks, order[:min(max(each-1-len(checks), 0), len(order))])
		slices.Sort(order)
		q.pick = append(q.pick, len(q.arms)+slices.Index(order, i))
		for _, j := range order {
			q.arms, q.taskOf = append(q.arms, j), append(q.taskOf, v)
			q.mean, q.noise = append(q.mean, m.mean[j]), append(q.noise, b.Noise[j]+b.RandomVariance())
		}
	}
	count, _ := b.Draws.Dims()
	q.finish(q.drawn(count, nil))
	return q, nil
}

// newOverallPlanner returns a planner for one recommendation for all tasks. Its shortlist has the option
// pick, the checks, and the options with the highest 97.5 % quantiles. Each is there at every task; their weighted means
// come last.
func newOverallPlanner(b *belief.Belief, e *everywhere, pick int, opt Options) (*planner, error) {
	q := &planner{b: b, epsilon: opt.Epsilon, tasks: 1}
	if err := q.constrain(opt); err != nil {
		return nil, err
	}
	count, n := e.draws.Dims()
	hi := lists.Make(n, func(k int) float64 { return intervalOf(mat.Col(nil, k, e.draws))[1] })
	order := rivalsOf(indices.All(n), pick)
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(hi[y], hi[x]) })
	checks := lists.Where(order, func(k int) bool { return q.blocks.isCheck(e.arms[k][0]) })
	order = lists.Where(order, func(k int) bool { return !slices.Contains(checks, k) })
	each := max(shortlist/len(e.arms[0]), fewestArms)
	order = slices.Concat([]int{pick}, checks, order[:min(max(each-1-len(checks), 0), len(order))])
	for _, k := range order {
		q.arms = append(q.arms, e.arms[k]...)
	}
	slices.Sort(q.arms)
	for _, i := range q.arms {
		q.taskOf, q.noise, q.mean = append(q.taskOf, -1), append(q.noise, b.Noise[i]+b.RandomVariance()), append(q.mean, 0)
	}
	q.pick = []int{len(q.arms)}
	for _, k := range order {
		q.arms, q.taskOf, q.noise, q.mean = append(q.arms, -1), append(q.taskOf, 0), append(q.noise, 0), append(q.mean, e.mean[k])
	}
	q.finish(q.drawn(count, func(d int) []float64 { return indices.Of(e.draws.RawRowView(d), order) }))
	return q, nil
}

// drawn returns posterior draws of the shortlist, a row for each draw. means returns the weighted means of draw d; nil if
// the shortlist has none.
func (q *planner) drawn(count int, means func(d int) []float64) *mat.Dense {
	x := mat.NewDense(count, len(q.arms), nil)
	for d := range count {
		row, from, at := x.RawRowView(d), q.b.Draws.RawRowView(d), 0
		for k, i := range q.arms {
			if i >= 0 {
				row[k], at = from[i], k+1
			}
		}
		if means != nil {
			copy(row[at:], means(d))
		}
	}
	return x
}

// finish sets the covariance from draws of the shortlist, and adds an independent effect for each group of blocks.
func (q *planner) finish(draws *mat.Dense) {
	var rewards mat.SymDense
	stat.CovarianceMatrix(&rewards, draws, nil)
	q.effect = lists.Map(q.arms, func(i int) int { return len(q.arms) + q.blocks.groupOf(q.b.Problem, i) })
	q.cov = beside(&rewards, q.blocks.groups, q.b.Blocks)
}

// beside returns the covariance of the rewards, extended by independent effects of standard deviation sd.
func beside(rewards *mat.SymDense, effects int, sd float64) *mat.SymDense {
	n := rewards.SymmetricDim()
	out := mat.NewSymDense(n+effects, nil)
	out.CopySym(rewards)
	for k := range effects {
		out.SetSym(n+k, n+k, sd*sd)
	}
	return out
}

// measurable returns the shortlist positions that are arms.
func (q *planner) measurable() []int {
	return indices.Where(len(q.arms), func(k int) bool { return q.arms[k] >= 0 })
}

func (q *planner) compared() []int {
	return indices.Where(len(q.arms), func(k int) bool { return q.taskOf[k] >= 0 })
}

// of returns at most the given number of shortlist positions of task v. The recommendation is first; the others follow by
// their upper confidence bounds.
func (q *planner) of(v, most int) []int {
	out := indices.Where(len(q.taskOf), func(k int) bool { return q.taskOf[k] == v && k != q.pick[v] })
	upper := func(k int) float64 { return q.mean[k] + 2*math.Sqrt(q.cov.At(k, k)) }
	slices.SortStableFunc(out, func(x, y int) int { return cmp.Compare(upper(y), upper(x)) })
	return append([]int{q.pick[v]}, out[:min(most-1, len(out))]...)
}

// only returns the planner restricted to the given arms of one task. The first of them must be the recommendation.
func (q *planner) only(arms []int) *planner {
	out := &planner{b: q.b, epsilon: q.epsilon, tasks: 1, pick: []int{0}, taskOf: make([]int, len(arms)), arms: indices.Of(q.arms, arms),
		mean: indices.Of(q.mean, arms), noise: indices.Of(q.noise, arms), effect: slices.Repeat([]int{len(arms)}, len(arms))}
	out.cov = beside(among(arms, q.cov.At), 1, q.b.Blocks)
	return out
}

// among returns the covariance matrix of some arms, with entries from of.
func among(arms []int, of func(i, j int) float64) *mat.SymDense {
	return symmetric.Make(len(arms), func(i, j int) float64 { return of(arms[i], arms[j]) })
}

// more sets Pick.More and Pick.MoreOf. It doubles the number of measurements of the task's arms until the expected
// probability of a recommendation within ε reaches Sure, and interpolates. The probability rises with the number, so few of
// the doublings are simulated.
func (q *planner) more(p *Pick, v int, all []Arm) {
	arms := q.of(v, moreArms)
	if len(arms) < 2 {
		return
	}
	own := q.only(arms)
	arms = indices.All(len(arms))
	drawn := max(futures*plannedTasks/max(q.tasks, plannedTasks), leastDrawn)
	var after []*batch
	b := own.batch(arms)
	for n := 2; n <= MaxMore; n *= 2 {
		for b.total < n {
			b.addTimes(max(1, n/4), max(1, n/moreSteps))
		}
		after = append(after, b.clone())
	}
	known := map[int]float64{-1: p.Within}
	sure := func(k int) float64 {
		if _, found := known[k]; !found {
			known[k] = after[k].sure(arms, drawn)
		}
		return known[k]
	}
	p.More = -1
	if k := sort.Search(len(after), func(k int) bool { return sure(k) >= Sure }); k < len(after) {
		b = after[k]
		at, share := 0, 1.0
		if k > 0 {
			at = after[k-1].total
		}
		if sure(k) > sure(k-1) {
			share = (Sure - sure(k-1)) / (sure(k) - sure(k-1))
		}
		p.More = max(1, at+int(math.Ceil(share*float64(b.total-at))))
	}
	slices.SortStableFunc(arms, func(x, y int) int { return b.counts[y] - b.counts[x] })
	for _, k := range arms[:min(furtherArms, len(arms))] {
		if b.counts[k] > 0 {
			p.MoreOf = append(p.MoreOf, all[own.arms[k]].Label)
		}
	}
}

// next sets Next, and LossAfter to the expected change of the loss. count is the number of measurements or, if they have
// costs, the sum of their costs.
func (a *Answer) next(ctx context.Context, q *planner, count int, tell func(share float64)) error {
	compared := q.compared()
	if len(compared) == len(q.pick) { // every task has only one candidate
		return nil
	}
	b := q.batch(q.measurable())
	var order []int
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		spent := b.spent()
		tell(spent / float64(count+1))
		left := float64(count) - spent
		before := slices.Clone(b.counts)
		if !b.add(max(1, int(left/b.usualCost())/(2*len(q.pick))), left) {
			break
		}
		order = append(order, indices.Where(len(before), func(k int) bool { return b.counts[k] > before[k] && before[k] == 0 })...)
	}
	for block, counts := range q.inBlocks(b.counts) {
		for _, k := range q.blocks.first(q, order, counts) {
			if counts[k] == 0 {
				continue
			}
			next := a.Arms[q.arms[k]].pulls(counts[k])
			if q.b.Blocks > 0 {
				next.Block = block + 1
			}
			if costs := q.b.Problem.Cost; costs != nil {
				next.Cost = costs[q.arms[k]] * float64(counts[k])
			}
			a.Next = append(a.Next, next)
		}
	}
	tell(float64(count) / float64(count+1))
	planned := a.lossOf(a.planned())
	if a.Overall != nil {
		planned = a.Overall.Loss
	}
	a.LossAfter = -planned * b.removed(compared) // describe adds LossNow
	return nil
}

// lossOf returns the sum of the expected losses of some recommendations, divided by the number of all.
func (a *Answer) lossOf(some []int) float64 {
	return lists.Sum(indices.Of(a.Picks, some), func(p Pick) float64 { return p.Loss }) / float64(len(a.Picks))
}

// Outlook is the expected quality of the recommendations after further measurements, averaged over tasks.
type Outlook struct {
	Count  int     // number of further measurements in all tasks
	Cost   float64 // sum of the costs of these measurements; their number if measurements have no costs
	Loss   float64 // expected simple regret, reward units
	Within float64 // probability that a recommendation is within epsilon of the best
}

const (
	aheadSteps = 400 // largest number of steps in which Ahead chooses measurements
	aheadWork  = 4e8 // largest number of simulated rewards of all outlooks
	leastDrawn = 40  // smallest number of simulated results
)

// Ahead returns the expected quality now and after each of the given counts of measurements. Measurements are chosen by
// expected gain. If they have costs, counts are sums of costs, and the gain per cost decides. counts must ascend from at
// least 1. Kernel and noise come from the posterior b. Ahead returns an error if ctx ends.
func Ahead(ctx context.Context, b *belief.Belief, epsilon float64, counts []int) (_ []Outlook, err error) {
	defer try.Caught(&err)
	now := &Answer{Epsilon: epsilon}
	open := candidates(b.Problem, false)
	b, _ = now.working(doubted(b), failuresOf(b.Problem), open)
	m := momentsOf(b)
	picks := now.pick(b, m, open)
	some := now.planned()
	q := try.Of(newPlanner(b, m, picks, some, open, Options{Epsilon: epsilon}))
	all := indices.All(len(q.arms))
	tasks := len(q.pick)
	ofTask, within, loss := make([][]int, tasks), 0.0, now.lossOf(indices.All(len(picks)))
	for v := range tasks {
		ofTask[v] = q.of(v, moreArms)
	}
	for _, p := range now.Picks {
		within += p.Within / float64(len(picks))
	}
	drawn := int(min(max(aheadWork/(float64(len(counts)+1)*float64(tasks)*truths*moreArms), leastDrawn), futures))
	batch := q.batch(all)
	sure := func() float64 {
		return lists.Sum(ofTask, func(arms []int) float64 { return batch.sure(arms, drawn) / float64(tasks) })
	}
	before, usual := sure(), batch.usualCost()
	step := max(1, int(float64(counts[len(counts)-1])/usual)/aheadSteps)
	out := []Outlook{{Loss: loss, Within: within}}
	for _, n := range counts {
		for {
			try.To(ctx.Err())
			left := float64(n) - batch.spent()
			affordable := lists.Where(batch.within, func(k int) bool { return batch.cost(k) <= left+1e-9 })
			if len(affordable) == 0 {
				break
			}
			k := batch.choose(affordable, max(step, int(left/usual)/(2*tasks)))
			batch.take(k, max(1, min(step, int(left/batch.cost(k)))))
		}
		// Simulated results are normal, but the posterior b may not be. So the present values change by the fractions of the
		// simulations.
		next := Outlook{Count: batch.total, Cost: batch.spent(), Loss: loss - now.lossOf(some)*batch.removed(all), Within: within}
		if before < 1 {
			next.Within = 1 - (1-within)*min((1-sure())/(1-before), 1)
		}
		last := out[len(out)-1]
		next.Loss, next.Within = math.Min(next.Loss, last.Loss), math.Max(next.Within, last.Within)
		out = append(out, next)
	}
	return out, nil
}
