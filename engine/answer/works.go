package answer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

const (
	// cellSize is the number of options that the prior of a cell's share of failures counts as. It is small, because
	// most failures, such as running out of memory, occur each time or never.
	cellSize = 0.5
	// mostCuts is the largest number of cuts of a column of numbers.
	mostCuts = 15
	// mostPaired is the number of splits that are combined with all others.
	mostPaired = 16
)

// split divides the options into cells that may fail at different rates: by task, by category, at a value of a column of
// numbers, or by two of these.
type split struct {
	columns  []int // of the arms; -1 for tasks
	count    int   // number of cells
	cell     func(i int) int
	evidence float64 // log probability of the failures
}

// trials are the options that were tried, with the number of their measurements, and the share of these that failed.
type trials struct {
	arms  []int
	count []float64
	share []float64
	rate  float64 // mean share
}

func trialsOf(p *problem.Problem) (t trials) {
	means := p.Means()
	for i, failed := range p.Failed {
		all := float64(failed)
		if !math.IsNaN(means[i]) {
			worked := 1.0
			if p.Reps != nil {
				worked = p.Reps[i]
			}
			all += worked
		}
		if all > 0 {
			t.arms, t.count, t.share = append(t.arms, i), append(t.count, all), append(t.share, float64(failed)/all)
		}
	}
	t.rate = floats.Sum(t.share) / float64(max(1, len(t.arms)))
	return t
}

// counted returns, for each cell, the number of options that were tried and the sum of their shares of failures.
func (s *split) counted(t trials) (tried, failed []float64) {
	tried, failed = make([]float64, s.count), make([]float64, s.count)
	for k, i := range t.arms {
		c := s.cell(i)
		tried[c]++
		failed[c] += t.share[k]
	}
	return tried, failed
}

// weigh sets the evidence. In each cell the share of failures has a beta distribution with the mean of all options.
func (s *split) weigh(t trials) {
	tried, failed := s.counted(t)
	a, b := cellSize*t.rate, cellSize*(1-t.rate)
	for c, n := range tried {
		if n > 0 {
			s.evidence += logBeta(a+failed[c], b+n-failed[c]) - logBeta(a, b)
		}
	}
}

func logBeta(a, b float64) float64 {
	x, _ := math.Lgamma(a)
	y, _ := math.Lgamma(b)
	z, _ := math.Lgamma(a + b)
	return x + y - z
}

// splitsOf returns the splits by one column, the one with the most evidence first, and the splits by two.
func splitsOf(p *problem.Problem, t trials) (singles, pairs []*split) {
	if p.V() > 1 {
		singles = append(singles, &split{columns: []int{-1}, count: p.V(), cell: func(i int) int { return p.TaskOf[i] }})
	}
	for c, name := range p.Arms.Columns {
		value := func(i int) float64 { return p.Arms.Value(c, i) }
		if names := p.Categories[name]; names != nil {
			singles = append(singles, &split{columns: []int{c}, count: len(names), cell: func(i int) int { return int(value(i)) }})
			continue
		}
		seen := slices.Compact(slices.Sorted(slices.Values(lists.Map(t.arms, value))))
		cuts := min(mostCuts, len(seen)-1)
		for k := range cuts {
			at := seen[1+k*(len(seen)-1)/cuts]
			singles = append(singles, &split{columns: []int{c}, count: 2, cell: func(i int) int { return indices.Indicator(value(i) >= at) }})
		}
	}
	for _, s := range singles {
		s.weigh(t)
	}
	slices.SortStableFunc(singles, func(x, y *split) int { return cmp.Compare(y.evidence, x.evidence) })
	for k, s := range singles[:min(mostPaired, len(singles))] {
		for _, o := range singles[k+1:] {
			if o.columns[0] == s.columns[0] || s.count*o.count > p.N() {
				continue
			}
			pair := &split{columns: slices.Concat(s.columns, o.columns), count: s.count * o.count,
				cell: func(i int) int { return s.cell(i)*o.count + o.cell(i) }}
			pair.weigh(t)
			pairs = append(pairs, pair)
		}
	}
	return singles, pairs
}

// failures states how probably options fail. It averages over ways in which failures may depend on the options: not at all,
// by one column, or by two.
type failures struct {
	trials
	usual  []float64 // probability that a measurement fails, for options that are like arm i
	others []float64 // the same without the measurements of arm i
	on     *split    // it explains the failures best; nil if failures probably do not depend on the options
}

// failuresOf returns nil if no measurement failed, or all.
func failuresOf(p *problem.Problem) *failures {
	if p.Failed == nil {
		return nil
	}
	t := trialsOf(p)
	if !(t.rate > 0 && t.rate < 1) {
		return nil
	}
	none := float64(len(t.arms)) * (t.rate*math.Log(t.rate) + (1-t.rate)*math.Log(1-t.rate))
	singles, pairs := splitsOf(p, t)
	best := &split{evidence: math.Inf(-1)}
	for _, s := range slices.Concat(singles, pairs) {
		if s.evidence > best.evidence {
			best = s
		}
	}
	most := max(none, best.evidence) // weights are relative to it, so that none overflows
	alone := math.Exp(none - most)
	total, f := alone, &failures{trials: t}
	f.usual, f.others = slices.Repeat([]float64{alone * t.rate}, p.N()), slices.Repeat([]float64{alone * t.rate}, p.N())
	own := make([]float64, p.N()) // share of failures of arm i, if it was tried
	one := make([]float64, p.N()) // 1 if arm i was tried
	for k, i := range t.arms {
		own[i], one[i] = t.share[k], 1
	}
	for _, same := range [][]*split{singles, pairs} {
		for _, s := range same {
			weight := 0.5 / float64(len(same)) * math.Exp(s.evidence-most)
			total += weight
			tried, failed := s.counted(t)
			for i := range f.usual {
				c := s.cell(i)
				f.usual[i] += weight * (failed[c] + cellSize*t.rate) / (tried[c] + cellSize)
				f.others[i] += weight * (failed[c] - own[i] + cellSize*t.rate) / (tried[c] - one[i] + cellSize)
			}
		}
	}
	floats.Scale(1/total, f.usual)
	floats.Scale(1/total, f.others)
	if alone < total/2 {
		f.on = best
	}
	return f
}

// factors returns a factor for each option: its probability to give a value relative to an option with twice the mean odds to
// fail; at most 1, and 1 for options that worked. It returns nil if failures probably do not depend on the options.
func (f *failures) factors() []float64 {
	if f == nil || f.on == nil {
		return nil
	}
	most := 2 * f.rate / (1 + f.rate)
	out := lists.Map(f.usual, func(x float64) float64 { return min(1, (1-x)/(1-most)) })
	for k, i := range f.arms {
		if f.share[k] < 1 {
			out[i] = 1
		}
	}
	return out
}

// works returns the probability of each option that its next measurement gives a value. An option that was tried may have a
// rate of failures of its own, or that of the options like it. Repeated measurements show which holds; without them both are
// equally probable.
func (f *failures) works() []float64 {
	out := lists.Map(f.usual, func(x float64) float64 { return 1 - x })
	ratio := 0.0 // log evidence of own rates less that of common rates
	for k, i := range f.arms {
		failed, worked, mean := f.count[k]*f.share[k], f.count[k]*(1-f.share[k]), f.others[i]
		a, b := cellSize*mean, cellSize*(1-mean)
		ratio += logBeta(a+failed, b+worked) - logBeta(a, b) - failed*math.Log(mean) - worked*math.Log(1-mean)
	}
	own := 1 / (1 + math.Exp(-ratio))
	for k, i := range f.arms {
		rate := (f.count[k]*f.share[k] + cellSize*f.others[i]) / (f.count[k] + cellSize)
		out[i] -= own * (rate - f.usual[i])
	}
	return out
}

// Works returns the probability of each arm that its next measurement gives a value, from the numbers of measurements and
// failures alone. It returns nil if no measurement failed, or all.
func Works(p *problem.Problem) []float64 {
	if f := failuresOf(p); f != nil {
		return f.works()
	}
	return nil
}

// works sets the probability that arms and picks work, if measurements failed. picks are the arms of a.Picks.
func (a *Answer) works(picks []int, f *failures) {
	if f == nil {
		return
	}
	chances := f.works()
	for i := range a.Arms {
		a.Arms[i].Works = &chances[i]
	}
	for k, i := range picks {
		a.Picks[k].Works = &chances[i]
	}
}

// working returns the posterior that recommendations use if failures depend on the options. It moves the reward of an option
// that probably fails towards the lowest posterior mean of its task. note says so; it is "" if no candidate is affected.
func (a *Answer) working(b *belief.Belief, f *failures, open [][]int) (worth *belief.Belief, note string) {
	p := b.Problem
	factors := f.factors()
	count := lists.Count(slices.Concat(open...), func(i int) bool { return factors != nil && factors[i] < 1 })
	if count == 0 {
		return b, ""
	}
	out, floor := *b, floors(b)
	out.Draws = mat.DenseCopyOf(b.Draws)
	for d := range rowsOf(out.Draws) {
		row := out.Draws.RawRowView(d)
		for i, x := range factors {
			row[i] -= (1 - x) * max(0, row[i]-floor[i])
		}
	}
	columns := lists.Map(f.on.columns, func(c int) string {
		if c < 0 {
			return cmp.Or(strings.Join(a.Tasks, ", "), "task")
		}
		return p.Arms.Columns[c]
	})
	return &out, fmt.Sprintf(" Failures depend on %s. %d untried options are more likely to fail than the others, so they count as worse. "+
		"To ignore failures, write retry=true (--retry).", strings.Join(columns, " and "), count)
}

// floors returns, for each arm, the lowest posterior mean of its task.
func floors(b *belief.Belief) []float64 {
	m := momentsOf(b)
	out := make([]float64, len(m.mean))
	for _, arms := range b.Problem.Groups() {
		least := slices.Min(indices.Of(m.mean, arms))
		for _, i := range arms {
			out[i] = least
		}
	}
	return out
}
