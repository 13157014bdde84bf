package model

import (
	"math"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// T* for δ → 0 of independent arms by a grid over allocations, for each right answer: 2 min_λ max_x (1/λ_i + 1/λ_x)/(μ_i - μ_x + ε)².
// The last means and ε are those of docs/theory/lower-bound.md; an independent program had 374.7 there for the first answer.
func TestLimitTime(t *testing.T) {
	unit := func(n int) problem.NoiseModel {
		s := make([]float64, n)
		for i := range s {
			s[i] = 1
		}
		return problem.NoiseModel{Scales: s}
	}
	for _, c := range []struct {
		means   []float64
		epsilon float64
	}{{[]float64{0.5, 0.4, 0}, 0.2}, {[]float64{0.5, 0.49, 0.3}, 0.1}, {[]float64{0.1, 0.15, 0.9, 0.8}, 0.3}} {
		want := math.Inf(1)
		for i, mean := range c.means {
			if mean <= maxOf(c.means)-c.epsilon {
				continue
			}
			want = min(want, ofAnswer(c.means, i, c.epsilon))
		}
		got, err := arms(t, unit(len(c.means)), c.means...).Truth().LimitTime(c.epsilon)
		if err != nil || math.Abs(got-want) > 1e-2*want {
			t.Errorf("%v, epsilon %g: %g (%v), want %g", c.means, c.epsilon, got, err, want)
		}
	}
	got, err := arms(t, unit(4), 0, -0.05, -0.3, -0.5).Truth().LimitTime(0.1)
	if err != nil || math.Abs(got-374.7) > 0.5 {
		t.Errorf("T* for δ → 0 is %g (%v), an independent program has 374.7", got, err)
	}
	for _, c := range []struct{ epsilon float64 }{{0}, {0.05}} { // one right answer: T* has no other limit
		if got, err := arms(t, unit(2), 0.2, 0).Truth().LimitTime(c.epsilon); got != 0 || err != nil {
			t.Errorf("epsilon %g: %g, %v", c.epsilon, got, err)
		}
	}
}

func maxOf(x []float64) float64 {
	top := math.Inf(-1)
	for _, v := range x {
		top = max(top, v)
	}
	return top
}

// ofAnswer returns T* of one answer among independent arms. At the optimum every rival has the same value c, so that λ_x = 1/(c g_x² -
// 1/λ_i), and the weights sum to 1: a search over λ_i, and over c by halving.
func ofAnswer(means []float64, i int, epsilon float64) float64 {
	best := math.Inf(1)
	for own := 1e-3; own < 1; own += 1e-3 {
		lo, hi := 0.0, 1e9
		for range 200 {
			c, sum := (lo+hi)/2, own
			for x, mean := range means {
				if g := means[i] - mean + epsilon; x != i {
					if d := c*g*g - 1/own; d > 0 {
						sum += 1 / d
					} else {
						sum = math.Inf(1)
					}
				}
			}
			if sum > 1 {
				lo = c
			} else {
				hi = c
			}
		}
		best = min(best, 2*hi)
	}
	return best
}

// Of related tasks, the search over answers returns the least value of all combinations; of unrelated ones, the sum of their own.
func TestLimitTimeOfTasks(t *testing.T) {
	p := enginetest.Paper(t, 1, 0.1) // five tasks that share all rewards
	m := model(t, p).Truth()
	const epsilon = 0.15
	got := try.Of(m.LimitTime(epsilon))
	truth := try.Of(m.known())
	s := answerSearch{m: m, t: truth, epsilon: epsilon}
	want := math.Inf(1)
	right := map[int][]int{}
	for i, v := range p.TaskOf {
		if truth.gap[i] < epsilon {
			right[v] = append(right[v], i)
		}
	}
	for number := range 1 << 5 { // two right answers in each of five tasks
		var of []int
		for v := range 5 {
			of = append(of, right[v][number>>v&1])
		}
		d := try.Of(minimaxOf(s, of))
		want = min(want, 2*d)
	}
	if len(right[0]) != 2 || math.Abs(got-want) > 1e-3*want {
		t.Errorf("%d right answers, T* %g, of all combinations %g", len(right[0]), got, want)
	}
	three := model(t, enginetest.Paper(t, 3, 0.1)).Truth() // five tasks that share nothing
	alone := try.Of(model(t, enginetest.Paper(t, 3, 0.1).Only(0)).Truth().LimitTime(epsilon))
	if got, err := three.LimitTime(epsilon); err != nil || math.Abs(got-5*alone) > 1e-2*got {
		t.Errorf("tasks apart: %g (%v), want five times %g", got, err, alone)
	}
}

func minimaxOf(s answerSearch, of []int) (float64, error) {
	d, err := design.Minimax(s.m.Space(0), s.contrasts(of), s.m.Solver(1e-4))
	return d.Value, err
}
