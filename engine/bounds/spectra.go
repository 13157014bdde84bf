package bounds

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// eigenvalues of the three Gram matrices under an allocation, largest first.
type eigenvalues struct{ joint, task, arm []float64 }

// spectra returns the eigenvalues of K_λ, K_Z and K_{X,λ}, each arm scaled by √λ_i/σ_i; an allocation on few arms uses only these, since
// the other rows are 0. For a kernel with several terms K_Z and K_X are sums over terms: the column space of Σ_t Z_t∘X_t lies in that of
// (Σ Z_t)∘(Σ X_t), so rank K_λ ≤ rank K_Z · rank K_{X,λ} holds as for one term.
func spectra(ctx context.Context, m *model.Model, g gained) (out eigenvalues, err error) {
	defer try.Caught(&err)
	p, arms, precision := m.Problem, m.Problem.Arms, m.Precision
	var features *mat.Dense
	if g.arms == nil {
		features = try.Of(m.Exact()).Features
	} else {
		arms, precision = arms.Subset(g.arms), indices.Of(precision, g.arms)
		features = try.Of(factorOf(ctx, try.Of(m.Among(g.arms))))
	}
	weights := lists.Make(len(g.weights), func(k int) float64 { return g.weights[k] * precision[k] })
	out.joint = try.Of(featureEigenvalues(ctx, features, weights))
	floats.Scale(m.Scale, out.joint)
	out.task = try.Of(taskEigenvalues(ctx, p))
	factor := try.Of(factorOf(ctx, try.Of(p.Kernel.ArmMatrix(arms))))
	out.arm = try.Of(featureEigenvalues(ctx, factor, weights))
	return out, nil
}

// mostTasks is the number of tasks up to which eigenvalues are computed from the Gram matrix, in seconds at most. Beyond, they come from
// its low-rank factor: the error of an eigenvalue is at most the trace of the residual, 1e-12 of the largest diagonal value per task
// unless cut at model.MaxRank.
const mostTasks = 1024

// taskEigenvalues returns the V eigenvalues of K_Z.
func taskEigenvalues(ctx context.Context, p *problem.Problem) (_ []float64, err error) {
	defer try.Caught(&err)
	v := p.V()
	gram := try.Of(p.Kernel.TaskGram(ctx, p.Tasks))
	if v <= mostTasks {
		return symmetricEigenvalues(ctx, gram)
	}
	return featureEigenvalues(ctx, try.Of(factorOf(ctx, stored{gram})), slices.Repeat([]float64{1}, v))
}

// stored is an explicit matrix.
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

// featureEigenvalues returns the n eigenvalues of S Φ Φᵀ S, S² = diag(weights) with n weights: the eigenvalues of Φᵀ S² Φ, and zeros.
func featureEigenvalues(ctx context.Context, features *mat.Dense, weights []float64) (_ []float64, err error) {
	defer try.Caught(&err)
	values := try.Of(symmetricEigenvalues(ctx, try.Of(model.GramOf(ctx, features, weights))))
	n := len(weights)
	return append(values, make([]float64, max(0, n-len(values)))...)[:n], nil
}

// symmetricEigenvalues returns the eigenvalues, largest first, with rounding errors set to 0.
func symmetricEigenvalues(ctx context.Context, a *mat.SymDense) ([]float64, error) {
	values, err := eigen.Values(ctx, a)
	for k, v := range values {
		values[k] = max(0, v)
	}
	slices.Reverse(values)
	return values, err
}

// rankTolerance is the eigenvalue, relative to the largest, that counts as zero.
const rankTolerance = 1e-10

func rank(descending []float64) int {
	return lists.Count(descending, func(v float64) bool { return v > rankTolerance*descending[0] })
}

// effectiveDimension returns d_eff = min{j : j ξ log(nV) ≥ Σ_{i>j} α_i} [Du23, Section 4.3] for n arms; eigenvalues missing from alpha
// are 0.
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

// RankTask returns rank K_Z of a problem, as in Report: the number of eigenvalues of the tasks' Gram matrix above 1e-10 of the largest. V
// / rank K_Z is the predicted speedup from task similarity alone [Du23, Section 4.3].
func RankTask(ctx context.Context, p *problem.Problem) (int, error) {
	values, err := taskEigenvalues(ctx, p)
	if err != nil {
		return 0, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	return rank(values), nil
}

const (
	// wholeArms is the number of arms up to which an information gain is computed by a design on all arms; beyond, up to wholeWork
	// products if the rank of the kernel is known to be small.
	wholeArms = 400
	wholeWork = 2e8
)

// information returns the allocation of largest information gain for ξ > 0 in the kernel's units: a design on all arms to a relative gap
// of tolerance, or gainSearch for very many.
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
