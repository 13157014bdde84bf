package design

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// covariances computes φ_iᵀA⁻¹φ_j at fixed weights.
type covariances struct {
	x       *Exchange
	support []int     // arms with positive weight
	roots   []float64 // √(λ_i ρ_i/ξ)
	inverse blas64.General
}

// do calls block for ranges of rows on the cores of the context. It panics with the context's error, through try.
func (x *Exchange) do(n, together int, block func(from, to int)) {
	try.To(cores.Do(x.opt.Context, n, together, block))
}

// covariancesAt returns the covariances at weights lambda of the arms of T.
func (x *Exchange) covariancesAt(lambda []float64) *covariances {
	l := &covariances{x: x}
	for k, i := range x.arms {
		if lambda[k] > 0 {
			l.support = append(l.support, i)
			l.roots = append(l.roots, math.Sqrt(lambda[k]*x.precision(i)/x.in.Ridge))
		}
	}
	n, factor := len(l.support), x.products(l.support)
	l.inverse = reshape(blas64.General{}, n, n)
	for k := range n {
		r := row(factor, k)
		for j := range r {
			r[j] *= l.roots[k] * l.roots[j]
		}
		r[k]++
	}
	x.factor(factor)
	invert(x.stop, factor, l.inverse)
	return l
}

// armList has the arms of a pass. If arms is nil, the pass is over all arms, inner computes products with all arms, and
// support and more are arm numbers. Otherwise inner computes products within the concatenation of arms, support and more,
// and support and more are positions in it.
type armList struct {
	inner   func(dst []float64, i, from int)
	arms    []int // arms of the pass; nil means all
	count   int
	support []int // positions
	more    []int
}

// armList returns the list for a pass over arms (nil: all), which also needs products with the arms more.
func (l *covariances) armList(arms, more []int) armList {
	if arms == nil {
		return armList{l.x.in.Inner, nil, len(l.x.in.Squares), l.support, more}
	}
	s := armList{arms: arms, count: len(arms)}
	list := slices.Concat(arms, l.support, more)
	s.inner = l.x.among(list)
	for k := range list[len(arms):] {
		s.support = append(s.support, len(arms)+k)
	}
	s.support, s.more = s.support[:len(l.support)], s.support[len(l.support):]
	return s
}

func (s armList) arm(k int) int {
	if s.arms == nil {
		return k
	}
	return s.arms[k]
}

// workspace has the matrices for one block of arms of a pass.
type workspace struct {
	products []float64
	raw, v   blas64.General
	across   blas64.General
}

// whitened sets b.v to the vectors w_i of the arms with positions from ≤ k < to in the list, one per row.
func (l *covariances) whitened(s armList, b *workspace, from, to int) {
	n := len(l.support)
	b.raw, b.v = reshape(b.raw, to-from, n), reshape(b.v, to-from, n)
	b.products = resize(b.products, to-from)
	for k, p := range s.support {
		s.inner(b.products, p, from)
		for r, v := range b.products {
			b.raw.Data[r*n+k] = l.roots[k] * v
		}
	}
	timesTriangle(b.raw, l.inverse, b.v)
}

// pass has the results of one pass over arms.
type pass struct {
	armList
	size    []float64 // variance of each arm of the pass
	g       []float64 // gradient of each arm of the pass; nil without dual weights
	high    []float64 // for each end, the largest variance of a group's contrast with it
	partner []int     // the other arm of that contrast, or -1
	listed  []float64 // variances of the listed contrasts; -1 if not evaluated
	reached float64

	f, help float64 // Σ u_p h_p, and λ·g
	atT     []float64
}

const passRows = 256

// scan makes a pass over the given arms (nil: all), at the weights lambda of the arms of T. It uses the present ends and
// dual weights.
func (x *Exchange) scan(arms []int, lambda []float64) *pass {
	l := x.covariancesAt(lambda)
	s := &pass{armList: l.armList(arms, x.ends), reached: -1}
	own := l.cross(x.ends)
	s.size = make([]float64, s.count)
	if len(x.dual) > 0 {
		s.g = make([]float64, s.count)
	}
	s.high, s.partner = make([]float64, len(x.ends)), make([]int, len(x.ends))
	place := make([]int, len(x.in.Squares)) // by arm: its index among the ends
	for k, i := range x.ends {
		place[i] = k
	}
	if len(x.listed) > 0 {
		s.listed = slices.Repeat([]float64{-1}, len(x.listed))
	}
	endSize := make([]float64, len(x.ends))
	for k, i := range x.ends {
		endSize[k] = (x.in.Squares[i] - dot(row(own, k), row(own, k))) / x.in.Ridge
	}
	blocks := (s.count + passRows - 1) / passRows
	high, partner := make([][]float64, blocks), make([][]int, blocks)
	x.do(s.count, passRows, func(from, to int) {
		b := new(workspace)
		l.whitened(s.armList, b, from, to)
		for k := range to - from {
			w := row(b.v, k)
			s.size[from+k] = (x.in.Squares[s.arm(from+k)] - dot(w, w)) / x.in.Ridge
		}
		x.across(s, b, own, from, to)
		if s.g != nil {
			x.helps(s, b, place, from, to)
		}
		h, p := make([]float64, len(x.ends)), make([]int, len(x.ends))
		for e, i := range x.ends {
			h[e], p[e] = -1, -1
			if x.group[i] < 0 {
				continue
			}
			for k, c := range row(b.across, e) {
				j := s.arm(from + k)
				if d := endSize[e] + s.size[from+k] - 2*c; d > h[e] && x.group[j] == x.group[i] && j != i {
					h[e], p[e] = d, j
				}
			}
		}
		high[from/passRows], partner[from/passRows] = h, p
		if x.byEnd == nil {
			return
		}
		for k := range to - from {
			for _, q := range x.byEnd[s.arm(from+k)] {
				e := place[x.listed[q].I]
				s.listed[q] = x.listed[q].Weight * distanceOf(endSize[e], s.size[from+k], row(b.across, e)[k])
			}
		}
	})
	for e := range x.ends {
		s.high[e], s.partner[e] = -1, -1
		for b := range high {
			if high[b][e] > s.high[e] {
				s.high[e], s.partner[e] = high[b][e], partner[b][e]
			}
		}
		s.reached = max(s.reached, s.high[e])
	}
	for _, h := range s.listed {
		s.reached = max(s.reached, h)
	}
	if s.g != nil {
		x.sums(s, own, endSize, place, lambda)
	}
	return s
}

// cross returns w_i for the given arms, one per row.
func (l *covariances) cross(arms []int) blas64.General {
	out := reshape(blas64.General{}, len(arms), len(l.support))
	if len(arms) == 0 {
		return out
	}
	s := l.armList(arms, nil)
	l.x.do(len(arms), passRows, func(from, to int) {
		b := new(workspace)
		l.whitened(s, b, from, to)
		for k := range to - from {
			copy(row(out, from+k), row(b.v, k))
		}
	})
	return out
}

// across sets b.across to the covariances of the ends (rows) with the arms of a block (columns).
func (x *Exchange) across(s *pass, b *workspace, own blas64.General, from, to int) {
	b.across = reshape(b.across, len(x.ends), to-from)
	for e := range x.ends {
		s.inner(row(b.across, e), s.more[e], from)
	}
	f := 1 / x.in.Ridge
	for i := 0; i < b.across.Rows; i += tileRows {
		ni := min(tileRows, b.across.Rows-i)
		for j := 0; j < to-from; j += tileCols {
			nj := min(tileCols, to-from-j)
			blas64.Gemm(blas.NoTrans, blas.Trans, -f, block(own, i, i+ni), block(b.v, j, j+nj), f, window(b.across, i, j, ni, nj))
		}
	}
}

// helps sets the gradients g_i = ρ_i Σ_p u_p (φ_iᵀA⁻¹y_p)² for the arms of a block.
func (x *Exchange) helps(s *pass, b *workspace, place []int, from, to int) {
	g := s.g[from:to]
	for p, q := range x.pairs {
		u := x.dual[p] * q.Weight
		if u == 0 {
			continue
		}
		ci, cj := row(b.across, place[q.I]), row(b.across, place[q.J])
		for k := range g {
			d := ci[k] - cj[k]
			g[k] += u * d * d
		}
	}
	for k := range g {
		g[k] *= x.precision(s.arm(from + k))
	}
}

// sums sets s.f = Σ u_p h_p, s.help = λ·g and the gradients atT, for the dual bound.
func (x *Exchange) sums(s *pass, own blas64.General, endSize []float64, place []int, lambda []float64) {
	for p, q := range x.pairs {
		y, z := row(own, place[q.I]), row(own, place[q.J])
		inner := make([]float64, 1)
		x.in.Inner(inner, q.I, q.J)
		c := (inner[0] - dot(y, z)) / x.in.Ridge
		s.f += x.dual[p] * q.Weight * distanceOf(endSize[place[q.I]], endSize[place[q.J]], c)
	}
	s.atT = make([]float64, len(x.arms))
	if s.arms == nil {
		for k, i := range x.arms {
			s.atT[k] = s.g[i]
		}
	} else {
		for k, i := range x.arms {
			at, _ := slices.BinarySearch(s.arms, i)
			s.atT[k] = s.g[at]
		}
	}
	s.help = dot(lambda, s.atT)
}

// lower returns the dual bound over the arms of the pass; `total` is the sum of the dual weights.
func (s *pass) lower(total float64) float64 { return lowerBound(s.f, s.help, slices.Max(s.g), total) }
