package design

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"

	"github.com/gonb-cope/gonb-cope/internal/cores"
)

// survey holds what one pass over all arms sees at the weights of the pivots.
type survey struct {
	of *wide

	chol, inverse blas64.General // L with A = LLᵀ, and L⁻¹
	v             blas64.General // N × m: φ_i L⁻ᵀ
	size          []float64      // N: ‖v_i‖²
	scaled        blas64.General

	scanned bool    // all pairs have been visited since the last look
	reached float64 // the largest variance met
	ceiling float64 // what no contrast exceeds
	high    []float64
	partner []int
}

const (
	// surveyRows is the number of arms that a core works on at a time.
	surveyRows = 4 * tileRows
	// mostScan is the default of Options.Scan: about twenty seconds of one core.
	mostScan = 1e11
	// seekers is the least number of arms of a group that look for the one farthest from them.
	seekers = 24
	// mostSeekers is the largest.
	mostSeekers = 256
	// cheapProducts is the most products of a look at all pairs that is taken each time: the candidates
	// alone meet few others, and a restricted problem for each takes longer.
	cheapProducts = 1.2e9
)

func (s *survey) init(w *wide) {
	n := w.p.phi.Rows
	s.of = w
	s.v.Data, s.size = make([]float64, n*w.p.phi.Cols), make([]float64, n)
	s.resize()
	s.high, s.partner = make([]float64, n), make([]int, n)
}

// resize makes room for the coordinates and pivots that there are.
func (s *survey) resize() {
	n, m := s.of.p.phi.Rows, s.of.p.phi.Cols
	s.chol, s.inverse = reshape(s.chol, m, m), reshape(s.inverse, m, m)
	s.v = reshape(s.v, n, m)
	s.scaled = reshape(s.scaled, len(s.of.in.Arms), m)
}

// do works on the rows of all arms, on the cores of the context.
func (s *survey) do(n, together int, block func(from, to int)) {
	ctx := s.of.opt.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if err := cores.Do(ctx, n, together, block); err != nil {
		panic(ended{err})
	}
}

// factorise sets L and L⁻¹ for the weights at hand.
func (s *survey) factorise(lambda []float64) bool {
	w := s.of
	m := w.p.phi.Cols
	for k, i := range w.in.Arms {
		f := math.Sqrt(lambda[k])
		if w.p.root != nil {
			f *= w.p.root[i]
		}
		to := row(s.scaled, k)
		for c, x := range row(w.p.phi, i) {
			to[c] = f * x
		}
	}
	addOuter(w.stop, s.scaled, s.chol)
	for k := range m {
		s.chol.Data[k*s.chol.Stride+k] += w.p.ridge
	}
	if !cholesky(w.stop, s.chol) {
		return false
	}
	invert(w.stop, s.chol, s.inverse)
	return true
}

// invert sets inv to L⁻¹, in its lower triangle, with zeros above.
func invert(stop stopper, l, inv blas64.General) {
	m := l.Rows
	for i := range m {
		clear(row(inv, i))
	}
	for j := 0; j < m; j += tileRows {
		stop.check()
		nj := min(tileRows, m-j)
		d := window(inv, j, j, nj, nj)
		for k := range nj {
			d.Data[k*d.Stride+k] = 1
		}
		below := window(inv, j, 0, nj, j+nj)
		if j > 0 { // -L_{jk} (L⁻¹)_{k·}
			multiply(stop, blas.NoTrans, -1, window(l, j, 0, nj, j), window(inv, 0, 0, j, j), 0, window(inv, j, 0, nj, j))
		}
		blas64.Trsm(blas.Left, blas.NoTrans, 1, factor(window(l, j, j, nj, nj)), below)
	}
}

// look whitens all arms at the weights at hand, and lets candidates look for what is farthest.
func (s *survey) look() {
	w := s.of
	if !s.factorise(w.lambda) {
		panic(ended{errSingular})
	}
	n := w.p.phi.Rows
	s.do(n, surveyRows, func(from, to int) {
		timesTriangle(block(w.p.phi, from, to), s.inverse, block(s.v, from, to))
		for i := from; i < to; i++ {
			s.size[i] = dot(row(s.v, i), row(s.v, i))
		}
	})
	for i := range s.high {
		s.high[i], s.partner[i] = -1, -1
	}
	s.reached, s.ceiling, s.scanned = -1, 0, false
	few := s.products() <= cheapProducts
	for _, g := range w.p.groups {
		s.ceiling = max(s.ceiling, s.bound(g))
		if few {
			s.pairs(g, false)
		} else {
			s.seek(g, s.sources(g))
		}
	}
	s.listed()
	s.ceiling = max(s.ceiling, s.reached)
}

// timesTriangle sets v = x Tᵀ for a lower triangular T, without the products with its upper part.
func timesTriangle(x, t, v blas64.General) {
	for i := 0; i < x.Rows; i += tileRows {
		ni := min(tileRows, x.Rows-i)
		for j := 0; j < t.Rows; j += tileCols {
			nj := min(tileCols, t.Rows-j)
			k := j + nj
			blas64.Gemm(blas.NoTrans, blas.Trans, 1, window(x, i, 0, ni, k), window(t, j, 0, nj, k), 0, window(v, i, j, ni, nj))
		}
	}
}

// listed evaluates all listed contrasts.
func (s *survey) listed() {
	w := s.of
	if len(w.p.pairs) == 0 {
		return
	}
	h := make([]float64, len(w.p.pairs))
	s.do(len(h), surveyRows, func(from, to int) {
		for k, q := range w.p.pairs[from:to] {
			h[from+k] = q.Weight * distance(s.v, q.I, q.J)
		}
	})
	s.reached = max(s.reached, slices.Max(h))
	w.listedHigh = h
}

// outside bounds what the difference of two arms has outside the span, over ξ.
func (s *survey) outside(i, j int) float64 {
	rest := s.of.in.Rest
	if rest == nil {
		return 0
	}
	return 2 * (max(rest[i], 0) + max(rest[j], 0)) / s.of.p.ridge
}

// bound returns a number that no contrast of a group exceeds, by distances from its mean.
func (s *survey) bound(g []int) float64 {
	mean := make([]float64, s.v.Cols)
	for _, i := range g {
		axpy(1/float64(len(g)), row(s.v, i), mean)
	}
	first, second := 0.0, 0.0
	for _, i := range g {
		d := s.outside(i, i) / 2 // 2 r_i/ξ
		for k, x := range row(s.v, i) {
			d += (x - mean[k]) * (x - mean[k])
		}
		if d > first {
			first, second = d, first
		} else {
			second = max(second, d)
		}
	}
	// (a + b)² with the rests in: (√(a² + 2r) + √(b² + 2r'))² is at least a² + b² + 2ab + 2r + 2r'.
	return (math.Sqrt(first) + math.Sqrt(second)) * (math.Sqrt(first) + math.Sqrt(second))
}

// products returns how many a look at all pairs of all groups takes.
func (s *survey) products() float64 {
	products := 0.0
	for _, g := range s.of.p.groups {
		products += float64(len(g)) * float64(len(g)) / 2 * float64(s.v.Cols)
	}
	return products
}

// scan visits all pairs of all groups, if it may, and returns what no contrast exceeds.
func (s *survey) scan() float64 {
	w := s.of
	if s.scanned {
		return s.ceiling
	}
	s.scanned = true
	products := s.products()
	limit := w.opt.Scan
	if limit == 0 {
		limit = mostScan
	}
	listed := 0.0
	for k, q := range w.p.pairs {
		listed = max(listed, w.listedHigh[k]+q.Weight*s.outside(q.I, q.J))
	}
	s.reached = max(s.reached, listed)
	if products > limit {
		s.ceiling = max(s.ceiling, listed)
		return s.ceiling
	}
	high := 0.0
	for _, g := range w.p.groups {
		high = max(high, s.pairs(g, true))
	}
	s.ceiling = max(s.reached, high)
	return s.ceiling
}
