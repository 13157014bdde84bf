package campaign

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Growth maps the arms of a problem to the arms of a larger problem. Arms of a task are adjacent, so an added arm changes
// the numbers of all arms after it. At maps the old numbers to the new ones.
type Growth struct {
	At     []int       `json:"at"`      // by old number of an arm: its new number; all are different
	TaskOf []int       `json:"task_of"` // by new number of an arm: its task
	Added  [][2]string `json:"added"`   // task and arm of each added arm, in the order of the new numbers
}

// Grown returns the protocol for a problem with further arms or tasks, and the map of arm numbers. It keeps the old
// kernel, features, noise and earlier measurements. Scaled features keep their scale, so that the meaning of a length
// scale does not change. Features of added arms may lie outside 0 to 1.
//
// q is the problem that the recorded script makes from the grown table. Neither q nor p is changed. It is an error if an
// earlier arm has other data in q: its measurements would belong to another arm.
func (p Protocol) Grown(q *problem.Problem) (Protocol, Growth, error) {
	old, now := p.Problem, *q
	var g Growth
	if a, b := old.Kernel.String(), now.Kernel.String(); a != b {
		return p, g, fmt.Errorf("with the added rows the kernel is %s, but the campaign has %s. If its numbers come from data, state them in "+
			"the script", b, a)
	}
	if !slices.Equal(old.Arms.Columns, now.Arms.Columns) || !slices.Equal(old.Tasks.Columns, now.Tasks.Columns) {
		return p, g, errors.New("with the added rows the columns of the features differ. Add rows with the same columns")
	}
	// earlier arms are found in the new problem by their task and arm names
	number := lists.Keyed(now.TaskOf, func(i int, _ int) ([2]string, int) { return [2]string(now.NamesOf(i)), i })
	isOld := make([]bool, now.N())
	for i := range old.TaskOf {
		k, there := number[[2]string(old.NamesOf(i))]
		if !there {
			return p, g, fmt.Errorf("the added rows remove %s. Add rows only; to remove an arm, withdraw it", old.Where(i))
		}
		g.At, isOld[k] = append(g.At, k), true
		if err := sameArm(old, &now, i, k); err != nil {
			return p, g, err
		}
	}
	for k, was := range isOld {
		if !was {
			g.Added = append(g.Added, [2]string(now.NamesOf(k)))
		}
	}
	if len(g.Added) == 0 {
		return p, g, errors.New("all these arms are already in the campaign")
	}
	g.TaskOf = slices.Clone(now.TaskOf)
	// features of tasks are scaled too
	tasks := lists.Make(old.V(), func(v int) int { return slices.Index(now.Tasks.Names, old.Tasks.Names[v]) })
	var err error
	if now.Arms, err = inScaleOf(old.Arms, now.Arms, g.At); err == nil {
		now.Tasks, err = inScaleOf(old.Tasks, now.Tasks, tasks)
	}
	p.Earlier, p.Problem = append(slices.Clone(p.Earlier), old), &now
	return p, g, err
}

// sameArm returns an error if arm i of the old problem and arm k of the new one differ in measurements, noise or cost.
func sameArm(old, now *problem.Problem, i, k int) error {
	// two unknown values are equal
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	// a nil list has only unknown values
	at := func(list []float64, i int) float64 {
		if list == nil {
			return math.NaN()
		}
		return list[i]
	}
	switch a, b := old.Noise.Scales[i], now.Noise.Scales[k]; {
	case !same(at(old.Means(), i), at(now.Means(), k)) || old.Reps != nil && now.Reps != nil && old.Reps[i] != now.Reps[k]:
		return fmt.Errorf("the added rows have measurements of %s, which is already in the campaign. Record them with attach", old.Where(i))
	case old.Noise.UnknownBy != now.Noise.UnknownBy || !same(a, b):
		return fmt.Errorf("with the added rows the noise of %s is %.4g instead of %.4g. State noise= in the script, or leave sd "+
			"out of the added rows", old.Where(i), b, a)
	case !same(at(old.Cost, i), at(now.Cost, k)):
		return fmt.Errorf("with the added rows the cost of %s differs", old.Where(i))
	}
	return nil
}

// inScaleOf returns the points `now` in the scale of the points `old`. at maps indices of old to indices of now. It
// returns an error if a feature of an old point differs.
func inScaleOf(old, now *kernels.Points, at []int) (*kernels.Points, error) {
	out := *now
	out.X, out.Units = slices.Clone(now.X), slices.Clone(now.Units)
	for c, column := range now.X {
		x := slices.Clone(column)
		if now.Units != nil && old.Units != nil && now.Units[c] != old.Units[c] {
			// back to the units of the data, then to the earlier scale
			was, is := old.Units[c], now.Units[c]
			if was.Range == 0 {
				was.Range = is.Range // a column with only one value had no scale
			}
			for i := range x {
				x[i] = (x[i]*is.Range + is.Offset - was.Offset) / was.Range
			}
			out.Units[c] = was
		}
		for k, i := range at {
			// converting back and forth loses some digits; if only these differ, the earlier number is kept
			if math.Abs(x[i]-old.X[c][k]) > 1e-9*(1+math.Abs(old.X[c][k])) {
				return nil, fmt.Errorf("the added rows change column %q of %q, but features of recorded rows cannot change",
					now.Columns[c], old.Names[k])
			}
			x[i] = old.X[c][k]
		}
		out.X[c] = x
	}
	return &out, nil
}

// generation returns the protocol after its first k additions of arms; k = 0 is the start. For k at or above the number of
// additions, it returns p.
func (p Protocol) generation(k int) Protocol {
	if k < len(p.Earlier) {
		p.Problem, p.Earlier = p.Earlier[k], p.Earlier[:k]
	}
	return p
}

// AtStart returns the protocol before arms were added.
func (p Protocol) AtStart() Protocol { return p.generation(0) }

// moved gives the arms of a round their new numbers. Added arms have no pulls in it. move is called for each result of the
// round.
func (r *round) moved(g Growth, move func(*measured)) {
	r.plan.Counts = indices.Spread(len(g.TaskOf), r.plan.Counts, g.At[:len(r.plan.Counts)])
	for k := range r.list {
		r.list[k].Arm = g.At[r.list[k].Arm]
	}
	for m := range resultsOf([]*round{r}) {
		move(m)
	}
	r.filled = rekeyed(r.filled, func(pull [2]int) [2]int { return [2]int{g.At[pull[0]], pull[1]} })
	r.highest = rekeyed(r.highest, func(i int) int { return g.At[i] })
	r.results = rekeyed(r.results, func(i int) int { return g.At[i] })
}

// rekeyed returns a map with the same values under the keys key(k).
func rekeyed[K comparable, V any](m map[K]V, key func(K) K) map[K]V {
	out := make(map[K]V, len(m))
	for k, v := range m {
		out[key(k)] = v
	}
	return out
}

// restricted returns the part of a batch for the arms whose numbers are in up; the whole batch if up is nil. It returns an
// error if other arms have rewards.
func restricted(b engine.Batch, up []int) (engine.Batch, error) {
	if up == nil {
		return b, nil
	}
	out := engine.Batch{
		Counts: indices.Of(b.Counts, up), Means: indices.Of(b.Means, up), Squares: indices.Of(b.Squares, up), Ranges: indices.Of(b.Ranges, up),
	}
	if engine.PullsOf(out.Counts) != engine.PullsOf(b.Counts) {
		return out, errors.New("the round has results of arms that were added later")
	}
	return out, nil
}

// fold renumbers the arms everywhere in the state.
func (g Growth) fold(s *State) error {
	if len(g.At) != len(s.taskOf) {
		return fmt.Errorf("the added arms leave places for %d earlier arms, but there are %d", len(g.At), len(s.taskOf))
	}
	seen := make([]bool, len(g.TaskOf))
	for _, i := range g.At {
		if i < 0 || i >= len(seen) || seen[i] {
			return errors.New("the places of the earlier arms are not different numbers of arms")
		}
		seen[i] = true
	}
	s.taskOf = g.TaskOf
	s.grown = append(s.grown, g.At)
	// rounds, guides, sheets and items share the same results, so that renumbering those of rounds and guides is enough
	moved := map[*measured]bool{}
	move := func(m *measured) {
		if m != nil && !moved[m] {
			m.Arm, moved[m] = g.At[m.Arm], true
		}
	}
	for _, r := range s.rounds {
		r.moved(g, move)
	}
	for _, m := range s.guides {
		move(m)
	}
	for _, it := range s.items {
		it.Arm = g.At[it.Arm]
	}
	for _, x := range s.failedRows {
		x.Arm = g.At[x.Arm]
	}
	for i := range s.amends {
		// this includes the amendment that adds these arms
		s.amends[i].WithdrawArms = indices.Of(g.At, s.amends[i].WithdrawArms)
	}
	return nil
}
