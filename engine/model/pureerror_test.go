package model

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// lines returns a problem of tasks each of whose arms are the points 0, 1, … under its own line, or
// under one for all tasks, with noise unknown as given.
func lines(t testing.TB, tasks, arms int, own bool, unknown string) *Model {
	t.Helper()
	var names, armNames []string
	var x, z [][]float64
	var taskOf []int
	for v := range tasks {
		names, z = append(names, fmt.Sprint(v)), append(z, []float64{})
		for i := range arms {
			armNames, x, taskOf = append(armNames, fmt.Sprint(i)), append(x, []float64{float64(i)}), append(taskOf, v)
		}
	}
	a := try.Of(kernels.NewPoints([]string{"x"}, armNames, x))
	b := try.Of(kernels.NewPoints(nil, names, z))
	joint := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Arm: kernels.Linear{}}, {Scale: 1}}}
	if own {
		for k := range joint.Terms {
			joint.Terms[k].Task = kernels.Identity{}
		}
	}
	p := try.Of(problem.New("lines", b, a, taskOf, joint, []float64{2}, nil))
	p.Noise.UnknownBy = unknown
	m := model(t, p)
	return m
}

// nullBatch draws a round of rewards that a kernel fits: arm i has degrees(i) + 1 pulls and this
// standard deviation.
func nullBatch(m *Model, rng *rand.Rand, degrees func(i int) int, sd func(i int) float64) engine.Batch {
	n := m.Problem.N()
	b := engine.Batch{Counts: make([]int, n), Means: make([]float64, n), Squares: make([]float64, n)}
	for i := range n {
		v := degrees(i)
		b.Counts[i] = v + 1
		b.Means[i] = sd(i) / math.Sqrt(float64(v+1)) * rng.NormFloat64()
		if v > 0 {
			b.Squares[i] = sd(i) * sd(i) * distuv.ChiSquared{K: float64(v), Src: rng}.Rand()
		}
	}
	return b
}

// The level of the test where scales are estimated, from 5 degrees of freedom on, with groups and
// scales equal and not: the largest shares that were measured are 0.058, 0.014, 0.007 and 0.0023 of
// 4,000.
func TestLackOfFitLevelOfScales(t *testing.T) {
	runs, ways := 4000, []int{5, 8, 20}
	if testing.Short() {
		runs, ways = 1000, ways[:1]
	}
	levels := []float64{0.05, 0.01, 0.005, 0.0005}
	// 1.25 times the level, 1.5, 1.5 and 3 times, and 4 standard deviations of the count.
	allowed := []float64{0.0625, 0.015, 0.0075, 0.0015}
	for _, c := range []struct {
		tasks, arms int
		own         bool
		unknown     string
	}{{2, 4, false, problem.UnknownArm}, {5, 6, true, problem.UnknownArm}, {5, 20, false, problem.UnknownArm}, {5, 6, true, problem.UnknownTask}, {20, 6, false, problem.UnknownTask}} {
		m := lines(t, c.tasks, c.arms, c.own, c.unknown)
		for _, least := range ways {
			for _, equal := range []bool{true, false} {
				group := func(i int) int {
					if c.unknown == problem.UnknownTask {
						return m.Problem.TaskOf[i]
					}
					return i
				}
				degrees := func(i int) int {
					v := least
					if c.unknown == problem.UnknownTask { // one arm of the task has the degrees
						v = least * when(i%c.arms == 0)
					}
					return v * (1 + 2*when(!equal && group(i)%2 == 1))
				}
				sd := func(i int) float64 { return math.Exp2(float64(when(!equal) * (group(i)%4 - 1))) }
				rng := rand.New(rand.NewPCG(uint64(least), 1))
				below := make([]int, len(levels))
				for range runs {
					f := &fitCheck{model: m, data: NewReplicates(m.Problem.N())}
					p := *pOf(f.Learn(1, nullBatch(m, rng, degrees, sd)))
					for k, level := range levels {
						below[k] += when(p <= level)
					}
				}
				t.Logf("%+v, %d degrees, equal %v: %v of %d below %v", c, least, equal, below, runs, levels)
				for k, a := range allowed {
					if n := float64(runs) * a; float64(below[k]) > n+4*math.Sqrt(n) {
						t.Errorf("%+v, %d degrees, equal %v: %d of %d below %g", c, least, equal, below[k], runs, levels[k])
					}
				}
			}
		}
	}
}

// Welch's test for the means of several groups, as he gives it, and F where one scale is common to
// all.
func TestLackOfFitLaw(t *testing.T) {
	const v = 1e4 // where the first order in 1/ν is all
	m := lines(t, 1, 5, false, problem.UnknownArm)
	f := &fitCheck{model: m, data: NewReplicates(5)}
	f.data.Add(nullBatch(m, rand.New(rand.NewPCG(1, 1)), func(int) int { return v }, func(i int) float64 { return float64(1 + i) }))
	s, _ := f.data.Scales(m)
	l := tested(m, f.data, s)
	// [Johansen 1980] with A = Σ(1-h_i)²/ν: c = f + 2A - 6A/(f+2) and f(f+2)/(3A) degrees.
	a, k := 0.0, float64(l.Freedom)
	for _, h := range l.leverage {
		a += (1 - h) * (1 - h) / v
	}
	multiple, pure := l.law(s)
	if want := 1 + (2*a-6*a/(k+2))/k; math.Abs((multiple-1)/(want-1)-1) > 0.01 {
		t.Errorf("multiple 1 + %g, want 1 + %g", multiple-1, want-1)
	}
	if want := k * (k + 2) / (3 * a); math.Abs(pure/want-1) > 0.01 {
		t.Errorf("%g degrees, want %g", pure, want)
	}
	for _, least := range []int{1, 2, 9} {
		m := lines(t, 2, 5, false, problem.UnknownProblem)
		f := &fitCheck{model: m, data: NewReplicates(10)}
		f.data.Add(nullBatch(m, rand.New(rand.NewPCG(1, 1)), func(i int) int { return least * when(i == 3) }, func(int) float64 { return 1 }))
		s, _ := f.data.Scales(m)
		if multiple, pure := tested(m, f.data, s).law(s); math.Abs(multiple-1) > 1e-9 || math.Abs(pure/float64(least)-1) > 1e-9 {
			t.Errorf("one scale, %d degrees: %g times F with %g", least, multiple, pure)
		}
	}
}

// An arm with a very uncertain scale is left out, so it does not weaken the test for all others.
func TestLackOfFitLeavesOut(t *testing.T) {
	b := engine.Batch{Counts: []int{50, 50, 1, 50}, Means: []float64{0, 3, 2, 3}, Squares: []float64{200, 200, 0, 200}}
	f := &fitCheck{model: line(t), data: NewReplicates(4)}
	f.model.Problem.Noise.UnknownBy = problem.UnknownArm
	if p := pOf(f.Learn(1, b)); p == nil || *p > 1e-3 {
		t.Errorf("p = %v for an arm that is far off, beside one without replicates", p)
	}
}

// when returns 1 or 0.
func when(b bool) int {
	if b {
		return 1
	}
	return 0
}
