package design

import (
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// sources returns the arms of a group that look for the one farthest from them: its candidates, or
// at first its pivots, with the arms that repeated looking meets where these are few.
func (s *survey) sources(g []int) []int {
	w := s.of
	var out []int
	for _, i := range g {
		if w.chosen[i] {
			out = append(out, i)
		}
	}
	if len(out) == 0 {
		member := make([]bool, len(s.size))
		for _, i := range g {
			member[i] = true
		}
		for _, i := range w.in.Arms {
			if member[i] {
				out = append(out, i)
			}
			if len(out) == mostSeekers {
				break
			}
		}
		for k := 0; len(out) < min(seekers, len(g)); k++ {
			out = append(out, g[(k*len(g))/seekers])
		}
		slices.Sort(out)
		out = slices.Compact(out)
	}
	return out
}

// seek finds, for each source, the arm of the group that is farthest from it.
func (s *survey) seek(g, sources []int) {
	rows := reshape(blas64.General{}, len(sources), s.v.Cols)
	for k, i := range sources {
		copy(row(rows, k), row(s.v, i))
	}
	var found farthest
	var free sync.Mutex
	var idle []*farthest
	s.do(len(g), surveyRows, func(from, to int) {
		free.Lock()
		var f *farthest
		if len(idle) > 0 {
			f, idle = idle[len(idle)-1], idle[:len(idle)-1]
		} else {
			f = newFarthest(len(sources))
		}
		free.Unlock()
		f.visit(s, sources, rows, g[from:to])
		free.Lock()
		idle = append(idle, f)
		free.Unlock()
	})
	found = *newFarthest(len(sources))
	for _, f := range idle {
		found.merge(f)
	}
	for k, i := range sources {
		if found.partner[k] < 0 {
			continue
		}
		s.offer(i, found.partner[k], found.high[k])
	}
}

// offer keeps a contrast for arm i if it is the most uncertain one met.
func (s *survey) offer(i, j int, h float64) {
	if h > s.high[i] {
		s.high[i], s.partner[i] = h, j
	}
	s.reached = max(s.reached, h)
}

// farthest holds, for some sources, the arm that is farthest; of several the first.
type farthest struct {
	high       []float64
	partner    []int
	tile, rows blas64.General
}

func newFarthest(n int) *farthest {
	f := &farthest{high: make([]float64, n), partner: make([]int, n)}
	for k := range f.high {
		f.high[k], f.partner[k] = -1, -1
	}
	return f
}

// visit compares the sources with some arms.
func (f *farthest) visit(s *survey, sources []int, rows blas64.General, arms []int) {
	for a := 0; a < len(arms); a += tileCols {
		part := arms[a:min(a+tileCols, len(arms))]
		f.rows = reshape(f.rows, len(part), s.v.Cols)
		for k, i := range part {
			copy(row(f.rows, k), row(s.v, i))
		}
		for b := 0; b < len(sources); b += tileRows {
			nb := min(tileRows, len(sources)-b)
			f.tile = reshape(f.tile, nb, len(part))
			blas64.Gemm(blas.NoTrans, blas.Trans, -2, block(rows, b, b+nb), f.rows, 0, f.tile)
			for k := range nb {
				i := sources[b+k]
				for c, d := range row(f.tile, k) {
					if d += s.size[i] + s.size[part[c]]; d >= f.high[b+k] && part[c] != i {
						f.take(b+k, part[c], d)
					}
				}
			}
		}
	}
}

func (f *farthest) take(k, arm int, d float64) {
	if d > f.high[k] || arm < f.partner[k] {
		f.high[k], f.partner[k] = d, arm
	}
}

// merge takes in what another saw; the order does not matter.
func (f *farthest) merge(g *farthest) {
	for k, j := range g.partner {
		if j >= 0 && g.high[k] >= f.high[k] {
			f.take(k, j, g.high[k])
		}
	}
}
