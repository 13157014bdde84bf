package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// both returns a surface whose whole covariance is factored, and one along inducing arms.
func both(t *testing.T, mean string, noise *kernels.Free) (dense, low *surface) {
	t.Helper()
	k := kernels.AddJoint(joint(t, rbf(1.3), kernels.Mul(free(2, 0.02, 200), rbf(1.7))), nugget(t, 0.05))
	p := world{tasks: 4, arms: 25, reps: 3, noise: 0.5}.draw(t, k, 7, rand.New(rand.NewPCG(5, 6)))
	d := try.Of(dataOf(p, mean))
	for _, s := range []**surface{&dense, &low} {
		*s = try.Of(newSurface(t.Context(), d, k, noise))
	}
	low.dense = false
	return dense, low
}

// Along inducing arms, however few and wherever the numbers of the kernel are, the likelihood is bounded
// from both sides; along enough of them both bounds are the likelihood, and everything else that a fit
// reports equals the report of the whole covariance.
func TestInducingBounds(t *testing.T) {
	for _, mean := range []string{MeanProblem, MeanTask, MeanNone} {
		for _, noise := range []*kernels.Free{nil, {Value: 0.4, Min: 0.01, Max: 10}} {
			dense, low := both(t, mean, noise)
			for _, scale := range []float64{0.3, 1, 2.5} {
				values := dense.start()
				for i := range values {
					values[i] *= scale
				}
				whole := try.Of(dense.process(values))
				for _, count := range []int{3, 12, 30} {
					arms, _ := try.Two(low.induce(values, mostLost, mostInducing))
					g := try.Of(low.induced(values, arms[:min(count, len(arms))]))
					lost := try.Of(low.lost(g, values))
					ceiling := g.likelihood + lost
					if math.IsNaN(lost) {
						t.Fatal("no bound")
					}
					if slack := 1e-7 * (1 + math.Abs(whole.likelihood)); g.likelihood > whole.likelihood+slack || ceiling < whole.likelihood-slack {
						t.Errorf("%s, %d arms: %.9g to %.9g, and the likelihood is %.9g", mean, count, g.likelihood, ceiling, whole.likelihood)
					}
				}
				g := try.Of(low.process(values))
				lost := try.Of(low.lost(g, values))
				if !(lost >= 0 && lost < 0.05) || math.Abs(g.likelihood-whole.likelihood) > lost+1e-7 {
					t.Errorf("%s: %.9g with %.3g lost at most, %.9g on the whole covariance", mean, g.likelihood, lost, whole.likelihood)
				}
				precisions, inverse := g.Precisions(), g.InverseDiagonal()
				for i := range precisions {
					closeTo(t, "a precision", precisions[i], whole.Precisions()[i], 1e-2)
					closeTo(t, "a value of the inverse", inverse[i], whole.InverseDiagonal()[i], 1e-2)
				}
			}
		}
	}
}

func closeTo(t *testing.T, what string, got, want, relative float64) {
	t.Helper()
	if math.Abs(got-want) > relative*(math.Abs(want)+1e-12) {
		t.Errorf("%s is %.9g, want %.9g", what, got, want)
	}
}

// The gradient is of the lower bound with the inducing arms fixed, as differences of the bound
// show.
func TestInducingGradient(t *testing.T) {
	for _, mean := range []string{MeanProblem, MeanTask, MeanNone} {
		for _, noise := range []*kernels.Free{nil, {Value: 0.4, Min: 0.01, Max: 10}} {
			_, low := both(t, mean, noise)
			values := low.start()
			arms, _ := try.Two(low.induce(values, mostLost, mostInducing))
			low.inducing = arms[:14] // few, so that what they leave counts
			g := try.Of(low.process(values))
			got := try.Of(low.gradient(g, values))
			for i, f := range low.free {
				const step = 1e-4
				var at [2]float64
				for side, by := range []float64{-step, step} {
					moved := append([]float64(nil), values...)
					moved[i] = f.Of(f.To(values[i]) + by)
					h := try.Of(low.process(moved))
					at[side] = low.likelihood(h, moved)
				}
				want := (at[1] - at[0]) / (2 * step)
				if math.Abs(got[i]-want) > 1e-4*(1+math.Abs(want)) {
					t.Errorf("%s, number %d: slope %.8g, by differences %.8g", mean, i, got[i], want)
				}
			}
		}
	}
}

// If arms have no own part and noise is known, the slope by it is not computed.
func TestInducingGradientWithoutOwnParts(t *testing.T) {
	k := joint(t, rbf(1.3), rbf(1.7))
	p := world{tasks: 4, arms: 25, reps: 3, noise: 0.5}.draw(t, k, 7, rand.New(rand.NewPCG(5, 6)))
	d := try.Of(dataOf(p, MeanTask))
	s := try.Of(newSurface(t.Context(), d, k, nil))
	var slopes [2][]float64
	for k, dense := range []bool{true, false} {
		s.dense = dense
		g := try.Of(s.process(s.start()))
		slopes[k] = try.Of(s.gradient(g, s.start()))
	}
	for i, want := range slopes[0] {
		closeTo(t, "a slope", slopes[1][i], want, 1e-2)
	}
}
