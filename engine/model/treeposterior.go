package model

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
)

// conditioned is a posterior that goes by the arms that were pulled, in place of features of all arms. variances sets dst[k] to the
// variance of the difference of the rewards of arms[k] and another arm, or with -1 of its reward alone.
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

// onTrees is a posterior of arms that are trees, at a cost that is linear in their number. With the rewards at and below node j, f_j has
// the precision Λ_j and the information η_j beside its prior, and
//
//	f_j | f_p ~ N(b_j f_p + v_j η_j, v_j),  b_j = a_j/(1 + s q_j Λ_j),  v_j = s q_j/(1 + s q_j Λ_j),
//	Λ_p = t_p' + Σ_j a_j b_j Λ_j,  η_p = t_p' (ȳ_p - β) + Σ_j b_j η_j over the children j of p,
//
// by which the posterior has trees again. Level and parts of arms by themselves are as of dual, with 1 - E(f_i | rewards of 1) = w_i
// and the precision Q of the level,
//
//	E μ_i = β̂ + E(f_i | ȳ - β̂),  Cov(μ_i, μ_j) = (1 - a_i)(1 - a_j)(Cov(f_i, f_j) + w_i w_j/Q) + [i = j](1 - a_i) g,  a_i = g t_i'.
//
// For unrelated arms β̂ = Σ q_i ȳ_i/Q with q_i = 1/(s k(x̃_i, x̃_i) + 1/t_i), and w_i = q_i/t_i.
type onTrees struct {
	trees            // with b, v and the variances of f
	own    float64   // g
	with   []float64 // N: t', 0 for arms without pulls
	weight []float64 // N: w; 0 where the level is stated
	levels float64   // 1/Q; 0 where the level is stated
}

// treeMeans holds what a posterior of trees is formed of, normalised.
type treeMeans struct {
	*trees
	scaling
	m        *Model
	known    bool      // whether the level is stated
	level    float64   // the one stated
	pulled   int       // arms with pulls
	total, y []float64 // N
	// by node with pulls at or below it, in their order:
	nodes, up   []int     // the node, and the place of its parent, -1 of a root
	slope, free []float64 // of the node
	order       []int     // the places of nodes, the deepest first: neighbours are of different trees, whose numbers take no turns
	// where a pass writes Λ, the means of 1 and of y - centre at and below a node, and what a node adds to sums
	information, ones, rewards, pivots, weights []float64
}

func newTreeMeans(m *Model, t *trees, level engine.Level, counts []int, means []float64) *treeMeans {
	n := len(counts)
	d := &treeMeans{
		trees: t, scaling: scaling{natural: natural(m)}, m: m, known: level.Known, level: level.Value / m.Unit,
		total: make([]float64, n), y: make([]float64, n),
	}
	bears := make([]bool, n)
	for j := n - 1; j >= 0; j-- {
		if i := t.arm[j]; counts[i] > 0 {
			bears[j] = true
			d.total[i], d.y[i] = float64(counts[i])*m.Precision[i], means[i]/m.Unit
			d.pulled++
		}
		if p := t.parent[j]; p >= 0 && bears[j] {
			bears[p] = true
		}
	}
	place := make([]int, n)
	for j, b := range bears {
		if !b {
			continue
		}
		place[j] = len(d.nodes)
		up := -1
		if p := t.parent[j]; p >= 0 {
			up = place[p]
		}
		d.nodes, d.up, d.slope, d.free = append(d.nodes, j), append(d.up, up), append(d.slope, t.slope[j]), append(d.free, t.free[j])
	}
	n = len(d.nodes)
	all := make([]float64, 5*n)
	d.information, d.ones, d.rewards, d.pivots, d.weights = all[:n], all[n:2*n], all[2*n:3*n], all[3*n:4*n], all[4*n:]
	d.order = deepestFirst(d.up)
	return d
}

// deepestFirst orders nodes by their depth, given their parents, which stand before them; of equal ones the last is first.
func deepestFirst(up []int) []int {
	depth, order := make([]int, len(up)), make([]int, len(up))
	var end []int // by depth: the nodes of this one and of larger ones
	for k, p := range up {
		if p >= 0 {
			depth[k] = depth[p] + 1
		}
		if depth[k] == len(end) {
			end = append(end, 0)
		}
		end[depth[k]]++
	}
	for d := len(end) - 2; d >= 0; d-- {
		end[d] += end[d+1]
	}
	for k, d := range depth {
		end[d]--
		order[end[d]] = k
	}
	return order
}

// aroundTrees holds the data around their level for a part of arms by themselves and a scale. All by the place of nodes.
type aroundTrees struct {
	*treeMeans
	fitted
	noise     float64   // as of levelled
	largest   float64   // a bound on the largest eigenvalue of the information
	with, off []float64 // t' and y - centre, 0 without pulls
}

// around returns them for a part of arms by themselves and a scale, fitted where it is 0.
func (d *treeMeans) around(own, scale float64) (*aroundTrees, error) {
	if err := d.m.Context().Err(); err != nil {
		return nil, err
	}
	n := len(d.nodes)
	all := make([]float64, 2*n)
	c := &aroundTrees{treeMeans: d, fitted: fitted{own: own, scale: scale, centre: d.level}, with: all[:n], off: all[n:]}
	sum, tree := 0.0, 0.0
	for k, j := range d.nodes {
		i := d.arm[j]
		if d.up[k] < 0 {
			tree = 0
		}
		t := d.total[i]
		if t == 0 {
			continue
		}
		with := t / (1 + own*t)
		c.with[k] = with
		c.precision += with
		c.noise -= math.Log(with)
		sum += with * d.y[i]
		tree += with * d.spread[j]
		c.largest = max(c.largest, tree)
	}
	if !d.known {
		c.centre = sum / c.precision
	}
	for k, t := range c.with {
		if t > 0 {
			c.off[k] = d.y[d.arm[d.nodes[k]]] - c.centre
			c.squares += t * c.off[k] * c.off[k]
		}
	}
	if scale > 0 {
		return c, nil
	}
	var err error
	c.scale, err = d.least(c.largest, c.squares, c.deviance)
	return c, err
}

// passed is what the data say at a scale: log det(I + sKT') and, with the covariance V of their means, Q = 1ᵀV⁻¹1, 1ᵀV⁻¹z and zᵀV⁻¹z,
// z = y - centre.
type passed struct{ logDet, level, cross, squares float64 }

// pass goes from the leaves to the roots. Squares are sums of parts above 0, one where information on a node joins.
func (c *aroundTrees) pass(scale float64) (out passed) {
	n := len(c.nodes)
	information, ones, rewards, pivots, weights := c.information[:n], c.ones[:n], c.rewards[:n], c.pivots[:n], c.weights[:n]
	up, slope, free := c.up[:n], c.slope[:n], c.free[:n]
	copy(information, c.with)
	copy(rewards, c.off)
	for k := range ones {
		ones[k] = 1
	}
	for _, k := range c.order {
		lambda := information[k]
		pivot := 1 + scale*free[k]*lambda
		pivots[k] = pivot
		p := up[k]
		if p < 0 {
			weights[k] = lambda / pivot
			continue
		}
		a := slope[k]
		more, one, reward := a*a*lambda/pivot, ones[k]/a, rewards[k]/a
		had := information[p]
		information[p] = had + more
		if had == 0 {
			ones[p], rewards[p], weights[k] = one, reward, 0
			continue
		}
		share := more / (had + more)
		one -= ones[p]
		reward -= rewards[p]
		ones[p] += share * one
		rewards[p] += share * reward
		ones[k], rewards[k], weights[k] = one, reward, had*share
	}
	logDet, product, level, cross, squares := 0., 1., 0., 0., 0.
	for k := n - 1; k >= 0; k-- {
		if product *= pivots[k]; product > manyPivots {
			logDet += math.Log(product)
			product = 1
		}
		if w := weights[k]; w != 0 {
			one, reward := ones[k], rewards[k]
			level += w * one * one
			cross += w * one * reward
			squares += w * reward * reward
		}
	}
	return passed{logDet + math.Log(product), level, cross, squares}
}

// around returns the squares around the level.
func (c *aroundTrees) around(at passed) float64 {
	if c.known {
		return at.squares
	}
	return max(0, at.squares-at.cross*at.cross/at.level)
}

// deviance returns -2 times the log of the penalised restricted likelihood at a scale, up to a constant.
func (c *aroundTrees) deviance(scale float64) float64 { return c.devianceAt(scale, c.pass(scale)) }

func (c *aroundTrees) devianceAt(scale float64, at passed) float64 {
	out := at.logDet + c.noise + c.around(at) - math.Log(scale)
	if !c.known {
		out += math.Log(at.level)
	}
	return out
}

func (c *aroundTrees) likelihood() float64 { return c.deviance(c.scale) }

func (c *aroundTrees) law() (log float64, scales, shares []float64) {
	return c.scaling.law(c.largest, c.squares, c.deviance)
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

// newTreePosterior forms it from the data, at a scale or, for 0, at the one of the least deviance. Of arms that are unrelated a part of
// arms by themselves is no more than a larger scale.
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

// treeMembers returns the members of a mixture, see mixed. Of unrelated arms it is over the scale alone.
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

// values returns E f_j of nodes where the reward of each arm with pulls is the one given, less the level.
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

// complete sets dst to covariances of arms with another one, whose covariances of f with the nodes of its tree are given, or none where
// no arm is there.
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

// treesOnStack is the number of nodes of a tree up to which what is said of each takes no memory from the heap.
const treesOnStack = 32

// sized returns n values, in a slice where it has room.
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
