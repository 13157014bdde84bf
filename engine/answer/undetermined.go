package answer

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Undetermined is Best for measurements that do not distinguish options. It recommends the option with the most
// measurements in each task, and sets unknown numbers to NaN. Next has the options with fewest measurements, spread over
// the features.
func Undetermined(p *problem.Problem, u *belief.Undetermined, opt Options) (*Answer, error) {
	if err := opt.check(); err != nil {
		return nil, err
	}
	nan := math.NaN()
	a := newAnswer(p, opt)
	a.Undetermined, a.LossNow, a.LossAfter = u, nan, nan
	a.Scatter = belief.Scatter{Kind: belief.ScatterUnknown, Scales: [2]float64{u.Scale, u.Scale}}
	a.Noise = "not known"
	if u.Scale > 0 {
		a.Noise = short(u.Scale) + ", of the only measured option"
	}
	a.LeaveOneOut = belief.LeaveOneOut{Error: nan, Without: nan, Coverage: nan}
	a.Basis = "The measurements do not show by how much options differ. So no number of further measurements can be stated."
	words := p.Words()
	open := candidates(p, opt.Retry)
	for i, v := range p.TaskOf {
		arm := armOf(p, words, i)
		if arm.Estimate = u.Value; slices.Contains(open[v], i) {
			arm.Best = 1 / float64(len(open[v]))
		}
		if arm.Mean != nil && !math.IsNaN(u.CI95[0]) {
			arm.CI95 = &[2]float64{u.CI95[0], u.CI95[1]}
		}
		a.Arms = append(a.Arms, arm)
	}
	var picks []int
	for v, arms := range open {
		if len(arms) == 0 {
			a.Unanswered = append(a.Unanswered, p.Tasks.Names[v])
			continue
		}
		most := first(arms, func(i int) float64 { return a.Arms[i].Count })
		pick := Pick{Options: len(arms), Within: a.Arms[most].Best, Loss: nan}
		pick.take(a.Arms[most])
		picks, a.Picks = append(picks, most), append(a.Picks, pick)
	}
	a.works(picks, failuresOf(p))
	a.spread(p, open, opt.Next)
	return a, nil
}

// spread sets Next to count measurements of candidates, one after the other. It takes the task with the fewest
// measurements, among its arms those with the fewest, and among these the arm farthest from all measured ones.
func (a *Answer) spread(p *problem.Problem, open [][]int, count int) {
	points := p.Arms.Unscaled().Standardized(func(column string) bool { return p.Categories[column] != nil })
	distance := func(i, j int) (sum float64) {
		for c, x := range points.X {
			switch d := x[i] - x[j]; {
			case d == 0:
			case p.Categories[points.Columns[c]] != nil:
				sum++
			default:
				sum += d * d
			}
		}
		return sum
	}
	counts, ofTask := make([]float64, p.N()), make([]float64, p.V())
	near := slices.Repeat([]float64{math.Inf(1)}, p.N()) // squared distance to the nearest measured arm of the task
	add := func(i int, n float64) {
		v := p.TaskOf[i]
		counts[i], ofTask[v] = counts[i]+n, ofTask[v]+n
		for _, j := range open[v] {
			near[j] = min(near[j], distance(i, j))
		}
	}
	for i, arm := range a.Arms {
		if arm.Count > 0 {
			add(i, arm.Count)
		}
	}
	for v, arms := range open {
		if len(arms) == 0 { // no candidate
			ofTask[v] = math.Inf(1)
		}
	}
	place := map[int]int{} // index in Next, by arm
	for range count {
		v := slices.Index(ofTask, slices.Min(ofTask))
		if len(open[v]) == 0 {
			return
		}
		best := open[v][0]
		for _, i := range open[v] {
			if counts[i] < counts[best] || counts[i] == counts[best] && near[i] > near[best] {
				best = i
			}
		}
		add(best, 1)
		if k, there := place[best]; there {
			a.Next[k].Count++
			continue
		}
		place[best] = len(a.Next)
		a.Next = append(a.Next, a.Arms[best].pulls(1))
	}
}

// check returns an error for options out of range.
func (o Options) check() error {
	switch {
	case !(o.Epsilon >= 0) || math.IsInf(o.Epsilon, 0):
		return fmt.Errorf("epsilon must be a number of 0 or more, in the units of the rewards, got %g", o.Epsilon)
	case o.Next < 0 || o.Next > MaxNext:
		return fmt.Errorf("next must be a whole number from 0 to %d, got %d", MaxNext, o.Next)
	}
	return nil
}

// newAnswer returns an answer with the names of the problem and its columns.
func newAnswer(p *problem.Problem, opt Options) *Answer {
	a := &Answer{Problem: p.Name, Goal: p.Goal, Epsilon: opt.Epsilon, Next: []Pull{}, Log: []string{}}
	c := p.Words()
	a.Reward, a.Tasks, a.Columns = c.Reward, c.Task, c.Arm
	if p.Long != nil {
		a.Measured, a.TaskValues = p.Long.Measured(), p.TaskTexts()
	}
	return a
}

// armOf returns arm i with its features and a summary of its measurements.
func armOf(p *problem.Problem, words problem.Words, i int) Arm {
	names := p.NamesOf(i)
	arm := Arm{Task: names[0], Arm: names[1], Features: featuresOf(p, i)}
	arm.Label = words.Shorten(labelOf(p, words.Arm, i))
	if p.Failed != nil {
		arm.Failed = p.Failed[i]
	}
	if means := p.Means(); !math.IsNaN(means[i]) {
		mean := p.Turned(means[i])
		arm.Mean, arm.Count = &mean, 1
		if p.Reps != nil {
			arm.Count = p.Reps[i]
		}
	}
	return arm
}

// take copies the fields of the recommended arm x.
func (p *Pick) take(x Arm) {
	p.Task, p.Arm, p.Label, p.Features = x.Task, x.Arm, x.Label, x.Features
	p.Estimate, p.CI95, p.Count, p.Failed = x.Estimate, x.CI95, x.Count, x.Failed
}

// pulls returns a proposal of count measurements of arm x.
func (x Arm) pulls(count int) Pull {
	return Pull{Task: x.Task, Arm: x.Arm, Label: x.Label, Features: x.Features, Works: x.Works, Count: count}
}
