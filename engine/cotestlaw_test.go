package engine

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// spreadPull is pull with squared deviations, of noise scales true.
func spreadPull(rng *rand.Rand, p *Problem, truth []float64, plan Plan) Batch {
	b := Batch{Counts: plan.Counts, Means: make([]float64, p.N()), Squares: make([]float64, p.N())}
	for i, n := range plan.Counts {
		var sum, squares float64
		for range n {
			x := p.Mean[i] + truth[i]*rng.NormFloat64()
			sum, squares = sum+x, squares+x*x
		}
		if n > 0 {
			b.Means[i] = sum / float64(n)
			b.Squares[i] = max(0, squares-sum*sum/float64(n))
		}
	}
	return b
}

// Z of a gap of 0 is nowhere likelier to be large than a standard normal variable, whatever the true
// scales are; with one factor for all, its upper half is exactly normal.
func TestScoreIsDominated(t *testing.T) {
	const draws = 60_000
	for _, unknown := range []string{UnknownProblem, UnknownTask, UnknownArm} {
		p := small(t, independent, []float64{0, 0}, []float64{0, 0})
		p.Noise.UnknownBy = unknown
		counts := []int{3, 9, 2, 30}
		truth := map[string][]float64{
			UnknownProblem: {7, 7, 7, 7}, UnknownTask: {5, 5, 0.2, 0.2}, UnknownArm: {9, 0.1, 3, 1},
		}[unknown]
		m := model(t, p)
		law, err := lawOf(m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		st, err := m.stageOf(counts)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(3, 5))
		above := map[float64]int{}
		levels := []float64{-2, -1, 0, 0.5, 1, 1.645, 2.326, 3}
		for range draws {
			b := spreadPull(rng, p, truth, Plan{Counts: counts})
			bet := bet{leader: 0, arm: 1, variance: st.estimate.Variance(0, 1)}
			z := law.score(bet, st.estimate, st.estimate.Estimates(b.Means), b).z(0)
			for _, u := range levels {
				if z >= u {
					above[u]++
				}
			}
		}
		var got []string
		for _, u := range levels {
			want := 0.5 * math.Erfc(u/math.Sqrt2)
			off := (float64(above[u])/draws - want) / math.Sqrt(want*(1-want)/draws)
			got = append(got, fmt.Sprintf("%g: %.1f", u, off))
			if off > 4 || unknown == UnknownProblem && u >= 0 && off < -4 {
				t.Errorf("%s: P(Z ≥ %g) = %.5f, normal %.5f", unknown, u, float64(above[u])/draws, want)
			}
		}
		t.Logf("%s: standard deviations off at %s", unknown, strings.Join(got, ", "))
	}
}

// Noise counts in full however far its guess is off: here one scale is 3 million times its guess and the
// other is right, so that the guessed variance, once learned, is 10^12 times what guesses gave.
func TestScoreOfWrongGuesses(t *testing.T) {
	p := small(t, independent, []float64{0, 1})
	p.Noise.UnknownBy = UnknownArm
	m := model(t, p)
	law, err := lawOf(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(11, 13))
	counts, truth := []int{700, 7}, []float64{3e6, 1}
	b := spreadPull(rng, p, truth, Plan{Counts: counts})
	law.learn(b)
	st, err := law.model.stageOf(counts)
	if err != nil {
		t.Fatal(err)
	}
	got := law.score(bet{leader: 1, arm: 0, variance: st.estimate.Variance(1, 0)}, st.estimate, st.estimate.Estimates(b.Means), b)
	want := math.Sqrt(b.Squares[0]/699/700 + b.Squares[1]/6/7)
	if math.Abs(got.sd/want-1) > 1e-9 || got.freedom != 6 {
		t.Errorf("standard error %g with %g degrees of freedom, want %g with 6", got.sd, got.freedom, want)
	}
}

// Z rises with the loss and stays a number in the tails.
func TestScoreTails(t *testing.T) {
	for _, freedom := range []float64{1, 2, 30, 1e9, 1e15, math.Inf(1)} {
		s := score{gap: -3, sd: 0.5, freedom: freedom}
		before := math.Inf(-1)
		for loss := 0.0; loss < 1e6; loss = 1.1*loss + 0.1 {
			z := s.z(loss)
			if math.IsNaN(z) || math.IsInf(z, 0) || z < before || z > (s.gap+loss)/s.sd {
				t.Fatalf("freedom %g: Z = %g at loss %g after %g", freedom, z, loss, before)
			}
			before = z
		}
	}
}

// Guesses of the noise that are wrong by orders of magnitude are found out: the same samples
// as with the right ones, within a factor, and every answer right.
func TestUnknownScales(t *testing.T) {
	if testing.Short() {
		t.Skip("300 runs")
	}
	samples := map[string]float64{}
	for _, guess := range []float64{1, 1000, 0.001} {
		for _, unknown := range []string{"", UnknownProblem, UnknownTask, UnknownArm} {
			if unknown == "" && guess != 1 {
				continue
			}
			wrong := 0
			for seed := range uint64(30) {
				p := paper(t, 2, 0.8)
				p.Noise.UnknownBy = unknown
				truth := make([]float64, p.N())
				for i := range truth {
					truth[i], p.Noise.Scales[i] = 1, guess
				}
				m := model(t, p)
				alg, err := NewCoTestFC(m, Options{Delta: 0.05})
				if err != nil {
					t.Fatal(err)
				}
				rng := rand.New(rand.NewPCG(seed, 77))
				out, err := Run(t.Context(), alg, environmentFunc(func(plan Plan) Batch {
					if plan.Spread != (unknown != "") {
						t.Fatalf("%q: squared deviations wanted: %v", unknown, plan.Spread)
					}
					return spreadPull(rng, p, truth, plan)
				}), Options{})
				if err != nil || out.Status != StatusDecided {
					t.Fatalf("%q, guess %g: %s, %v", unknown, guess, out.Status, err)
				}
				samples[fmt.Sprint(unknown, " ", guess)] += float64(out.Samples) / 30
				best, err := m.Best()
				if err != nil {
					t.Fatal(err)
				}
				for v, a := range out.Answers {
					if a.Arm != p.Arms.Names[best[v]] {
						wrong++
					}
				}
			}
			if wrong > 2 {
				t.Errorf("%q, guess %g: %d of 150 answers wrong", unknown, guess, wrong)
			}
		}
	}
	t.Log(samples)
	known := samples[" 1"]
	for name, n := range samples {
		if n < 0.8*known || n > 4*known {
			t.Errorf("%s: %.0f samples, %.0f with known scales", name, n, known)
		}
	}
}

// An arm whose weight is rounding is no part of the estimate: its noise, of a scale that nobody knows, does not count.
func TestNoWeightNoNoise(t *testing.T) {
	p := small(t, independent, []float64{1, 0, 5})
	p.Noise.UnknownBy = UnknownArm
	m := model(t, p)
	law, err := lawOf(m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewEstimator(m, 0, []int{7, 7, 7})
	if err != nil {
		t.Fatal(err)
	}
	e.white.Set(2, 0, e.white.At(2, 0)+1e-14*e.white.At(0, 0)) // rounding that gives arm 2 a part in arm 0's estimate
	b := bet{leader: 0, arm: 1, variance: e.Variance(0, 1)}
	round := Batch{Counts: []int{7, 7, 7}, Means: []float64{1, 0, 1e15}, Squares: []float64{6, 6, 1e30}}
	if s := law.score(b, e, e.Estimates(round.Means), round); math.Abs(s.gap-1) > 1e-9 || s.sd > 1 {
		t.Errorf("a gap of 1 with standard error %g is taken for %g with %g", math.Sqrt(2./7), s.gap, s.sd)
	}
}
