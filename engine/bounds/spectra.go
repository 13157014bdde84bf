package bounds

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// eigenvalues of the three Gram matrices under an allocation, largest first.
type eigenvalues struct{ joint, task, arm []float64 }

// spectra returns the eigenvalues of K_λ, K_Z and K_{X,λ}, each arm scaled by √λ_i/σ_i: of the whole
// matrices, or where the allocation is on few arms of the parts that are not 0. For a
// kernel with several terms K_Z and K_X are the sums over terms: the column space of Σ_t Z_t∘X_t
// lies in the column space of (Σ Z_t)∘(Σ X_t), so that rank K_λ ≤ rank K_Z · rank K_{X,λ} holds as for one
// term.
func spectra(ctx context.Context, m *model.Model, g gained) (eigenvalues, error) {
	if g.arms != nil {
		return fewSpectra(ctx, m, g)
	}
	m, err := m.Exact()
	if err != nil {
		return eigenvalues{}, err
	}
	p := m.Problem
	scale := lists.Make(p.N(), func(i int) float64 { return math.Sqrt(g.weights[i] * m.Precision[i]) })
	var out eigenvalues
	if out.joint, err = featureEigenvalues(ctx, m.Features, scale, p.N()); err != nil {
		return out, err
	}
	for k := range out.joint {
		out.joint[k] *= m.Scale
	}
	if out.task, err = taskEigenvalues(ctx, p); err != nil {
		return out, err
	}
	arms, err := p.Kernel.ArmMatrix(p.Arms)
	if err != nil {
		return out, err
	}
	factor, err := factorOf(ctx, arms)
	if err != nil {
		return out, err
	}
	out.arm, err = featureEigenvalues(ctx, factor, scale, p.N())
	return out, err
}

// fewSpectra returns the eigenvalues of the arms that have weight: the rows of all others in K_λ and
// K_{X,λ} are 0.
func fewSpectra(ctx context.Context, m *model.Model, g gained) (out eigenvalues, err error) {
	defer try.Caught(&err)
	out.task = try.Of(taskEigenvalues(ctx, m.Problem))
	joint := try.Of(m.Among(g.arms))
	arm := try.Of(m.Problem.Kernel.ArmMatrix(m.Problem.Arms.Subset(g.arms)))
	for _, part := range []struct {
		of   kernels.Matrix
		unit float64
		to   *[]float64
	}{{joint, m.Scale, &out.joint}, {arm, 1, &out.arm}} {
		scaled := kernels.Dense(part.of)
		for k, i := range g.arms {
			for l, j := range g.arms[:k+1] {
				weight := math.Sqrt(g.weights[k] * m.Precision[i] * g.weights[l] * m.Precision[j])
				scaled.SetSym(k, l, part.unit*weight*scaled.At(k, l))
			}
		}
		*part.to = try.Of(symmetricEigenvalues(ctx, scaled))
	}
	return out, nil
}

// mostTasks is the number of tasks up to which eigenvalues come from their Gram matrix, in seconds
// at most. Beyond, they come from its low-rank factor: an eigenvalue is off by at most the trace of the
// factor's residual, 1e-12 of the largest diagonal value for each task unless cut at
// model.MaxRank.
const mostTasks = 1024

// taskEigenvalues returns the V eigenvalues of K_Z.
func taskEigenvalues(ctx context.Context, p *problem.Problem) (_ []float64, err error) {
	defer try.Caught(&err)
	v := p.V()
	gram := try.Of(p.Kernel.TaskGram(ctx, p.Tasks))
	if v <= mostTasks {
		return symmetricEigenvalues(ctx, gram)
	}
	factor := try.Of(factorOf(ctx, stored{gram}))
	scale := slices.Repeat([]float64{1}, v)
	return featureEigenvalues(ctx, factor, scale, v)
}

// stored is a matrix that is there.
type stored struct{ *mat.SymDense }

func (s stored) Len() int { return s.SymmetricDim() }

func (s stored) Row(dst []float64, i int) {
	for j := range dst {
		dst[j] = s.At(i, j)
	}
}

func (s stored) Diagonal(dst []float64) {
	for i := range dst {
		dst[i] = s.At(i, i)
	}
}

// factorOf returns the low-rank factor of an implicit Gram matrix, exact up to model.MaxRank.
func factorOf(ctx context.Context, m kernels.Matrix) (*mat.Dense, error) {
	f, err := kernels.PivotedCholesky(ctx, m, model.MaxRank, 0)
	return f.L, err
}

// featureEigenvalues returns the n eigenvalues of S Φ Φᵀ S, S = diag(scale): the
// eigenvalues of the m × m matrix Φᵀ S² Φ, and n - m zeros.
func featureEigenvalues(ctx context.Context, features *mat.Dense, scale []float64, n int) (_ []float64, err error) {
	defer try.Caught(&err)
	const together = 512 // rows between two looks at the context
	_, dim := features.Dims()
	gram := mat.NewSymDense(dim, nil)
	var scaled mat.Dense
	for from := 0; from < n; from += together {
		try.To(ctx.Err())
		to := min(from+together, n)
		scaled.Reset()
		scaled.Mul(mat.NewDiagDense(to-from, scale[from:to]), features.Slice(from, to, 0, dim))
		blas64.Syrk(blas.Trans, 1, scaled.RawMatrix(), 1, gram.RawSymmetric())
	}
	values := try.Of(symmetricEigenvalues(ctx, gram))
	for len(values) < n {
		values = append(values, 0)
	}
	return values[:n], nil
}

// symmetricEigenvalues returns the eigenvalues, largest first; those below rounding become 0.
func symmetricEigenvalues(ctx context.Context, a *mat.SymDense) ([]float64, error) {
	ascending, err := eigen.Values(ctx, a)
	if err != nil {
		return nil, err
	}
	n := len(ascending)
	out := make([]float64, n)
	for i, v := range ascending {
		out[n-1-i] = max(0, v)
	}
	return out, nil
}

// rankTolerance is the eigenvalue, relative to the largest, that counts as zero.
const rankTolerance = 1e-10

func rank(descending []float64) int {
	return lists.Count(descending, func(v float64) bool { return v > rankTolerance*descending[0] })
}

// effectiveDimension returns d_eff = min{j : j ξ log(nV) ≥ Σ_{i>j} α_i} [Du23, Section 4.3] of n
// arms, whose last eigenvalues are 0 where alpha has fewer.
func effectiveDimension(alpha []float64, n int, ridge float64) int {
	tail := lists.Total(alpha)
	logN := math.Log(float64(n))
	for j := 1; j <= len(alpha); j++ {
		tail -= alpha[j-1]
		if float64(j)*ridge*logN >= tail {
			return j
		}
	}
	return len(alpha)
}

// RankTask returns rank K_Z of a problem, as in Report: the number of eigenvalues of the tasks'
// Gram matrix above 1e-10 of the largest. V / rank K_Z is the speedup that task similarity alone
// predicts [Du23, Section 4.3].
func RankTask(ctx context.Context, p *problem.Problem) (int, error) {
	values, err := taskEigenvalues(ctx, p)
	if err != nil {
		return 0, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	return rank(values), nil
}

const (
	// wholeArms is the number of arms up to which an information gain comes from a design on all of
	// them; with more it is so up to wholeWork products, where the rank of the kernel is known to be small.
	wholeArms = 400
	wholeWork = 2e8
)

// information returns the allocation of largest information gain, under ξ > 0 in the kernel's units: a
// design on all arms, to a relative gap of tolerance, or the search for very many.
func information(ctx context.Context, m *model.Model, ridge, tolerance float64) (_ gained, err error) {
	defer try.Caught(&err)
	n := m.Problem.N()
	if rank, known := m.LeastRank(); n > wholeArms && !(known && float64(n)*float64(rank)*float64(rank) <= wholeWork) {
		return gainOf(ctx, m, ridge)
	}
	exact := try.Of(m.Exact())
	d := try.Of(design.InformationGain(exact.Space(ridge), exact.Solver(tolerance)))
	return gained{weights: d.Weights, value: d.Value, upper: d.Upper}, nil
}
