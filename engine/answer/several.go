package answer

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Quantity is another measured quantity of the same arms, with its posterior.
type Quantity struct {
	problem.Also
	Belief *belief.Belief
}

// Quantities returns p's other measured quantities. of computes their posteriors; its first error is returned.
func Quantities(p *problem.Problem, of func(p *problem.Problem) (*belief.Belief, error)) ([]Quantity, error) {
	return lists.Try(len(p.Also), func(k int) (Quantity, error) {
		b, err := of(p.Also[k].Problem)
		return Quantity{p.Also[k], b}, err
	})
}

// ParetoPoint is an option of a task that may be optimal: no other option is better in one reward without being worse in another.
type ParetoPoint struct {
	Task        string             `json:"task"`        // name of the task
	Arm         string             `json:"arm"`         // name of the option
	Label       string             `json:"label"`       // its values in the columns of the arms
	Features    map[string]any     `json:"features"`    // its values by column, as in the table
	Probability float64            `json:"probability"` // that it is feasible and no feasible option dominates it, see front
	Estimates   map[string]float64 `json:"estimates"`   // posterior mean of each reward, by column
	// probability that a measurement gives a value; nil if no measurement failed
	Works *float64 `json:"works_probability,omitempty"`
}

const (
	// leastPareto is the probability below which an option is not listed.
	leastPareto = 0.01
	// paretoDraws is the number of draws that decide about Pareto optimality.
	paretoDraws = 1000
)

// drawsOf returns posterior draws of a quantity: count rows, and a column for each arm of p. Columns are NaN for arms that
// the table of the quantity does not have. If count exceeds the number of draws, rows repeat.
func (q Quantity) drawsOf(p *problem.Problem, count int) *mat.Dense {
	out, at := mat.NewDense(count, p.N(), nil), p.Places(q.Problem)
	rows, _ := q.Belief.Draws.Dims()
	for d := range count {
		row, from := out.RawRowView(d), q.Belief.Draws.RawRowView(d%rows)
		for i, k := range at {
			if row[i] = math.NaN(); k >= 0 {
				row[i] = from[k]
			}
		}
	}
	return out
}

// required returns the posterior that recommendations use if options have requirements. In draws in which an option is not
// feasible, its reward is at most the lowest posterior mean of its task. feasible has the probability of each arm to be
// feasible. Without requirements it returns b and nil.
func required(b *belief.Belief, all []Quantity) (worth *belief.Belief, feasible []float64) {
	all = lists.Where(all, func(q Quantity) bool { return q.Require != nil })
	if len(all) == 0 {
		return b, nil
	}
	p := b.Problem
	count, n := b.Draws.Dims()
	out, floor := *b, floors(b)
	out.Draws = mat.DenseCopyOf(b.Draws)
	feasible = slices.Repeat([]float64{0}, n)
	draws := lists.Map(all, func(q Quantity) *mat.Dense { return q.drawsOf(p, count) })
	for d := range count {
		row := out.Draws.RawRowView(d)
		for i := range row {
			holds := true
			for k, q := range all {
				holds = holds && q.Require.Holds(q.Problem.Turned(draws[k].At(d, i)))
			}
			if holds {
				feasible[i] += 1 / float64(count)
			} else {
				row[i] = min(row[i], floor[i])
			}
		}
	}
	return &out, feasible
}

// pareto sets Pareto to the options that are Pareto optimal with probability leastPareto or more. Without a second reward
// it does nothing.
func (a *Answer) pareto(ctx context.Context, b *belief.Belief, all []Quantity, open [][]int) error {
	limits := lists.Where(all, func(q Quantity) bool { return q.Require != nil })
	all = lists.Where(all, func(q Quantity) bool { return q.Require == nil })
	if len(all) == 0 {
		return nil
	}
	p := b.Problem
	count, _ := b.Draws.Dims()
	count = min(count, paretoDraws)
	limited := lists.Map(limits, func(q Quantity) *mat.Dense { return q.drawsOf(p, count) })
	rewards := []*mat.Dense{b.Draws}
	names := []string{cmp.Or(a.Reward, "reward")}
	turned := []*problem.Problem{p}
	for _, q := range all {
		rewards, names, turned = append(rewards, q.drawsOf(p, count)), append(names, q.Column), append(turned, q.Problem)
	}
	optimal, step := make([]int, p.N()), max(1, rowsOf(b.Draws)/count)
	for d := range count {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		value := func(k, i int) float64 {
			if k == 0 {
				return rewards[0].At(d*step, i)
			}
			return rewards[k].At(d, i)
		}
		feasible := func(i int) bool {
			for k, q := range limits {
				if !q.Require.Holds(q.Problem.Turned(limited[k].At(d, i))) {
					return false
				}
			}
			return true
		}
		for _, arms := range open {
			for _, i := range front(lists.Where(arms, feasible), len(rewards), value) {
				optimal[i]++
			}
		}
	}
	means := lists.Map(rewards, func(x *mat.Dense) []float64 {
		return lists.Make(p.N(), func(i int) float64 { return meanOf(mat.Col(nil, i, x)) })
	})
	a.Pareto = []ParetoPoint{}
	for i, n := range optimal {
		share := float64(n) / float64(count)
		if share < leastPareto {
			continue
		}
		x := ParetoPoint{Task: a.Arms[i].Task, Arm: a.Arms[i].Arm, Label: a.Arms[i].Label, Features: a.Arms[i].Features, Probability: share,
			Works: a.Arms[i].Works, Estimates: map[string]float64{}}
		for k, name := range names {
			x.Estimates[name] = turned[k].Turned(means[k][i])
		}
		a.Pareto = append(a.Pareto, x)
	}
	place := lists.Keyed(p.Tasks.Names, func(v int, name string) (string, int) { return name, v })
	slices.SortStableFunc(a.Pareto, func(x, y ParetoPoint) int {
		return cmp.Or(place[x.Task]-place[y.Task], cmp.Compare(y.Probability, x.Probability))
	})
	return nil
}

func rowsOf(m *mat.Dense) int {
	rows, _ := m.Dims()
	return rows
}

// front returns the arms that no other arm dominates. An arm dominates another if it is at least as good in all rewards
// and better in one. value returns reward k of arm i.
func front(arms []int, rewards int, value func(k, i int) float64) (out []int) {
	sorted := slices.Clone(arms)
	slices.SortFunc(sorted, func(i, j int) int { // an arm comes after all arms that dominate it
		for k := range rewards {
			if c := cmp.Compare(value(k, j), value(k, i)); c != 0 {
				return c
			}
		}
		return i - j
	})
	for _, i := range sorted {
		dominated := slices.ContainsFunc(out, func(j int) bool {
			better := false
			for k := range rewards {
				x, y := value(k, j), value(k, i)
				if !(x >= y) {
					return false
				}
				better = better || x > y
			}
			return better
		})
		if !dominated {
			out = append(out, i)
		}
	}
	return out
}

// feasible sets the feasibility of arms and picks, and Required to the texts of the requirements.
func (a *Answer) feasible(picks []int, probabilities []float64, all []Quantity) {
	if probabilities == nil {
		return
	}
	for i := range a.Arms {
		a.Arms[i].Feasible = &probabilities[i]
	}
	for k, i := range picks {
		a.Picks[k].Feasible = &probabilities[i]
	}
	for _, q := range all {
		if q.Require != nil {
			a.Required = append(a.Required, q.Require.Text)
		}
	}
}
