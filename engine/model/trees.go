package model

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// trees has arms as nodes of trees that describe their dependence, as under matern(0.5) on a line [RW06, sec. B.2] and for unrelated
// arms: node j is a_j times its parent p plus an independent part of variance q_j,
//
//	Cov(j, i) = a_j Cov(p, i) for all nodes i before j,  Var(j) = a_j² Var(p) + q_j.
type trees struct {
	arm, node   []int     // the arm of a node, and the node of an arm; parents precede their children, and a tree is contiguous
	parent      []int     // per node; -1 for a root
	first, last []int     // per node: its tree has the nodes first ≤ j < last
	slope, free []float64 // by node: a, 0 of a root, and q
	spread      []float64 // by node: its variance
	alone       bool      // whether all nodes are roots
}

// treeRounding is the largest error of a correlation at which arms count as trees.
const treeRounding = 1e-12

// treesOf returns the arms of a model as trees, normalised at scale 1, or nil if they are not trees. The result is cached.
func treesOf(m *Model) (*trees, error) {
	return m.source.trees.get(m.Context(), func() (*trees, error) {
		t := &trees{node: make([]int, m.Problem.N()), alone: m.Relations().Unrelated()}
		if t.alone {
			for i, v := range m.Variances() {
				t.add(i, -1, i, 0, v, v)
			}
			t.end()
			return t, nil
		}
		r, err := relatedArms(m)
		if err != nil {
			return nil, err
		}
		squares := lists.Sum(r.arms, func(arms []int) int { return len(arms) * len(arms) })
		if squares > mostInTree*mostInTree {
			return nil, nil
		}
		for p, arms := range r.arms {
			if err := m.Context().Err(); err != nil || !t.grow(arms, r.gram[p], r.variances[p]) {
				return nil, err
			}
		}
		t.end()
		return t, nil
	})
}

// InTrees reports whether posteriors use trees of arms, as for unrelated arms.
func (m Relations) InTrees() bool {
	t, err := treesOf(m.Model)
	return err == nil && t != nil
}

// add adds an arm under a parent to the tree that starts with the node first.
func (t *trees) add(arm, parent, first int, slope, free, variance float64) {
	t.node[arm] = len(t.arm)
	t.arm, t.parent, t.first = append(t.arm, arm), append(t.parent, parent), append(t.first, first)
	t.slope, t.free, t.spread = append(t.slope, slope), append(t.free, free), append(t.spread, variance)
}

// end sets the end of each tree.
func (t *trees) end() {
	t.last = make([]int, len(t.arm))
	for j := len(t.arm) - 1; j >= 0; j-- {
		if t.last[j] = j + 1; j+1 < len(t.arm) && t.first[j+1] == t.first[j] {
			t.last[j] = t.last[j+1]
		}
	}
}

// grow adds the arms of a group, each under the one with the largest correlation, which in a tree is its neighbour along a branch. It
// returns false at the first arm that depends on others, too.
func (t *trees) grow(arms []int, gram kernels.Matrix, variances []float64) bool {
	n := len(arms)
	row, implied := make([]float64, n), make([]float64, n)
	nearest, most, covariance := make([]int, n), make([]float64, n), make([]float64, n) // node, squared correlation and covariance with it
	var added []int                                                                     // positions in arms
	for remaining := indices.All(n); len(remaining) > 0; {
		next := 0
		for k, i := range remaining {
			if most[i] > most[remaining[next]] {
				next = k
			}
		}
		i, here := remaining[next], len(t.arm)
		remaining = slices.Delete(remaining, next, next+1)
		if most[i] <= treeRounding*treeRounding {
			added = added[:0]
			t.add(arms[i], -1, here, 0, variances[i], variances[i])
		} else {
			p := nearest[i]
			slope := covariance[i] / t.spread[p]
			t.add(arms[i], p, t.first[p], slope, max(0, variances[i]-slope*covariance[i]), variances[i])
		}
		first := t.first[here]
		t.covariances(implied[:here+1-first], here)
		gram.Row(row, i)
		for k, j := range added {
			if off := row[j] - implied[k]; off*off > treeRounding*treeRounding*variances[i]*variances[j] {
				return false
			}
		}
		added = append(added, i)
		for _, j := range remaining {
			if r := row[j] * row[j]; r > most[j]*variances[i]*variances[j] {
				nearest[j], most[j], covariance[j] = here, r/(variances[i]*variances[j]), row[j]
			}
		}
	}
	return true
}

// covariances sets dst to the covariances of a node with the nodes of its tree, from the first on, as many as dst has.
func (t *trees) covariances(dst []float64, with int) {
	first, down := t.first[with], 1.0
	for k := range dst {
		dst[k] = math.NaN()
	}
	for k := with; k >= 0; k = t.parent[k] {
		dst[k-first] = t.spread[k] * down
		down *= t.slope[k]
	}
	for k, v := range dst {
		if math.IsNaN(v) { // not on the path to the root
			dst[k] = t.slope[first+k] * dst[t.parent[first+k]-first]
		}
	}
}

// fork is where the paths to two nodes separate. With the value f of the node top they are down·f plus a part of variance lost, and
// otherDown·f plus a part of variance otherLost, all three independent.
type fork struct {
	top                              int
	down, lost, otherDown, otherLost float64
}

// forks sets out to the forks of the nodes of a tree, from its first, with another node.
func (t *trees) forks(out []fork, other int) {
	first := t.first[other]
	clear(out)
	down, lost := 1., 0.
	for k := other; k >= 0; k = t.parent[k] {
		out[k-first] = fork{k, 1, 0, down, lost}
		lost += down * down * t.free[k]
		down *= t.slope[k]
	}
	for k := range out {
		if a := t.slope[first+k]; out[k].down == 0 { // not on the path to the root
			f := out[t.parent[first+k]-first]
			f.down, f.lost = a*f.down, a*a*f.lost+t.free[first+k]
			out[k] = f
		}
	}
}
