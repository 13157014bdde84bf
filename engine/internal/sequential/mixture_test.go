package sequential

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// At one time the height inverts the sub-Gaussian tail, exp(-z²/2) = alpha.
func TestMixtureOneLook(t *testing.T) {
	for _, alpha := range []float64{0.5, 0.1, 0.005, 1e-9} {
		z, err := Mixture(alpha, []float64{3}, 1)
		if err != nil || math.Abs(z[0]-math.Sqrt(2*math.Log(1/alpha))) > 2e-6 {
			t.Errorf("alpha %g: %v, %v", alpha, z, err)
		}
	}
}

// Sub-Gaussian sums of several kinds cross no more often than alpha, among them a law
// that comes as near to the tail as it can at the first height: two values.
func TestMixtureHolds(t *testing.T) {
	times := Geometric(1.25, 60)
	const alpha, paths = 0.1, 40_000
	z := try.Of(Mixture(alpha, times, len(times)))
	for name, step := range map[string]func(*rand.Rand, float64) float64{
		"normal": func(rng *rand.Rand, dt float64) float64 { return math.Sqrt(dt) * rng.NormFloat64() },
		"coin":   func(rng *rand.Rand, dt float64) float64 { return math.Sqrt(dt) * float64(2*rng.IntN(2)-1) },
		// 1 with probability p, else 0, centred: 1/2-sub-Gaussian [Hoeffding63].
		"rare": func(rng *rand.Rand, dt float64) float64 {
			const p = 0.05
			x := -p
			if rng.Float64() < p {
				x++
			}
			return 2 * math.Sqrt(dt) * x
		},
	} {
		rng := rand.New(rand.NewPCG(7, 8))
		crossed := 0
		for range paths {
			s, before := 0.0, 0.0
			for k, now := range times {
				s += step(rng, now-before)
				if before = now; s >= z[k]*math.Sqrt(now) {
					crossed++
					break
				}
			}
		}
		t.Logf("%s: %d of %d cross", name, crossed, paths)
		if float64(crossed) > alpha*paths+4*math.Sqrt(alpha*paths) {
			t.Errorf("%s: %d of %d paths cross at alpha = %g", name, crossed, paths, alpha)
		}
		if name == "normal" && crossed < alpha*paths/4 {
			t.Errorf("normal: only %d of %d paths cross: heights %v are far too high", crossed, paths, z)
		}
	}
}

// Heights are above the normal law's, by little, and low in the middle of the clock.
func TestMixtureAgainstConstant(t *testing.T) {
	times := Geometric(1.25, 60)
	for _, alpha := range []float64{0.1, 0.005, 0.001} {
		z := try.Of(Mixture(alpha, times, len(times)))
		c := try.Of(Constant(alpha, times))
		t.Logf("alpha %g: %.3f at first, %.3f in the middle, %.3f at last; normal %.3f; z² %.1f %% larger", alpha, z[0], z[30], z[59], c, 100*(z[30]*z[30]/c/c-1))
		for k := range z {
			if !(z[k] > c) {
				t.Errorf("alpha %g: %g at look %d is below the height %g of the normal law", alpha, z[k], k, c)
			}
		}
		if z[30] > 1.12*c {
			t.Errorf("alpha %g: %g in the middle, normal %g", alpha, z[30], c)
		}
	}
}

func TestMixtureErrors(t *testing.T) {
	if _, err := Mixture(0.7, []float64{1}, 1); err == nil {
		t.Error("alpha = 0.7 passes")
	}
	if _, err := Mixture(0.1, []float64{2, 1}, 2); err == nil {
		t.Error("times out of order pass")
	}
}

// What sub-Gaussian scores cost: z² of Mixture over z² of Heights, at the looks before the late ones (docs/theory/scores.md).
func TestMixtureCost(t *testing.T) {
	times := Geometric(ClockGrowth, ClockLooks)
	for _, c := range []struct{ alpha, least, most float64 }{{0.05, 1.22, 1.34}, {0.005, 1.17, 1.25}} {
		normal := try.Of(Heights(c.alpha, times, 50, 0.05))
		heights := try.Of(Mixture(c.alpha, times, ClockLooks))
		least, most := math.Inf(1), 0.0
		for k := range 50 {
			ratio := math.Pow(heights[k]/normal[k], 2)
			least, most = min(least, ratio), max(most, ratio)
		}
		if math.Abs(least-c.least) > 0.005 || math.Abs(most-c.most) > 0.005 {
			t.Errorf("alpha %g: z² is %.3f to %.3f times that of normal scores, want %g to %g", c.alpha, least, most, c.least, c.most)
		}
	}
}
