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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
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
	try.To(chol.SolveTo(&solved, half.T()))
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

// gain returns Υ and λ* by the multiplicative algorithm λ_i ← λ_i g_i / Σ λ g [Titterington 1976] on the Gram matrix.
func (g gramProblem) gain(n int) (gain float64, lambda []float64) {
	lambda = softmax(make([]float64, n))
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
	return chol.LogDet(), lambda
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
	tasks := try.Of(kernels.NewPoints([]string{"z_1"}, []string{"a", "b", "c"}, z))
	arms := try.Of(kernels.NewPoints([]string{"x_1", "x_2"}, names, x))
	return try.Of(problem.New("instance", tasks, arms, taskOf, k, []float64{noise}, mean))
}

func TestIndependentMethod(t *testing.T) {
	const ridge = 1e-3
	for name, k := range kernelInstances() {
		t.Run(name, func(t *testing.T) {
			p := instance(t, k)
			r := try.Of(bounds.Compute(context.Background(), p, engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeValue, Value: ridge}}))
			implicit := try.Of(k.On(context.Background(), p.Tasks, p.Arms, p.TaskOf))
			g := gramProblem{gram: kernels.Dense(implicit), ridge: ridge}
			gain, _ := g.gain(p.N())
			agree(t, "information gain", r.InformationGain, gain)
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

// Every bound that sweeps show, from dense matrices and the formulas of the paper with the constants of its proofs. τ, at most 200
// samples here, is left out.
func TestFamilyByPlainMatrices(t *testing.T) {
	const gap, delta, n = 0.4, 0.05, 5
	for _, size := range []problem.FamilySize{{Tasks: 2, Dimension: 2, Arms: n, Rank: 2}, {Tasks: 4, Dimension: 3, Arms: n, Rank: 1}} {
		p := try.Of(problem.Family(size, gap, 1))
		r := try.Of(bounds.Compute(t.Context(), p, engine.Options{Delta: delta}))
		all := p.N()
		g := gramProblem{gram: mat.NewSymDense(all, nil), ridge: r.Ridge}
		for i := range all {
			for j := i; j < all; j++ {
				z, x := 0.0, 0.0
				for _, column := range p.Tasks.X {
					z += column[p.TaskOf[i]] * column[p.TaskOf[j]]
				}
				for _, column := range p.Arms.X {
					x += column[i] * column[j]
				}
				g.gram.SetSym(i, j, z*x)
			}
		}
		top := 0.0
		for i := range all {
			top = max(top, g.gram.At(i, i))
		}
		gain, lambda := g.gain(all)
		v, d := float64(size.Tasks), float64(size.Dimension*size.Rank)
		scaled, trace := mat.NewSymDense(all, nil), 0.0
		for i := range all {
			for j := i; j < all; j++ {
				scaled.SetSym(i, j, g.gram.At(i, j)*math.Sqrt(lambda[i]*lambda[j]))
			}
			trace += scaled.At(i, i)
		}
		var eigen mat.EigenSym
		eigen.Factorize(scaled, false)
		rank := 0
		for _, a := range eigen.Values(nil) {
			if a > 1e-10*top {
				rank++
			}
		}
		best := make([]int, size.Tasks)
		for task := range best {
			best[task] = task * n
			for i := task * n; i < (task+1)*n; i++ {
				if p.Mean[i] > p.Mean[best[task]] {
					best[task] = i
				}
			}
		}
		contrasts := func(within bool) (pairs []weightedPair) {
			for i, task := range p.TaskOf {
				for j := range i {
					if within && p.TaskOf[j] == task {
						pairs = append(pairs, weightedPair{i, j, 1})
					}
				}
				if lead := p.Mean[best[task]] - p.Mean[i]; !within && i != best[task] {
					pairs = append(pairs, weightedPair{best[task], i, 1 / (lead * lead)})
				}
			}
			return pairs
		}
		g.pairs = contrasts(true)
		first := g.minimax(t, all)
		g.pairs = contrasts(false)
		star := g.minimax(t, all)
		g.ridge = 1e-8
		time := 2 * g.minimax(t, all)

		rounds, pairs := math.Ceil(math.Log2(2/gap))+1, v*n*n
		samples := func(rho float64) float64 {
			c := 1.1 * 1.1
			return (rounds*(2048*c*rho*math.Log(4*pairs*rounds*rounds/delta)+1) + 32*c*4*first*math.Log(4*pairs/delta)) / v
		}
		by := 8 / (gap * gap)
		agree(t, "information gain", r.InformationGain, gain)
		agree(t, "rank", float64(r.RankJoint), float64(rank))
		agree(t, "effective dimension", float64(r.EffectiveDimension), d) // each direction is far above this ξ
		agreeWithin(t, 5e-4, "theorem", r.Theorem.FC, samples(star))
		agree(t, "corollary (a)", r.Corollary.FC.A, samples(by*gain))
		agree(t, "corollary (b)", r.Corollary.FC.B, samples(by*d*math.Log(2*float64(all)*(1+trace/(r.Ridge*d)))))
		agree(t, "corollary (c)", r.Corollary.FC.C, samples(by*d*math.Log((float64(all)+trace/r.Ridge)/float64(rank))))
		agreeWithin(t, 5e-4, "lower bound", r.LowerBoundSamples, time*(1-2*delta)*math.Log((1-delta)/delta)/v)
	}
}

func agree(t *testing.T, what string, got, want float64) {
	t.Helper()
	agreeWithin(t, 1e-4, what, got, want)
}

func agreeWithin(t *testing.T, tolerance float64, what string, got, want float64) {
	t.Helper()
	t.Logf("%s: %.8g, independently %.8g", what, got, want)
	if math.Abs(got/want-1) > tolerance {
		t.Errorf("%s = %.8g, the independent method gives %.8g", what, got, want)
	}
}
