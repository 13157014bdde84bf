package model

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

// The function interpolates the expected rewards at the pivots, checked by a solve with their Gram matrix; its norm is √(μᵀK⁻¹μ), a lower
// limit for interpolants of more arms.
func TestNear(t *testing.T) {
	p, err := manyarms.Problem(600)
	if err != nil {
		t.Fatal(err)
	}
	m := try.Of(New(p, 0))
	last := 0.0
	for _, rank := range []int{1, 20, 70} {
		near := try.Of(m.Truth().Near(0, rank))
		pivots := try.Of(m.Pivots(rank, 0))
		gram, mu := mat.NewSymDense(rank, nil), mat.NewVecDense(rank, nil)
		for a, i := range pivots {
			mu.SetVec(a, p.Mean[i])
			for b, j := range pivots[:a+1] {
				gram.SetSym(a, b, m.Scale*m.Entry(i, j))
			}
		}
		var solved mat.VecDense
		try.To(symmetric.Solved(solved.SolveVec(gram, mu)))
		norm, misfit, row := math.Sqrt(mat.Dot(mu, &solved))/m.Unit, 0.0, make([]float64, p.N())
		values := make([]float64, p.N())
		for a, i := range pivots {
			m.Row(row, i)
			for j, v := range row {
				values[j] += m.Scale * v * solved.AtVec(a)
			}
		}
		for j, v := range values {
			misfit = max(misfit, math.Abs(p.Mean[j]-v))
		}
		if math.Abs(near.Norm/norm-1) > 1e-8 || math.Abs(near.Misfit-misfit) > 1e-8 || near.Arms != rank {
			t.Errorf("%d pivots: norm %v, misfit %v; by a solve %v and %v", near.Arms, near.Norm, near.Misfit, norm, misfit)
		}
		if near.Norm < last || near.Norm*m.Unit > manyarms.Norm {
			t.Errorf("norm %v after %v, of a function whose norm is %v", near.Norm*m.Unit, last*m.Unit, manyarms.Norm)
		}
		last = near.Norm
	}
	enough, err := m.Truth().Near(0.05, 0)
	if err != nil || enough.Misfit > 0.05 || enough.Arms >= 300 {
		t.Errorf("within 0.05: %+v, error %v", enough, err)
	}
	if before, err := m.Truth().Near(0, enough.Arms-1); err != nil || before.Misfit <= 0.05 {
		t.Errorf("fewer pivots are enough: %+v, error %v", before, err)
	}
	exact, err := m.Truth().Norm() // by least squares on the exact features
	if all, e := m.Truth().Near(0, 0); err != nil || e != nil || math.Abs(all.Norm/exact-1) > 1e-6 || all.Misfit > 1e-9 {
		t.Errorf("through all arms: %+v, and the norm is %v; errors %v, %v", all, exact, err, e)
	}
	unknown := *p
	unknown.Mean = nil
	m = try.Of(NewContext(cores.Within(context.Background(), 2), &unknown, 0))
	if _, err := m.Truth().Near(0, 0); !errors.Is(err, engine.ErrUnknownMeans) {
		t.Errorf("without expected rewards: %v", err)
	}
}
