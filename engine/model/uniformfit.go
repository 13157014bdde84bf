package model

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize/convex/lp"
)

// UniformMisfit returns the least η, in reward units, for which some function of the kernel's space
// is within η of every expected reward, and an arm where it is that far off: what Options.Misfit
// must not be below.
//
// With U an orthonormal basis of the features and u what least squares leave, it is the value of
//
//	max Σ u_i (p_i - q_i)  subject to  Uᵀ(p - q) = 0, Σ (p_i + q_i) = 1, p, q ≥ 0,
//
// the dual of min η subject to |u - Uθ| ≤ η [Cheney, Introduction to Approximation Theory, 1966,
// ch. 2]. The arms with p or q above 0 give θ, and what is returned is the largest distance from
// that function: never less than the least η. Where the program cannot be solved, least squares
// give the distance.
func (m *Model) UniformMisfit() (float64, int, error) {
	t, err := m.represented()
	if err != nil {
		return 0, 0, err
	}
	if m, err = m.Exact(); err != nil {
		return 0, 0, err
	}
	if t.partial {
		return 0, 0, fmt.Errorf("problem %q: the features end at rank %d, so that what the kernel cannot represent is not known",
			m.Problem.Name, m.Rank())
	}
	off, at := t.misfit, t.worst
	if rest, err := m.uniformRest(t.off, off); err == nil {
		if largest, i := farthest(rest); largest < off {
			off, at = largest, i
		}
	}
	return off * m.Unit, at, nil
}

// uniformRest returns u - Uθ of the function that is uniformly closest to u, which is at most size.
func (m *Model) uniformRest(u []float64, size float64) ([]float64, error) {
	n, dim := m.Features.Dims()
	var svd mat.SVD
	if !svd.Factorize(m.Features, mat.SVDThin) {
		return nil, fmt.Errorf("the features have no singular values")
	}
	var basis mat.Dense
	svd.UTo(&basis)
	objective, right := make([]float64, 2*n), make([]float64, dim+1)
	rows := mat.NewDense(dim+1, 2*n, nil)
	for i, v := range u {
		objective[i], objective[n+i] = -v/size, v/size
		for k := range dim {
			rows.Set(k, i, basis.At(i, k))
			rows.Set(k, n+i, -basis.At(i, k))
		}
		rows.Set(dim, i, 1)
		rows.Set(dim, n+i, 1)
	}
	right[dim] = 1
	_, weights, err := lp.Simplex(objective, rows, right, 1e-10, nil)
	if err != nil {
		return nil, err
	}
	// On the arms with weight, u - Uθ is ± η: these equations determine θ and η.
	var support []int
	for i := range n {
		if weights[i]+weights[n+i] > 1e-12 {
			support = append(support, i)
		}
	}
	equations, values := mat.NewDense(len(support), dim+1, nil), mat.NewVecDense(len(support), nil)
	for k, i := range support {
		for j := range dim {
			equations.Set(k, j, basis.At(i, j))
		}
		equations.Set(k, dim, math.Copysign(1, weights[i]-weights[n+i]))
		values.SetVec(k, u[i])
	}
	var solution mat.VecDense
	if err := solution.SolveVec(equations, values); err != nil && !isCondition(err) {
		return nil, err
	}
	rest := make([]float64, n)
	for i := range n {
		rest[i] = u[i]
		for k := range dim {
			rest[i] -= basis.At(i, k) * solution.AtVec(k)
		}
	}
	return rest, nil
}

// farthest returns the largest absolute value, and where it is.
func farthest(values []float64) (largest float64, at int) {
	for i, v := range values {
		if math.Abs(v) > largest {
			largest, at = math.Abs(v), i
		}
	}
	return largest, at
}
