package bounds_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// gramProblem is the independent method: the dense Gram matrix by [Du23, eq. (apx_kernelized_gradient)], softmax weights, the maximum
// smoothed by log-sum-exp and annealed, quasi-Newton steps of gonum/optimize. It is slow and shares no code with the tested solvers.
type gramProblem struct {
	gram  *mat.SymDense
	ridge float64
	pairs []weightedPair
}

type weightedPair struct {
	i, j   int
	weight float64
}

func softmax(s []float64) []float64 {
	top, sum := math.Inf(-1), 0.0
	for _, v := range s {
		top = max(top, v)
	}
	out := make([]float64, len(s))
	for i, v := range s {
		out[i] = math.Exp(v - top)
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// inner returns G(i, j) = φ_iᵀA(ξ,λ)⁻¹φ_j for all i, j:
// ξ⁻¹(K - K_{·λ}(ξI + K_λ)⁻¹K_{λ·}).
func (g gramProblem) inner(lambda []float64) *mat.Dense {
	n := len(lambda)
	half := mat.NewDense(n, n, nil) // K_{·λ}
	inside := mat.NewSymDense(n, nil)
	for i := 0; i < n; i++ {
		for j := 0; j < n; j++ {
			half.Set(i, j, g.gram.At(i, j)*math.Sqrt(lambda[j]))
		}
	}
	for i := 0; i < n; i++ {
		for j := i; j < n; j++ {
			inside.SetSym(i, j, g.gram.At(i, j)*math.Sqrt(lambda[i]*lambda[j]))
		}
		inside.SetSym(i, i, inside.At(i, i)+g.ridge)
	}
	var chol mat.Cholesky
	if !chol.Factorize(inside) {
		panic("not positive definite")
	}
	var solved, out mat.Dense
	if err := chol.SolveTo(&solved, half.T()); err != nil {
		panic(err)
	}
	out.Mul(half, &solved)
	out.Sub(g.gram, &out)
	out.Scale(1/g.ridge, &out)
	return &out
}

// smoothed returns (1/β) log Σ exp(β h_p), which is above max h_p by at most log(pairs)/β, and its
// gradient in λ.
func (g gramProblem) smoothed(lambda []float64, beta float64) (value, largest float64, gradient []float64) {
	inner := g.inner(lambda)
	h := make([]float64, len(g.pairs))
	largest = math.Inf(-1)
	for k, p := range g.pairs {
		h[k] = p.weight * (inner.At(p.i, p.i) - 2*inner.At(p.i, p.j) + inner.At(p.j, p.j))
		largest = max(largest, h[k])
	}
	sum := 0.0
	gradient = make([]float64, len(lambda))
	for k, p := range g.pairs {
		e := math.Exp(beta * (h[k] - largest))
		sum += e
		for x := range gradient {
			d := inner.At(p.i, x) - inner.At(p.j, x)
			gradient[x] -= e * p.weight * d * d
		}
	}
	for x := range gradient {
		gradient[x] /= sum
	}
	return largest + math.Log(sum)/beta, largest, gradient
}

// minimax returns min over λ of max h_p.
func (g gramProblem) minimax(t *testing.T, n int) float64 {
	t.Helper()
	s := make([]float64, n)
	_, start, _ := g.smoothed(softmax(s), 1)
	best := start
	for _, sharp := range []float64{30, 300, 3e3, 3e4, 3e5} {
		beta := sharp / start
		f := optimize.Problem{
			Func: func(s []float64) float64 { v, _, _ := g.smoothed(softmax(s), beta); return v },
			Grad: func(grad, s []float64) {
				lambda := softmax(s)
				_, _, gl := g.smoothed(lambda, beta)
				chain(grad, lambda, gl)
			},
		}
		r, err := optimize.Minimize(f, s, &optimize.Settings{MajorIterations: 3000, GradientThreshold: 1e-12}, &optimize.BFGS{})
		if r == nil {
			t.Fatal(err)
		}
		copy(s, r.X)
		_, v, _ := g.smoothed(softmax(s), beta)
		best = min(best, v)
	}
	return best
}

// chain turns a gradient in λ = softmax(s) into one in s.
func chain(grad, lambda, gl []float64) {
	mean := 0.0
	for i := range gl {
		mean += lambda[i] * gl[i]
	}
	for i := range gl {
		grad[i] = lambda[i] * (gl[i] - mean)
	}
}

// gain returns Υ by the multiplicative algorithm λ_i ← λ_i g_i / Σ λ g [Titterington 1976] on the Gram matrix.
func (g gramProblem) gain(n int) float64 {
	lambda := softmax(make([]float64, n))
	for range 200000 {
		inner, total := g.inner(lambda), 0.0
		for i := range lambda {
			lambda[i] *= inner.At(i, i)
			total += lambda[i]
		}
		done := true
		for i := range lambda {
			next := lambda[i] / total
			done = done && inner.At(i, i) <= total*(1+1e-7)
			lambda[i] = next
		}
		if done {
			break
		}
	}
	k := mat.NewSymDense(n, nil)
	for i := 0; i < n; i++ {
		for j := i; j < n; j++ {
			k.SetSym(i, j, g.gram.At(i, j)*math.Sqrt(lambda[i]*lambda[j])/g.ridge)
		}
		k.SetSym(i, i, k.At(i, i)+1)
	}
	var chol mat.Cholesky
	chol.Factorize(k)
	return chol.LogDet()
}

// kernelInstances returns four kernels of other shapes than the paper's.
func kernelInstances() map[string]kernels.Joint {
	brownian := kernels.Func("brownian", func(x, y []float64) float64 { return 1 + min(x[0], y[0]) })
	return map[string]kernels.Joint{
		"rbf × linear":                product(kernels.RBF{Lengthscale: []float64{0.7}}, kernels.Linear{}),
		"rbf × rbf":                   product(kernels.RBF{Lengthscale: []float64{0.5}}, kernels.RBF{Lengthscale: []float64{0.6}}),
		"matern × (linear + ARD rbf)": product(kernels.Matern{Nu: 1.5}, kernels.Add(kernels.Linear{}, kernels.RBF{Lengthscale: []float64{0.3, 2}})),
		"formula: 1 + min(x_1, y_1)":  product(kernels.RBF{}, brownian),
	}
}

func product(task, arm kernels.Kernel) kernels.Joint {
	return kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: task, Arm: arm}}}
}

const noise = 0.8 // σ of every arm

// instance returns 3 tasks of 4 arms at random places with random means.
func instance(t *testing.T, k kernels.Joint) *problem.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(2023, 4))
	var z, x [][]float64
	var names []string
	var taskOf []int
	var mean []float64
	for v := range 3 {
		z = append(z, []float64{rng.Float64()})
		for i := range 4 {
			x = append(x, []float64{rng.Float64(), rng.Float64()})
			names = append(names, fmt.Sprintf("%d.%d", v, i))
			taskOf = append(taskOf, v)
			mean = append(mean, rng.Float64())
		}
	}
	tasks, err := kernels.NewPoints([]string{"z_1"}, []string{"a", "b", "c"}, z)
	if err != nil {
		t.Fatal(err)
	}
	arms, err := kernels.NewPoints([]string{"x_1", "x_2"}, names, x)
	if err != nil {
		t.Fatal(err)
	}
	p, err := problem.New("instance", tasks, arms, taskOf, k, []float64{noise}, mean)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestIndependentMethod(t *testing.T) {
	const ridge = 1e-3
	for name, k := range kernelInstances() {
		t.Run(name, func(t *testing.T) {
			p := instance(t, k)
			r, err := bounds.Compute(context.Background(), p, engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: ridge}})
			if err != nil {
				t.Fatal(err)
			}
			implicit, err := k.On(context.Background(), p.Tasks, p.Arms, p.TaskOf)
			if err != nil {
				t.Fatal(err)
			}
			g := gramProblem{gram: kernels.Dense(implicit), ridge: ridge}
			agree(t, "information gain", r.InformationGain, g.gain(p.N()))
			for i := range p.TaskOf {
				for j := range i {
					g.pairs = append(g.pairs, weightedPair{i, j, 1})
				}
			}
			agree(t, "omega", r.Omega.Value, g.minimax(t, p.N()))
			g.pairs = nil
			for i, v := range p.TaskOf {
				for j := range i {
					if p.TaskOf[j] == v {
						g.pairs = append(g.pairs, weightedPair{i, j, 1})
					}
				}
			}
			agree(t, "rho_1", r.Rho1.Value, g.minimax(t, p.N()))
			g.pairs = nil
			for v := range 3 {
				best := 4 * v
				for i := 4 * v; i < 4*v+4; i++ {
					if p.Mean[i] > p.Mean[best] {
						best = i
					}
				}
				for i := 4 * v; i < 4*v+4; i++ {
					if gap := (p.Mean[best] - p.Mean[i]) / noise; i != best {
						g.pairs = append(g.pairs, weightedPair{best, i, 1 / (gap * gap)})
					}
				}
			}
			agree(t, "rho_star", r.RhoStar.Value, g.minimax(t, p.N()))
		})
	}
}

func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	t.Logf("%s: %.8g, independently %.8g", what, got, want)
	if math.Abs(got/want-1) > 1e-4 {
		t.Errorf("%s = %.8g, the independent method gives %.8g", what, got, want)
	}
}
