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

// Growth maps the arms of a problem to the arms of a problem with more arms or tasks. Arms of a task are adjacent, so an added arm
// changes the numbers of all arms after it. At maps the old numbers to the new ones.
type Growth struct {
	At     []int       `json:"at"`      // by old arm: its new number; all are different
	TaskOf []int       `json:"task_of"` // by new arm: its task
	Added  [][2]string `json:"added"`   // task and arm, in the new order
}

// Grown returns the protocol on a problem that has all its arms and further ones. It keeps the old kernel, features,
// noise and earlier measurements. Features that were scaled keep their scale, so that the meaning of a length scale does
// not change; features of added arms may lie outside of 0 to 1.
//
// q is the problem that the recorded script makes of the grown table. It is not changed, nor is p. If q differs for an
// arm that was there before, that is an error, since measurements of the arm would be of something else.
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
	// arms are found again by the names of their task and themselves
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
	// points of tasks are scaled, too
	tasks := lists.Make(old.V(), func(v int) int { return slices.Index(now.Tasks.Names, old.Tasks.Names[v]) })
	var err error
	if now.Arms, err = inScaleOf(old.Arms, now.Arms, g.At); err == nil {
		now.Tasks, err = inScaleOf(old.Tasks, now.Tasks, tasks)
	}
	p.Earlier, p.Problem = append(slices.Clone(p.Earlier), old), &now
	return p, g, err
}

// sameArm reports how arm i of a problem differs from arm k of a later one.
func sameArm(old, now *problem.Problem, i, k int) error {
	// unknown is the same as unknown
	same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
	// a list that is not there has no numbers
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

// inScaleOf returns points in the scale that some of them had before; at holds their numbers. It is an error if one of
// them moved.
func inScaleOf(old, now *kernels.Points, at []int) (*kernels.Points, error) {
	out := *now
	out.X, out.Units = slices.Clone(now.X), slices.Clone(now.Units)
	for c, column := range now.X {
		x := slices.Clone(column)
		if now.Units != nil && old.Units != nil && now.Units[c] != old.Units[c] {
			// back to the units of the data by the present scale, then to the earlier scale
			was, is := old.Units[c], now.Units[c]
			if was.Range == 0 {
				was.Range = is.Range // it had one value, which has no scale
			}
			for i := range x {
				x[i] = (x[i]*is.Range + is.Offset - was.Offset) / was.Range
			}
			out.Units[c] = was
		}
		for k, i := range at {
			// Scaling there and back loses some digits. If only these differ, the earlier number counts.
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

// generation returns the protocol after some additions of arms, 0 at the start. After all additions that p has it is p
// itself.
func (p Protocol) generation(k int) Protocol {
	if k < len(p.Earlier) {
		p.Problem, p.Earlier = p.Earlier[k], p.Earlier[:k]
	}
	return p
}

// AtStart returns the protocol before arms were added.
func (p Protocol) AtStart() Protocol { return p.generation(0) }

// moved gives the arms of a round other numbers. Arms that were added get no pulls of it. move is called for each result.
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

// rekeyed returns a map with other keys.
func rekeyed[K comparable, V any](m map[K]V, key func(K) K) map[K]V {
	out := make(map[K]V, len(m))
	for k, v := range m {
		out[key(k)] = v
	}
	return out
}

// restricted returns the part of a batch that is of the arms with these numbers, nil of all; the others
// must have no rewards.
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

// fold gives every arm its number among more of them.
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
	// rounds, guides, sheets and items hold the same results: to renumber all of rounds and guides is enough
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
		// with them the amendment that this growth is of
		s.amends[i].WithdrawArms = indices.Of(g.At, s.amends[i].WithdrawArms)
	}
	return nil
}
