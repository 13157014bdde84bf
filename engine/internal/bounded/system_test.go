package bounded

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The estimate of docs/theory/norm.md, transcribed plainly: p by elimination, its
// variance and the error functional summed over arms. The family must say the same at every a.
//
//	docs/theory/norm.md   here
//	A = K_ss + D/v   instance.solve
//	p, G, V          p, functional, variance
func TestFamilyIsThePlainEstimate(t *testing.T) {
	for seed := range uint64(6) {
		in := newInstance(t, seed)
		system := try.Of(NewSystem(t.Context(), in.support, in.rows, in.noise))
		rng := rand.New(rand.NewPCG(seed, 8))
		n := len(in.Arms)
		leader, arm := rng.IntN(n), 0
		for arm = rng.IntN(n); arm == leader; {
			arm = rng.IntN(n)
		}
		before := make([]float64, n) // coefficients of G
		if seed%2 == 1 {
			for i := range before {
				before[i] = rng.NormFloat64()
			}
		}
		contrast := contrastOf(in, system, leader, arm, before, seed%2 == 1)
		for _, v := range []float64{0.1, 3, 500} {
			f := system.At(contrast, v)
			for _, a := range []float64{0.2, 1, 17} {
				target := make([]float64, len(in.support))
				for j, i := range in.support {
					target[j] = a * (in.gram.At(leader, i) - in.gram.At(arm, i))
					for k, c := range before {
						target[j] -= c * in.gram.At(k, i)
					}
				}
				p := in.solve(t, v, target)
				variance, functional := 0.0, append([]float64(nil), before...)
				for j, i := range in.support {
					variance += p[j] * p[j] * in.noise[j]
					functional[i] += p[j]
				}
				functional[leader] -= a
				functional[arm] += a
				norm := math.Sqrt(max(in.square(functional), 0))
				if !near(f.Variance(a), variance, 1e-9) || !near(f.Norm(a), norm, 1e-5) || f.Norm(a) < norm*(1-1e-9) {
					t.Errorf("seed %d, v %g, a %g: variance %.12g and norm %.12g, plainly %.12g and %.12g", seed, v, a, f.Variance(a), f.Norm(a), variance, norm)
				}
				if back, ok := f.Scale(f.Variance(a)); !ok || back < a*(1-1e-6) {
					t.Errorf("seed %d: the larger a of variance %g is %g, and %g has it", seed, f.Variance(a), back, a)
				}
				weights := system.Weights(system.Coordinates(mat.NewDense(1, len(target), target)), []float64{v})
				solved := system.Solve(target, v)
				for j := range p {
					if !near(weights.At(0, j), p[j], 1e-8) || !near(solved[j], p[j], 1e-8) {
						t.Errorf("seed %d: weight %d is %g and %g, plainly %g", seed, j, weights.At(0, j), solved[j], p[j])
					}
				}
			}
		}
	}
}

func contrastOf(in instance, system *System, leader, arm int, before []float64, has bool) Contrast {
	n := len(in.support)
	gap, made := mat.NewDense(1, n, nil), mat.NewDense(1, n, nil)
	for j, i := range in.support {
		gap.Set(0, j, in.gram.At(leader, i)-in.gram.At(arm, i))
		for k, c := range before {
			made.Set(0, j, made.At(0, j)+c*in.gram.At(k, i))
		}
	}
	c := Contrast{
		Values: system.Coordinates(gap).RawRowView(0),
		Square: in.gram.At(leader, leader) + in.gram.At(arm, arm) - 2*in.gram.At(leader, arm),
	}
	if has {
		cross := 0.0
		for k, b := range before {
			cross += b * (in.gram.At(k, leader) - in.gram.At(k, arm))
		}
		c.Before = &Before{Values: system.Coordinates(made).RawRowView(0), Square: in.square(before), Cross: cross}
	}
	return c
}

// The bound on the bias is attained: by the function S·G/‖G‖, whose norm is S.
func TestBiasIsSharp(t *testing.T) {
	in := newInstance(t, 3)
	system := try.Of(NewSystem(t.Context(), in.support, in.rows, in.noise))
	const leader, arm, v, norm = 3, 9, 4.0, 2.5
	f := system.At(contrastOf(in, system, leader, arm, make([]float64, len(in.Arms)), false), v)
	target := make([]float64, len(in.support))
	for j, i := range in.support {
		target[j] = in.gram.At(leader, i) - in.gram.At(arm, i)
	}
	p, c := in.solve(t, v, target), make([]float64, len(in.Arms))
	for j, i := range in.support {
		c[i] += p[j]
	}
	c[leader]--
	c[arm]++
	size := math.Sqrt(in.square(c))
	var worst mat.VecDense
	worst.MulVec(in.gram, mat.NewVecDense(len(c), c))
	worst.ScaleVec(norm/size, &worst)
	bias := worst.AtVec(arm) - worst.AtVec(leader)
	for j, i := range in.support {
		bias += p[j] * worst.AtVec(i)
	}
	if !near(bias, norm*f.Norm(1), 1e-6) || bias < 0.01 {
		t.Errorf("the worst function is off by %.9g, the bound is %.9g", bias, norm*f.Norm(1))
	}
}

// The two arms' own means have no bias and their own variance.
func TestMeans(t *testing.T) {
	f := Means(0.7, Contrast{Before: &Before{Square: 9}})
	if f.Variance(2) != 2.8 || !near(f.Norm(2), 3, 1e-12) {
		t.Errorf("variance %g, norm %g", f.Variance(2), f.Norm(2))
	}
}
