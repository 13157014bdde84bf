package model

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
)

// treeMeans has the data of a posterior on trees, normalised.
type treeMeans struct {
	*trees
	scaling
	m        *Model
	known    bool      // whether the prior mean is stated
	level    float64   // stated prior mean
	pulled   int       // number of arms with pulls
	total, y []float64 // N
	// per node with pulls at or below it, in order:
	nodes, up   []int     // the node, and the position of its parent, -1 for a root
	slope, free []float64 // of the node
	order       []int     // positions of nodes, deepest first: neighbours are in different trees, so their updates are independent
	// workspace of a pass: Λ, the means of 1 and of y - centre at and below a node, and the contribution of a node to sums
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

// deepestFirst orders nodes by depth, given their parents, which precede them; among equal depths the last comes first.
func deepestFirst(up []int) []int {
	depth, order := make([]int, len(up)), make([]int, len(up))
	var end []int // per depth: the number of nodes at this and larger depths
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

// aroundTrees has the centred data for a variance of independent effects and a scale, by position of nodes.
type aroundTrees struct {
	*treeMeans
	fitted
	noise     float64   // as in levelled
	largest   float64   // upper bound of the largest eigenvalue of the information
	with, off []float64 // t' and y - centre, 0 without pulls
}

// around returns the centred data for a variance of independent effects and a scale, fitted if 0.
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

// passed has log det(I + sKT') and, with the covariance V of the means, Q = 1ᵀV⁻¹1, 1ᵀV⁻¹z and zᵀV⁻¹z, z = y - centre.
type passed struct{ logDet, level, cross, squares float64 }

// pass goes from the leaves to the roots. Squares are sums of positive parts, one for each merge of information at a node.
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

// around returns the squares around the prior mean.
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
