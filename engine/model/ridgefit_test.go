package model

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
	"github.com/gonb-cope/gonb-cope/internal/base/ending"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// A ridge fit in the span of all arms is the one in dual form, K(K + rI)⁻¹μ, of norm √(αᵀKα).
func TestRidgeFitIsTheDualOne(t *testing.T) {
	p := try.Of(manyarms.Problem(300))
	m := try.Of(New(p, 0))
	fits := try.Of(m.Truth().ridgeFits(p.N()))
	gram, row := mat.NewSymDense(p.N(), nil), make([]float64, p.N())
	for i := range p.N() {
		m.Row(row, i)
		for j, v := range row[:i+1] {
			gram.SetSym(i, j, m.Scale*v)
		}
	}
	values, _ := try.Two(eigen.Decompose(t.Context(), gram)) // K and LᵀL have the same eigenvalues
	mu, top := mat.NewVecDense(p.N(), p.Mean), slices.Max(values)
	for _, k := range []int{6, 15, 25} {
		got := fits[k]
		shrunk, alpha, values := mat.NewSymDense(p.N(), nil), new(mat.VecDense), new(mat.VecDense)
		shrunk.CopySym(gram)
		for i := range p.N() {
			shrunk.SetSym(i, i, gram.At(i, i)+math.Ldexp(top, -k))
		}
		try.To(symmetric.Solved(alpha.SolveVec(shrunk, mu)))
		values.MulVec(gram, alpha)
		norm, misfit := math.Sqrt(mat.Dot(alpha, values))/m.Unit, 0.0
		for i, v := range p.Mean {
			misfit = max(misfit, math.Abs(v-values.AtVec(i)))
		}
		if math.Abs(got.Norm/norm-1) > 1e-6 || math.Abs(got.Misfit-misfit) > 1e-6*misfit+1e-9 {
			t.Errorf("fit %d: norm %v and misfit %v, in dual form %v and %v", k, got.Norm, got.Misfit, norm, misfit)
		}
	}
}

// Fits ask their context at each row of the products.
func TestRidgeFitsEnd(t *testing.T) {
	p := try.Of(manyarms.Problem(300))
	const rank = 40
	m := try.Of(New(p, 0))
	if _, err := m.Truth().fitRidges(rank); err != nil { // the columns are there from here on
		t.Fatal(err)
	}
	asked := ending.Check(t, "fitRidges", 4, func(ctx context.Context) error {
		m.Until(ctx)
		_, err := m.Truth().fitRidges(rank)
		return err
	})
	if asked < rank {
		t.Errorf("asked %d times in %d rows", asked, rank)
	}
}
