package model

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// conditioned is a posterior on the pulled arms, instead of features of all arms. variances sets dst[k] to the variance of the difference
// between arms[k] and arm from; with from = -1 to the variance of arms[k].
type conditioned interface {
	floats() int
	estimates(centre float64, y []float64) []float64
	variance(i, j int) float64
	armVariance(i int) float64
	variances(dst []float64, arms []int, from int) error
	covariances(dst []float64, arms []int, with int)
	matrix(arms []int) *mat.SymDense
}

var _, _ conditioned = (*dual)(nil), (*onTrees)(nil)

// onTrees is a posterior of arms on trees, at a cost linear in their number. With the rewards at and below node j, f_j has the precision
// Λ_j and the information η_j in addition to its prior, and
//
//	f_j | f_p ~ N(b_j f_p + v_j η_j, v_j),  b_j = a_j/(1 + s q_j Λ_j),  v_j = s q_j/(1 + s q_j Λ_j),
//	Λ_p = t_p' + Σ_j a_j b_j Λ_j,  η_p = t_p' (ȳ_p - β) + Σ_j b_j η_j over the children j of p,
//
// so the posterior has tree form again. Prior mean and independent effects are as in dual, with 1 - E(f_i | rewards of 1) = w_i and the
// precision Q of the prior mean,
//
//	E μ_i = β̂ + E(f_i | ȳ - β̂),  Cov(μ_i, μ_j) = (1 - a_i)(1 - a_j)(Cov(f_i, f_j) + w_i w_j/Q) + [i = j](1 - a_i) g,  a_i = g t_i'.
//
// For unrelated arms β̂ = Σ q_i ȳ_i/Q with q_i = 1/(s k(x̃_i, x̃_i) + 1/t_i), and w_i = q_i/t_i.
type onTrees struct {
	trees            // with b, v and the variances of f
	own    float64   // g
	with   []float64 // N: t', 0 for arms without pulls
	weight []float64 // N: w; 0 if the prior mean is stated
	levels float64   // 1/Q; 0 if the prior mean is stated
}

func (c *aroundTrees) posterior(scale float64) (*Posterior, float64, error) {
	n, at := len(c.arm), c.pass(scale)
	d := &onTrees{trees: *c.trees, own: c.own, with: make([]float64, n), weight: make([]float64, n)}
	all := make([]float64, 3*n)
	d.slope, d.free, d.spread = all[:n], all[n:2*n], all[2*n:]
	copy(d.slope, c.trees.slope)
	for j, q := range c.trees.free {
		d.free[j] = scale * q
	}
	for k, j := range c.nodes {
		pivot := 1 + d.free[j]*c.information[k]
		d.slope[j] /= pivot
		d.free[j] /= pivot
		d.with[d.arm[j]] = c.with[k]
	}
	for j, p := range d.parent {
		if d.spread[j] = d.free[j]; p >= 0 {
			d.spread[j] += d.slope[j] * d.slope[j] * d.spread[p]
		}
	}
	if !c.known {
		d.levels = 1 / at.level
		for j, f := range d.values(func(int) float64 { return 1 }) {
			d.weight[d.arm[j]] = 1 - f
		}
	}
	of := c.fitted
	of.scale = scale
	p := of.posterior(c.m, c.total, c.pulled, !c.known, c.around(at))
	p.dual = d
	return p, c.devianceAt(scale, at), nil
}

// newTreePosterior returns the posterior at a scale or, for 0, at the one with the smallest deviance. For unrelated arms independent
// effects are equivalent to a larger scale.
func newTreePosterior(m *Model, t *trees, prior Prior, counts []int, means []float64) (*Posterior, error) {
	d := newTreeMeans(m, t, prior.Level, counts, means)
	c, err := fitTested(d.total, prior.FitsOwn() && !t.alone, func(own float64) (*aroundTrees, error) {
		return d.around(own, prior.Scale*d.natural)
	})
	if err != nil {
		return nil, err
	}
	p, _, err := c.posterior(c.scale)
	return p, err
}

// treeMembers returns the members of a mixture, see mixed; for unrelated arms over the scale alone.
func treeMembers(
	m *Model, t *trees, prior Prior, before *Mixture, counts []int, means []float64, points []point, negligible float64,
) ([]Member, error) {
	d := newTreeMeans(m, t, prior.Level, counts, means)
	if before != nil {
		d.near = before.Members[0].Scale * d.natural
	}
	return membersAt(points, prior.Scale*d.natural, d.total, negligible, t.alone,
		func(own, _ float64) (*aroundTrees, error) { return d.around(own, d.natural) })
}

// values returns E f_j of nodes if the reward of each pulled arm, minus the prior mean, is of(i).
func (d *onTrees) values(of func(i int) float64) []float64 {
	n := len(d.arm)
	eta, out := make([]float64, n), make([]float64, n)
	for j := n - 1; j >= 0; j-- {
		i := d.arm[j]
		if t := d.with[i]; t > 0 {
			eta[j] += t * of(i)
		}
		if p := d.parent[j]; p >= 0 {
			eta[p] += d.slope[j] * eta[j]
		}
	}
	for j, p := range d.parent {
		if out[j] = d.free[j] * eta[j]; p >= 0 {
			out[j] += d.slope[j] * out[p]
		}
	}
	return out
}

func (d *onTrees) floats() int { return 5 * len(d.arm) }

func (d *onTrees) estimates(level float64, y []float64) []float64 {
	off := 0.0
	for i, t := range d.with {
		if t > 0 {
			off += t * d.weight[i] * (y[i] - level)
		}
	}
	level += off * d.levels
	out := make([]float64, len(y))
	for j, f := range d.values(func(i int) float64 { return y[i] - level }) {
		i := d.arm[j]
		if out[i] = level + f; d.with[i] > 0 {
			out[i] += d.own * d.with[i] * (y[i] - out[i])
		}
	}
	return out
}

// retained returns 1 - a_i.
func (d *onTrees) retained(i int) float64 { return 1 - d.own*d.with[i] }

func (d *onTrees) armVariance(i int) float64 {
	k := d.retained(i)
	return k*k*(d.spread[d.node[i]]+d.weight[i]*d.weight[i]*d.levels) + k*d.own
}

func (d *onTrees) variance(i, j int) float64 {
	var out [1]float64
	_ = d.variances(out[:], []int{i}, j) // the error is nil
	return out[0]
}

func (d *onTrees) variances(dst []float64, arms []int, from int) error {
	if from < 0 {
		for k, i := range arms {
			dst[k] = d.armVariance(i)
		}
		return nil
	}
	other := d.node[from]
	first, last, kj := d.first[other], d.last[other], d.retained(from)
	var few [treesOnStack]fork
	forks := sized(few[:], last-first)
	d.forks(forks, other)
	for k, i := range arms {
		j, ki := d.node[i], d.retained(i)
		switch {
		case i == from:
			dst[k] = 0
			continue
		case j < first || j >= last:
			dst[k] = ki*ki*d.spread[j] + kj*kj*d.spread[other]
		default:
			f := forks[j-first]
			off := ki*f.down - kj*f.otherDown
			dst[k] = off*off*d.spread[f.top] + ki*ki*f.lost + kj*kj*f.otherLost
		}
		off := ki*d.weight[i] - kj*d.weight[from]
		dst[k] += off*off*d.levels + (ki+kj)*d.own
	}
	return nil
}

func (d *onTrees) covariances(dst []float64, arms []int, with int) {
	other := d.node[with]
	first, last := d.first[other], d.last[other]
	var few [treesOnStack]float64
	row := few[:0]
	if slices.ContainsFunc(arms, func(i int) bool { return first <= d.node[i] && d.node[i] < last }) {
		row = sized(few[:], last-first)
		d.trees.covariances(row, other)
	}
	d.complete(dst, row, arms, with)
}

// complete sets dst to covariances of arms with another one. row has the covariances of f with the nodes of its tree.
func (d *onTrees) complete(dst, row []float64, arms []int, with int) {
	first, w, kj := d.first[d.node[with]], d.weight[with], d.retained(with)
	for k, i := range arms {
		v, ki := d.weight[i]*w*d.levels, d.retained(i)
		if j := d.node[i] - first; 0 <= j && j < len(row) {
			v += row[j]
		}
		if dst[k] = ki * kj * v; i == with {
			dst[k] += ki * d.own
		}
	}
}

// treesOnStack is the number of nodes of a tree up to which workspace is on the stack.
const treesOnStack = 32

// sized returns n values, in room if it is large enough.
func sized[T any](room []T, n int) []T {
	if n <= cap(room) {
		return room[:n]
	}
	return make([]T, n)
}

func (d *onTrees) matrix(arms []int) *mat.SymDense {
	out := mat.NewSymDense(len(arms), nil)
	raw := out.RawSymmetric()
	var row []float64
	for k, i := range arms {
		other := d.node[i]
		row = sized(row, d.last[other]-d.first[other])
		d.trees.covariances(row, other)
		d.complete(raw.Data[k*raw.Stride+k:k*raw.Stride+raw.N], row, arms[k:], i)
	}
	return out
}
