package design

import (
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// leftOut is the largest part of a variance that coordinates of the look at all pairs may leave of an
	// arm's, relative to the largest variance met, and mostLeading the most coordinates.
	leftOut, mostLeading = 0.0025, 192
)

// leading holds coordinates of all arms in which distances are variances of differences, but for a short
// rest: pivoted Cholesky of the covariances c_ij = φ_iᵀA⁻¹φ_j.
type leading struct {
	rows blas32.General // N × q
	rest []float64      // N: what is left of c_ii
	q    int
}

// lead forms the coordinates at the weights of a lens, until the rest of every arm is at most limit.
func (l *lens) lead(limit float64) leading {
	x := l.x
	n := len(x.in.Squares)
	x.stop.claim(n, n*len(l.support), n*mostLeading/2)
	s := l.scene(nil, nil)
	w := reshape(blas64.General{}, n, len(l.support))
	rest := make([]float64, n)
	x.do(n, passRows, func(from, to int) {
		b := new(bench)
		l.whitened(s, b, from, to)
		for k := range to - from {
			copy(row(w, from+k), row(b.v, k))
			rest[from+k] = (x.in.Squares[from+k] - dot(row(b.v, k), row(b.v, k))) / x.in.Ridge
		}
	})
	out := leading{rest: rest, rows: blas32.General{Rows: n, Stride: mostLeading, Data: make([]float32, n*mostLeading)}}
	pivotRow := make([]float64, 0, mostLeading)
	exact := make([][]float64, 0, mostLeading) // coordinates of the pivots
	_ = exact
	for out.q < mostLeading {
		p := 0
		for i, r := range rest {
			if r > rest[p] {
				p = i
			}
		}
		if rest[p] <= limit {
			break
		}
		root := math.Sqrt(rest[p])
		pivotRow = pivotRow[:0]
		for _, v := range out.rows.Data[p*mostLeading : p*mostLeading+out.q] {
			pivotRow = append(pivotRow, float64(v))
		}
		x.do(n, 4*passRows, func(from, to int) {
			products := make([]float64, to-from)
			x.in.Inner(products, p, from)
			wp := row(w, p)
			for k, v := range products {
				i := from + k
				c := (v - dot(wp, row(w, i))) / x.in.Ridge
				at := out.rows.Data[i*mostLeading : i*mostLeading+out.q+1]
				for j, f := range pivotRow {
					c -= f * float64(at[j])
				}
				at[out.q] = float32(c / root)
				f := float64(at[out.q])
				rest[i] -= f * f
			}
		})
		out.q++
		rest[p] = 0
	}
	for i := range rest {
		rest[i] = max(rest[i], 0)
	}
	return out
}

// bound returns what no contrast exceeds at the weights of a pass over all arms. It takes in contrasts that
// the pass did not meet, if it may, and reports whether there were any.
func (x *Exchange) bound(s *sight, tolerance float64, more bool) (ceiling float64, met bool) {
	ceiling = s.reached
	if len(x.groups) == 0 {
		return ceiling, false
	}
	l := x.focus(x.lambda)
	c := l.lead(leftOut * s.reached)
	if trace {
		println(" leading", c.q)
	}
	level := max(x.level, s.reached) * (1 + 2*tolerance)
	var order []ranked
	found := map[int]int{}
	for _, g := range x.groups {
		high, partner := x.farthestPairs(g, c)
		for k, h := range high {
			ceiling = max(ceiling, h)
			if more && h > level {
				order = append(order, ranked{g[k], h})
				found[g[k]] = g[partner[k]]
			}
		}
	}
	if len(order) == 0 {
		return ceiling, false
	}
	slices.SortFunc(order, byRank)
	before := len(x.pairs)
	var joined []int
	for _, a := range order[:min(len(order), mostJoining)] {
		i, j := a.arm, found[a.arm]
		q := Pair{i, j, 1}
		if d := x.between([]int{i, j})(0, 1); d <= level || x.carries(q) {
			continue
		}
		x.pairs = append(x.pairs, q)
		joined = append(joined, i, j)
		if len(x.pairs) == before+mostJoining/4 {
			break
		}
	}
	for _, i := range joined {
		x.end(i)
	}
	x.view(joined)
	return ceiling, len(joined) > 0
}

// farthestPairs returns, for each arm of a group, what its contrasts with the others do not exceed, and the arm
// where that is.
func (x *Exchange) farthestPairs(g []int, c leading) (high []float64, partner []int) {
	m := c.q
	x.stop.claim(len(g), len(g)*m/2)
	short := blas32.General{Rows: len(g), Cols: m, Stride: m, Data: make([]float32, len(g)*m)}
	centre := make([]float64, m)
	for _, i := range g {
		for k, v := range c.rows.Data[i*mostLeading : i*mostLeading+m] {
			centre[k] += float64(v) / float64(len(g))
		}
	}
	size, extra := make([]float64, len(g)), make([]float64, len(g))
	longest := 0.0
	for k, i := range g {
		for j, v := range c.rows.Data[i*mostLeading : i*mostLeading+m] {
			d := float64(v) - centre[j]
			short.Data[k*m+j] = float32(d)
			size[k] += d * d
		}
		extra[k] = 2 * c.rest[i] // (√r_i + √r_j)² ≤ 2r_i + 2r_j
		longest = max(longest, size[k])
	}
	slack := 2 * 2 * float64(m+4) * halfPrecision * longest
	tiles := (len(g) + tileCols - 1) / tileCols
	var free sync.Mutex
	var idle []*tilePairs
	x.do(tiles, 1, func(from, _ int) {
		t := from / 2
		if from%2 == 1 {
			t = tiles - 1 - from/2
		}
		free.Lock()
		var f *tilePairs
		if len(idle) > 0 {
			f, idle = idle[len(idle)-1], idle[:len(idle)-1]
		} else {
			f = &tilePairs{farthest: *newFarthest(len(g)), size: size, extra: extra}
		}
		free.Unlock()
		f.visit(short, t*tileCols)
		free.Lock()
		idle = append(idle, f)
		free.Unlock()
	})
	found := newFarthest(len(g))
	for _, f := range idle {
		found.merge(&f.farthest)
	}
	for k := range found.high {
		found.high[k] += slack
		if found.partner[k] < 0 {
			found.high[k], found.partner[k] = 0, k
		}
	}
	return found.high, found.partner
}
