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

// eigenvalues has the eigenvalues of K_λ, K_Z and K_{X,λ}, each in decreasing order.
type eigenvalues struct{ joint, task, arm []float64 }

// spectra returns the eigenvalues of K_λ, K_Z and K_{X,λ} for the allocation g, where each arm is scaled by √λ_i/σ_i. An
// allocation on few arms uses only these, since the other rows are 0. For a kernel with several terms, K_Z and K_X are
// sums over terms. The column space of Σ_t Z_t∘X_t lies in that of (Σ Z_t)∘(Σ X_t), so rank K_λ ≤ rank K_Z · rank K_{X,λ}
// also holds for several terms.
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

// mostTasks is the largest number of tasks for which eigenvalues are computed from the Gram matrix, which takes seconds at
// most. For more tasks they are those of a low-rank factor. The error of an eigenvalue is then at most the trace of the
// residual, 1e-12 of the largest diagonal value per task, unless the factor is cut at model.MaxRank.
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

// stored is a kernels.Matrix whose values are stored.
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

// factorOf returns a Cholesky factor of a Gram matrix. It is exact up to rounding if the rank is at most model.MaxRank.
func factorOf(ctx context.Context, m kernels.Matrix) (*mat.Dense, error) {
	f, err := kernels.PivotedCholesky(ctx, m, model.MaxRank, 0)
	return f.L, err
}

// featureEigenvalues returns the n eigenvalues of S Φ Φᵀ S, where S² = diag(weights) and n is the number of weights. These
// are the eigenvalues of Φᵀ S² Φ, and zeros.
func featureEigenvalues(ctx context.Context, features *mat.Dense, weights []float64) (_ []float64, err error) {
	defer try.Caught(&err)
	values := try.Of(symmetricEigenvalues(ctx, try.Of(model.GramOf(ctx, features, weights))))
	n := len(weights)
	return append(values, make([]float64, max(0, n-len(values)))...)[:n], nil
}

// symmetricEigenvalues returns the eigenvalues of a in decreasing order. Negative ones, which are rounding errors, are set
// to 0.
func symmetricEigenvalues(ctx context.Context, a *mat.SymDense) ([]float64, error) {
	values, err := eigen.Values(ctx, a)
	for k, v := range values {
		values[k] = max(0, v)
	}
	slices.Reverse(values)
	return values, err
}

// rankTolerance is an eigenvalue relative to the largest: smaller ones count as zero.
const rankTolerance = 1e-10

func rank(descending []float64) int {
	return lists.Count(descending, func(v float64) bool { return v > rankTolerance*descending[0] })
}

// effectiveDimension returns d_eff = min{j : j ξ log(nV) ≥ Σ_{i>j} α_i} [Du23, Section 4.3]. alpha has the eigenvalues in
// decreasing order, where missing ones are 0, and n is the number of arms of all tasks.
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

// RankTask returns rank K_Z of a problem, as in Report: the number of eigenvalues of the tasks' Gram matrix above 1e-10 of
// the largest. V / rank K_Z is the speedup that similarity of tasks alone predicts [Du23, Section 4.3].
func RankTask(ctx context.Context, p *problem.Problem) (int, error) {
	values, err := taskEigenvalues(ctx, p)
	if err != nil {
		return 0, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	return rank(values), nil
}

const (
	// wholeArms is the number of arms up to which the information gain is computed by a design on all arms. For more arms
	// this is done only if the kernel's rank is known and N·rank² ≤ wholeWork.
	wholeArms = 400
	wholeWork = 2e8
)

// information returns an allocation of largest information gain for ξ = ridge > 0 (kernel units). It is a design on all
// arms with a relative gap of tolerance or, for very many arms, the result of gainSearch.
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
