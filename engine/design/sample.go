package design

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// If there are many arms, the problem is first solved for a sample of the arms and contrasts, and then continued from that
// solution with all of them. Most iterations then evaluate the sample only. The bounds are over all arms and contrasts.

// sampled: one of so many arms is in the sample. Problems are sampled if the sample then has at least as many arms as a
// first iterate.
const sampled = 8

// sample solves the problem for a random sample of arms and contrasts. The sample includes the pivots, so it spans all
// arms. It has at most half of the arms. sample[k] is the arm of d.Weights[k].
func (p *problem) sample(opt Options) (d Design, sample []int) {
	n, r := p.phi.Rows, p.phi.Cols
	random := rand.New(rand.NewPCG(uint64(n), uint64(r)))
	at := make([]int, n) // 1 + position in the sample
	add := func(i int) int {
		if at[i] == 0 {
			sample = append(sample, i)
			at[i] = len(sample)
		}
		return at[i] - 1
	}
	for _, i := range p.pivots {
		add(i)
	}
	var c Contrasts
	part := n / sampled
	for _, k := range random.Perm(len(p.pairs))[:min(len(p.pairs), part)] {
		q := p.pairs[k]
		c.Pairs = append(c.Pairs, Pair{add(q.I), add(q.J), q.Weight})
	}
	for _, i := range random.Perm(n)[:part] {
		add(i)
	}
	for _, g := range p.groups {
		some := lists.Where(g, func(i int) bool { return at[i] > 0 })
		c.Groups = append(c.Groups, lists.Map(some, add))
	}
	s := Space{Features: mat.NewDense(len(sample), r, nil), Precision: make([]float64, len(sample)), Ridge: p.ridge}
	for k, i := range sample {
		s.Features.SetRow(k, row(p.phi, i))
		s.Precision[k] = p.root[i] * p.root[i]
	}
	opt.Threshold = 0
	return try.Of(Minimax(s, c, opt)), sample
}

// resume starts from the solution of a sample: it returns its arms and their weights, and adds its contrasts.
func (m *minimax) resume(d Design, sample []int) (arms []int, lambda []float64) {
	weights := make([]float64, m.p.phi.Rows)
	scatter(sample, d.Weights, weights)
	for k, q := range d.Certificate.Pairs {
		if d.Certificate.Dual[k] > trimBelow/float64(len(d.Certificate.Pairs)) {
			m.pairs = append(m.pairs, Pair{sample[q.I], sample[q.J], q.Weight})
		}
	}
	m.resumed, m.lastGap = true, 0.1 // solve the restricted problem before the first evaluation of all arms
	return m.p.few(weights, 0.03)
}
