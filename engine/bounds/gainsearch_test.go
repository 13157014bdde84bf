package bounds

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/enginetest"
	"github.com/gonb-cope/gonb-cope/engine/internal/plain"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
	"github.com/gonb-cope/gonb-cope/kernels"
)

func many(t testing.TB, n int) *problem.Problem {
	t.Helper()
	return try.Of(manyarms.Problem(n))
}

// exchange is an independent method for the information gain: the vertex exchange of [Böhning 1986], which moves weight from the worst
// arm to the best, on the whole matrix G = Φ A⁻¹ Φᵀ with rank-one updates. It ends at a relative gap.
func exchange(gram *mat.SymDense, precision []float64, ridge, gap float64) (value, upper float64) {
	n := gram.SymmetricDim()
	lambda := make([]float64, n)
	g := mat.NewDense(n, n, nil) // of all arms, each over its noise scale
	for i := range n {
		for j := range n {
			g.Set(i, j, gram.At(i, j)*math.Sqrt(precision[i]*precision[j])/ridge)
		}
	}
	correct := func(i int, a float64) { // A + a·φ_iφ_iᵀ
		u := slices.Clone(g.RawRowView(i))
		c := a / (1 + a*u[i])
		for j, v := range u {
			row := g.RawRowView(j)
			for k := range row {
				row[k] -= c * v * u[k]
			}
		}
		value += math.Log1p(a * u[i])
	}
	for i := range 40 { // any start
		at := i * n / 40
		lambda[at] = 1. / 40
		correct(at, lambda[at])
	}
	for {
		best, worst, level := 0, -1, 0.0
		for i := range n {
			v := g.At(i, i)
			level += lambda[i] * v
			if v > g.At(best, best) {
				best = i
			}
			if lambda[i] > 0 && (worst < 0 || v < g.At(worst, worst)) {
				worst = i
			}
		}
		if upper = value + g.At(best, best) - level; upper <= value*(1+gap) {
			return value, upper
		}
		// det(A + a(φφᵀ - ψψᵀ))/det A = (1 + a g_φφ)(1 - a g_ψψ) + a² g_φψ² is largest here
		b, w, c := g.At(best, best), g.At(worst, worst), g.At(best, worst)
		step := lambda[worst]
		if curvature := b*w - c*c; curvature > 0 {
			step = min(step, (b-w)/(2*curvature))
		}
		correct(best, step)
		lambda[best] += step
		if lambda[worst] -= step; lambda[worst] > 0 {
			correct(worst, -step)
		} else {
			correct(worst, -step)
			lambda[worst] = 0
		}
	}
}

// Both bounds enclose the result of the second method, and the eigenvalues equal those of the whole matrix.
func TestGainOfManyArms(t *testing.T) {
	const ridge = 1e-3
	sizes := []int{500, 1000}
	if testing.Short() {
		sizes = []int{300}
	}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p := many(t, n)
			m := plain.ModelOf(t, p)
			g := try.Of(gainOf(context.Background(), m, ridge))
			if !(g.value <= g.upper) || g.gap() > gainTolerance {
				t.Errorf("between %v and %v", g.value, g.upper)
			}
			gram := kernels.Dense(m.Gram())
			value, upper := exchange(gram, m.Precision, m.Normalised(ridge), 2e-4)
			t.Logf("search [%.6f, %.6f], exchange [%.6f, %.6f]", g.value, g.upper, value, upper)
			if value > g.upper || upper < g.value {
				t.Errorf("the second method: between %v and %v", value, upper)
			}
			s := try.Of(spectra(context.Background(), m, g))
			weights := make([]float64, n)
			for k, i := range g.arms {
				weights[i] = g.weights[k]
			}
			for i := range n {
				for j := range i + 1 {
					gram.SetSym(i, j, m.Scale*gram.At(i, j)*math.Sqrt(weights[i]*m.Precision[i]*weights[j]*m.Precision[j]))
				}
			}
			var eigen mat.EigenSym
			if !eigen.Factorize(gram, false) {
				t.Fatal("no eigenvalues")
			}
			all := eigen.Values(nil)
			slices.Reverse(all)
			gain := 0.0
			for k, v := range all {
				own := 0.0
				if k < len(s.joint) {
					own = s.joint[k]
				}
				if math.Abs(own-v) > 1e-14*float64(n)*all[0] {
					t.Errorf("eigenvalue %d is %v, of the whole matrix %v", k+1, own, v)
				}
				gain += math.Log1p(max(v, 0) / ridge)
			}
			if math.Abs(gain-g.value) > 1e-7*gain {
				t.Errorf("the allocation has an information gain of %v, not of %v", gain, g.value)
			}
			if got, want := effectiveDimension(s.joint, n, ridge), effectiveDimension(all, n, ridge); got != want {
				t.Errorf("d_eff is %d, of the whole matrix %d", got, want)
			}
		})
	}
}

// The search and the design on all arms bound the same number, for several noise scales, for any variances, and for nearly unrelated
// arms.
func TestGainSearchAgainstDesign(t *testing.T) {
	kernelsOf := map[string]kernels.Joint{
		"rbf × rbf":       product(kernels.RBF{}, kernels.RBF{Lengthscale: []float64{0.5}}),
		"rbf × linear":    product(kernels.RBF{}, kernels.Linear{Bias: 0.3}),
		"matern, nu 0.5":  product(kernels.RBF{}, kernels.Matern{Nu: 0.5}),
		"mostly identity": product(kernels.RBF{}, kernels.Add(kernels.Scaled{Scale: 0.01, Kernel: kernels.RBF{}}, kernels.Identity{})),
	}
	for name, k := range kernelsOf {
		t.Run(name, func(t *testing.T) {
			p := many(t, enginetest.Number(300, 80)).WithKernel(k)
			rng, scales := rand.New(rand.NewPCG(5, 9)), make([]float64, p.N())
			for i := range scales {
				scales[i] = 0.2 + rng.Float64()
			}
			p.Noise.Scales = scales
			m := plain.ModelOf(t, p)
			for _, ridge := range []float64{1e-2, 1e-4} {
				g := try.Of(gainOf(context.Background(), m, ridge))
				exact := try.Of(m.Exact())
				d := try.Of(design.InformationGain(exact.Space(ridge), design.Options{Tolerance: 1e-8}))
				t.Logf("xi = %g: search [%.8g, %.8g] on %d arms, design %.8g", ridge, g.value, g.upper, len(g.arms), d.Value)
				if g.value > d.Upper*(1+1e-9) || g.upper < d.Value*(1-1e-9) || g.gap() > gainTolerance {
					t.Errorf("xi = %g: between %v and %v, by a design on all arms %v", ridge, g.value, g.upper, d.Value)
				}
			}
		})
	}
}

func product(task, arm kernels.Kernel) kernels.Joint {
	return kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: task, Arm: arm}}}
}

// With more candidates than a design can have, both bounds are reported and hold: unrelated arms have N log(1 + 1/(N ξ σ²)).
func TestGainOfRoughKernel(t *testing.T) {
	if testing.Short() {
		t.Skip("designs on a thousand arms")
	}
	const n, ridge = 2000, 1e-3
	m := plain.ModelOf(t, many(t, n).WithKernel(product(kernels.Identity{}, kernels.Identity{})))
	g := try.Of(gainOf(context.Background(), m, ridge))
	want := n * math.Log1p(1/(n*ridge)) // noise scales are equal, and that is 1
	t.Logf("[%.6g, %.6g] on %d arms; exactly %.6g", g.value, g.upper, len(g.arms), want)
	if g.value > want*(1+1e-9) || g.upper < want*(1-1e-9) || g.upper > want*(1+1e-6) || g.value < 0.5*want {
		t.Errorf("between %v and %v, and it is %v", g.value, g.upper, want)
	}
}

// A ridge above every variance, which leaves a factor no pivots, still has an allocation, the one
// of the second method.
func TestGainOfLargeRidge(t *testing.T) {
	m := plain.ModelOf(t, many(t, enginetest.Number(450, 280)).WithKernel(product(kernels.Identity{}, kernels.Matern{Nu: 0.5})))
	g := try.Of(gainOf(t.Context(), m, 3*m.Diagonal))
	value, upper := exchange(kernels.Dense(m.Gram()), m.Precision, m.Normalised(3*m.Diagonal), 1e-3)
	if g.value > upper || g.upper < value || g.gap() > 1e-3 {
		t.Errorf("Υ is between %v and %v, and by the second method between %v and %v", g.value, g.upper, value, upper)
	}
}

// The bits do not depend on the number of cores.
func TestGainOnCores(t *testing.T) {
	p := many(t, 2000)
	var first gained
	for _, n := range []int{1, 2, 3} {
		ctx := cores.Within(context.Background(), n)
		m := try.Of(model.NewContext(ctx, p, 0))
		g := try.Of(gainOf(ctx, m, 1e-2))
		if n == 1 {
			first = g
		} else if g.value != first.value || g.upper != first.upper || !slices.Equal(g.arms, first.arms) || !slices.Equal(g.weights, first.weights) {
			t.Errorf("%d cores: [%v, %v], and on one [%v, %v]", n, g.value, g.upper, first.value, first.upper)
		}
	}
}
