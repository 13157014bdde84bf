package sequential

import (
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// equallySpaced returns the clock of the given number of looks after equal parts of the data.
func equallySpaced(looks int) []float64 {
	times := make([]float64, looks)
	for k := range times {
		times[k] = float64(k + 1)
	}
	return times
}

// Published constants. Pocock's are of two-sided tests at twice the level, whose
// other side changes nothing in three decimals at these levels.
func TestConstantKnownValues(t *testing.T) {
	for _, c := range []struct {
		alpha float64
		times []float64
		want  float64
		tol   float64
	}{
		// One look is a quantile of the normal distribution.
		{0.025, equallySpaced(1), 1.959964, 1.1e-6},
		{0.005, equallySpaced(1), 2.575829, 1.1e-6},
		// Jennison and Turnbull, Group Sequential Methods, 2000, Table 2.1, C_P(K, α) at α = 0.05
		// and 0.01.
		{0.025, equallySpaced(2), 2.178, 0.0006},
		{0.025, equallySpaced(3), 2.289, 0.0006},
		{0.025, equallySpaced(4), 2.361, 0.0006},
		{0.025, equallySpaced(5), 2.413, 0.0006},
		{0.025, equallySpaced(10), 2.555, 0.0006},
		{0.005, equallySpaced(2), 2.772, 0.0006},
		{0.005, equallySpaced(5), 2.986, 0.0006},
		// A recursion on a grid of 0.02, corrected by 0.01 after a simulation of 10^6 paths.
		{0.1, Geometric(1.25, 60), 2.630, 0.02},
		{0.01, Geometric(1.25, 60), 3.430, 0.02},
		{0.005, Geometric(1.25, 60), 3.630, 0.02},
		{0.001, Geometric(1.25, 60), 4.050, 0.02},
		{0.005, Geometric(1.25, 36), 3.490, 0.02},
		{0.005, Geometric(1.25, 20), 3.330, 0.02},
	} {
		z, err := Constant(c.alpha, c.times)
		if err != nil || math.Abs(z-c.want) > c.tol {
			t.Errorf("alpha %g, %d looks: z = %g, %v, want %g within %g", c.alpha, len(c.times), z, err, c.want, c.tol)
		}
	}
}

// The constant keeps alpha with the error bound included, and the next smaller one does not.
func TestConstantIsTight(t *testing.T) {
	for _, alpha := range []float64{0.5, 0.1, 0.005, 1e-4, 1e-9, 1e-12} {
		for _, times := range [][]float64{Geometric(1.25, 60), equallySpaced(7), {1, 1.1, 5, 1000}} {
			z, err := Constant(alpha, times)
			if err != nil {
				t.Fatal(err)
			}
			p, slack, err := Crossing(z, times)
			if err != nil || p+slack > alpha || slack > 1e-6*alpha {
				t.Errorf("alpha %g, %d looks: crosses z = %g with probability %g, slack %g, %v", alpha, len(times), z, p, slack, err)
			}
			if p, slack, _ := Crossing(z-resolution, times); p+slack <= alpha {
				t.Errorf("alpha %g, %d looks: z = %g is not the smallest", alpha, len(times), z)
			}
		}
	}
}

// Two looks are a bivariate normal probability, by Plackett's integral over the
// correlation: P(Z_1 ≥ z, Z_2 ≥ z) = Q(z)² + 1/2π ∫_0^arcsin(ρ) exp(-z²/(1 + sin θ)) dθ.
func TestCrossingTwoLooks(t *testing.T) {
	for _, z := range []float64{0, 1, 2.5, 4} {
		for _, ratio := range []float64{1.01, 1.25, 2, 100} {
			end := math.Asin(math.Sqrt(1 / ratio))
			const steps = 2000 // Simpson
			both := 0.0
			for k := 0; k <= steps; k++ {
				weight := 2. + 2*float64(k%2)
				if k == 0 || k == steps {
					weight = 1
				}
				both += weight * math.Exp(-z*z/(1+math.Sin(end*float64(k)/steps)))
			}
			both *= end / steps / 3 / (2 * math.Pi)
			want := 2*above(z) - above(z)*above(z) - both
			p, slack, err := Crossing(z, []float64{1, ratio})
			if err != nil || math.Abs(p-want) > slack+1e-12 {
				t.Errorf("z = %g, ratio %g: %.15g, want %.15g, slack %g, %v", z, ratio, p, want, slack, err)
			}
		}
	}
}

// More nodes over a longer interval make other rounding errors. The probabilities agree within the bound on rounding.
func TestCrossingRounding(t *testing.T) {
	times := Geometric(1.25, 60)
	for _, z := range []float64{2.63, 3.63, 7} {
		p, slack, err := Crossing(z, times)
		g := try.Of(newGrid(z, times))
		off, bound := math.Abs(gridOf(len(g.x)+64, slices.Min(g.x)-1, z).crossing(times)-p), termError*float64(60*len(g.x))*p
		if err != nil || off > bound || bound > slack {
			t.Errorf("z = %g: probability %g, off by %g, bound %g of %g, %v", z, p, off, bound, slack, err)
		}
	}
}

// The trapezoidal rule on a fine grid, an independent method.
func TestCrossingIndependentMethod(t *testing.T) {
	const nodes, floor = 1200, -8.5
	times := []float64{1, 1.3, 2, 2.5, 8, 9}
	heights := []float64{1, 2.6, 3.6}
	if testing.Short() {
		heights = heights[1:2]
	}
	for _, z := range heights {
		h := (z - floor) / nodes
		density, next := make([]float64, nodes+1), make([]float64, nodes+1)
		for i := range density {
			density[i] = normalDensity(floor + h*float64(i))
		}
		want := above(z)
		for k := 1; k < len(times); k++ {
			a2 := times[k-1] / times[k]
			a, b := math.Sqrt(a2), math.Sqrt(1-a2)
			density[0], density[nodes] = density[0]/2, density[nodes]/2
			for i := range next {
				next[i] = 0
				for j, f := range density {
					next[i] += h * f * normalDensity((floor+h*float64(i)-a*(floor+h*float64(j)))/b) / b
				}
			}
			for j, f := range density {
				want += h * f * above((z-a*(floor+h*float64(j)))/b)
			}
			density, next = next, density
		}
		// The rule errs by h²/12 times a derivative at the end z.
		if p, _, err := Crossing(z, times); err != nil || math.Abs(p-want) > 1e-4*want {
			t.Errorf("z = %g: %g, want %g, %v", z, p, want, err)
		}
	}
}

// Null paths cross as often as they should: 10^6 of them, or GONB_COPE_PATHS.
func TestCrossingMonteCarlo(t *testing.T) {
	paths := 1_000_000
	if testing.Short() {
		paths = 200_000
	}
	if text := os.Getenv("GONB_COPE_PATHS"); text != "" {
		paths = try.Of(strconv.Atoi(text))
	}
	times := Geometric(1.25, 60)
	levels := []float64{0.1, 0.005}
	heights, crossed := make([]float64, len(levels)), make([]int, len(levels))
	for k, alpha := range levels {
		heights[k] = try.Of(Constant(alpha, times))
	}
	rng := rand.New(rand.NewPCG(60, 125))
	a, b := math.Sqrt(1/1.25), math.Sqrt(1-1/1.25)
	for range paths {
		z := rng.NormFloat64()
		top := z
		for range len(times) - 1 {
			z = a*z + b*rng.NormFloat64()
			top = max(top, z)
		}
		for k, height := range heights {
			if top >= height {
				crossed[k]++
			}
		}
	}
	for k, alpha := range levels {
		n := float64(paths)
		score := (float64(crossed[k]) - n*alpha) / math.Sqrt(n*alpha*(1-alpha))
		t.Logf("alpha %g: z = %.6f, %d of %d paths cross, %.2f standard deviations off", alpha, heights[k], crossed[k], paths, score)
		if math.Abs(score) > 4 {
			t.Errorf("alpha %g: %d of %d paths cross, %.1f standard deviations off", alpha, crossed[k], paths, score)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		alpha float64
		times []float64
		want  string
	}{
		{0, equallySpaced(2), "between 1e-12 and 0.5, got 0"},
		{0.6, equallySpaced(2), "got 0.6"},
		{math.NaN(), equallySpaced(2), "got NaN"},
		{0.1, nil, "at least one look"},
		{0.1, []float64{1, 1}, "look 2 is at 1 after 1"},
		{0.1, []float64{-1, 1}, "look 1 is at -1 after 0"},
		{0.1, []float64{1, math.Inf(1)}, "look 2 is at +Inf"},
		{0.1, Geometric(1+1e-9, 10), "too closely"},
	} {
		if _, err := Constant(c.alpha, c.times); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("alpha %g, times %v: error %v, want %q", c.alpha, c.times, err, c.want)
		}
	}
	if _, _, err := Crossing(-1, equallySpaced(2)); err == nil || !strings.Contains(err.Error(), "got -1") {
		t.Errorf("negative z: error %v", err)
	}
}

// The bound on the quadrature is the formula of [quadratureErrors] with every ellipse raised to its power, to the rounding
// by which times of one factor differ.
func TestQuadratureErrorsPlain(t *testing.T) {
	plain := func(half float64, n int, times []float64) float64 {
		total, before := 0.0, 1.0
		for k := 1; k < len(times); k++ {
			a2 := times[k-1] / times[k]
			b := math.Sqrt(1 - a2)
			rate := 1/(2*before*before) + a2/(2*b*b)
			best := math.Inf(1)
			for r := 0.02; r < 4; r *= 1.15 {
				rho := r + math.Sqrt(1+r*r)
				exponent := rate*half*half*r*r - 2*float64(n)*math.Log(rho)
				best = min(best, math.Exp(exponent)/(1-1/(rho*rho)))
			}
			factor := (64. / 15) * half / (before * math.Sqrt(2*math.Pi))
			total += factor * best * (2*half/(b*math.Sqrt(2*math.Pi)) + 1)
			before = b
		}
		return total
	}
	for _, times := range [][]float64{Geometric(1.25, 60), equallySpaced(40), {1, 1.1, 5, 1000}, {1, 1 + 1e-9, 2}, {1, math.Nextafter(1, 2)}} {
		for _, half := range []float64{3, 5.5, 9} {
			errors := newQuadratureErrors(half, times)
			for n := 16; n <= mostNodes; n *= 2 {
				if got, want := errors.of(n), plain(half, n, times); !(math.Abs(got-want) <= 1e-12*want) && got != want {
					t.Errorf("%d looks, half %g, %d nodes: %g, want %g", len(times), half, n, got, want)
				}
			}
		}
	}
}

// A walk that has not begun may begin with a round that brings less than the first look, down to 1/g⁴ of it; what a round was
// planned to bring and does not counts for nothing.
func TestSooner(t *testing.T) {
	c := Clock{Origin: 10, Z: make([]float64, ClockLooks)}
	begins := func(w *Walk, info float64) int {
		w.Sooner(c, info)
		return w.Next(c, info, 2)
	}
	w := &Walk{Look: -1}
	if got := w.Next(c, 5, 2); got != -1 {
		t.Fatalf("half of the information of the first look takes a walk to look %d", got)
	}
	for _, x := range []struct {
		info, time float64
		look       int
	}{{5, 10 / math.Pow(1.25, 3), 0}, {4, 10 / math.Pow(1.25, 4), 0}, {3, 0, -1}, {10, 10, 0}, {13, 12.5, 1}} {
		if look := begins(w, x.info); look != x.look || math.Abs(c.Of(w).Time(look)-x.time) > 1e-9 {
			t.Errorf("information %g: look %d at %g; want %d at %g", x.info, look, c.Of(w).Time(look), x.look, x.time)
		}
	}
	begun := &Walk{Look: 2}
	if begins(begun, 1); c.Of(begun).Origin != c.Origin {
		t.Error("the clock of a walk that has begun changes")
	}
}
