package model

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/cores"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// source holds the values of the kernel on the points of a problem, and what was factored of them.
// All models that differ in precisions only share one.
type source struct {
	problem *problem.Problem
	gram    kernels.Matrix
	factor  *kernels.Growing
	maxRank int
	scale   float64 // kernel units of one unit of φᵀφ
	root    float64 // √scale

	features *once[*exactFeatures]
}

// exactFeatures are the features to the rounding of a pivoted Cholesky factor, or to the largest rank.
type exactFeatures struct {
	matrix     *mat.Dense
	pivots     []int
	truncation float64
	cut        bool
	grown      *kernels.Growing // what they were taken from, where whole goes on from there; nil elsewhere
}

// newSource checks the kernel on its points and reads its diagonal.
func newSource(ctx context.Context, p *problem.Problem, maxRank int) (*source, error) {
	if _, err := p.Kernel.Check(p.Tasks, p.Arms); err != nil {
		return nil, err
	}
	gram, err := p.Kernel.On(ctx, p.Tasks, p.Arms, p.TaskOf)
	if err != nil {
		return nil, err
	}
	s := &source{problem: p, gram: gram, maxRank: maxRank, features: newOnce[*exactFeatures]()}
	if s.factor, err = kernels.Grow(gram); err != nil {
		return nil, err
	}
	s.scale, s.root = scaleOf(s.factor.Largest())
	return s, nil
}

// exact computes the features. The factor that it takes them from is its own: what it has beyond
// the columns that others share is kept once, as features.
func (s *source) exact(ctx context.Context) (*exactFeatures, error) {
	return s.features.get(ctx, func() (*exactFeatures, error) {
		own, err := s.factor.Continued(ctx)
		if err != nil {
			return nil, err
		}
		factor, err := own.Factor(ctx, s.maxRank, 0)
		if err != nil {
			return nil, err
		}
		f := &exactFeatures{matrix: factor.L, pivots: factor.Pivots, truncation: factor.Residual}
		f.cut = f.truncation > sameToFactor*factor.Largest
		f.matrix.Scale(1/s.root, f.matrix)
		snap(f.matrix, sameToFactor*factor.Largest/s.scale)
		if f.cut && s.gram.Len() <= exactNorm {
			f.grown = own
		}
		return f, nil
	})
}

// whole factors the whole Gram matrix of at most exactNorm arms whose features were cut. It goes on from
// their columns.
func (s *source) whole(ctx context.Context) (kernels.Factor, error) {
	f, err := s.exact(ctx)
	if err != nil {
		return kernels.Factor{}, err
	}
	own, err := f.grown.Continued(ctx) // the further columns are not kept
	if err != nil {
		return kernels.Factor{}, err
	}
	return own.Factor(ctx, 0, 0)
}

// scaleOf returns the power of four next to the largest variance of a kernel, and its root:
// features that are divided by the root keep every digit.
func scaleOf(diagonal float64) (scale, root float64) {
	exponent := int(math.Round(math.Log2(diagonal) / 2))
	return math.Ldexp(1, 2*exponent), math.Ldexp(1, exponent)
}

// normalised is a Gram matrix over Scale: its values are φ_iᵀφ_j.
type normalised struct {
	gram  kernels.Matrix
	scale float64
}

func (g normalised) Len() int { return g.gram.Len() }

func (g normalised) Row(dst []float64, i int) { g.Part(dst, i, 0) }

func (g normalised) Part(dst []float64, i, from int) {
	kernels.Part(g.gram, dst, i, from)
	g.divide(dst)
}

func (g normalised) Diagonal(dst []float64) {
	g.gram.Diagonal(dst)
	g.divide(dst)
}

func (g normalised) divide(dst []float64) {
	for j := range dst {
		dst[j] /= g.scale
	}
}

// Gram returns the exact values of the kernel, normalised: row i has φ_iᵀφ_j = k(x̃_i, x̃_j)/Scale for
// every arm j. Nothing of them is stored; kernels.Part reads parts of rows.
func (m *Model) Gram() kernels.Matrix { return normalised{m.source.gram, m.Scale} }

// Among returns the exact values of the kernel among some arms, normalised.
func (m *Model) Among(arms []int) (kernels.Matrix, error) {
	p := m.Problem
	taskOf := make([]int, len(arms))
	for a, i := range arms {
		taskOf[a] = p.TaskOf[i]
	}
	gram, err := p.Kernel.On(m.Context(), p.Tasks, p.Arms.Subset(arms), taskOf)
	if err != nil {
		return nil, err
	}
	return normalised{gram, m.Scale}, nil
}

// Variances returns the N values k(x̃_i, x̃_i), normalised.
func (m *Model) Variances() []float64 {
	out := make([]float64, m.Problem.N())
	for i, v := range m.source.factor.Diagonal() {
		out[i] = v / m.Scale
	}
	return out
}

// Row sets dst, of length N, to the exact values φ_iᵀφ_j of an arm with all others, normalised.
func (m *Model) Row(dst []float64, i int) { m.Gram().Row(dst, i) }

// entriesAtOnce is how many values of a kernel a core computes between two looks at the context.
const entriesAtOnce = 1 << 13

// Rows sets row k of dst to the exact values φ_iᵀφ_j of the arm i = arms[k] with the arms from ≤ j <
// from + c, where c is the number of columns of dst. It uses the cores that the model's context allows.
func (m *Model) Rows(dst *mat.Dense, arms []int, from int) error {
	if len(arms) == 0 {
		return nil
	}
	_, columns := dst.Dims()
	gram, each := m.Gram(), max(1, entriesAtOnce/columns)
	return cores.Do(m.Context(), len(arms), each, func(first, end int) {
		for k := first; k < end; k++ {
			kernels.Part(gram, dst.RawRowView(k), arms[k], from)
		}
	})
}

// Entry returns the exact value φ_iᵀφ_j, normalised.
func (m *Model) Entry(i, j int) float64 {
	var v [1]float64
	kernels.Part(m.Gram(), v[:], i, j)
	return v[0]
}
