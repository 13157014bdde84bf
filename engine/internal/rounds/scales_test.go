package rounds

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/internal/sequential"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Z of a gap of 0 is nowhere likelier to be large than a standard normal variable, whatever the
// true scales are; with one factor for all, its upper half is exactly normal.
func TestScoreIsDominated(t *testing.T) {
	draws := enginetest.Number(60_000, 20_000)
	for _, unknown := range []string{problem.UnknownProblem, problem.UnknownTask, problem.UnknownArm} {
		p := enginetest.Small(t, enginetest.Identity, []float64{0, 0}, []float64{0, 0})
		p.Noise.UnknownBy = unknown
		counts := []int{3, 9, 2, 30}
		truth := map[string][]float64{
			problem.UnknownProblem: {7, 7, 7, 7}, problem.UnknownTask: {5, 5, 0.2, 0.2}, problem.UnknownArm: {9, 0.1, 3, 1},
		}[unknown]
		m := plain.ModelOf(t, p)
		scales := try.Of(NewScales(m, engine.Options{}))
		st := try.Of(stageOf(m, counts))
		rng := rand.New(rand.NewPCG(3, 5))
		above := map[float64]int{}
		levels := []float64{-2, -1, 0, 0.5, 1, 1.645, 2.326, 3}
		for range draws {
			b := enginetest.SquaresPull(rng, p, truth, engine.Plan{Counts: counts})
			bet := sequential.Bet{Opponent: 0, Arm: 1, Variance: st.Estimate.Variance(0, 1)}
			scales.Replicated(b)
			z := scales.Score(bet, st.Estimate, st.Estimate.Estimates(b.Means), b).Z(0)
			for _, u := range levels {
				if z >= u {
					above[u]++
				}
			}
		}
		var got []string
		for _, u := range levels {
			want := 0.5 * math.Erfc(u/math.Sqrt2)
			off := (float64(above[u])/float64(draws) - want) / math.Sqrt(want*(1-want)/float64(draws))
			got = append(got, fmt.Sprintf("%g: %.1f", u, off))
			if off > 4 || unknown == problem.UnknownProblem && u >= 0 && off < -4 {
				t.Errorf("%s: P(Z ≥ %g) = %.5f, normal %.5f", unknown, u, float64(above[u])/float64(draws), want)
			}
		}
		t.Logf("%s: standard deviations off at %s", unknown, strings.Join(got, ", "))
	}
}

// Noise counts in full however far its guess is off: here one scale is 3 million times its guess
// and the other is right, so that the guessed variance, once learned, is 10^12 times what guesses
// gave.
func TestScoreOfWrongGuesses(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 1})
	p.Noise.UnknownBy = problem.UnknownArm
	m := plain.ModelOf(t, p)
	scales := try.Of(NewScales(m, engine.Options{}))
	rng := rand.New(rand.NewPCG(11, 13))
	counts, truth := []int{700, 7}, []float64{3e6, 1}
	b := enginetest.SquaresPull(rng, p, truth, engine.Plan{Counts: counts})
	scales.Learn(b)
	st := try.Of(stageOf(scales.Model, counts))
	scales.Replicated(b)
	got := scales.Score(sequential.Bet{Opponent: 1, Arm: 0, Variance: st.Estimate.Variance(1, 0)}, st.Estimate, st.Estimate.Estimates(b.Means), b)
	want := math.Sqrt(b.Squares[0]/699/700 + b.Squares[1]/6/7)
	if math.Abs(got.Sd/want-1) > 1e-9 || got.Freedom != 6 {
		t.Errorf("standard error %g with %g degrees of freedom, want %g with 6", got.Sd, got.Freedom, want)
	}
}

// An arm whose weight is a rounding error is not part of the estimate: its noise, of unknown scale, is ignored.
func TestNoWeightNoNoise(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{1, 0, 5})
	p.Noise.UnknownBy = problem.UnknownArm
	m := plain.ModelOf(t, p)
	scales := try.Of(NewScales(m, engine.Options{}))
	e := try.Of(model.NewEstimator(m, 0, []int{7, 7, 7}))
	// rounding that gives arm 2 a part in arm 0's estimate
	e.White.Set(2, 0, e.White.At(2, 0)+1e-14*e.White.At(0, 0))
	b := sequential.Bet{Opponent: 0, Arm: 1, Variance: e.Variance(0, 1)}
	round := engine.Batch{Counts: []int{7, 7, 7}, Means: []float64{1, 0, 1e15}, Squares: []float64{6, 6, 1e30}}
	scales.Replicated(round)
	if s := scales.Score(b, e, e.Estimates(round.Means), round); math.Abs(s.Gap-1) > 1e-9 || s.Sd > 1 {
		t.Errorf("a gap of 1 with standard error %g is taken for %g with %g", math.Sqrt(2./7), s.Gap, s.Sd)
	}
}

// stageOf returns a stage of these pulls.
func stageOf(m *model.Model, counts []int) (*Stage, error) {
	e, err := model.NewEstimator(m, 0, counts)
	return &Stage{Estimate: e}, err
}
