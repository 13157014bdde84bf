package model

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// information is one diagonal block of A = Nξ I + Σ N_i φ_iφ_iᵀ/σ_i². A is block-diagonal, and each block is factored
// separately.
type information struct {
	canon.Block
	features *mat.Dense // features of the block's arms, in the block's columns
	matrix   *mat.SymDense
	norm     float64 // upper bound of the largest eigenvalue: the largest absolute row sum
	chol     mat.Cholesky
	factored bool // whether chol is the factor of matrix
}

func newInformation(ctx context.Context, features *mat.Dense, b canon.Block, total []float64, shrink float64) (information, error) {
	part := information{Block: b}
	if len(b.Columns) == 0 { // the block's arms have no features
		return part, nil
	}
	part.features = canon.Submatrix(features, b.All, b.Columns)
	weights := indices.Of(total, b.All)
	var err error
	if part.matrix, err = GramOf(ctx, part.features, weights); err != nil {
		return part, err
	}
	symmetric.Add(part.matrix, func(int) float64 { return shrink })
	for j := range b.Columns {
		sum := 0.0
		for k := range b.Columns {
			sum += math.Abs(part.matrix.At(j, k))
		}
		part.norm = max(part.norm, sum)
	}
	return part, nil
}

// negligible is an eigenvalue relative to the largest: up to this size a direction counts as unmeasured, since rounding
// errors of a Cholesky factor are as large.
const negligible = 1e-12

// measured reports whether all eigenvalues of the block are above negligible·top. It uses only the factor: the smallest
// eigenvalue is at least 1/tr A⁻¹. A result of false is inconclusive.
func (p *information) measured(top float64) bool {
	if p.norm == 0 || !p.chol.Factorize(p.matrix) {
		return false
	}
	p.factored = true
	inverse, err := inverseFactor(&p.chol)
	if err != nil {
		return false
	}
	trace := 0.0
	for j := range p.Columns {
		for k := range j + 1 {
			trace += inverse.At(j, k) * inverse.At(j, k)
		}
	}
	return trace*negligible*top < 1
}

// hiddenPart is one unmeasured direction: the block's arms, and the components of their features along it.
type hiddenPart struct {
	arms   []int
	values []float64
}

// fill determines the unmeasured directions and returns the arms' components along them. In these directions it raises the
// eigenvalues of the matrix to top, so that a Cholesky factor exists. The effect on variances and estimates is negligible.
func (p *information) fill(ctx context.Context, top float64) (_ []hiddenPart, err error) {
	defer try.Caught(&err)
	values, vectors := try.Two(eigen.Decompose(ctx, p.matrix))
	var out []hiddenPart
	for k, value := range values { // in ascending order
		if value > negligible*top {
			break
		}
		try.To(ctx.Err())
		p.matrix.SymRankOne(p.matrix, top-value, vectors.ColView(k))
		p.factored = false
		along := mat.NewVecDense(len(p.All), nil)
		along.MulVec(p.features, vectors.ColView(k))
		out = append(out, hiddenPart{arms: p.All, values: along.RawVector().Data})
	}
	return out, nil
}

// finish writes the whitened features of the block's arms into e.White, and their products with A⁻¹ into e.solved unless
// that is nil.
func (p *information) finish(ctx context.Context, e *Estimator) (err error) {
	defer try.Caught(&err)
	if e.solved != nil {
		var inverse mat.SymDense
		try.To(symmetric.Solved(p.chol.InverseTo(&inverse)))
		try.To(byRows(ctx, len(p.All), func(from, to int) {
			var solved mat.Dense
			solved.Mul(rowsOf(p.features, from, to), &inverse)
			p.scatter(from, &solved, e.solved)
		}))
	}
	var lower mat.TriDense
	p.chol.LTo(&lower)
	return byRows(ctx, len(p.All), func(from, to int) {
		rows := rowsOf(p.features, from, to)
		blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), rows.RawMatrix()) // each row x becomes xL⁻ᵀ
		p.scatter(from, rows, e.White)
	})
}

// scatter copies rows of `from`, for the block's arms from position at on, into the matrix `to` of all arms.
func (p *information) scatter(at int, from, to *mat.Dense) {
	rows, _ := from.Dims()
	for a, i := range p.All[at : at+rows] {
		row := to.RawRowView(i)
		for b, k := range p.Columns {
			row[k] = from.At(a, b)
		}
	}
}

// Limits of Resolve, with which its time is at most a second, for any number of arms.
const (
	resolvedArms = 600  // random arms on which directions are counted
	coveredArms  = 3000 // number of random arms for which Affordable holds
	affordable   = 300  // number of directions with which runs take seconds
)

// Resolution has the number of effective dimensions of a kernel at an accuracy: after so many directions, the residual
// standard deviation of every arm is below the accuracy. Runs must sample each direction, and their memory and time grow
// with the number. For smooth kernels it does not depend on the number of arms.
type Resolution struct {
	Epsilon float64 // accuracy, reward units
	Arms    int     // N
	Drawn   int     // arms on which directions were counted
	// on the drawn arms, and extrapolated to all arms by a power law, which for most kernels is an upper estimate
	Directions [2]int
	// approximate smallest accuracy that needs few directions, reward units; 0 if Directions are already few
	Affordable float64
	// a kernel with fewer directions, as text, and its numbers of directions; "" if none is known
	Smoother           string
	SmootherDirections [2]int
}

// Scatter returns the scale of the expected rewards (reward units): the standard deviation of the known ones. If fewer
// than two are known, it returns the largest noise scale.
func Scatter(p *problem.Problem) float64 {
	means := p.Mean
	if means == nil {
		means = slices.DeleteFunc(slices.Clone(p.Partial), math.IsNaN)
	}
	if len(means) >= 2 {
		if sd := stat.StdDev(means, nil); sd > 0 {
			return sd
		}
	}
	return p.LargestNoise()
}

// Resolve computes the resolution of a problem's kernel at accuracy epsilon (reward units). It scales the kernel so that
// its functions vary as much as the rewards. It returns an error if the context ends or if the kernel is invalid on these
// arms.
func Resolve(ctx context.Context, p *problem.Problem, epsilon float64) (out Resolution, err error) {
	defer try.Caught(&err)
	out = Resolution{Epsilon: epsilon, Arms: p.N(), Drawn: min(p.N(), resolvedArms)}
	order := rand.New(rand.NewPCG(1, uint64(p.N()))).Perm(p.N())
	level := epsilon / Scatter(p)
	if out.Directions = try.Of(directions(ctx, p, p.Kernel, order, level)); out.Directions[0] <= affordable {
		return out, nil
	}
	gram, variance := try.Two(drawn(ctx, p, p.Kernel, order[:min(p.N(), coveredArms)]))
	factor := try.Of(kernels.PivotedCholesky(ctx, gram, affordable, 0))
	out.Affordable = Scatter(p) * math.Sqrt(factor.Residual/variance)
	if smoother, differs := p.Kernel.Smoother(); differs {
		if counts := try.Of(directions(ctx, p, smoother, order, level)); counts[0] <= affordable {
			out.Smoother, out.SmootherDirections = smoother.String(), counts
		}
	}
	return out, nil
}

// directions returns the number of effective dimensions of kernel k on at most resolvedArms arms, the first of order, and
// an extrapolation to all arms. level is the accuracy divided by the standard deviation of the kernel's functions.
func directions(ctx context.Context, p *problem.Problem, k kernels.Joint, order []int, level float64) ([2]int, error) {
	count := func(n int) (int, error) {
		gram, variance, err := drawn(ctx, p, k, order[:n])
		if err != nil || variance <= 0 {
			return 0, err
		}
		diagonal := make([]float64, n)
		gram.Diagonal(diagonal)
		factor, err := kernels.PivotedCholesky(ctx, gram, 0, level*level*variance/slices.Max(diagonal))
		return len(factor.Pivots), err
	}
	n := min(p.N(), resolvedArms)
	all, err := count(n)
	if err != nil || n == p.N() {
		return [2]int{all, all}, err
	}
	half, err := count(n / 2)
	if err != nil || half == 0 {
		return [2]int{all, all}, err
	}
	growth := min(max(math.Log2(float64(all)/float64(half)), 0), 1)
	most := float64(all) * math.Pow(float64(p.N())/float64(n), growth)
	return [2]int{all, min(int(math.Round(most)), p.N())}, nil
}

// drawn returns the Gram matrix of the given arms, and the variance of the kernel's functions without their common part.
// That variance is half of the mean squared difference between two of the arms.
func drawn(ctx context.Context, p *problem.Problem, k kernels.Joint, arms []int) (kernels.Matrix, float64, error) {
	index := slices.Clone(arms)
	slices.Sort(index) // keep tasks together
	taskOf := indices.Of(p.TaskOf, index)
	gram, err := k.On(ctx, p.Tasks, p.Arms.Subset(index), taskOf)
	if err != nil {
		return nil, 0, err
	}
	const sampled = 50 // rows: enough for the mean entry
	n := len(index)
	row, diagonal := make([]float64, n), make([]float64, n)
	gram.Diagonal(diagonal)
	var between float64
	rows := min(sampled, n)
	for r := range rows {
		gram.Row(row, r*n/rows)
		between += stat.Mean(row, nil) / float64(rows)
	}
	return gram, stat.Mean(diagonal, nil) - between, nil
}

// Warnings returns the warnings to show before sampling; nil if there are few directions, or if all arms were drawn.
func (r Resolution) Warnings() []engine.Warning {
	if r.Directions[0] <= affordable || r.Drawn == r.Arms {
		return nil
	}
	w := engine.Warning{Kind: engine.WarnRough,
		Numbers: []float64{r.Epsilon, float64(r.Directions[0]), float64(r.Directions[1]), float64(r.Drawn), float64(r.Arms), affordable,
			r.Affordable}}
	if r.Smoother == "" {
		return []engine.Warning{w}
	}
	return []engine.Warning{w, {Kind: engine.WarnRoughKernel, Names: []string{r.Smoother},
		Numbers: []float64{float64(r.SmootherDirections[1])}}}
}
