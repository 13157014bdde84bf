package engine_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// scattered returns a problem of two tasks with three arms each and stated noise scale 1.
func scattered(t *testing.T) *problem.Problem {
	t.Helper()
	tasks := try.Of(kernels.NewPoints(nil, []string{"t0", "t1"}, [][]float64{{}, {}}))
	arms := try.Of(kernels.NewPoints(nil, []string{"a", "b", "c", "a", "b", "c"}, make([][]float64, 6)))
	return try.Of(problem.New("p", tasks, arms, []int{0, 0, 0, 1, 1, 1}, problem.SameArms(), []float64{1}, make([]float64, 6)))
}

// batch draws a round of n pulls of every arm with these standard deviations.
func batch(n int, sd []float64, draw func() float64) engine.Batch {
	b := engine.Batch{}
	for _, s := range sd {
		values, mean := make([]float64, n), 0.0
		for k := range values {
			values[k] = s * draw()
			mean += values[k] / float64(n)
		}
		squares := 0.0
		for _, v := range values {
			squares += (v - mean) * (v - mean)
		}
		b.Counts, b.Means, b.Squares = append(b.Counts, n), append(b.Means, mean), append(b.Squares, squares)
	}
	return b
}

// TestNoiseCheck counts warnings: rare if the assumption holds, also for heavy tails; almost certain if scales differ by a factor of
// three, within or between tasks, or exceed the stated one by a third.
func TestNoiseCheck(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	heavy := func() float64 { // Student's t with 5 degrees of freedom, variance 1
		squares := 0.0
		for range 5 {
			z := rng.NormFloat64()
			squares += z * z
		}
		return rng.NormFloat64() / math.Sqrt(squares/5) / math.Sqrt(5./3)
	}
	alike, one, each := []float64{1, 1, 1, 1, 1, 1}, []int{0, 0, 0, 0, 0, 0}, []int{0, 0, 0, 1, 1, 1}
	const runs = 400
	for _, row := range []struct {
		name        string
		sd          []float64
		groups      []int
		draw        func() float64
		pulls       []int // by round
		least, most float64
	}{
		{"one scale", alike, one, rng.NormFloat64, []int{3, 5, 9, 20, 40}, 0, 0.02},
		{"one scale, few pulls", alike, one, rng.NormFloat64, []int{2, 2, 2, 2}, 0, 0.02},
		{"one scale in another unit", []float64{1e-9, 1e-9, 1e-9, 1e-9, 1e-9, 1e-9}, one, rng.NormFloat64, []int{3, 5, 9}, 0, 0.02},
		{"heavy tails", alike, one, heavy, []int{3, 5, 9, 20, 40, 80}, 0, 0.05},
		{"scales of tasks", []float64{10, 10, 10, 1, 1, 1}, each, rng.NormFloat64, []int{3, 5, 9, 20}, 0, 0.02},
		{"stated", alike, nil, rng.NormFloat64, []int{3, 5, 9, 20}, 0, 0.02},
		{"stated too large", []float64{0.1, 1, 1, 1, 1, 1}, nil, rng.NormFloat64, []int{3, 5, 9, 20}, 0, 0.02},
		{"scales of 10, 1 and 0.3", []float64{10, 1, 0.3, 10, 1, 0.3}, one, rng.NormFloat64, []int{5, 9}, 0.99, 1},
		{"an arm three times as much", []float64{3, 1, 1, 1, 1, 1}, one, rng.NormFloat64, []int{5, 9, 20, 40}, 0.99, 1},
		{"a task three times as much", []float64{3, 3, 3, 1, 1, 1}, one, rng.NormFloat64, []int{5, 9, 20, 40}, 0.99, 1},
		{"an arm a third above the stated", []float64{1.35, 1, 1, 1, 1, 1}, nil, rng.NormFloat64, []int{20, 40, 80, 160}, 0.9, 1},
	} {
		found := 0
		for range runs {
			p := scattered(t)
			check := engine.NewNoiseCheck(p, row.groups)
			said := false
			for _, n := range row.pulls {
				if w := check.Learn(nil, batch(n, row.sd, row.draw)); w != nil {
					said = true
					if row.sd[0] == 10 && row.groups != nil && w.Names[1] != "a" {
						t.Errorf("%s: names %q", row.name, w.Names)
					}
				}
			}
			if said {
				found++
			}
		}
		if share := float64(found) / runs; share < row.least || share > row.most {
			t.Errorf("%s: found in %.3f of the runs, want %g to %g", row.name, share, row.least, row.most)
		}
	}
}

// Without squares, as with known scales, the means of rounds reveal a scale that is far too small.
func TestNoiseCheckByMeans(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	check := engine.NewNoiseCheck(scattered(t), nil)
	var last *engine.Warning
	for range 12 {
		b := batch(4, []float64{1, 5, 1, 1, 1, 1}, rng.NormFloat64)
		b.Squares = nil
		last = check.Learn(nil, b)
	}
	if last == nil || last.Kind != engine.WarnNoiseAbove || last.Names[1] != "b" {
		t.Errorf("%v", last)
	}
}

// With one unknown scale per arm, skewed rewards are named, in a sample only if significant; not if bounds are stated.
func TestSkewWarning(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	draw := func(skewed bool) []float64 {
		out := make([]float64, 40)
		for k := range out {
			if out[k] = rng.NormFloat64(); skewed {
				out[k] = math.Exp(out[k])
			}
		}
		return out
	}
	p := scattered(t)
	p.Noise.UnknownBy = problem.UnknownArm
	plain, skewed := make([][]float64, p.N()), make([][]float64, p.N())
	for i := range plain {
		plain[i], skewed[i] = draw(false), draw(i == 4)
	}
	if w := engine.SkewWarning(p, engine.Options{}, plain, true); w != nil {
		t.Errorf("normal rewards: %v", w)
	}
	if w := engine.SkewWarning(p, engine.Options{}, skewed, true); w == nil || w.Names[0] != "t1" || w.Names[1] != "b" || w.Numbers[0] < 1 {
		t.Errorf("skewed rewards: %v", w)
	}
	p.Noise.Bounds = &[2]float64{0, 100}
	if w := engine.SkewWarning(p, engine.Options{}, skewed, true); w != nil {
		t.Errorf("limits are stated: %v", w)
	}
}

// Within blocks, whose effects are ten times the noise, unequal scales are found and equal ones are not rejected.
func TestNoiseCheckWithinBlocks(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	sides := []engine.Side{{Arms: []int{0, 1, 2}, Blocks: 12}, {Arms: []int{3, 4, 5}, Blocks: 12}}
	for _, row := range []struct {
		sd          [6]float64
		least, most float64
	}{{[6]float64{1, 1, 1, 5, 5, 5}, 0, 0.03}, {[6]float64{1, 1, 5, 1, 1, 1}, 0.97, 1}} {
		found := 0
		const runs = 300
		for range runs {
			check := engine.NewBlockedNoiseCheck(scattered(t))
			said := false
			for range 4 {
				b := engine.Batch{Counts: []int{12, 12, 12, 12, 12, 12}}
				for _, side := range sides {
					n := len(side.Arms)
					values, w := make([][]float64, side.Blocks), engine.Within{Means: make([]float64, n), Products: make([]float64, n*n)}
					for k := range values {
						effect := 10 * rng.NormFloat64()
						for x, i := range side.Arms {
							values[k] = append(values[k], effect+row.sd[i]*rng.NormFloat64())
							w.Means[x] += values[k][x] / float64(side.Blocks)
						}
					}
					for _, v := range values {
						for x := range v {
							for y := range v {
								w.Products[x*n+y] += (v[x] - w.Means[x]) * (v[y] - w.Means[y])
							}
						}
					}
					b.Within = append(b.Within, w)
				}
				if warning := check.Learn(sides, b); warning != nil {
					said = true
					if warning.Names[0] != "t0" || warning.Names[1] != "c" {
						t.Logf("names %q", warning.Names)
					}
				}
			}
			if said {
				found++
			}
		}
		if share := float64(found) / runs; share < row.least || share > row.most {
			t.Errorf("sd %v: found in %.3f of the runs, want %g to %g", row.sd, share, row.least, row.most)
		}
	}
}
