package design

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// scan finds, for every arm, the contrast with the largest variance among those within a fraction slack of the largest of
// all. It compares pairs of a group with inner products and does not store them. Arms are in a binary tree of balls, and
// the triangle inequality excludes most pairs of balls. A group of n arms costs at most n²r operations and O(nr) memory.
type scan struct {
	high    []float64 // by arm: ‖y‖² of its best pair; -1 if none was found
	partner []int
	weight  []float64

	floor float64 // pairs with a smaller ‖y‖² may be skipped
	slack float64
	tile  blas64.General
}

func newScan(n int) *scan {
	return &scan{high: make([]float64, n), partner: make([]int, n), weight: make([]float64, n)}
}

// run evaluates the contrasts of p. v has the whitened features of all arms, and known is a lower bound on the largest
// squared norm. It returns the largest squared norm and its pair, or -1 without contrasts.
func (s *scan) run(p *problem, v blas64.General, known, slack float64) (value float64, at Pair) {
	for i := range s.high {
		s.high[i], s.partner[i] = -1, -1
	}
	// 1e-9 is a margin for the rounding of inner products
	s.floor, s.slack = (1-slack)*known*(1-1e-9), slack
	for _, q := range p.pairs {
		h := q.Weight * distance(v, q.I, q.J)
		s.offer(q.I, q.J, h, q.Weight)
		s.offer(q.J, q.I, h, q.Weight)
	}
	for _, g := range p.groups {
		s.group(p.stop, g, v)
	}
	value = -1
	for i, j := range s.partner {
		if j < 0 {
			continue
		}
		// the pair was selected by inner products; its value is computed from the difference, which is more precise
		s.high[i] = s.weight[i] * distance(v, i, j)
		if s.high[i] > value {
			value, at = s.high[i], Pair{I: i, J: j, Weight: s.weight[i]}
		}
	}
	return value, at
}

func (s *scan) offer(i, j int, h, weight float64) {
	if h > s.high[i] {
		s.high[i], s.partner[i], s.weight[i] = h, j, weight
		s.floor = max(s.floor, (1-s.slack)*h*(1-1e-9))
	}
}

// group evaluates the pairs of group g, by ‖v_i‖² + ‖v_j‖² - 2 v_iᵀv_j.
func (s *scan) group(stop stopper, g []int, v blas64.General) {
	o := newOrdered(g, v)
	s.tile = reshape(s.tile, leafSize, leafSize)
	s.visit(stop, o, o.root, o.root, math.Inf(1))
}

// visit evaluates the pairs of an arm of b and an arm of c, unless the floor exceeds bound, an upper bound on their squared
// distances.
func (s *scan) visit(stop stopper, o *ordered, b, c *ball, bound float64) {
	if bound < s.floor {
		return
	}
	if b.halves == nil && c.halves == nil {
		stop.check()
		s.compare(o, b, c)
		return
	}
	switch {
	case b == c:
		x, y := b.halves[0], b.halves[1]
		s.visit(stop, o, x, y, x.farthestApart(y))
		s.visit(stop, o, x, x, x.farthestApart(x))
		s.visit(stop, o, y, y, y.farthestApart(y))
		return
	case c.halves == nil || b.halves != nil && b.to-b.from > c.to-c.from:
		b, c = c, b
	}
	x, y := c.halves[0], c.halves[1]
	dx, dy := b.farthestApart(x), b.farthestApart(y)
	if dx < dy { // the larger bound first, because it may raise the floor
		x, y, dx, dy = y, x, dy, dx
	}
	s.visit(stop, o, b, x, dx)
	s.visit(stop, o, b, y, dy)
}

// compare evaluates the pairs of an arm of b and an arm of c.
func (s *scan) compare(o *ordered, b, c *ball) {
	t := window(s.tile, 0, 0, b.to-b.from, c.to-c.from)
	blas64.Gemm(blas.NoTrans, blas.Trans, -2, block(o.rows, b.from, b.to), block(o.rows, c.from, c.to), 0, t)
	for i := b.from; i < b.to; i++ {
		ni := o.norm[i]
		from := c.from
		if b == c {
			from = i + 1
		}
		for j := from; j < c.to; j++ {
			d := ni + o.norm[j] + row(t, i-b.from)[j-c.from]
			if d < s.floor {
				continue
			}
			if p, q := o.arms[i].arm, o.arms[j].arm; p != q {
				s.offer(p, q, d, 1)
				s.offer(q, p, d, 1)
			}
		}
	}
}

// ranked is an arm with a sort key.
type ranked struct {
	arm int
	key float64
}

// byRank sorts by decreasing key, and arms with equal keys by number.
func byRank(a, b ranked) int { return cmp.Or(cmp.Compare(b.key, a.key), cmp.Compare(a.arm, b.arm)) }

// ranking returns the numbers k below n for which counts is true, with their keys, in the order of byRank.
func ranking(n int, key func(k int) (key float64, counts bool)) (order []ranked) {
	for k := range n {
		if key, counts := key(k); counts {
			order = append(order, ranked{k, key})
		}
	}
	slices.SortFunc(order, byRank)
	return order
}

// pick returns numbers below n in increasing order, at most `most`, and skips each that is near to an earlier one.
func pick(n, most int, near func(a, b int) bool) (picked []int) {
	for a := 0; a < n && len(picked) < most; a++ {
		if !slices.ContainsFunc(picked, func(b int) bool { return near(a, b) }) {
			picked = append(picked, a)
		}
	}
	return picked
}

// If contrasts concern few of many arms, the problem is solved in the span of these near arms and of other helpful arms.
// This span is much smaller than that of all arms. With a ridge this is exact: for weights on the near arms, A⁻¹y lies in
// their span, so variances and the gradients of other arms are the same there. If another arm has a larger gradient, it is
// added to the span, and the problem is solved again (column generation over arms). Without a ridge, other arms may
// measure directions that the near arms do not.

const (
	// manyArms is the smallest number of arms for which a restriction of the span saves time.
	manyArms = 64
	// nearPart is the largest fraction of all arms for which it saves time.
	nearPart = 0.5
	// mostNear is the largest number of arms to which the span is restricted.
	mostNear = 400
)

// nearby returns 1 for arms of contrasts and 0 for others, if it saves time to restrict the problem to the former.
// Otherwise it returns nil.
func nearby(s Space, c Contrasts) []float64 {
	if s.Ridge == 0 {
		return nil
	}
	try.To(checkSpace(s))
	n, _ := s.Features.Dims()
	p := &problem{}
	try.To(p.setContrasts(c, n))
	near := p.contrasted(make([]float64, n))
	if !restrictable(near) {
		return nil
	}
	return near
}

func restrictable(near []float64) bool {
	size := sum(near)
	return len(near) >= manyArms && size <= nearPart*float64(len(near)) && size <= mostNear && size > 0
}

// first returns the arms of the first iterate, and their weights.
func (m *minimax) first() (arms []int, lambda []float64) {
	switch {
	case m.near != nil:
		arms = indices.Where(len(m.near), func(i int) bool { return m.near[i] > 0 })
		return arms, uniform(len(arms))
	case m.p.phi.Rows/sampled >= startSize(m.p.phi.Rows, m.p.phi.Cols):
		if d, sample := m.p.sample(m.opt); d.Status != Trivial {
			return m.resume(d, sample)
		}
	}
	return m.p.start()
}

// needsArms reports whether arms outside the restricted problem must be added. This is so if they have larger gradients, and
// the restricted problem is solved well enough for that to be reliable.
func (m *minimax) needsArms() bool {
	if m.near == nil || m.over <= m.top*(1+1e-12) {
		return false
	}
	return m.value/m.lower-1 <= max(m.tolerance, 0.1*(m.over/m.top-1))
}

// widened returns near with further arms: those with the largest gradients above top, at most half as many as near has, or
// 8 if that is more. It returns nil if status is not tooNarrow, or if a restriction to the result would not save time.
func (m *minimax) widened(status Status) []float64 {
	if status != tooNarrow {
		return nil
	}
	near, size := slices.Clone(m.near), sum(m.near)
	order := ranking(len(m.g), func(i int) (float64, bool) { return m.g[i], !m.may(i) && m.g[i] > m.top })
	for _, a := range order[:min(len(order), max(8, int(size)/2))] {
		near[a.arm] = 1
	}
	if !restrictable(near) {
		return nil
	}
	return near
}
