package answer

import (
	"context"
	"math"

	"github.com/gonb-cope/gonb-cope/engine/belief"
)

// Outlook is how good the picks are expected to be after so many further measurements, means over tasks.
type Outlook struct {
	Count  int     // further measurements, of all tasks
	Loss   float64 // by which a pick is worse than the best arm of its task, reward units
	Within float64 // probability that a pick is within epsilon of the best
}

const (
	aheadSteps = 400 // in which measurements are chosen
	aheadWork  = 4e8 // imagined rewards of all outlooks
	leastDrawn = 40  // futures
)

// Ahead returns the outlook after each of some counts, which ascend from 1 or more, when the measurements go where they are
// expected to bring most. Kernel and noise are taken as they are believed today.
func Ahead(ctx context.Context, b *belief.Belief, epsilon float64, counts []int) ([]Outlook, error) {
	now := &Answer{Epsilon: epsilon}
	m := momentsOf(b)
	q := newPlanner(b, m, now.pick(b, m), epsilon)
	all := make([]int, len(q.arms))
	for k := range all {
		all[k] = k
	}
	tasks := len(q.pick)
	ofTask, within, loss := make([][]int, tasks), 0.0, 0.0
	for v := range tasks {
		ofTask[v] = q.of(v, moreArms)
		within, loss = within+now.Picks[v].Within/float64(tasks), loss+now.Picks[v].Loss/float64(tasks)
	}
	drawn := int(min(max(aheadWork/(float64(len(counts)+1)*float64(tasks)*truths*moreArms), leastDrawn), futures))
	batch := q.batch(all)
	sure := func() float64 {
		sum := 0.0
		for _, arms := range ofTask {
			sum += batch.sure(arms, drawn) / float64(tasks)
		}
		return sum
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
		// imagined futures are normal, today's belief need not be: what they add is taken on from today's
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
