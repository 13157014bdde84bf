package sequential

import (
	"math"
	"math/rand/v2"
	"testing"
)

// conditionalAt returns the function of heights as CoTestFC has them at that level.
func conditionalAt(t *testing.T, alpha float64) *ConditionalError {
	return conditionalOf(t, alpha, 114, 0.03)
}

// conditionalOf returns it where looks from that one on have a share of the level.
func conditionalOf(t *testing.T, alpha float64, late int, share float64) *ConditionalError {
	t.Helper()
	times := Geometric(FineGrowth, FineLooks)
	z, err := Heights(alpha, times, late, share)
	if err != nil {
		t.Fatal(err)
	}
	c, err := NewConditionalError(z, times)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Between its nodes the function is the polynomial through them, and a walk is out from the threshold on.
func TestConditionalError(t *testing.T) {
	c := conditionalAt(t, 0.01)
	for _, k := range []int{0, 50, 113, 114, 138} {
		for x := -5.0; x < c.stretches[k].z; x += 0.37 {
			if a, b := c.From(k, x), c.interpolated(k, x); math.Abs(a-b) > 1e-12 {
				t.Errorf("look %d, position %g: %g, and %g between nodes", k, x, a, b)
			}
		}
	}
	for _, s := range []struct {
		j int
		x float64
		k int
	}{{-1, 0, 9}, {20, 0, 25}, {20, 1.5, 32}, {20, 3, 24}, {110, 2, 120}, {114, 1, 137}} {
		y := c.Threshold(s.j, s.x, s.k)
		if !(y < c.stretches[s.k].z) || !c.Crosses(s.j, s.x, s.k, y*(1+1e-4)) || c.Crosses(s.j, s.x, s.k, y-1e-9) {
			t.Errorf("%+v: threshold %g of %g", s, y, c.stretches[s.k].z)
		}
	}
	z := c.stretches[21].z
	for _, s := range []struct {
		j int
		x float64
		k int
	}{{20, 1, 21}, {-1, 0, 0}, {20, -0.01, 40}} {
		if y := c.Threshold(s.j, s.x, s.k); y != z || c.Crosses(s.j, s.x, s.k, z-1e-9) || !c.Crosses(s.j, s.x, s.k, z) {
			t.Errorf("%+v: threshold %g in place of %g", s, y, z)
		}
	}
	if _, err := NewConditionalError([]float64{2}, []float64{1, 2}); err == nil {
		t.Error("one height for two looks is accepted")
	}
}

// Walks of drift 0 cross with probability alpha at most, and nearly that, however long their steps are.
func TestConditionalKeepsAlpha(t *testing.T) {
	paths := 100_000
	if testing.Short() {
		paths = 10_000
	}
	for _, alpha := range []float64{0.1, 0.005} {
		c := conditionalAt(t, alpha)
		for name, next := range map[string]func(rng *rand.Rand, k int, x float64) int{
			"every look": func(_ *rand.Rand, k int, _ float64) int { return k + 1 },
			"any step":   func(rng *rand.Rand, k int, _ float64) int { return k + 1 + rng.IntN(20) },
			"long steps, short ones near the boundary": func(_ *rand.Rand, k int, x float64) int {
				if x > c.stretches[max(k, 0)].z-0.7 {
					return k + 3
				}
				return k + 12
			},
		} {
			rng, crossed := rand.New(rand.NewPCG(5, 8)), 0
			for range paths {
				k, x := -1, 0.0
				for {
					to := next(rng, k, x)
					if to >= FineLooks {
						break
					}
					mean, sd := c.law(k, x, to)
					y := mean + sd*rng.NormFloat64()
					if c.Crosses(k, x, to, y) {
						crossed++
						break
					}
					k, x = to, y
				}
			}
			share, sd := float64(crossed)/float64(paths), math.Sqrt(alpha/float64(paths))
			if share > alpha+4*sd || share < 0.95*alpha-4*sd {
				t.Errorf("alpha %g, %s: %.5f of the paths cross", alpha, name, share)
			}
		}
	}
}

// What the proof of docs/theory/test.md takes from the numbers. A walk that stands higher crosses by a smaller
// increment, so that larger increments cross no later; and a boundary of a larger level is lower.
func TestConditionalIsMonotone(t *testing.T) {
	levels := []float64{1e-9, 1e-6, 1e-4, 1e-3, 0.005, 0.01, 0.03}
	if testing.Short() {
		levels = levels[4:6]
	}
	var smaller *ConditionalError
	for _, alpha := range levels {
		c := conditionalAt(t, alpha)
		for _, j := range []int{-1, 3, 60, 105, 112, 120} {
			for _, step := range []int{2, 3, 5, 9, 14, 19} {
				k, last := j+step, math.Inf(1)
				for x := 0.0; x < c.stretches[max(j, 0)].z && (j >= 0 || x == 0); x += 0.15 {
					y := c.Threshold(j, x, k)
					needs := y * math.Sqrt(c.times[k])
					if j >= 0 {
						needs -= x * math.Sqrt(c.times[j])
					}
					if needs >= last {
						t.Errorf("alpha %g, looks %d to %d: from %g a walk needs %g to cross, and %g from below it", alpha, j, k, x, needs, last)
					}
					if last = needs; smaller != nil && smaller.Threshold(j, x, k) <= y {
						t.Errorf("alpha %g, looks %d to %d, position %g: no lower boundary than at a smaller level", alpha, j, k, x)
					}
				}
			}
		}
		smaller = c
	}
}

// Under heights that rise where a tie would be decided, a walk that stands higher crosses at a lower place: so does one that is
// nowhere below another (docs/theory/norm.md).
func TestConditionalFallsWithPosition(t *testing.T) {
	levels := []float64{1e-9, 1e-6, 1e-4, 1e-3, 0.003, 0.01, 0.03}
	if testing.Short() {
		levels = levels[4:5]
	}
	for _, alpha := range levels {
		for _, late := range []int{8, 40, 64, 114} {
			share := 0.1
			if late == 114 {
				share = 0.03
			}
			c := conditionalOf(t, alpha, late, share)
			for _, j := range []int{0, 3, late - 9, late - 5, late - 2, late - 1, late, late + 6} {
				for _, step := range []int{2, 3, 5, 9, 14, 19} {
					k, last := j+step, math.Inf(1)
					if j < 0 || k >= FineLooks {
						continue
					}
					for x := 0.0; x < c.stretches[j].z; x += 0.15 {
						y := c.Threshold(j, x, k)
						if y > last {
							t.Errorf("alpha %g, late %d, looks %d to %d: from %g a walk crosses at %g, and at %g from below it", alpha, late, j, k, x, y, last)
						}
						last = y
					}
				}
			}
		}
	}
}

// A walk that is below its noise by what a bound on the bias of its whole sum takes off, more at one look and less at the next, crosses
// no more often.
func TestConditionalBelowNoise(t *testing.T) {
	paths := 100_000
	if testing.Short() {
		paths = 10_000
	}
	for _, alpha := range []float64{0.03, 0.005} {
		c := conditionalOf(t, alpha, 64, 0.1)
		for name, allowed := range map[string]func(rng *rand.Rand, x float64) float64{
			"every other look": func(rng *rand.Rand, _ float64) float64 { return 2 * float64(rng.IntN(2)) },
			"any":              func(rng *rand.Rand, _ float64) float64 { return rng.ExpFloat64() },
			"all of it":        func(_ *rand.Rand, x float64) float64 { return max(x, 0) },
		} {
			rng, crossed := rand.New(rand.NewPCG(6, 8)), 0
			for range paths {
				k, noise, below := -1, 0.0, 0.0
				for to := k + 1 + rng.IntN(12); to < FineLooks; to = k + 1 + rng.IntN(12) {
					mean, sd := c.law(k, noise, to)
					y := mean + sd*rng.NormFloat64()
					off := 0.0
					if rng.IntN(2) == 0 {
						off = allowed(rng, y)
					}
					if c.Crosses(k, noise-below, to, y-off) {
						crossed++
						break
					}
					k, noise, below = to, y, off
				}
			}
			share, sd := float64(crossed)/float64(paths), math.Sqrt(alpha/float64(paths))
			if share > alpha+4*sd || share == 0 {
				t.Errorf("alpha %g, %s: %.5f of the paths cross", alpha, name, share)
			}
			t.Logf("alpha %g, %s: %.5f of the paths cross", alpha, name, share)
		}
	}
}

// A walk whose increments have less variance than the clock says crosses no more often: from no position does
// a part of the variance raise the probability to be out after a step or to cross later.
func TestConditionalHoldsForLessNoise(t *testing.T) {
	levels := []float64{0.03, 0.005, 1e-5}
	if testing.Short() {
		levels = levels[:1]
	}
	for _, alpha := range levels {
		c, worst := conditionalAt(t, alpha), math.Inf(-1)
		for _, j := range []int{0, 50, 105, 113, 118} {
			for x := -3.0; x < c.stretches[j].z; x += 0.2 {
				now := c.From(j, x)
				if now < alpha/1000 {
					continue
				}
				for _, step := range []int{1, 2, 3, 6, 12, 20} {
					k := j + step
					top := c.Threshold(j, x, k)
					for _, share := range []float64{0.98, 0.9, 0.7, 0.3, 0.05} {
						mean, sd := c.law(j, x, k)
						sd *= math.Sqrt(share)
						then := above((top - mean) / sd)
						lo, hi := mean-8*sd, min(top, mean+8*sd)
						const parts = 120 // Simpson
						for i := range parts + 1 {
							weight := 2. + 2*float64(i%2)
							if i == 0 || i == parts {
								weight = 1
							}
							at := lo + (hi-lo)*float64(i)/parts
							then += weight * (hi - lo) / (3 * parts) * normalDensity((at-mean)/sd) / sd * c.interpolated(k, at)
						}
						if worst = max(worst, then/now-1); then > now*(1+1e-7) {
							t.Errorf("alpha %g, look %d, position %.2f, %d looks, %g of the variance: %g in place of %g", alpha, j, x, step, share, then, now)
						}
					}
				}
			}
		}
		t.Logf("alpha %g: at most %.2g more often", alpha, worst)
	}
}
