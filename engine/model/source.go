package model

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// source has the kernel values on the points of a problem, and their Cholesky factor. Models that differ only in
// precisions share a source.
type source struct {
	gram    kernels.Matrix
	factor  *kernels.Growing
	maxRank int
	scale   float64 // kernel units of one unit of φᵀφ
	root    float64 // √scale

	features *once[*exactFeatures]
	grouped  *once[*gp.Blocked] // see Model.grouped
	along    *once[[]float64]   // see Relations.coarse
}

// exactFeatures has the features from a pivoted Cholesky factor. They are exact up to rounding, unless the factor was cut
// at the largest rank.
type exactFeatures struct {
	matrix     *mat.Dense
	pivots     []int
	truncation float64
	cut        bool
	grown      *kernels.Growing // the factor of these features if whole needs to continue it; nil otherwise
}

// newSource checks the kernel on the problem's points and computes the diagonal of its Gram matrix.
func newSource(ctx context.Context, p *problem.Problem, maxRank int) (_ *source, err error) {
	defer try.Caught(&err)
	try.Of(p.Kernel.Check(p.Tasks, p.Arms))
	gram := try.Of(p.Kernel.On(ctx, p.Tasks, p.Arms, p.TaskOf))
	s := &source{gram: gram, maxRank: maxRank, features: newOnce[*exactFeatures](), grouped: newOnce[*gp.Blocked](),
		along: newOnce[[]float64]()}
	s.factor = try.Of(kernels.Grow(gram))
	s.scale, s.root = scaleOf(s.factor.Largest())
	return s, nil
}

// exact returns the features and computes them on the first call. It uses a separate factor, so that columns beyond the
// shared ones are stored only once, as features.
func (s *source) exact(ctx context.Context) (*exactFeatures, error) {
	return s.features.get(ctx, func() (_ *exactFeatures, err error) {
		defer try.Caught(&err)
		own := try.Of(s.factor.Continued(ctx))
		factor := try.Of(own.Factor(ctx, s.maxRank, 0))
		f := &exactFeatures{matrix: factor.L, pivots: factor.Pivots, truncation: factor.Residual}
		f.cut = f.truncation > sameToFactor*factor.Largest
		floats.Scale(1/s.root, f.matrix.RawMatrix().Data)
		snap(f.matrix, sameToFactor*factor.Largest/s.scale)
		if f.cut && s.gram.Len() <= exactNorm {
			f.grown = own
		}
		return f, nil
	})
}

// whole returns the factor of the whole Gram matrix. It continues the factor of cut features, and requires at most
// exactNorm arms.
func (s *source) whole(ctx context.Context) (_ kernels.Factor, err error) {
	defer try.Caught(&err)
	f := try.Of(s.exact(ctx))
	return try.Of(f.grown.Continued(ctx)).Factor(ctx, 0, 0) // so that the further columns are not kept
}

// scaleOf returns the power of four nearest to the largest variance of a kernel, and its root. A division of features by
// this root is exact, because it is a power of two.
func scaleOf(diagonal float64) (scale, root float64) {
	exponent := int(math.Round(math.Log2(diagonal) / 2))
	return math.Ldexp(1, 2*exponent), math.Ldexp(1, exponent)
}

// normalised is a Gram matrix divided by scale. Its values are φ_iᵀφ_j.
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

// Gram returns the matrix of exact kernel values, normalised: row i has φ_iᵀφ_j = k(x̃_i, x̃_j)/Scale for every arm j.
// Values are computed when they are read; kernels.Part reads parts of rows.
func (m *Model) Gram() kernels.Matrix { return normalised{m.source.gram, m.Scale} }

// Among returns the exact kernel values between the given arms, normalised.
func (m *Model) Among(arms []int) (kernels.Matrix, error) {
	p := m.Problem
	taskOf := indices.Of(p.TaskOf, arms)
	gram, err := p.Kernel.On(m.Context(), p.Tasks, p.Arms.Subset(arms), taskOf)
	if err != nil {
		return nil, err
	}
	return normalised{gram, m.Scale}, nil
}

// Variances returns k(x̃_i, x̃_i) of the N arms, normalised.
func (m *Model) Variances() []float64 {
	return lists.Map(m.source.factor.Diagonal(), func(v float64) float64 { return v / m.Scale })
}

// Row sets dst, of length N, to the exact values φ_iᵀφ_j of arm i with all arms, normalised.
func (m *Model) Row(dst []float64, i int) { m.Gram().Row(dst, i) }

// entriesAtOnce is the number of kernel values that one core computes between two checks of the context.
const entriesAtOnce = 1 << 13

// Entry returns the exact kernel value φ_iᵀφ_j of arms i and j, normalised.
func (m *Model) Entry(i, j int) float64 {
	var v [1]float64
	kernels.Part(m.Gram(), v[:], i, j)
	return v[0]
}

// Exact returns the model with its exact features and its Layout. It returns the model itself if it already has them, or
// if its arms are unrelated and need none. Features are computed once, on first use. For a kernel of rank m ≤ MaxRank on
// the arms this takes O(N m²) operations and O(N m) memory. It returns an error if the context ends, if there is no
// memory, or if the kernel is not positive semi-definite.
func (m *Model) Exact() (*Model, error) {
	if m.Features != nil || m.apartOnly {
		return m, nil
	}
	exact, err := m.exact.get(m.Context(), func() (*Model, error) {
		out := *m
		return &out, out.fill()
	})
	if err != nil {
		return nil, err
	}
	out := *exact // a copy with the model's own context and Memory
	out.life, out.Memory = m.life, m.Memory
	return &out, nil
}

// fill computes the exact features and all fields derived from them.
func (m *Model) fill() (err error) {
	defer try.Caught(&err, fmt.Sprintf("problem %q", m.Problem.Name))
	f := try.Of(m.source.exact(m.Context()))
	m.Features, m.Truncation, m.cut = f.matrix, f.truncation, f.cut
	try.To(m.lay())
	return nil
}

// lay computes all fields that are derived from features.
func (m *Model) lay() (err error) {
	if m.Layout, err = canon.NewLayout(m.Context(), m.Features, m.Precision); err != nil {
		return err
	}
	of := *m
	m.numbers = sync.OnceValue(func() string {
		lists := append([][]float64{of.Features.RawMatrix().Data}, of.others()...)
		return canon.Fingerprint(lists...) + of.Problem.Noise.UnknownBy
	})
	identify(m)
	return nil
}

// withFeatures returns the model with other features for the same arms.
func (m *Model) withFeatures(features *mat.Dense) (*Model, error) {
	out := *m
	out.derived = true
	out.Features = features
	return &out, out.lay()
}

// written returns the identity of a model without features: a hash of its points and of the text of its kernel. If the
// kernel has formulas, the text does not determine it, so a random number makes the identity unique.
func (m *Model) written() string {
	p := m.Problem
	var lists [][]float64
	var words strings.Builder
	for _, points := range []*kernels.Points{p.Tasks, p.Arms} {
		lists = append(lists, points.X...)
		fmt.Fprintf(&words, "%q%q%v", points.Columns, points.Names, points.Units)
	}
	fmt.Fprintf(&words, "%s %s", p.Kernel, p.Noise.UnknownBy)
	if len(p.Kernel.Formulas()) > 0 {
		fmt.Fprint(&words, rand.Uint64(), rand.Uint64())
	}
	text := sha256.Sum256([]byte(words.String()))
	return canon.Fingerprint(append(lists, m.others()...)...) + string(text[:16])
}

// Stopped has approximate features, from a factor that stopped at a small residual; normalised.
type Stopped struct {
	Features *mat.Dense // N × m; row i is φ_i without its residual
	Pivots   []int      // the m pivot arms, in order
	Rest     []float64  // N: residual of ‖φ_i‖², between a rounding error below 0 and Residual
	Residual float64    // largest entry of Rest
	Trace    float64    // sum of the positive entries of Rest
}

// Stopped returns the features of a factor that stops early. It stops when the residual of every ‖φ_i‖² is at most
// residual (normalised) or half of the largest ‖φ_i‖², or at rank maxRank (0 means no limit). Every φ_iᵀφ_j has an error
// of at most √(Rest_i·Rest_j). All models of a problem share one factor, which is extended to the smallest requested
// residual. The features are copied in each call.
//
// Unlike exact features, these are not made equal for equal arms: copies of an arm may differ by rounding.
func (m *Model) Stopped(maxRank int, residual float64) (Stopped, error) {
	s := m.source
	f, err := s.factor.Factor(m.Context(), maxRank, relative(m, residual))
	if err != nil {
		return Stopped{}, err
	}
	floats.Scale(1/s.root, f.L.RawMatrix().Data)
	for i := range f.Rest {
		f.Rest[i] /= m.Scale
	}
	return Stopped{Features: f.L, Pivots: f.Pivots, Rest: f.Rest, Residual: f.Residual / m.Scale, Trace: f.ResidualTrace / m.Scale}, nil
}

// Pivots returns the pivot arms of Stopped, without copying the features.
func (m *Model) Pivots(maxRank int, residual float64) ([]int, error) {
	_, pivots, err := m.source.factor.Columns(m.Context(), maxRank, relative(m, residual))
	return pivots, err
}

// relative returns residual (normalised) divided by the largest ‖φ_i‖², but at most 1/2. A larger value, from a large
// ridge, would permit an empty factor, which does not represent the kernel.
func relative(m *Model, residual float64) float64 { return min(residual*m.Scale/m.Diagonal, 0.5) }

// Residual returns the residual of Stopped with rank pivots, among those computed so far.
func (m *Model) Residual(rank int) (float64, error) {
	residual, err := m.source.factor.Residual(m.Context(), rank)
	return residual / m.Scale, err
}

// Levelled returns the model with a constant as a further feature. Its features then span the functions that methods with
// an unknown prior mean can represent. It is for Misfit and Fidelity. If the features are cut, of full rank or not
// available, it returns the model unchanged.
func (m *Model) Levelled() *Model {
	if level, err := m.level(); err == nil {
		return level
	}
	return m
}

func (m *Model) withConstant() (*Model, error) {
	m, err := m.Exact()
	if err != nil {
		return nil, err
	}
	n, dim := m.Features.Dims()
	if m.cut || dim >= n {
		return m, nil
	}
	out := *m
	out.derived = true
	out.Features = mat.NewDense(n, dim+1, nil)
	for i := range n {
		copy(out.Features.RawRowView(i), m.Features.RawRowView(i))
		out.Features.Set(i, dim, math.Sqrt(m.Diagonal/m.Scale))
	}
	out.represented = sync.OnceValues(out.Truth().represent)
	return &out, nil
}
