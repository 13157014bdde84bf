package design

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Cover searches for approximately the fewest pulls n after which every target y_k has a variance of at most 1,
//
//	min Σ n_i  subject to  y_kᵀ(I + Σ n_i ρ_i φ_iφ_iᵀ)⁻¹y_k ≤ 1 for every k
//
// If these are more than Most pulls, it searches for Most pulls that approximately minimise the largest variance. Each
// solve continues from the last one, so new targets or other numbers of pulls cost only a few iterations. An
// interior-point method would start again.
//
// Pulls and dual weights u_k are multiplied by factors until both are stationary,
//
//	n_i ← n_i (g_i/ḡ)^{1/2},  g_i = ρ_i Σ_k u_k (φ_iᵀM⁻¹y_k)²,  u_k ← u_k (h_k/max h)²
//
// The first iteration is the one of [STT78] for a weighted sum of the variances h_k. Both exponents are reduced if the
// bounds do not approach each other. The computation uses the prior covariance G of the arms' rewards: M⁻¹ follows from
// (I + D^{1/2}GD^{1/2})⁻¹, where D = diag(n) on the arms with pulls. Lower is the dual bound of Minimax, which is valid
// after any iteration.
//
// [STT78] Silvey, Titterington, Torsney: An algorithm for optimal designs on a finite design space,
//
//	Communications in Statistics A 7, 1978.
type Cover struct {
	Pulls []float64 // s: n_i ≥ 0
	Most  float64   // largest allowed Σ n; +Inf initially
	Value float64   // largest variance of a target with Pulls
	Lower float64   // lower bound on the largest variance, for any allocation of as many pulls

	Iterations int

	stop     stopper
	features blas64.General // √ρ_i φ_i: s × r
	gram     blas64.General // G: s × s
	cross    blas64.General // √ρ_i φ_iᵀy_k: K × s
	square   []float64      // K: ‖y_k‖²
	dual     []float64      // K: u
	h        []float64      // K: variances of the targets

	best    []float64 // the pulls with the smallest gap so far
	bestGap float64   // that gap
	bestEnd [2]float64
	pace    float64 // step size: both exponents are multiplied by a power of it

	patience int // number of certified bounds since the gap last decreased

	coverWork
}

// coverWork is workspace that iterations share.
type coverWork struct {
	arms, targets []int          // indices of the arms and targets that the present iteration uses
	factor        blas64.General // L, LLᵀ = I + D^{1/2}GD^{1/2} on arms
	z             blas64.General // targets × arms
	g             []float64      // per arm of the cover: its gradient g_i
}

// NewCover returns a search over arms, without targets. features has one row per arm, s × r, and precision the precision
// of one pull of each arm; nil means 1. Solve stops when ctx ends.
func NewCover(ctx context.Context, features *mat.Dense, precision []float64) (c *Cover, err error) {
	defer try.Caught(&err)
	s, r := features.Dims()
	c = &Cover{Pulls: make([]float64, s), Most: math.Inf(1), stop: stopper{ctx}}
	c.g = make([]float64, s)
	c.stop.claim(s, s*r, s*s)
	c.features, c.gram = reshape(c.features, s, r), reshape(c.gram, s, s)
	for i, root := range roots(precision, s) {
		copy(row(c.features, i), features.RawRowView(i))
		scale(root, row(c.features, i))
	}
	multiply(c.stop, blas.Trans, 1, c.features, c.features, 0, c.gram)
	return c, nil
}

// Add adds targets y_k, one per row of the matrix, with as many columns as the features.
func (c *Cover) Add(targets *mat.Dense) (err error) {
	defer try.Caught(&err)
	k, _ := targets.Dims()
	s, y := len(c.Pulls), targets.RawMatrix()
	before := len(c.square)
	c.stop.claim(s, (before+k)*s)
	cross := reshape(blas64.General{}, before+k, s)
	copy(cross.Data, c.cross.Data[:before*s])
	multiply(c.stop, blas.Trans, 1, y, c.features, 0, block(cross, before, before+k))
	c.cross = cross
	mean := 1.0
	if before > 0 {
		mean = sum(c.dual) / float64(before)
	}
	for i := range k {
		c.square, c.dual, c.h = append(c.square, dot(row(y, i), row(y, i))), append(c.dual, mean), append(c.h, 0)
	}
	return nil
}

// mostCovering is the largest number of iterations of one call of Solve.
const mostCovering = 300

// Solve iterates until the largest variance is at most a factor 1 + tolerance above the smallest possible for as many
// pulls. It also must be within tolerance of 1, unless that needs more than Most pulls. begin is the initial number of
// pulls if there are none yet. If all variances are at most 1 without pulls, or there are no targets, the result has no
// pulls. It returns an error if the context ends.
func (c *Cover) Solve(begin, tolerance float64) (err error) {
	defer try.Caught(&err)
	c.Iterations, c.Value, c.Lower = 0, 0, 0
	if worst := largest(c.square); worst <= 1 {
		clear(c.Pulls)
		c.Value = worst
		return nil
	}
	if total := sum(c.Pulls); !(total > 0) {
		for i := range c.Pulls {
			c.Pulls[i] = begin / float64(len(c.Pulls))
		}
	} else {
		c.everything()
	}
	if total := sum(c.Pulls); total > c.Most {
		scale(c.Most/total, c.Pulls)
	}
	c.pace, c.patience, c.bestGap = 1, 0, math.Inf(1)
	for due := 5; ; c.Iterations++ {
		c.stop.check()
		whole := c.Iterations == 0 || c.Iterations == due || c.Iterations >= mostCovering
		c.choose(whole)
		if !c.evaluate() {
			return errSingular
		}
		if whole {
			due = c.Iterations + 4
			c.certify()
			if c.converged(tolerance) {
				return nil
			}
			if c.keep(); c.Iterations >= mostCovering {
				c.Value, c.Lower = c.bestEnd[0], c.bestEnd[1]
				copy(c.Pulls, c.best)
				return nil
			}
		}
		c.update()
	}
}

// everything gives every arm and every target at least a small weight, so that each can have a large weight again.
func (c *Cover) everything() {
	least := 1e-3 * sum(c.Pulls) / float64(len(c.Pulls))
	for i, n := range c.Pulls {
		c.Pulls[i] = max(n, least)
	}
	least = 1e-3 * sum(c.dual) / float64(len(c.dual))
	for k, u := range c.dual {
		c.dual[k] = max(u, least)
	}
}

// keep stores the pulls if their gap is the smallest so far. It reduces the step size after two gaps in a row that are
// not.
func (c *Cover) keep() {
	gap := c.Value/c.Lower - 1
	if sum(c.Pulls) < c.Most*(1-1e-9) {
		gap += math.Abs(c.Value - 1)
	}
	if gap < c.bestGap {
		c.best, c.bestGap, c.bestEnd = append(c.best[:0], c.Pulls...), gap, [2]float64{c.Value, c.Lower}
		c.patience = 0
		return
	}
	if c.patience++; c.patience == 2 {
		c.patience, c.pace = 0, max(0.7*c.pace, 0.1)
	}
}

// converged reports whether the present pulls meet the conditions of Solve.
func (c *Cover) converged(tolerance float64) bool {
	if c.Value > (1+tolerance)*c.Lower {
		return false
	}
	atMost := sum(c.Pulls) >= c.Most*(1-1e-9)
	return c.Value >= 1-tolerance && c.Value <= 1+tolerance || atMost && c.Value > 1
}

// choose selects the arms and targets of the next iteration. Arms must have pulls. Targets must have weight or a large
// variance; with whole, all targets are selected.
func (c *Cover) choose(whole bool) {
	c.arms, c.targets = c.arms[:0], c.targets[:0]
	total, top, high, weak := sum(c.Pulls), 0.0, 0.0, 1e-3
	if c.pace < 1 { // keep targets of small weight, because some arms help only these
		weak = 1e-6
	}
	for i, n := range c.Pulls {
		if n > 1e-6*total {
			c.arms = append(c.arms, i)
		} else {
			c.Pulls[i] = 0
		}
	}
	for k, u := range c.dual {
		top, high = max(top, u), max(high, c.h[k])
	}
	for k, u := range c.dual {
		if whole || u > weak*top || c.h[k] > 0.8*high {
			c.targets = append(c.targets, k)
		}
	}
}

// evaluate computes the variances of the selected targets and the gradients of the selected arms. It reports whether the
// information matrix is positive definite.
func (c *Cover) evaluate() bool {
	s, k := len(c.arms), len(c.targets)
	c.factor, c.z = reshape(c.factor, s, s), reshape(c.z, k, s)
	root := lists.Make(s, func(a int) float64 { return math.Sqrt(c.Pulls[c.arms[a]]) })
	for a, i := range c.arms {
		from, to := row(c.gram, i), row(c.factor, a)
		for b, j := range c.arms[:a+1] {
			to[b] = root[a] * root[b] * from[j]
		}
		to[a]++
	}
	if !cholesky(c.stop, c.factor) {
		return false
	}
	for t, q := range c.targets {
		from, to := row(c.cross, q), row(c.z, t)
		for a, i := range c.arms {
			to[a] = root[a] * from[i]
		}
	}
	whiten(c.stop, c.z, c.factor, c.z)
	for t, q := range c.targets {
		c.h[q] = max(c.square[q]-dot(row(c.z, t), row(c.z, t)), 0)
	}
	for i := 0; i < k; i += tileRows {
		c.stop.check()
		blas64.Trsm(blas.Right, blas.NoTrans, 1, factor(c.factor), block(c.z, i, min(i+tileRows, k)))
	}
	clear(c.g)
	for t, q := range c.targets {
		u := c.dual[q]
		for a, w := range row(c.z, t) {
			c.g[c.arms[a]] += u * w * w
		}
	}
	for _, i := range c.arms {
		c.g[i] /= c.Pulls[i]
	}
	return true
}

// certify computes the gradients of arms without pulls, and both bounds.
func (c *Cover) certify() {
	inside := indices.Mark(len(c.Pulls), c.arms)
	rest := indices.Where(len(inside), func(i int) bool { return !inside[i] })
	if len(rest) > 0 {
		across, e := reshape(blas64.General{}, len(rest), len(c.arms)), reshape(blas64.General{}, len(c.targets), len(rest))
		for b, i := range rest {
			for a, j := range c.arms {
				across.Data[b*across.Stride+a] = row(c.gram, i)[j] * math.Sqrt(c.Pulls[j])
			}
		}
		for t, q := range c.targets {
			for b, i := range rest {
				e.Data[t*e.Stride+b] = row(c.cross, q)[i]
			}
		}
		multiply(c.stop, blas.Trans, -1, c.z, across, 1, e)
		for t, q := range c.targets {
			for b, i := range rest {
				v := row(e, t)[b]
				c.g[i] += c.dual[q] * v * v
			}
		}
	}
	total, f, help, top := sum(c.Pulls), 0.0, 0.0, 0.0
	c.Value = 0
	for k, h := range c.h {
		c.Value = max(c.Value, h)
		f += c.dual[k] * h
	}
	for i, g := range c.g {
		help, top = help+c.Pulls[i]*g, max(top, g)
	}
	c.Lower = lowerBound(f, help, total*top, sum(c.dual))
	for _, i := range rest { // give pulls to arms with a larger gradient than those with pulls
		if c.g[i]*total > help {
			c.Pulls[i] = 1e-3 * total / float64(len(c.Pulls))
		}
	}
}

// update multiplies pulls and dual weights by their factors.
func (c *Cover) update() {
	total, help, high := sum(c.Pulls), 0.0, 0.0
	for _, k := range c.targets {
		high = max(high, c.h[k])
	}
	for _, i := range c.arms {
		help += c.Pulls[i] * c.g[i]
	}
	mean := help / total
	if !(mean > 0) { // no selected arm reduces the variance of a selected target
		c.everything()
		c.pace = max(0.7*c.pace, 0.1)
		return
	}
	least := 0.0
	if c.pace < 1 { // smallest factor: an arm whose pulls fell faster could be lost to a target that only this arm helps
		least = 0.01
	}
	for _, i := range c.arms {
		c.Pulls[i] *= math.Pow(max(c.g[i]/mean, least), math.Sqrt(c.pace)/2)
	}
	after := total * math.Pow(min(max(high, 0.25), 4), c.pace)
	scale(min(after, c.Most)/sum(c.Pulls), c.Pulls)
	for _, k := range c.targets {
		c.dual[k] *= math.Pow(c.h[k]/high, 2*c.pace)
	}
	scale(float64(len(c.dual))/sum(c.dual), c.dual)
}
