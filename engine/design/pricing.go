package design

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// scan finds, for every arm, its most uncertain contrast. Pairs of a group are
// visited in tiles of inner products and never stored, so that a group of n arms
// costs O(n²r) time and O(nr) memory.
type scan struct {
	high    []float64 // ‖y‖² of the arm's best pair; -1 where the arm has none
	partner []int
	weight  []float64

	rows, tile blas64.General
	norm       []float64
}

func newScan(n int) *scan {
	return &scan{high: make([]float64, n), partner: make([]int, n), weight: make([]float64, n)}
}

// run visits all contrasts of p, given the whitened features of all arms, and
// returns the largest squared norm and its pair. Value -1 means no contrast.
func (s *scan) run(p *problem, v blas64.General) (value float64, at Pair) {
	for i := range s.high {
		s.high[i], s.partner[i] = -1, -1
	}
	for _, g := range p.groups {
		s.group(g, v)
	}
	for _, q := range p.pairs {
		h := q.Weight * distance(v, q.I, q.J)
		s.offer(q.I, q.J, h, q.Weight)
		s.offer(q.J, q.I, h, q.Weight)
	}
	value = -1
	for i, j := range s.partner {
		if j < 0 {
			continue
		}
		// Inner products choose, the difference itself is the value.
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
	}
}

// group offers all pairs of one group, by ‖v_i‖² + ‖v_j‖² - 2 v_iᵀv_j.
func (s *scan) group(g []int, v blas64.General) {
	n := len(g)
	s.gather(g, v)
	s.tile = reshape(s.tile, tileRows, tileCols)
	for i0 := 0; i0 < n; i0 += tileRows {
		ni := min(tileRows, n-i0)
		for j0 := i0; j0 < n; j0 += tileCols {
			nj := min(tileCols, n-j0)
			t := window(s.tile, 0, 0, ni, nj)
			blas64.Gemm(blas.NoTrans, blas.Trans, -2, block(s.rows, i0, i0+ni), block(s.rows, j0, j0+nj), 0, t)
			for i := range ni {
				s.strip(g, i0+i, j0, row(t, i))
			}
		}
	}
}

// strip offers arm i of a group against arms j0, j0+1, ..., given -2 v_iᵀv_j.
func (s *scan) strip(g []int, i, j0 int, products []float64) {
	from := max(0, i+1-j0)
	if from >= len(products) {
		return
	}
	norms := s.norm[j0+from:]
	others := g[j0+from:]
	arm, ni := g[i], s.norm[i]
	high, partner := s.high[arm], s.partner[arm]
	for k, d := range products[from:] {
		d += ni + norms[k]
		j := others[k]
		if d > high && j != arm {
			high, partner = d, j
			s.weight[arm] = 1
		}
		if d > s.high[j] && j != arm {
			s.high[j], s.partner[j], s.weight[j] = d, arm, 1
		}
	}
	s.high[arm], s.partner[arm] = high, partner
}

// gather copies the rows of a group, less their mean: that changes no
// difference and keeps the norms, whose rounding errors rank the pairs, small.
func (s *scan) gather(g []int, v blas64.General) {
	n := len(g)
	s.rows = reshape(s.rows, n, v.Cols)
	if cap(s.norm) < n+v.Cols {
		s.norm = make([]float64, n+v.Cols)
	}
	mean := s.norm[:cap(s.norm)][n : n+v.Cols]
	s.norm = s.norm[:n]
	clear(mean)
	for _, i := range g {
		axpy(1/float64(n), row(v, i), mean)
	}
	for k, i := range g {
		to := row(s.rows, k)
		copy(to, row(v, i))
		axpy(-1, mean, to)
		s.norm[k] = dot(to, to)
	}
}
