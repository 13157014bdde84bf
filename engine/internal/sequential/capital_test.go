package sequential

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Growth is at most the sum that it bounds, over rewards of any shape, and that sum itself where rewards are
// two numbers and the smaller is known.
func TestGrowth(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	shapes := map[string]func() float64{
		"uniform":  rng.Float64,
		"two":      func() float64 { return float64(rng.IntN(2)) },
		"low":      func() float64 { return math.Pow(rng.Float64(), 6) },
		"high":     func() float64 { return 1 - math.Pow(rng.Float64(), 6) },
		"constant": func() float64 { return 0.3 },
	}
	for name, draw := range shapes {
		tight := math.Inf(1)
		for range 2000 {
			y := make([]float64, 1+rng.IntN(30))
			sum := 0.0
			for k := range y {
				y[k] = draw()
				sum += y[k]
			}
			n := float64(len(y))
			mean, squares := sum/n, 0.0
			c, lambda := 0.02+0.96*rng.Float64(), 0.0
			least := slices.Min(y) * rng.Float64() // from 0 up to the smallest
			if name == "two" {
				least = 0
			}
			lambda = 0.99 * rng.Float64() / max(c-least, 1e-3)
			want := 0.0
			for _, v := range y {
				squares += (v - mean) * (v - mean)
				want += math.Log1p(lambda * (v - c))
			}
			got := Growth(n, mean, squares, least, lambda, c)
			if got > want+1e-9*(1+math.Abs(want)) {
				t.Fatalf("%s: %g is above %g: λ = %g, c = %g, least %g, rewards %v", name, got, want, lambda, c, least, y)
			}
			tight = min(tight, got-want)
			if name == "two" && math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("two rewards: %g, the sum is %g", got, want)
			}
		}
		t.Logf("%s: at most %.3g below the sum", name, -tight)
	}
}

// staked is a walk with stakes after random steps, with what its capital is, plainly, if that leader were
// so far below x.
func staked(rng *rand.Rand, steps int) (w *Walk, c Clock, plainly func(leader int, loss float64, from int) float64) {
	w = &Walk{Look: -1, Stakes: NewStakes(0.1, 2)}
	c = Clock{Origin: 1, Z: slices.Repeat([]float64{math.Log(20)}, ClockLooks)}
	var leaders []int
	var capital, slope [][]float64
	for range steps {
		b := Bet{Walk: w, Opponent: rng.IntN(2), Arm: 2, Variance: 0.02, Look: w.Next(c, 50, 0)}
		s := Score{Gap: 0.1 + 0.1*rng.NormFloat64(), Sd: math.Sqrt(b.Variance), Freedom: math.Inf(1)}
		for _, h := range w.Stakes.Gaps {
			s.Capital, s.Slope = append(s.Capital, h*(s.Gap-h/2)/b.Variance), append(s.Slope, h/b.Variance)
		}
		leaders, capital, slope = append(leaders, b.Opponent), append(capital, s.Capital), append(slope, s.Slope)
		b.Settle(c, s)
	}
	return w, c, func(leader int, loss float64, upto int) float64 {
		sum := 0.0
		for j := range w.Stakes.Gaps {
			product := 1.0
			for k := range upto {
				product *= math.Exp(capital[k][j])
				if leaders[k] == leader {
					product *= math.Exp(slope[k][j] * loss)
				}
			}
			sum += product / float64(len(w.Stakes.Gaps))
		}
		return sum
	}
}

// A walk with stakes is the mean of products, excludes a loss where that has reached the height at some
// step, and its margin is the least loss that it excludes.
func TestStakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	excluded := 0
	for range 300 {
		const steps = 5
		w, c, plainly := staked(rng, steps)
		for _, loss := range []float64{0, 0.03, 0.2} {
			if got, want := w.Raised(1, loss), math.Log(plainly(1, loss, steps)); math.Abs(got-want) > 1e-9 {
				t.Fatalf("capital at loss %g: log %g, plainly %g", loss, got, want)
			}
			reached := false
			for k := 1; k <= steps; k++ {
				reached = reached || plainly(1, loss, k) >= 20
			}
			if got := w.Excludes(c, 1, loss); got != (reached || w.Out) {
				t.Fatalf("loss %g: excluded %v, plainly %v", loss, got, reached)
			}
			if reached {
				excluded++
			}
		}
		if m := w.Margin(c, 1); !w.Out && !math.IsInf(m, 1) && (!w.Excludes(c, 1, m*(1+1e-6)) || w.Excludes(c, 1, m*(1-1e-6))) {
			t.Fatalf("margin %g", m)
		}
		if need := w.Need(c, 1, 0.1, 0, 0.4); !(need > 0) && !w.Out || w.Need(c, 1, 0.2, 0, 0.4) > need {
			t.Fatalf("need %g, with twice the gap %g", need, w.Need(c, 1, 0.2, 0, 0.4))
		}
		if w.Out {
			gap, width := w.Gap(c)
			if !(gap >= width()) {
				t.Fatalf("out with a gap of %g, and it would have been with %g", gap, width())
			}
		}
	}
	if excluded < 100 {
		t.Errorf("only %d of 900 losses excluded: the test sees little", excluded)
	}
}

// Stakes reach from below the accuracy asked to the range, and are few.
func TestNewStakes(t *testing.T) {
	for _, epsilon := range []float64{0, 1e-9, 0.05, 0.5, 3} {
		g := NewStakes(epsilon, 2).Gaps
		if len(g) < 1 || len(g) > mostStakes || g[0] != 2 || epsilon > 0.001 && g[len(g)-1] > epsilon {
			t.Errorf("epsilon %g: stakes %v", epsilon, g)
		}
	}
}

// Fair bets have a mean of 1 over the signs of differences around minus the loss, exactly: the capital is Π (1 + tanh λD), whatever
// the differences are. Up to the loss that is counted it rises by no more than it should.
func TestFair(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 4))
	s := NewStakes(0.5, 4)
	for range 50 {
		size, variance, loss := make([]float64, 6), 0.2+rng.Float64(), 2*rng.Float64()
		for k := range size {
			size[k] = math.Exp(3 * rng.NormFloat64())
		}
		means := make([]float64, len(s.Gaps))
		for signs := range 64 {
			differences := make([]float64, len(size))
			for k, x := range size {
				if signs>>k&1 == 1 {
					x = -x
				}
				differences[k] = x - loss
			}
			score := Fair(s, differences, variance, 1)
			for j, h := range s.Gaps {
				exact := 0.0
				for _, d := range differences {
					exact += math.Ln2 - math.Log1p(math.Exp(-2*h/variance*(d+min(loss, 1)))) // 1 + tanh x = 2/(1 + exp(-2x))
				}
				got := score.Capital[j] + score.Slope[j]*score.counted(loss)
				if got > exact+1e-9*math.Max(1, math.Abs(exact)) && !math.IsInf(exact, -1) {
					t.Fatalf("stake %d, loss %.3g: %.9g is above %.9g", j, loss, got, exact)
				}
			}
			score = Fair(s, differences, variance, loss)
			for j := range means {
				means[j] += math.Exp(score.Capital[j]+score.Slope[j]*loss) / 64
			}
		}
		for j, mean := range means {
			if math.Abs(mean-1) > 1e-9 {
				t.Fatalf("stake %d: the capital has the mean %.9g, want 1", j, mean)
			}
		}
	}
}
