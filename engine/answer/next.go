package answer

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

const (
	// Sure is the target probability of Pick.More.
	Sure = 0.95
	// MaxMore is the largest Pick.More.
	MaxMore = 1 << 12

	shortlist   = 600 // arms of all tasks that are planned with
	fewestArms  = 4   // of each task on the shortlist
	moreArms    = 16  // of a task, for Pick.More
	futures     = 400 // simulated results of a plan
	truths      = 200 // simulated rewards after each future, for Pick.More
	furtherArms = 2   // arms in Pick.MoreOf
)

// planner has the posterior mean and covariance of the shortlist: the arms that may be worth measuring.
type planner struct {
	b       *belief.Belief
	epsilon float64
	arms    []int // on the shortlist, in problem order
	taskOf  []int // index among the tasks with a recommendation
	pick    []int // per such task: its position on the shortlist
	mean    []float64
	// of the arms' rewards, followed by the effects of new blocks, which are independent of the rewards
	cov   *mat.SymDense
	noise []float64 // variance of a measurement within its block
}

// newPlanner makes the shortlist: the recommendation of each task, and the candidates with the highest 97.5 % quantiles.
func newPlanner(b *belief.Belief, m moments, picks []int, open [][]int, epsilon float64) *planner {
	p := b.Problem
	q := &planner{b: b, epsilon: epsilon}
	each := max(shortlist/p.V(), fewestArms)
	for v, i := range picks {
		order := rivalsOf(open[p.TaskOf[i]], i)
		slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(m.hi[y], m.hi[x]) })
		order = append([]int{i}, order[:min(each-1, len(order))]...)
		slices.Sort(order)
		q.pick = append(q.pick, len(q.arms)+slices.Index(order, i))
		for _, j := range order {
			q.arms, q.taskOf = append(q.arms, j), append(q.taskOf, v)
			q.mean, q.noise = append(q.mean, m.mean[j]), append(q.noise, b.Noise[j])
		}
	}
	count, _ := b.Draws.Dims()
	x := mat.NewDense(count, len(q.arms), nil)
	for i := range count {
		row, from := x.RawRowView(i), b.Draws.RawRowView(i)
		for k, j := range q.arms {
			row[k] = from[j]
		}
	}
	var rewards mat.SymDense
	stat.CovarianceMatrix(&rewards, x, nil)
	q.cov = beside(&rewards, b.Blocks)
	return q
}

// beside returns the covariance of rewards together with an independent effect of that standard deviation.
func beside(rewards *mat.SymDense, effect float64) *mat.SymDense {
	n := rewards.SymmetricDim()
	out := mat.NewSymDense(n+1, nil)
	out.CopySym(rewards)
	out.SetSym(n, n, effect*effect)
	return out
}

// of returns the shortlist positions of a task, the recommendation first, limited in number.
func (q *planner) of(v, most int) []int {
	out := indices.Where(len(q.taskOf), func(k int) bool { return q.taskOf[k] == v && k != q.pick[v] })
	upper := func(k int) float64 { return q.mean[k] + 2*math.Sqrt(q.cov.At(k, k)) }
	slices.SortStableFunc(out, func(x, y int) int { return cmp.Compare(upper(y), upper(x)) })
	return append([]int{q.pick[v]}, out[:min(most-1, len(out))]...)
}

// only returns the planner restricted to arms of one task, the recommendation first.
func (q *planner) only(arms []int) *planner {
	out := &planner{b: q.b, epsilon: q.epsilon, pick: []int{0}, taskOf: make([]int, len(arms)), arms: indices.Of(q.arms, arms),
		mean: indices.Of(q.mean, arms), noise: indices.Of(q.noise, arms)}
	out.cov = beside(among(arms, q.cov.At), q.b.Blocks)
	return out
}

// among returns the covariance of some arms.
func among(arms []int, of func(i, j int) float64) *mat.SymDense {
	return symmetric.Make(len(arms), func(i, j int) float64 { return of(arms[i], arms[j]) })
}

// more sets Pick.More: it doubles the measurements of the task's arms until the recommendation is expected to be within ε with
// probability Sure, and interpolates.
func (q *planner) more(p *Pick, v int, all []Arm) {
	arms := q.of(v, moreArms)
	if len(arms) < 2 {
		return
	}
	own := q.only(arms)
	arms = indices.All(len(arms))
	b, before, at := own.batch(arms), p.Within, 0
	for n := 2; n <= MaxMore; n *= 2 {
		for b.total < n {
			b.add(max(1, n/4), 1)
		}
		after := b.sure(arms, futures)
		if after >= Sure {
			share := 1.0
			if after > before {
				share = (Sure - before) / (after - before)
			}
			p.More = max(1, at+int(math.Ceil(share*float64(n-at))))
			break
		}
		before, at = after, n
	}
	p.More = cmp.Or(p.More, -1)
	slices.SortStableFunc(arms, func(x, y int) int { return b.counts[y] - b.counts[x] })
	for _, k := range arms[:min(furtherArms, len(arms))] {
		if b.counts[k] > 0 {
			p.MoreOf = append(p.MoreOf, all[own.arms[k]].Label)
		}
	}
}

// next sets Next and the expected loss after it, and reports its progress.
func (a *Answer) next(ctx context.Context, q *planner, count int, tell func(share float64)) error {
	all := indices.All(len(q.arms))
	if len(all) == len(q.pick) { // every task has one option: nothing to compare
		return nil
	}
	b := q.batch(all)
	var order []int
	for b.total < count {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		tell(float64(b.total) / float64(count+1))
		before := slices.Clone(b.counts)
		b.add(max(1, (count-b.total)/(2*len(q.pick))), 1)
		order = append(order, indices.Where(len(before), func(k int) bool { return b.counts[k] > before[k] && before[k] == 0 })...)
	}
	for block, counts := range q.inBlocks(b.counts) {
		for _, k := range order {
			if counts[k] == 0 {
				continue
			}
			arm, next := a.Arms[q.arms[k]], Pull{Count: counts[k]}
			next.Task, next.Arm, next.Label, next.Features = arm.Task, arm.Arm, arm.Label, arm.Features
			if q.b.Blocks > 0 {
				next.Block = block + 1
			}
			a.Next = append(a.Next, next)
		}
	}
	tell(float64(count) / float64(count+1))
	a.LossAfter = -b.gained(all) // negative gain; describe adds LossNow
	return nil
}

// inBlocks distributes measurements over blocks no larger than the median block of the data. An arm's measurements go to consecutive
// blocks, cyclically, so its counts per block differ by at most one. It returns one block if the data have none.
func (q *planner) inBlocks(counts []int) [][]int {
	if q.b.Blocks == 0 {
		return [][]int{counts}
	}
	sizes := make([]float64, len(q.b.Problem.Blocks))
	for _, r := range q.b.Problem.Rows {
		sizes[r.Block] += r.Count
	}
	slices.Sort(sizes)
	size := max(1, int(stat.Quantile(0.5, stat.Empirical, sizes, nil)))
	out, at := lists.Make((lists.Total(counts)+size-1)/size, func(int) []int { return make([]int, len(counts)) }), 0
	for k, n := range counts {
		for range n {
			out[at%len(out)][k]++
			at++
		}
	}
	return out
}

// Outlook has the expected quality of the recommendations after further measurements, as means over tasks.
type Outlook struct {
	Count  int     // further measurements, of all tasks
	Loss   float64 // expected simple regret, reward units
	Within float64 // probability that a recommendation is within epsilon of the best
}

const (
	aheadSteps = 400 // steps in which measurements are chosen
	aheadWork  = 4e8 // simulated rewards of all outlooks
	leastDrawn = 40  // futures
)

// Ahead returns the outlook after each of some counts, ascending from at least 1, if the measurements are chosen by expected gain. Kernel
// and noise are those of the posterior b. It returns an error if ctx ends.
func Ahead(ctx context.Context, b *belief.Belief, epsilon float64, counts []int) ([]Outlook, error) {
	now := &Answer{Epsilon: epsilon}
	b = doubted(b)
	m := momentsOf(b)
	open := candidates(b.Problem, false)
	q := newPlanner(b, m, now.pick(b, m, open), open, epsilon)
	all := indices.All(len(q.arms))
	tasks := len(q.pick)
	ofTask, within, loss := make([][]int, tasks), 0.0, 0.0
	for v := range tasks {
		ofTask[v] = q.of(v, moreArms)
		within, loss = within+now.Picks[v].Within/float64(tasks), loss+now.Picks[v].Loss/float64(tasks)
	}
	drawn := int(min(max(aheadWork/(float64(len(counts)+1)*float64(tasks)*truths*moreArms), leastDrawn), futures))
	batch := q.batch(all)
	sure := func() float64 {
		return lists.Sum(ofTask, func(arms []int) float64 { return batch.sure(arms, drawn) / float64(tasks) })
	}
	before, last := sure(), counts[len(counts)-1]
	step := max(1, last/aheadSteps)
	out := []Outlook{{Loss: loss, Within: within}}
	for _, n := range counts {
		for batch.total < n {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			batch.add(max(step, (n-batch.total)/(2*tasks)), min(step, n-batch.total))
		}
		// simulated futures are normal, the present posterior may not be: add their gain to the present value
		next := Outlook{Count: n, Loss: max(loss-batch.gained(all), 0), Within: within}
		if before < 1 {
			next.Within = 1 - (1-within)*min((1-sure())/(1-before), 1)
		}
		last := out[len(out)-1]
		next.Loss, next.Within = math.Min(next.Loss, last.Loss), math.Max(next.Within, last.Within)
		out = append(out, next)
	}
	return out, nil
}
