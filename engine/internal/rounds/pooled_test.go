package rounds

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// If scales are drawn from the assumed distribution, a normal variable with that scale follows Student's distribution with the estimated
// factor and degrees of freedom, whether scales are equal, different or single.
func TestPooledScalesAreStudents(t *testing.T) {
	const each = 2.0
	rng := rand.New(rand.NewPCG(4, 9))
	for _, nu := range []float64{0.7, 4, math.Inf(1)} {
		draws, beyond, groups := enginetest.Number(400, 100), 0, 60
		for range draws {
			truth, squares, freedom := make([]float64, groups), make([]float64, groups), make([]float64, groups)
			for g := range truth {
				if truth[g] = 3; !math.IsInf(nu, 1) {
					truth[g] *= nu / distuv.ChiSquared{K: nu, Src: rng}.Rand()
				}
				freedom[g] = each
				squares[g] = truth[g] * distuv.ChiSquared{K: each, Src: rng}.Rand()
			}
			factor, effective := pooled(freedom, squares, 0)
			for g := range truth {
				z := math.Sqrt(truth[g]/factor[g]) * rng.NormFloat64()
				if z > (distuv.StudentsT{Sigma: 1, Nu: effective[g]}).Quantile(0.95) {
					beyond++
				}
			}
		}
		// 5 %, and a fifth of it for the gamma law that represents an average of them
		if share := float64(beyond) / float64(draws*groups); math.Abs(share-0.05) > 0.01 {
			t.Errorf("ν = %g: %.4f are beyond the quantile of 5 %%", nu, share)
		}
	}
}

// One scale has the textbook's estimate and degrees of freedom; equal scales have nearly all of them together.
func TestPooledScales(t *testing.T) {
	factor, effective := pooled([]float64{7}, []float64{21}, 0)
	if factor[0] != 3 || effective[0] != 7 {
		t.Errorf("one scale: factor %g with %g degrees of freedom, want 3 with 7", factor[0], effective[0])
	}
	freedom, squares := make([]float64, 40), make([]float64, 40)
	for g := range freedom {
		freedom[g], squares[g] = 5, 10
	}
	factor, effective = pooled(freedom, squares, 0)
	if math.Abs(factor[3]-2) > 0.05 || effective[3] < 60 {
		t.Errorf("equal scales: factor %g with %g degrees of freedom", factor[3], effective[3])
	}
	if factor, _ = pooled([]float64{1, 1, 1}, []float64{0, 0, 2}, 0); !(factor[0] > 0) {
		t.Errorf("rewards that are alike have the factor %g", factor[0])
	}
}

// Stated scales count as nearly known with few data or if they are right, and as wrong if the variation differs by arm.
func TestStatedScales(t *testing.T) {
	one, apart := make([]float64, 30), make([]float64, 30)
	freedom, rng := make([]float64, 30), rand.New(rand.NewPCG(1, 8))
	freedom[0], one[0] = 2, 2
	factor, effective := pooled(freedom, one, statedBelief)
	if math.Abs(factor[1]-1) > 0.1 || !(effective[1] > 10) {
		t.Errorf("little scatter: factor %g with %g degrees of freedom", factor[1], effective[1])
	}
	for g := range freedom {
		freedom[g] = 5
		one[g] = distuv.ChiSquared{K: 5, Src: rng}.Rand()
		apart[g] = one[g] * []float64{0.1, 2}[g%2]
	}
	if factor, effective = pooled(freedom, one, statedBelief); math.Abs(factor[3]-1) > 0.1 || !(effective[3] > 50) {
		t.Errorf("scatter as stated: factor %g with %g degrees of freedom", factor[3], effective[3])
	}
	if factor, _ = pooled(freedom, apart, statedBelief); !(stat.Mean(factor, nil) < 2 && factor[0] < 0.4 && factor[1] > 1.2) {
		t.Errorf("scatter that differs: factors %g and %g", factor[0], factor[1])
	}
}

// Unbounded rewards have the variance of counts while all are 0 or 1, and then the stated one.
func TestOutcomesOfNoBounds(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 0})
	p.Noise.Known, p.Noise.Scales = problem.NoiseTask, []float64{3, 3}
	scales := try.Of(NewScales(plain.ModelOf(t, p), engine.Options{}))
	scales.Pool()
	for _, step := range []struct {
		batch engine.Batch
		want  [2]float64 // variances
		few   float64    // arms with few outcomes of either kind
	}{
		// 2 of 16 and 0 of 4, as in TestShownVariance
		{engine.Batch{Counts: []int{16, 4}, Means: []float64{0.125, 0}, Squares: []float64{16 * 0.125 * 0.875, 0}}, [2]float64{0.16, 0.1875}, 2},
		{engine.Batch{Counts: []int{12, 0}, Means: []float64{1, 0}, Squares: []float64{0, 0}}, [2]float64{0.25, 0.1875}, 1}, // 14 of 28
	} {
		try.To(scales.Learn(step.batch))
		for i, want := range step.want {
			if got := scales.Model.Unit * scales.Model.Unit / scales.Model.Precision[i]; math.Abs(got-want) > 1e-9 {
				t.Errorf("arm %d: variance %g, want %g", i, got, want)
			}
		}
		if w := scales.Doubts(); len(w) != 1 || w[0].Numbers[0] != step.few || !math.IsInf(scales.FreedomOf([]int{0, 1}), 1) {
			t.Errorf("%v with %g degrees of freedom, want %g arms with few", w, scales.FreedomOf([]int{0, 1}), step.few)
		}
	}
	try.To(scales.Learn(engine.Batch{Counts: []int{0, 1}, Means: []float64{0, 2}, Squares: []float64{0, 0}}))
	if got := scales.Model.Unit * scales.Model.Unit / scales.Model.Precision[0]; math.Abs(got-9) > 1e-9 || len(scales.Doubts()) > 0 {
		t.Errorf("a reward of 2: variance %g, %v", got, scales.Doubts())
	}
}

// Arms with close rewards use the scale estimated for all, until some arm contradicts it.
func TestEstimatedScalesAreTheLeast(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 0, 0, 0})
	p.Noise.Known, p.Noise.Scales = problem.NoiseTask, []float64{2, 2, 2, 2}
	scales := try.Of(NewScales(plain.ModelOf(t, p), engine.Options{}))
	scales.Pool()
	for _, step := range []struct {
		last       float64 // squares of the last arm, with 9 degrees of freedom at a variance of 4
		from, to   float64 // where the variances of the others then lie
		contradict bool
	}{{36, 4, 4, false}, {3600, 0, 0.1, true}} {
		b := engine.Batch{Counts: []int{10, 10, 10, 10}, Means: []float64{1, 2, 3, 4}, Squares: []float64{0.1, 0.1, 0.1, step.last}}
		try.To(scales.Learn(b))
		for i := range 3 {
			got := scales.Model.Unit * scales.Model.Unit / scales.Model.Precision[i]
			if !(got > step.from-1e-9 && got < step.to+1e-9) || (scales.Found != nil) != step.contradict {
				t.Errorf("arm %d: variance %g, want %g to %g; %v", i, got, step.from, step.to, scales.Found)
			}
		}
	}
}

// Single rewards between 0 and 1 are not two-valued, also without squares and in any unit.
func TestSharesAreNoOutcomes(t *testing.T) {
	for _, unit := range []float64{1, 1e-9} {
		p := enginetest.Small(t, enginetest.Identity, []float64{0, 0})
		p.Noise.Scales = []float64{0.1 * unit, 0.1 * unit}
		scales := try.Of(NewScales(plain.ModelOf(t, p), engine.Options{}))
		scales.Pool()
		before := slices.Clone(scales.Model.Precision)
		for range fewestOutcomes {
			try.To(scales.Learn(engine.Batch{Counts: []int{1, 1}, Means: []float64{0.3 * unit, 0.4 * unit}}))
		}
		if scales.outcomes || !slices.Equal(scales.Model.Precision, before) {
			t.Errorf("unit %g: rewards of 0.3 and 0.4 are taken for counts", unit)
		}
	}
}

// Two-valued rewards at the bounds have the variance of counts, other rewards the observed one, and none more than half the range.
func TestShownVariance(t *testing.T) {
	p := enginetest.Small(t, enginetest.Identity, []float64{0, 0})
	p.Noise.Bounds, p.Noise.Scales = &[2]float64{0, 10}, []float64{5, 5}
	learn := func(counts []int, means, squares []float64) []float64 {
		scales := try.Of(NewScales(plain.ModelOf(t, p), engine.Options{}))
		scales.Pool()
		try.To(scales.Learn(engine.Batch{Counts: counts, Means: means, Squares: squares}))
		var out []float64
		for _, precision := range scales.Model.Precision {
			out = append(out, scales.Model.Unit*scales.Model.Unit/precision)
		}
		return out
	}
	// 2 of 16 are 10: the share is (2 + 2)/(16 + 4); 0 of 4: 2/8
	got := learn([]int{16, 4}, []float64{1.25, 0}, []float64{16 * 1.25 * 8.75, 0})
	for i, want := range []float64{100 * 0.2 * 0.8, 100 * 0.25 * 0.75} {
		if math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("counts, arm %d: variance %g, want %g", i, got[i], want)
		}
	}
	// squares 3 and four rewards on the bounds: (3 + 4·25)/(6 + 4)
	got = learn([]int{6, 0}, []float64{4, 0}, []float64{3, 0})
	for i, want := range []float64{10.3, 25} {
		if math.Abs(got[i]-want) > 1e-9 {
			t.Errorf("bounded, arm %d: variance %g, want %g", i, got[i], want)
		}
	}
}

// A stated scale is replaced by one per arm if rewards vary more, and almost never if it is right.
func TestScalesAreContradicted(t *testing.T) {
	for _, times := range []float64{1, 4} {
		p := enginetest.Small(t, enginetest.Identity, []float64{0, 0, 0}, []float64{0, 0, 0})
		found, runs := 0, 100
		for seed := range runs {
			scales := try.Of(NewScales(plain.ModelOf(t, p), engine.Options{}))
			scales.Pool()
			truth := slices.Clone(p.Noise.Scales)
			truth[4] *= times
			rng := rand.New(rand.NewPCG(uint64(seed), 3))
			for range 4 {
				plan := engine.Plan{Counts: []int{6, 6, 6, 6, 6, 6}}
				try.To(scales.Learn(enginetest.SquaresPull(rng, p, truth, plan)))
			}
			if scales.Found == nil {
				continue
			}
			found++
			if ratio := scales.Found.Numbers[1]; times > 1 && !(ratio > 2 && ratio < 8) {
				t.Errorf("the scatter is said to be %g times what was stated, and is %g times", ratio, times)
			}
		}
		if times == 1 && found > 4 || times > 1 && found < 96 { // LackLevel is 1 %
			t.Errorf("%g times: given up in %d of %d runs", times, found, runs)
		}
	}
}
