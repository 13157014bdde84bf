package belief

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// evidence is the model at some numbers, with the measurements of some arms.
type evidence struct {
	log float64 // log marginal likelihood, nats
	// Laplace's approximation of counts: means and their variances, where the posterior has its
	// mode; of other rewards the means and variances that were measured
	target, variance []float64
	// prediction of each mean from all others, and its variance without the noise of the mean itself
	loo, looVariance []float64
}

var errSingular = errors.New("the covariance of the measurements is not positive definite")

// chosen are the measured arms that numbers are found from.
type chosen struct {
	*model
	at              []int // indices of data.cells
	y, n, rel, wins []float64
	fixed           []float64 // variances of the sites of limits, 0 of other arms; nil without any
	within, free    float64
	blocks          *blocks
	distinct        *kernels.Points // their features, once for the same arm in several tasks
	place           []int           // of each chosen arm in distinct
	taskOf          []int
	done            *sync.Pool // covariances that are no longer needed
	first           *atomic.Pointer[tables]

	// in the course of a run: squares within arms of each task with their degrees of freedom, and the stated covariances
	withinOf, freeOf []float64
	stated           *mat.SymDense
}

// newChosen takes some measured arms.
func newChosen(m *model, at []int) *chosen {
	d, c := m.d, &chosen{
		model: m, at: at, within: m.d.within, free: m.d.free, blocks: m.d.blocks, done: new(sync.Pool), first: new(atomic.Pointer[tables]),
	}
	if c.blocks != nil && len(at) < len(d.cells) { // their measurements alone
		c.blocks = newBlocks(d, at, d.rel, d.unit)
		c.within, c.free = 0, 0
		squares, freedom := d.squares()
		for _, a := range at {
			c.within, c.free = c.within+squares[a]/d.rel[a]/(d.unit*d.unit), c.free+freedom[a]
		}
	}
	c.within = max(c.within, exact*c.free)
	index := indices.Of(d.cells, at)
	c.y, c.n, c.taskOf = indices.Of(d.y, at), indices.Of(d.n, at), indices.Of(d.p.TaskOf, index)
	c.rel, c.wins, c.fixed = indices.Of(d.rel, at), indices.Of(d.wins, at), indices.Of(d.fixed, at)
	c.merge(index)
	return c
}

// merge lists the arms with these indices, each that has the same name and features in several tasks once: kernels of
// arms are evaluated on these alone.
func (c *chosen) merge(index []int) {
	seen := map[string]int{}
	var first []int
	for _, i := range index {
		key := strconv.Itoa(c.d.arms.ID[i])
		for _, x := range c.d.arms.X {
			key += "," + strconv.FormatFloat(x[i], 'b', -1, 64)
		}
		if _, ok := seen[key]; !ok {
			seen[key] = len(first)
			first = append(first, i)
		}
		c.place = append(c.place, seen[key])
	}
	c.distinct = c.d.arms.Subset(first)
}

// gram returns the covariance of the chosen arms by the tables of a kernel, with their own part and a constant: of
// each term, its kernel of tasks times its kernel of arms. The caller returns it after use.
func (c *chosen) gram(t *tables, constant float64) *mat.SymDense {
	gram, s := c.spare(), c.spots()
	raw := gram.RawSymmetric()
	for i := range raw.N {
		row := raw.Data[i*raw.Stride+i : i*raw.Stride+raw.N]
		clear(row)
		t.row(row, s.from(i), s.from(i), constant)
		row[0] += t.own
	}
	return gram
}

// spare returns an unused matrix of the chosen arms, with any numbers in it.
func (c *chosen) spare() *mat.SymDense {
	if m, ok := c.done.Get().(*mat.SymDense); ok {
		return m
	}
	return mat.NewSymDense(len(c.at), nil)
}

// whole returns a symmetric matrix with both its triangles.
func whole(m *mat.SymDense) *mat.Dense {
	var out mat.Dense
	out.CloneFrom(m)
	return &out
}

// of computes the evidence at u; predict asks for the predictions of left-out means.
func (c *chosen) of(ctx context.Context, u []float64, predict bool) (_ *evidence, err error) {
	defer try.Caught(&err)
	t := try.Of(c.tables(ctx, u, nil))
	gram := c.gram(t, 0)
	defer c.done.Put(gram)
	if c.wins != nil {
		return c.counts(gram, predict)
	}
	x := try.Of(c.normal(gram, u))
	e := &evidence{log: x.log, target: c.y, variance: x.variance}
	if predict {
		one, alpha := x.back()
		precisions := inverseDiagonal(x.upper) // of P = Σ⁻¹ - Σ⁻¹1 1ᵀΣ⁻¹/N
		for i, v := range one {
			precisions[i] -= v * v / x.inner
		}
		e.leave(alpha, precisions)
	}
	return e, nil
}

// scattered is the noise of the chosen means at some numbers.
type scattered struct {
	target   []float64     // the means, without the effects of blocks that differences within arms show
	variance []float64     // of the means without blocks
	fixed    []float64     // those that do not go with σ², 0 of others; nil without any
	cov      *mat.SymDense // V, what the target scatters by, with blocks; nil without
	rest     float64       // squares within arms that blocks do not explain, over σ²
	log      float64       // log evidence of the differences within arms, up to a constant
}

// scattered returns the noise at u. With S the squares within arms, ν their degrees of freedom and the effects β of blocks with prior
// variance τ²,
//
//	log = -½ ((S - βᵀr)/σ² + ν log σ² + log |I + τ²W/σ²|),
//
// and what differences within arms leave of β is part of V (see effects).
func (c *chosen) scattered(u []float64) (*scattered, error) {
	sigma2 := c.value(u, noiseNumber, 1)
	x := &scattered{target: c.y, variance: c.variancesAt(u), fixed: c.fixed, rest: c.within / sigma2}
	x.log = -0.5 * (x.rest + c.free*math.Log(sigma2))
	if c.blocks == nil {
		return x, nil
	}
	e, err := c.blocks.effects(sigma2 / c.value(u, blocksNumber, 0))
	if err != nil {
		return nil, err
	}
	x.rest -= e.square / sigma2
	x.log += 0.5 * (e.square/sigma2 - e.logDet)
	x.target, x.cov = slices.Clone(c.y), mat.NewSymDense(len(c.y), nil)
	floats.Add(x.target, e.shift)
	e.addTo(x.cov, sigma2)
	for k, v := range c.fixed {
		if v > 0 {
			x.cov.SetSym(k, k, v)
		}
	}
	return x, nil
}

// normal is the posterior of normal rewards at some numbers, and their evidence.
type normal struct {
	*scattered
	log         float64
	upper       blas64.Triangular
	solved      *mat.Dense // Σ⁻¹[y 1] after back
	inner, beta float64    // N, and the estimate of the constant
}

// normal computes the evidence of normal rewards y, the target, and overwrites gram. With Σ = K + V and the constant β, whose prior
// precision is Λ,
//
//	log p = -½ (yᵀΣ⁻¹y - b²/N + log |Σ| + log N - log Λ),  N = 1ᵀΣ⁻¹1 + Λ,  b = 1ᵀΣ⁻¹y,
//
// and log of scattered, up to a constant: β is integrated out [RW06, sec. 2.7].
func (c *chosen) normal(gram *mat.SymDense, u []float64) (*normal, error) {
	n := len(c.y)
	noise, err := c.scattered(u)
	if err != nil {
		return nil, err
	}
	x := &normal{scattered: noise}
	if noise.cov != nil {
		gram.AddSym(gram, noise.cov)
	} else {
		symmetric.Add(gram, func(i int) float64 { return x.variance[i] })
	}
	var ok bool
	if x.upper, ok = lapack64.Potrf(gram.RawSymmetric()); !ok { // Σ = UᵀU
		return nil, errSingular
	}
	x.solved = mat.NewDense(n, 2, nil) // U⁻ᵀ[y 1]
	x.solved.SetCol(0, x.target)
	for i := range n {
		x.solved.Set(i, 1, 1)
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, x.upper, x.solved.RawMatrix())
	var products mat.SymDense
	products.SymOuterK(1, x.solved.T())
	const precision = 1 / constantVariance
	x.inner = products.At(1, 1) + precision
	x.beta = products.At(0, 1) / x.inner
	logDet := math.Log(x.inner) - math.Log(precision)
	for i := range n {
		logDet += 2 * math.Log(x.upper.Data[i*x.upper.Stride+i])
	}
	x.log = noise.log - 0.5*(products.At(0, 0)-products.At(0, 1)*x.beta+logDet)
	if math.IsNaN(x.log) || math.IsInf(x.log, 0) {
		return nil, errSingular
	}
	return x, nil
}

// back solves for Σ⁻¹[y 1], and returns Σ⁻¹1 and α = Σ⁻¹(y - β).
func (x *normal) back() (one, alpha []float64) {
	blas64.Trsm(blas.Left, blas.NoTrans, 1, x.upper, x.solved.RawMatrix())
	one, alpha = mat.Col(nil, 1, x.solved), mat.Col(nil, 0, x.solved)
	floats.AddScaled(alpha, -x.beta, one)
	return one, alpha
}

// leave predicts each mean from all others [RW06, eq. 5.12], from P times the target and the diagonal of P, the inverse of the
// covariance that includes the uncertainty of the constant.
func (e *evidence) leave(alpha, precisions []float64) {
	e.loo, e.looVariance = make([]float64, len(alpha)), make([]float64, len(alpha))
	for i, p := range precisions {
		e.loo[i], e.looVariance[i] = e.target[i]-alpha[i]/p, max(1/p-e.variance[i], 0)
	}
}

// inverseDiagonal returns the diagonal of (UᵀU)⁻¹.
func inverseDiagonal(upper blas64.Triangular) []float64 {
	n := upper.N
	inverse := mat.NewDense(n, n, nil) // U⁻ᵀ
	for i := range n {
		inverse.Set(i, i, 1)
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, upper, inverse.RawMatrix())
	out := make([]float64, n)
	for k := range n {
		for i, v := range inverse.RawRowView(k) {
			out[i] += v * v
		}
	}
	return out
}

// condition drops gonum's warning of a matrix that is nearly singular: jumps of the evidence show it.
func condition(err error) error {
	var bad mat.Condition
	if errors.As(err, &bad) && !math.IsInf(float64(bad), 1) {
		return nil
	}
	return err
}

const newtonSteps, newtonEnough = 60, 1e-8

// counts computes Laplace's approximation to the evidence of binomial counts with logistic link
// [RW06, alg. 3.1 and eq. 3.32, with n trials of each arm].
func (c *chosen) counts(gram *mat.SymDense, predict bool) (*evidence, error) {
	n := len(c.y)
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, gram.At(i, j)+constantLogit)
		}
	}
	e := &evidence{target: make([]float64, n), variance: make([]float64, n)}
	f, a, root, b := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	score := func(f, a []float64) float64 {
		sum := -0.5 * floats.Dot(a, f)
		for i, v := range f {
			sum += c.wins[i]*v - c.n[i]*softplus(v)
		}
		return sum
	}
	var chol mat.Cholesky
	weigh := func() bool {
		for i, v := range f {
			p := logistic(v)
			w := max(c.n[i]*p*(1-p), 1e-10)
			root[i] = math.Sqrt(w)
			b[i] = w*v + c.wins[i] - c.n[i]*p
		}
		inner := symmetric.Make(n, func(i, j int) float64 { return root[i] * gram.At(i, j) * root[j] })
		return chol.Factorize(symmetric.Add(inner, func(int) float64 { return 1 }))
	}
	last := score(f, a)
	scaled, solved, next := mat.NewVecDense(n, nil), mat.NewVecDense(n, nil), mat.NewVecDense(n, nil)
	for range newtonSteps {
		if !weigh() {
			return nil, errSingular
		}
		next.MulVec(gram, mat.NewVecDense(n, b))
		for i := range n {
			scaled.SetVec(i, root[i]*next.AtVec(i))
		}
		if err := condition(chol.SolveVecTo(solved, scaled)); err != nil {
			return nil, err
		}
		to := lists.Make(n, func(i int) float64 { return b[i] - root[i]*solved.AtVec(i) })
		// along the step, halved until the score does not fall
		var at float64
		for step := 1.0; ; step /= 2 {
			try := lists.Make(n, func(i int) float64 { return a[i] + step*(to[i]-a[i]) })
			next.MulVec(gram, mat.NewVecDense(n, try))
			if at = score(next.RawVector().Data, try); at >= last-newtonEnough || step < 1e-6 {
				copy(a, try)
				copy(f, next.RawVector().Data)
				break
			}
		}
		if math.Abs(at-last) < newtonEnough {
			break
		}
		last = at
	}
	if !weigh() {
		return nil, errSingular
	}
	e.log = score(f, a) - 0.5*chol.LogDet()
	for i := range n {
		w := root[i] * root[i]
		e.variance[i], e.target[i] = 1/w, b[i]/w
	}
	if math.IsNaN(e.log) {
		return nil, errSingular
	}
	if predict { // of the targets, as for normal rewards
		symmetric.Add(gram, func(i int) float64 { return e.variance[i] })
		upper, ok := lapack64.Potrf(gram.RawSymmetric())
		if !ok {
			return nil, errSingular
		}
		both := mat.NewDense(n, 1, slices.Clone(e.target))
		blas64.Trsm(blas.Left, blas.Trans, 1, upper, both.RawMatrix())
		blas64.Trsm(blas.Left, blas.NoTrans, 1, upper, both.RawMatrix())
		e.leave(both.RawMatrix().Data, inverseDiagonal(upper))
	}
	return e, nil
}

// softplus returns log(1 + exp(v)).
func softplus(v float64) float64 {
	if v > 30 {
		return v
	}
	return math.Log1p(math.Exp(v))
}
