package design

import (
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
)

// halfPrecision is the relative rounding of a number of 32 bits.
const halfPrecision = 1.0 / (1 << 24)

// pairs visits all pairs of a group, in tiles on the cores of the context, offers each arm's most
// uncertain contrast, with what lies outside the span or without, and returns what none exceeds. Products are
// of 32 bits, which are twice as fast;
// what their rounding may hide is in the number returned: an inner product of m terms is off by at
// most (m + 2) 2⁻²⁴ ‖v_i‖‖v_j‖ to first order, doubled here for the higher ones and for what the
// features are rounded by.
func (s *survey) pairs(g []int, whole bool) float64 {
	m := s.v.Cols
	w := s.of
	w.stop.claim(len(g), len(g)*m/2)
	short := blas32.General{Rows: len(g), Cols: m, Stride: m, Data: make([]float32, len(g)*m)}
	centre := make([]float64, m)
	for _, i := range g {
		axpy(1/float64(len(g)), row(s.v, i), centre)
	}
	size, extra := make([]float64, len(g)), make([]float64, len(g))
	s.do(len(g), surveyRows, func(from, to int) {
		for k, i := range g[from:to] {
			at := from + k
			for c, x := range row(s.v, i) {
				x -= centre[c]
				size[at] += x * x
				short.Data[at*m+c] = float32(x)
			}
			if whole {
				extra[at] = s.outside(i, i) / 2
			}
		}
	})
	longest := 0.0
	for _, v := range size {
		longest = max(longest, v)
	}
	slack := 2 * 2 * float64(m+4) * halfPrecision * longest
	workers := eachTile(s.do, len(g), func() *tilePairs {
		return &tilePairs{farthest: *newFarthest(len(g)), size: size, extra: extra}
	}, func(f *tilePairs, from int) { f.visit(short, from) })
	found, high := newFarthest(len(g)), 0.0
	for _, f := range workers {
		found.merge(&f.farthest)
	}
	for k, i := range g {
		if found.partner[k] < 0 {
			continue
		}
		high = max(high, found.high[k]+slack)
		j := g[found.partner[k]]
		d := distance(s.v, i, j)
		if whole {
			d += s.outside(i, j)
		}
		s.offer(i, j, d)
	}
	return high
}

// eachTile visits the tiles of all pairs of n arms on some cores, each with the workspace of its worker,
// and returns the workspaces. Tile t, whose first arm is told, is compared with itself and those behind it;
// so small and large ones alternate.
func eachTile[T any](do func(n, together int, block func(from, to int)), n int, fresh func() *T, visit func(w *T, from int)) []*T {
	tiles := (n + tileCols - 1) / tileCols
	var free sync.Mutex
	var idle []*T
	do(tiles, 1, func(from, _ int) {
		t := from / 2
		if from%2 == 1 {
			t = tiles - 1 - from/2
		}
		var w *T
		free.Lock()
		if k := len(idle) - 1; k >= 0 {
			w, idle = idle[k], idle[:k]
		}
		free.Unlock()
		if w == nil {
			w = fresh()
		}
		visit(w, t*tileCols)
		free.Lock()
		idle = append(idle, w)
		free.Unlock()
	})
	return idle
}

// tilePairs compares tiles of a group with each other. Partners are positions in the group.
type tilePairs struct {
	farthest
	size, extra []float64
	tile        blas32.General
}

// visit compares the arms of one tile with each other and with all behind them.
func (f *tilePairs) visit(short blas32.General, from int) {
	part := func(at, n int) blas32.General {
		return blas32.General{Rows: n, Cols: short.Cols, Stride: short.Stride, Data: short.Data[at*short.Stride : (at+n)*short.Stride]}
	}
	n := min(tileCols, short.Rows-from)
	own := part(from, n)
	if f.tile.Data == nil {
		f.tile.Data = make([]float32, tileRows*tileCols)
	}
	for b := from; b < short.Rows; b += tileRows {
		nb := min(tileRows, short.Rows-b)
		f.tile.Rows, f.tile.Cols, f.tile.Stride = nb, n, n
		blas32.Gemm(blas.NoTrans, blas.Trans, -2, part(b, nb), own, 0, f.tile)
		for k := range nb {
			at := b + k
			size := f.size[at] + f.extra[at]
			for c, p := range f.tile.Data[k*n : k*n+min(n, max(0, at-from))] {
				d := float64(p) + size + f.size[from+c] + f.extra[from+c]
				if d >= f.high[at] {
					f.take(at, from+c, d)
				}
				if d >= f.high[from+c] {
					f.take(from+c, at, d)
				}
			}
		}
	}
}
