package manyarms

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// The functions φ_α reproduce the kernel: Σ_α φ_α(x) φ_α(y) = k(x, y) except for |α| > 6;
// the exponential series says how much these add. φ_α(y) is here by powers and the Gamma function.
func TestBasis(t *testing.T) {
	x, y := [inputs]float64{-0.5, 0.3, 0.5, -0.2, 0.1}, [inputs]float64{0.3, 0.4, -0.5, -0.4, 0.5}
	f := newFunction()
	if len(f.powers) != 462 { // (5+6 choose 6)
		t.Fatalf("%d terms", len(f.powers))
	}
	var xx, yy, xy, square float64
	for j := range x {
		xx, yy, xy = xx+x[j]*x[j], yy+y[j]*y[j], xy+x[j]*y[j]
		square += (x[j] - y[j]) * (x[j] - y[j])
	}
	for k, alpha := range f.powers {
		term := math.Exp(-yy / 2)
		for j, a := range alpha {
			term *= math.Pow(y[j], float64(a)) / math.Sqrt(math.Gamma(float64(a)+1))
		}
		f.weights[k] = term
	}
	left := math.Exp(-(xx+yy)/2) * math.Pow(math.Abs(xy), degree+1) / math.Gamma(degree+2) * math.Exp(math.Abs(xy))
	if got, want := f.at(x), math.Exp(-square/2); math.Abs(got-want) > left+1e-15 {
		t.Errorf("Σ φ(x) φ(y) = %.12g, k = %.12g, which may differ by %.3g", got, want, left)
	}
}

// No function through the values of f at some arms has a smaller norm than the interpolant
// Σ c_i k(x_i, ·), whose norm therefore is at most f's, and grows towards it.
func TestNorm(t *testing.T) {
	var last float64
	for _, n := range []int{20, 60, 150} {
		p := try.Of(Problem(n))
		f := newFunction()
		values := mat.NewVecDense(n, nil)
		for i, v := range p.TaskOf {
			point := [inputs]float64{place(v) - middle}
			for j := range p.Arms.X {
				point[j+1] = p.Arms.X[j][i] - middle
			}
			values.SetVec(i, f.at(point))
			if values.AtVec(i) != p.Mean[i] {
				t.Errorf("mean %d is %g, the function has %g", i+1, p.Mean[i], values.AtVec(i))
			}
		}
		gram := mat.NewSymDense(n, nil)
		for i := range n {
			for j := range i + 1 {
				var square float64
				for _, column := range p.Arms.X {
					square += math.Pow(column[i]-column[j], 2)
				}
				square += math.Pow(place(p.TaskOf[i])-place(p.TaskOf[j]), 2)
				gram.SetSym(i, j, math.Exp(-square/2))
			}
		}
		var factor mat.Cholesky
		if !factor.Factorize(gram) {
			t.Fatal("the Gram matrix is singular to working precision")
		}
		var c mat.VecDense
		if err := factor.SolveVecTo(&c, values); err != nil {
			t.Log(err) // the condition number, which is large
		}
		norm := math.Sqrt(mat.Dot(&c, values))
		t.Logf("%d arms: the interpolant has norm %.2f", n, norm)
		if norm > Norm || norm <= last {
			t.Errorf("%d arms: the interpolant has norm %g; want at most %g and more than %g", n, norm, Norm, last)
		}
		last = norm
	}
	if last < Norm/2 {
		t.Errorf("the interpolant of 150 arms has norm %g only, f %g", last, Norm)
	}
}

// The dimension that matters hardly grows with the number of arms: these ranks are what the
// domain was chosen for.
func TestDimension(t *testing.T) {
	for _, c := range []struct {
		arms   int
		tol    float64
		lo, hi int
	}{{1000, 1e-2, 47, 53}, {1000, 1e-3, 90, 102}, {10000, 1e-2, 54, 62}} {
		p := try.Of(Problem(c.arms))
		gram := try.Of(p.Kernel.On(context.Background(), p.Tasks, p.Arms, p.TaskOf))
		factor := try.Of(kernels.PivotedCholesky(context.Background(), gram, 0, c.tol))
		rank := len(factor.Pivots)
		t.Logf("%d arms, residual %g: rank %d", c.arms, c.tol, rank)
		if rank < c.lo || rank > c.hi {
			t.Errorf("%d arms, residual %g: rank %d, want %d to %d", c.arms, c.tol, rank, c.lo, c.hi)
		}
	}
}
