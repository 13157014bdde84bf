package model

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// mostAnswerDesigns is the largest number of designs that one search of LimitTime computes.
const mostAnswerDesigns = 400

// LimitTime returns T* for δ → 0 if a task has several right answers (within epsilon of the best arm, normalised):
// expected samples are at least about T* log(1/δ), all agents together. An algorithm must choose one right answer i_v
// in each task, and exclude that some arm x is above i_v by epsilon. So
//
//	T* = min over right answers i of min_λ max_{v,x} 2 ‖φ_x - φ_{i_v}‖²_{A(0,λ)⁻¹} / (μ_{i_v} - μ_x + ε)².
//
// It returns 0 if each task has one right answer, for which CharacteristicTime has the same limit. It also returns 0 if
// T* is unknown: without normal noise, for rewards with common block effects, and for more than 400 arms. The search
// over the answers of related tasks is best first. After mostAnswerDesigns designs it returns the lower bound reached.
// The result is cached.
//
// R. Degenne, W. M. Koolen, Pure exploration with multiple correct answers, NeurIPS 2019, Theorem 1.
func (m Truth) LimitTime(epsilon float64) (_ float64, err error) {
	defer try.Caught(&err)
	p := m.Problem
	if epsilon <= 0 || p.N() > mostAlternatives || p.Noise.Bounds != nil || diverges(p) || p.Block != nil {
		return 0, nil
	}
	s := try.Of(newAnswerSearch(m, epsilon))
	if !slices.ContainsFunc(s.right, func(r []int) bool { return len(r) > 1 }) {
		return 0, nil
	}
	return Remembered(m.Model, canon.Key{Kind: canon.KindLimit, Level: epsilon}, func() (sum float64, err error) {
		defer try.Caught(&err)
		for _, tasks := range s.m.relatedTasks() { // T* is the sum over groups of related tasks
			if len(tasks) > 1 || p.V() == 1 {
				sum += try.Of(s.least(tasks))
				continue
			}
			alone := try.Of(NewContext(m.Context(), p.Only(tasks[0]), m.Unit)) // a model of this task has fewer arms and directions
			own := try.Of(newAnswerSearch(alone.Share(m.Memory).Truth(), epsilon))
			sum += try.Of(own.least([]int{0}))
		}
		return sum, nil
	})
}

// newAnswerSearch returns a search over the right answers of all tasks. It returns an error if the expected rewards are
// unknown.
func newAnswerSearch(m Truth, epsilon float64) (s *answerSearch, err error) {
	defer try.Caught(&err)
	m.Model = try.Of(m.Exact())
	s = &answerSearch{m: m, t: try.Of(m.known()), epsilon: epsilon, right: make([][]int, m.Problem.V())}
	for i, v := range m.Problem.TaskOf {
		if i == s.t.best[v] || s.t.gap[i] < epsilon*(1-1e-9) { // an arm whose gap is exactly epsilon would need infinitely many samples
			s.right[v] = append(s.right[v], i)
		}
	}
	return s, nil
}

// relatedTasks returns the tasks in groups, such that features of different groups are orthogonal.
func (m Truth) relatedTasks() [][]int {
	groups := m.Problem.Groups()
	group := indices.All(len(groups)) // of each task
	related := func(v, w int) bool {
		for _, i := range groups[v] {
			for _, j := range groups[w] {
				x, y := m.Features.RawRowView(i), m.Features.RawRowView(j)
				if math.Abs(Dot(x, y)) > 1e-12*math.Sqrt(Dot(x, x)*Dot(y, y)) {
					return true
				}
			}
		}
		return false
	}
	for v := range group {
		for w := range v {
			if group[w] != group[v] && related(v, w) {
				from, to := group[v], group[w]
				for u := range group {
					if group[u] == from {
						group[u] = to
					}
				}
			}
		}
	}
	return lists.Groups(indices.All(len(group)), func(v int) int { return group[v] })
}

// answerSearch is a branch-and-bound search for the tuple of correct answers with the smallest characteristic time.
type answerSearch struct {
	m       Truth
	t       *truth
	epsilon float64
	right   [][]int // per task: its right answers
	designs int     // number computed so far
}

// answers is a partial choice: a right answer for each of the first tasks of a group. The other tasks have no contrasts
// yet, so bound is at most the value of every completion.
type answers struct {
	of    []int
	bound float64
}

// least returns the smallest 2ρ over all choices of right answers for the tasks. After mostAnswerDesigns designs it
// returns a lower bound.
func (s *answerSearch) least(tasks []int) (float64, error) {
	open := []answers{{}}
	for {
		at := 0
		for k, a := range open {
			// among equal bounds, take the one with more answers
			if b := open[at]; a.bound < b.bound || a.bound == b.bound && len(a.of) > len(b.of) {
				at = k
			}
		}
		best := open[at]
		if len(best.of) == len(tasks) || s.designs >= mostAnswerDesigns {
			return best.bound, nil
		}
		open = slices.Delete(open, at, at+1)
		for _, i := range s.right[tasks[len(best.of)]] {
			next := answers{of: append(slices.Clone(best.of), i)}
			d, err := design.Minimax(s.m.Space(0), s.contrasts(next.of), s.m.Solver(DesignTolerance(s.m.Problem.N())))
			if err != nil {
				return 0, err
			}
			s.designs++
			next.bound = max(best.bound, 2*d.Lower)
			open = append(open, next)
		}
	}
}

// contrasts returns the comparisons of the answers `of` with all other arms of their tasks.
func (s *answerSearch) contrasts(of []int) (c design.Contrasts) {
	groups := s.m.Problem.Groups()
	for _, i := range of {
		for _, x := range groups[s.m.Problem.TaskOf[i]] {
			if gap := s.t.gap[x] - s.t.gap[i] + s.epsilon; x != i {
				c.Pairs = append(c.Pairs, design.Pair{I: i, J: x, Weight: 1 / (gap * gap)})
			}
		}
	}
	return c
}
