package bounds

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// located is an allocation λ > 0 on a few arms s, with methods for the gradient at any arm. Let L Lᵀ = I + ξ⁻¹ D^½ K_ss
// D^½, whose eigenvalues are at least 1 for any ξ. The gradient of arm i is
//
//	g_i = (k_ii - ‖w_i‖²)/(ξ σ_i²),  w_i = L⁻¹ ξ^-½ D^½ k_si.
type located struct {
	*gainSearch
	arms    []int
	weights []float64

	roots []float64 // √(λ_i/(ξ σ_i²))
	lower blas64.Triangular
	value float64   // F(λ)
	own   []float64 // g_i of its arms
	level float64   // Σ λ_i g_i, the mean gradient
}

// factor computes the fields that depend on the weights. It returns an error if memory is short or if the information
// matrix is not positive definite.
func (l *located) factor() (err error) {
	defer try.Caught(&err)
	n := len(l.arms)
	try.To(memlimit.Matrices(l.ctx, "the information gain", 2, n, n))
	l.roots = lists.Make(n, func(k int) float64 { return math.Sqrt(l.weights[k] * l.m.Precision[l.arms[k]] / l.ridge) })
	among := try.Of(l.m.Among(l.arms))
	matrix := blas64.Symmetric{Uplo: blas.Lower, N: n, Stride: n, Data: make([]float64, n*n)}
	for k := range n {
		row := matrix.Data[k*n : (k+1)*n]
		among.Row(row, k)
		for j := range row {
			row[j] *= l.roots[k] * l.roots[j]
		}
		row[k]++
	}
	var ok bool
	if l.lower, ok = lapack64.Potrf(matrix); !ok {
		return errors.New("the information matrix is not positive definite")
	}
	for k := range n {
		l.value += 2 * math.Log(l.lower.Data[k*n+k])
	}
	l.own = try.Of(l.gradients(view{among, indices.Of(l.m.Precision, l.arms), indices.All(n)}))
	for k, g := range l.own {
		l.level += l.weights[k] * g
	}
	return nil
}

// view is a matrix of normalised kernel values. Its first points are the arms whose gradients are computed, with their
// precisions. `own` has the rows of the allocation's arms.
type view struct {
	values    kernels.Matrix
	precision []float64
	own       []int
}

// pricedRows is the number of arms that one core processes at a time, so that their whitened values fit into its cache.
const pricedRows = 256

// gradients returns the gradient g_i (see located) of each of the first len(v.precision) points of the view.
func (l *located) gradients(v view) ([]float64, error) {
	out, diagonal := make([]float64, len(v.precision)), make([]float64, v.values.Len())
	v.values.Diagonal(diagonal)
	return out, cores.Do(l.ctx, len(out), pricedRows, func(from, to int) {
		w := l.whitened(v, from, to)
		for k := range w.Rows {
			for j, x := range w.Data[k*w.Stride : k*w.Stride+w.Cols] {
				out[from+j] += x * x
			}
		}
		for i := from; i < to; i++ {
			out[i] = v.precision[i] * (diagonal[i] - out[i]) / l.ridge
		}
	})
}

// whitened returns the vectors w_i of the points from ≤ i < to of a view, one per column.
func (l *located) whitened(v view, from, to int) blas64.General {
	w := blas64.General{Rows: len(l.arms), Cols: to - from, Stride: to - from, Data: make([]float64, len(l.arms)*(to-from))}
	for k, i := range v.own {
		row := w.Data[k*w.Stride : (k+1)*w.Stride]
		kernels.Part(v.values, row, i, from)
		blas64.Scal(l.roots[k], blas64.Vector{N: len(row), Inc: 1, Data: row})
	}
	blas64.Trsm(blas.Left, blas.NoTrans, 1, l.lower, w)
	return w
}

// correlations returns a function of two positions in arms: the squared posterior correlation of these arms, given the
// allocation.
func (l *located) correlations(arms []int) (func(a, b int) float64, error) {
	n := len(arms)
	all, err := l.m.Among(slices.Concat(arms, l.arms))
	if err != nil {
		return nil, err
	}
	own := indices.All(n + len(l.arms))[n:]
	w := l.whitened(view{values: all, own: own}, 0, n)
	covariance := mat.NewDense(n, n, nil)
	for k := range n {
		kernels.Part(all, covariance.RawRowView(k), k, 0)
	}
	blas64.Gemm(blas.Trans, blas.NoTrans, -1, w, w, 1, covariance.RawMatrix())
	return func(a, b int) float64 {
		c := covariance.At(a, b)
		return c * c / (covariance.At(a, a) * covariance.At(b, b))
	}, nil
}

// SpectrumOf returns the eigenvalues of K_{λ*}, K_Z and K_{X,λ*}, where λ* is the allocation of largest information gain.
// It returns an error if the problem is invalid or ctx ends.
func SpectrumOf(ctx context.Context, p *problem.Problem, opt engine.Options) (_ Spectrum, err error) {
	defer try.Caught(&err)
	m := try.Of(model.NewContext(ctx, p, opt.Unit))
	defer try.Caught(&err, "spectrum")
	ridge := try.Of(m.Designs().RidgeOf(engine.ModeFC, opt))
	g := try.Of(information(ctx, m, ridge, 0))
	s := try.Of(spectra(ctx, m, g))
	return Spectrum{
		Problem: p.Name, Arms: p.N(), Ridge: ridge, Joint: s.joint, Task: s.task, Arm: s.arm,
		EffectiveDimension: effectiveDimension(s.joint, p.N(), ridge),
		InformationGain:    g.value, InformationGainUpper: g.upper,
	}, ctx.Err()
}

// FirstRound returns the allocation of the first round [Du23, Alg. 1, l. 4] with a relative duality gap of at most tol (0
// means 1e-6). Arms with a weight up to 1e-9 are omitted. ξ is computed from the measured arms.
func FirstRound(ctx context.Context, p *problem.Problem, opt engine.Options, tol float64) (_ Design, err error) {
	defer try.Caught(&err)
	m := try.Of(model.NewContext(ctx, p, opt.Unit))
	known := m
	if p.Partial != nil {
		known = try.Of(model.NewContext(ctx, p.Measured(), opt.Unit))
	}
	ridge, err := known.Designs().RidgeOf(engine.ModeFC, opt)
	if err != nil {
		return Design{}, fmt.Errorf("design: %w", err)
	}
	d := try.Of(firstRound(m, ridge, tol))
	a := Design{Problem: p.Name, Ridge: ridge, Value: d.Value, Lower: d.Lower, Iterations: d.Iterations, Status: d.Status.String()}
	for i, w := range d.Weights {
		if w > 1e-9 {
			a.Weights = append(a.Weights, AllocationWeight{p.Tasks.Names[p.TaskOf[i]], p.Arms.Names[i], w})
		}
	}
	return a, ctx.Err()
}

// firstRound returns the design for all pairs of each task. With a ridge and very many arms it uses an exchange.
func firstRound(m *model.Model, ridge, tol float64) (_ design.Design, err error) {
	defer try.Caught(&err)
	c := design.Contrasts{Groups: m.Problem.Groups()}
	tol = cmp.Or(tol, 1e-6)
	if ridge > 0 && m.Many() {
		const within = 2.5 // the gap of an exchange may be this multiple of its tolerance
		x := try.Of(m.Designs().CertifierWithin(ridge, tol/within))
		d, err := x.Design(c)
		if d.Status == design.Optimal && d.DualityGap() > tol {
			d.Status = design.Stalled
		}
		return d, err
	}
	m = try.Of(m.Exact())
	return design.Minimax(m.Space(ridge), c, m.Solver(tol))
}

// HardnessOf returns the gap and the difficulty of each task: ρ*(0) of the task alone, and the weight of its arms in the
// joint ρ*(0) allocation. A task with tied best arms has RhoAlone = +Inf, and all weights are then 0. It returns an error
// if the expected rewards are unknown.
func HardnessOf(ctx context.Context, p *problem.Problem) (h Hardness, err error) {
	defer try.Caught(&err)
	m := try.Of(model.NewContext(ctx, p, 0))
	best, err := m.Truth().Best()
	if err != nil {
		return Hardness{}, fmt.Errorf("hardness: %w", err)
	}
	share := make([]float64, p.N())
	if d, err := m.Truth().Hardness(0, 0); err == nil {
		share = d.Weights
	}
	h.Problem = p.Name
	for v, b := range best {
		lo, hi := p.ArmsOf(v)
		row := HardnessRow{Task: p.Tasks.Names[v], Arms: hi - lo, Best: p.Arms.Names[b], Noise: p.Noise.Scales[b], Gap: math.Inf(1)}
		for i := lo; i < hi; i++ {
			if gap := p.Mean[b] - p.Mean[i]; i != b && gap < row.Gap {
				row.Gap, row.Second = gap, p.Arms.Names[i]
			}
			row.Weight += share[i]
		}
		row.GapToNoise = row.Gap / row.Noise
		alone := try.Of(model.NewContext(ctx, p.Only(v), m.Unit))
		row.RhoAlone = math.Inf(1)
		if d, err := alone.Truth().Hardness(0, 0); err == nil {
			row.RhoAlone = d.Value
		}
		h.Rows = append(h.Rows, row)
	}
	return h, ctx.Err()
}
