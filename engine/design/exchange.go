package design

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Values is a Space that is given by inner products of features, such as kernel values. It is for too many arms for
// coordinates. Ridge must be positive.
type Values struct {
	Squares   []float64 // N: ‖φ_i‖²
	Precision []float64 // N: 1/σ_i²; nil means 1
	Ridge     float64   // ξ
	// Inner sets dst[k] to φ_iᵀφ_j for j = from + k. Several goroutines call it at the same time.
	Inner func(dst []float64, i, from int)
	// Among returns the function Inner for the given arms, where i and from are positions in the list.
	Among func(arms []int) (func(dst []float64, i, from int), error)
}

// Exchange solves Minimax for very many arms and pairs. It uses only exact inner products of features, so nothing is truncated:
//
//   - A restricted problem has a set T of arms that may have weight, and few contrasts. The
//     interior-point method solves it in the span of T. The part y_⊥ of a contrast outside the span
//     adds ‖y_⊥‖²/ξ to its variance, for any weights.
//
//   - At the weights found, with support S and D = diag(λ_i/σ_i²),
//
//     ξ φ_iᵀA⁻¹φ_j = k_ij - w_iᵀw_j,  w_i = L⁻¹ξ^-½D^½k_Si,  LLᵀ = I + ξ⁻¹D^½K_SSD^½.
//
//     With these, one pass over the arms computes all variances, the gradient of each arm, and the
//     arm farthest from each end, which is an arm of a present contrast. Violated contrasts and
//     helpful arms are then added.
//
//   - With very many arms, passes use a sample of the arms. The result is then checked on all arms,
//     and missing arms are added to the sample.
//
//   - At the end all pairs are compared, in coordinates with small residuals (pairbound.go).
//
// A solve starts with the arms, weights and contrasts of the last solve of the same Exchange.
//
// Lower is a bound for all weights on all arms, and Value is a bound for all contrasts, up to rounding. Reached is the largest variance
// found at Weights. The Status is Optimal if no arm and no contrast was missing at the end.
type Exchange struct {
	in   Values
	opt  Options
	stop stopper
	root []float64 // 1/σ_i

	arms   []int     // T
	at     []int     // N: position in arms, or -1 for arms outside T
	lambda []float64 // one per arm of T
	pairs  []Pair    // present contrasts
	dual   []float64 // their dual weights u
	level  float64   // value of the last restricted problem, where all present contrasts are at most this
	ends   []int     // arms for which passes search the farthest arm
	isEnd  []bool
	sample []int // arms of the passes, in increasing order; nil means all
	inView []bool

	groups [][]int
	group  []int // N: group of each arm, or -1
	listed []Pair
	byEnd  [][]int // listed contrasts by their arm J; nil without listed contrasts

	iterations int
	best       Design
	dropped    []bool // N: whether the arm was dropped in this solve; each arm is dropped at most once
}

const (
	// wholeArms is the largest number of arms for which every pass uses all of them.
	wholeArms = 3000
	// sampleArms is the number of evenly spaced arms in the first sample. The arms given to NewExchange are added to them.
	sampleArms = 2000
	// mostSampled is the largest number of arms of a restricted problem.
	mostSampled = 512
)

// NewExchange returns a search whose first restricted problem has the given arms. Their span should nearly contain the
// other arms. It uses the options Tolerance, Scan and Context. It returns an error without a ridge.
func NewExchange(in Values, arms []int, opt Options) (*Exchange, error) {
	n := len(in.Squares)
	if !(in.Ridge > 0) {
		return nil, errNoRidgeOfMany
	}
	if in.Precision != nil && len(in.Precision) != n {
		panic("design: one precision per arm is needed")
	}
	opt.Context = cmp.Or(opt.Context, context.Background())
	x := &Exchange{in: in, opt: opt, stop: stopper{opt.Context}, root: roots(in.Precision, n)}
	x.at, x.isEnd = slices.Repeat([]int{-1}, n), make([]bool, n)
	for _, i := range arms {
		if x.at[i] < 0 && x.precision(i) > 0 {
			x.at[i] = len(x.arms)
			x.arms = append(x.arms, i)
		}
	}
	if n > wholeArms {
		x.inView = make([]bool, n)
		for k := range sampleArms {
			x.inView[k*n/sampleArms] = true
		}
		x.view(x.arms)
	}
	return x, nil
}

func (x *Exchange) precision(i int) float64 { return precisionOf(x.in.Precision, i) }

// view adds arms to the sample of the passes.
func (x *Exchange) view(more []int) {
	if x.inView == nil {
		return
	}
	for _, i := range more {
		x.inView[i] = true
	}
	x.sample = indices.Where(len(x.inView), func(i int) bool { return x.inView[i] })
}

// contrasts sets the contrasts of the next solve. It panics if groups are not disjoint.
func (x *Exchange) contrasts(c Contrasts) {
	p := problem{}
	try.To(p.setContrasts(c, len(x.in.Squares)))
	x.groups, x.listed, x.byEnd = p.groups, p.pairs, nil
	x.dropped = make([]bool, len(x.in.Squares))
	x.group = slices.Repeat([]int{-1}, len(x.in.Squares))
	for k, g := range x.groups {
		for _, i := range g {
			if x.group[i] >= 0 {
				panic("design: an arm in two groups")
			}
			x.group[i] = k
		}
	}
	if len(x.listed) > 0 {
		x.byEnd = make([][]int, len(x.in.Squares))
		for k, q := range x.listed {
			x.byEnd[q.J] = append(x.byEnd[q.J], k)
			x.end(q.I)
		}
	}
	before := x.pairs
	x.pairs, x.dual = nil, nil
	for _, q := range before {
		if x.group[q.I] >= 0 && x.group[q.I] == x.group[q.J] {
			x.pairs = append(x.pairs, Pair{q.I, q.J, 1})
		}
	}
}

// end adds arm i to the ends: passes then search the arm farthest from it.
func (x *Exchange) end(i int) {
	if !x.isEnd[i] {
		x.isEnd[i] = true
		x.ends = append(x.ends, i)
	}
}

// expand returns weights of all N arms, from weights of the arms of T.
func (x *Exchange) expand(lambda []float64) []float64 {
	out := make([]float64, len(x.in.Squares))
	scatter(x.arms, lambda, out)
	return out
}

// begin sets the first weights, by a few steps towards the D-optimal ones. It keeps weights of an earlier solve.
func (x *Exchange) begin() {
	if x.lambda != nil {
		return
	}
	const sweeps = 8
	phi := x.coordinates(x.arms)
	p := &problem{phi: phi, root: indices.Of(x.root, x.arms), ridge: x.in.Ridge, stop: x.stop}
	arms, weights := p.multiplicative(sweeps)
	x.lambda = make([]float64, len(x.arms))
	for a, k := range arms {
		x.lambda[k] = 0.9 * weights[a]
	}
	for k := range x.lambda {
		x.lambda[k] += 0.1 / float64(len(x.lambda))
	}
	scale(1/sum(x.lambda), x.lambda)
}

// forget drops contrasts and arms that can have little weight at the optimum, given the gap of restricted problem d. It
// keeps those added after d was solved.
func (x *Exchange) forget(d confined) {
	gap := max(d.value/d.lower-1, 0)
	k := 0
	for a, q := range x.pairs {
		if a < len(d.h) && d.h[a] < d.value*(1-3*gap) && d.dual[a]*float64(len(d.h)) < 0.01 {
			continue
		}
		x.pairs[k] = q
		k++
	}
	x.pairs, x.dual = x.pairs[:k], nil
	top := slices.Max(d.g)
	k = 0
	for a, i := range x.arms {
		if a < len(d.g) && x.lambda[a]*float64(len(x.arms)) < 0.05 && d.g[a] < top*(1-2*gap) && !x.dropped[i] {
			x.at[i], x.dropped[i] = -1, true
			continue
		}
		x.at[i] = k
		x.arms[k], x.lambda[k] = i, x.lambda[a]
		k++
	}
	x.arms, x.lambda = x.arms[:k], x.lambda[:k]
	scale(1/sum(x.lambda), x.lambda)
	x.forgetEnds()
}

// forgetEnds resets the ends to the arms of present contrasts and the arms I of listed contrasts.
func (x *Exchange) forgetEnds() {
	for _, i := range x.ends {
		x.isEnd[i] = false
	}
	x.ends = x.ends[:0]
	for _, q := range x.listed {
		x.end(q.I)
	}
	for _, q := range x.pairs {
		x.end(q.I)
		x.end(q.J)
	}
}

func (x *Exchange) tolerance() float64 {
	if x.opt.Tolerance > 0 {
		return x.opt.Tolerance
	}
	return 0.02
}

// distanceOf returns the variance of a difference. ii and jj are the variances of its arms, and ij their covariance.
func distanceOf(ii, jj, ij float64) float64 { return math.Max(ii+jj-2*ij, 0) }

// confined is the solution of a restricted problem of an Exchange, with its bounds.
type confined struct {
	value, lower float64
	lambda       []float64 // one per arm of T
	dual         []float64 // one per present contrast, sum 1
	h            []float64 // variance of each present contrast
	g            []float64 // gradient of each arm of T
	status       Status
}

// nearCopy is the relative increase of squared features in computed coordinates, so that nearly dependent arms have a
// Cholesky factor. Only restricted problems use these coordinates; their results are evaluated with exact values.
const nearCopy = 1e-9

// coordinates returns the features of some arms in an orthonormal basis of their span, one row per arm. They are the
// Cholesky factor of the arms' inner products.
func (x *Exchange) coordinates(arms []int) blas64.General {
	out := x.products(arms)
	for k := range arms {
		out.Data[k*out.Stride+k] *= 1 + nearCopy
	}
	x.factor(out)
	for k := range arms {
		clear(row(out, k)[k+1:])
	}
	return out
}

// factor overwrites a matrix with its Cholesky factor. It panics with errSingular, through try, if rounding prevents that.
func (x *Exchange) factor(a blas64.General) {
	if !cholesky(x.stop, a) {
		try.To(errSingular)
	}
}

// products returns the inner products between the given arms.
func (x *Exchange) products(arms []int) blas64.General {
	inner, out := x.among(arms), reshape(blas64.General{}, len(arms), len(arms))
	x.do(len(arms), 16, func(from, to int) {
		for k := from; k < to; k++ {
			inner(row(out, k), k, 0)
		}
	})
	return out
}

// among returns Inner for the given arms, where i and from are positions in the list.
func (x *Exchange) among(arms []int) func(dst []float64, i, from int) {
	x.stop.check()
	return try.Of(x.in.Among(arms))
}

// confine solves the restricted problem to a relative gap of tolerance.
func (x *Exchange) confine(tolerance float64) confined {
	in := interior{ridge: x.in.Ridge, stop: x.stop}
	x.restricted(&in)
	n, k := len(x.arms), len(x.pairs)
	in.lambda = lists.Make(n, func(a int) float64 { return 0.9*x.lambda[a] + 0.1/float64(n) })
	in.z, in.s, in.u = make([]float64, n), make([]float64, k), make([]float64, k)
	in.size(n, k, n)
	if !in.evaluate() {
		try.To(errSingular)
	}
	in.center(2*slices.Max(in.h)/float64(n+k), true)
	d := confined{value: math.Inf(1), lower: 1, status: IterationLimit}
	const limit = 100
	for it := 0; it < limit; it++ {
		x.stop.check()
		if it > 0 && !in.evaluate() {
			d.status = Stalled
			break
		}
		x.iterations++
		value := slices.Max(in.h)
		lower := lowerBound(in.f, in.lambdaG, slices.Max(in.g), sum(in.u))
		if done := value <= lower*(1+tolerance); done || value/lower < d.value/d.lower {
			d.value, d.lower = value, lower
			d.lambda, d.dual = append(d.lambda[:0], in.lambda...), append(d.dual[:0], in.u...)
			d.h, d.g = append(d.h[:0], in.h...), append(d.g[:0], in.g...)
			if done {
				d.status = Optimal
				break
			}
		}
		if !in.step() {
			d.status = Stalled
			break
		}
	}
	scale(1/sum(d.dual), d.dual)
	return d
}

// restricted sets the arms and contrasts of the restricted problem in the solver.
func (x *Exchange) restricted(in *interior) {
	n := len(x.arms)
	list, at := slices.Clone(x.arms), map[int]int{}
	position := func(i int) int {
		if x.at[i] >= 0 {
			return x.at[i]
		}
		k, known := at[i]
		if !known {
			k = len(list)
			at[i] = k
			list = append(list, i)
		}
		return k
	}
	for _, q := range x.pairs {
		position(q.I)
		position(q.J)
	}
	products := x.products(list)
	factor, inverse := reshape(blas64.General{}, n, n), reshape(blas64.General{}, n, n)
	for k := range n {
		copy(row(factor, k), row(products, k)[:n])
		factor.Data[k*factor.Stride+k] *= 1 + nearCopy
	}
	x.factor(factor)
	invert(x.stop, factor, inverse)
	phi := reshape(blas64.General{}, len(list), n)
	for k := range n {
		copy(row(phi, k), row(factor, k)[:k+1])
		clear(row(phi, k)[k+1:])
	}
	if len(list) > n {
		timesTriangle(window(products, n, 0, len(list)-n, n), inverse, block(phi, n, len(list)))
	}
	in.phi, in.root = block(phi, 0, n), indices.Of(x.root, x.arms)
	in.delta, in.fixed = reshape(in.delta, len(x.pairs), n), make([]float64, len(x.pairs))
	for k, q := range x.pairs {
		i, j := position(q.I), position(q.J)
		to := row(in.delta, k)
		copy(to, row(phi, i))
		axpy(-1, row(phi, j), to)
		whole := x.in.Squares[q.I] + x.in.Squares[q.J] - 2*row(products, i)[j]
		in.fixed[k] = q.Weight * max(whole-dot(to, to), 0) / x.in.Ridge
		scale(math.Sqrt(q.Weight), to)
	}
	in.large.on = n >= largeCols
}
