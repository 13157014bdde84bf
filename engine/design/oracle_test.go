package design

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// The oracle: everything below works on the features as given, with explicit
// inverses, and shares no code with the package.

// inverseInformation returns A(ξ, λ)⁻¹.
func inverseInformation(t testing.TB, s Space, lambda []float64) *mat.Dense {
	n, m := s.Features.Dims()
	a := mat.NewDense(m, m, nil)
	for i := range m {
		a.Set(i, i, s.Ridge)
	}
	for k := range n {
		f := lambda[k]
		if s.Precision != nil {
			f *= s.Precision[k]
		}
		for i := range m {
			for j := range m {
				a.Set(i, j, a.At(i, j)+f*s.Features.At(k, i)*s.Features.At(k, j))
			}
		}
	}
	var inv mat.Dense
	if err := inv.Inverse(a); err != nil {
		if _, ok := err.(mat.Condition); !ok {
			t.Fatal(err)
		}
	}
	return &inv
}

func allPairs(c Contrasts) []Pair {
	pairs := append([]Pair(nil), c.Pairs...)
	for _, g := range c.Groups {
		for a, i := range g {
			for _, j := range g[:a] {
				pairs = append(pairs, Pair{I: i, J: j, Weight: 1})
			}
		}
	}
	return pairs
}

func contrast(s Space, p Pair) *mat.VecDense {
	_, m := s.Features.Dims()
	y := mat.NewVecDense(m, nil)
	y.SubVec(s.Features.RowView(p.I), s.Features.RowView(p.J))
	y.ScaleVec(math.Sqrt(p.Weight), y)
	return y
}

// slowValue returns max_p ‖y_p‖²_{A⁻¹}.
func slowValue(t testing.TB, s Space, c Contrasts, lambda []float64) float64 {
	inv := inverseInformation(t, s, lambda)
	top := 0.0
	for _, p := range allPairs(c) {
		y := contrast(s, p)
		top = max(top, mat.Inner(y, inv, y))
	}
	return top
}

// slowLower evaluates the formula of Certificate for Minimax.
func slowLower(t testing.TB, s Space, cert Certificate) float64 {
	n, m := s.Features.Dims()
	inv := inverseInformation(t, s, cert.Weights)
	g, f := make([]float64, n), 0.0
	for k, p := range cert.Pairs {
		y := contrast(s, p)
		f += cert.Dual[k] * mat.Inner(y, inv, y)
		v := mat.NewVecDense(m, nil)
		v.MulVec(inv, y)
		for i := range n {
			x := mat.Dot(s.Features.RowView(i), v)
			x *= x * cert.Dual[k]
			if s.Precision != nil {
				x *= s.Precision[i]
			}
			g[i] += x
		}
	}
	top, lambdaG := 0.0, 0.0
	for i, v := range g {
		top = max(top, v)
		lambdaG += cert.Weights[i] * v
	}
	return f * f / (max(f-lambdaG, 0) + top)
}

// nestedSearch minimises a convex function over the simplex of n weights by
// golden sections within golden sections: slow, and independent of gradients.
func nestedSearch(n int, f func([]float64) float64) float64 {
	lambda := make([]float64, n)
	var level func(k int, left float64) float64
	level = func(k int, left float64) float64 {
		if k == n-1 {
			lambda[k] = left
			return f(lambda)
		}
		at := func(x float64) float64 {
			lambda[k] = x
			return level(k+1, left-x)
		}
		const ratio = 0.6180339887498949
		lo, hi := 0.0, left
		a, b := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
		fa, fb := at(a), at(b)
		for range 36 {
			if fa < fb {
				hi, b, fb = b, a, fa
				a = hi - ratio*(hi-lo)
				fa = at(a)
			} else {
				lo, a, fa = a, b, fb
				b = lo + ratio*(hi-lo)
				fb = at(b)
			}
		}
		return min(fa, fb)
	}
	return level(0, 1)
}
