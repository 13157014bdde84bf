package rounds

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// drawn returns the rewards of a round and their batch.
func drawn(counts []int, draw func(arm int) float64) (rewards [][]float64, b engine.Batch) {
	n := len(counts)
	rewards, b = make([][]float64, n), engine.Batch{Counts: counts, Means: make([]float64, n), Squares: make([]float64, n), Ranges: make([][2]float64, n)}
	for i, c := range counts {
		if c == 0 {
			continue
		}
		least, most := math.Inf(1), math.Inf(-1)
		for range c {
			y := draw(i)
			rewards[i] = append(rewards[i], y)
			b.Means[i] += y / float64(c)
			least, most = min(least, y), max(most, y)
		}
		for _, y := range rewards[i] {
			b.Squares[i] += (y - b.Means[i]) * (y - b.Means[i])
		}
		b.Ranges[i] = [2]float64{least, most}
	}
	return rewards, b
}

// plainStake is the capital of one stake, reward by reward: Π (1 + s w/n (Y - c)) exp(s Σ w c).
func plainStake(size float64, weights, centres []float64, rewards [][]float64) float64 {
	product := 1.0
	for i, all := range rewards {
		for _, y := range all {
			product *= 1 + size*weights[i]/float64(len(all))*(y-centres[i])
		}
		product *= math.Exp(size * weights[i] * centres[i])
	}
	return product
}

// The growth of a stake is at most the product over its rewards, with equality for rewards of 0 or 1, in two related tasks. With less
// information it is smaller.
func TestStakeAgainstRewards(t *testing.T) {
	p := enginetest.Line(t)
	m := plain.ModelOf(t, p)
	limits := Limits{0, 1}
	rng := rand.New(rand.NewPCG(5, 6))
	h := sequential.NewStakes(0, 1).Gaps
	counts := make([]int, p.N())
	for i := range counts {
		counts[i] = 2 + i%4
	}
	st := try.Of(stageOf(m, counts))
	bet := sequential.Bet{Opponent: 0, Arm: 2, Variance: st.Estimate.Variance(0, 2) / 9}
	weights := st.Estimate.Weights(0, 2)
	lost := 0.0
	for run := range 300 {
		shape := func(int) float64 { return rng.Float64() }
		if run%2 == 0 {
			shape = func(i int) float64 { return float64(rng.IntN(2)) }
		}
		rewards, b := drawn(counts, shape)
		centres := make([]float64, p.N())
		for i := range centres {
			centres[i] = limits.Centre(rng.Float64(), 1+rng.IntN(20))
		}
		centre := func(i int) float64 { return centres[i] }
		s := limits.Stake(h, bet, st.Estimate, 1, centre, b)
		less := b
		less.Ranges = nil
		fewer := limits.Stake(h, bet, st.Estimate, 1, centre, less)
		less.Squares = nil
		least := limits.Stake(h, bet, st.Estimate, 1, centre, less)
		for j := range h {
			want := math.Log(plainStake(s.Slope[j], weights, centres, rewards))
			if s.Capital[j] > want+1e-9 || fewer.Capital[j] > s.Capital[j]+1e-9 || least.Capital[j] > fewer.Capital[j]+1e-9 {
				t.Fatalf("stake %d: log capital %g, without ranges %g, without squares %g; reward by reward %g", j, s.Capital[j], fewer.Capital[j], least.Capital[j], want)
			}
			if run%2 == 0 && math.Abs(least.Capital[j]-want) > 1e-9*(1+math.Abs(want)) {
				t.Fatalf("rewards 0 and 1: log capital %g from counts and means, reward by reward %g", least.Capital[j], want)
			}
			lost = max(lost, want-s.Capital[j])
		}
	}
	t.Logf("at most %.3g lost of a logarithm", lost)
	if lost == 0 {
		t.Error("nothing is lost where rewards are uniform: the test sees no difference")
	}
}

// The capital of a walk against an arm that equals its fixed leader reaches 1/α = 5 in at most a fifth of 4,000 walks, for any
// distribution near the bounds (Clopper and Pearson 1934).
func TestStakeAtTies(t *testing.T) {
	const alpha = 0.2
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 0})
	m := plain.ModelOf(t, p)
	limits := Limits{0, 1}
	rng := rand.New(rand.NewPCG(1, 6))
	beta := distuv.Beta{Alpha: 0.05, Beta: 0.05, Src: rng}
	chance := func(q float64) func(int) float64 {
		return func(int) float64 {
			if rng.Float64() < q {
				return 1
			}
			return 0
		}
	}
	runs := enginetest.Number(4000, 600)
	for _, law := range []struct {
		name string
		draw func(int) float64
		wide float64 // reported squares over actual ones
	}{
		{"Bernoulli 0.5", chance(0.5), 1}, {"Bernoulli 0.001", chance(0.001), 1}, {"Bernoulli 0.999", chance(0.999), 1},
		{"uniform", func(int) float64 { return rng.Float64() }, 1}, {"Beta(0.05, 0.05)", func(int) float64 { return beta.Rand() }, 1},
		{"uniform, with squares told too small", func(int) float64 { return rng.Float64() }, 0.05},
	} {
		crossed := 0
		for range runs {
			crossed += crosses(t, m, limits, law.draw, law.wide, alpha)
		}
		lo, hi := distuv.Beta{Alpha: float64(crossed), Beta: float64(runs - crossed + 1)}.Quantile(0.025), distuv.Beta{Alpha: float64(crossed + 1), Beta: float64(runs - crossed)}.Quantile(0.975)
		t.Logf("%s: %d of %d walks [%.3f, %.3f]", law.name, crossed, runs, lo, hi)
		if valid := law.wide == 1; valid && lo > alpha || !valid && lo <= alpha {
			t.Errorf("%s: %d of %d walks cross, from %.3f", law.name, crossed, runs, lo)
		}
	}
}

// crosses returns 1 if a walk of a tie reaches its boundary within 14 rounds, each a third larger than the one before.
func crosses(t *testing.T, m *model.Model, limits Limits, draw func(int) float64, wide, alpha float64) int {
	w := &sequential.Walk{Look: -1, Stakes: sequential.NewStakes(0, 1)}
	c := sequential.Clock{Origin: 1, Z: make([]float64, sequential.ClockLooks)}
	for k := range c.Z {
		c.Z[k] = math.Log(1 / alpha)
	}
	sums, squares, seen := [2]float64{}, 0.0, 0.0
	for round := range 14 {
		n := int(6 * math.Pow(1.3, float64(round)))
		_, b := drawn([]int{n, n}, draw)
		variance := 1.0
		if seen > 0 {
			variance = (squares + 0.25) / (2 * seen) // of data before
		}
		st := try.Of(stageOf(m, b.Counts))
		bet := sequential.Bet{Walk: w, Opponent: 0, Arm: 1, Variance: 2 * variance / float64(n), Look: w.Next(c, 1, 0)}
		for i := range b.Squares {
			b.Squares[i] *= wide
			if wide < 1 {
				b.Ranges[i] = [2]float64{b.Means[i], b.Means[i]}
			}
		}
		centre := func(i int) float64 { return limits.Centre(sums[i]/max(seen, 1), int(seen)) }
		bet.Settle(c, limits.Stake(w.Stakes.Gaps, bet, st.Estimate, 1, centre, b))
		if w.Out {
			return 1
		}
		for i := range sums {
			sums[i] += float64(n) * b.Means[i]
			squares += b.Squares[i]
		}
		seen += float64(n)
	}
	return 0
}

// A bet on differences within blocks is at most the product over them, with equality if they have two values and the lower one is the
// minimum.
func TestStakeWithin(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	w := &sequential.Walk{Stakes: sequential.NewStakes(0, 1)}
	for run := range 200 {
		n := 2 + rng.IntN(12)
		off, mean, squares := make([]float64, n), 0.0, 0.0
		for k := range off {
			if off[k] = rng.Float64() - rng.Float64(); run%2 == 0 {
				off[k] = []float64{-1, 0.6}[rng.IntN(2)]
			}
			mean += off[k] / float64(n)
		}
		for _, d := range off {
			squares += (d - mean) * (d - mean)
		}
		expected := rng.Float64() - 0.5
		s := Limits{0, 1}.StakeWithin(sequential.Bet{Walk: w, Variance: 0.1 / float64(n)}, mean, squares, float64(n), expected)
		for j := range s.Capital {
			want := math.Log(plainStake(s.Slope[j], []float64{1}, []float64{expected}, [][]float64{off}))
			if s.Capital[j] > want+1e-4 || run%2 == 0 && math.Abs(s.Capital[j]-want) > 1e-4 {
				t.Fatalf("stake %d: log capital %g, difference by difference %g", j, s.Capital[j], want)
			}
		}
	}
}

// Rewards beyond the limits, which forecasts draw, count as those at the limits: capitals stay finite.
func TestStakeBeyondLimits(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 0})
	m := plain.ModelOf(t, p)
	limits := Limits{0, 1}
	st := try.Of(stageOf(m, []int{4, 4}))
	w := &sequential.Walk{Stakes: sequential.NewStakes(0, 1)}
	bet := sequential.Bet{Walk: w, Opponent: 0, Arm: 1, Variance: 0.1}
	for _, means := range [][]float64{{3, -2}, {-2, 3}, {3, 3}} {
		for _, ranges := range [][][2]float64{nil, {{-9, 9}, {-9, 9}}, {{2, 4}, {-3, -1}}} {
			b := engine.Batch{Counts: []int{4, 4}, Means: means, Squares: []float64{5, 5}, Ranges: ranges}
			s := limits.Stake(w.Stakes.Gaps, bet, st.Estimate, 1, func(i int) float64 { return limits.Centre(means[i], 3) }, b)
			within := limits.StakeWithin(bet, 2*means[0], 5, 4, means[0])
			for j := range s.Capital {
				if x := s.Capital[j] + s.Slope[j] + within.Capital[j]; math.IsNaN(x) || math.IsInf(x, 0) {
					t.Errorf("means %v, ranges %v: log capitals %g and %g", means, ranges, s.Capital[j], within.Capital[j])
				}
			}
		}
	}
}
