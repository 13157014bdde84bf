package design

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
)

const (
	// halfPrecision is the relative rounding error of a 32-bit number.
	halfPrecision = 1.0 / (1 << 24)
	// leftOut is the mean residual at which coordinates for the comparison of all pairs are complete, relative to the
	// largest variance. mostLeading is the largest number of these coordinates.
	leftOut, mostLeading = 0.05, 192
	// mostPairProducts is the default of Options.Scan for an Exchange. It takes some minutes on one core.
	mostPairProducts = 1e12
	// mostRefined is the largest number of pairs that are evaluated exactly.
	mostRefined = 1e8
	// guesses is the number of sampled pairs from which the number of pairs to refine is estimated.
	guesses = 20000
)

// leading has coordinates v_i of all arms in which squared distances are variances of differences, up to a small
// residual. They are rows of a pivoted Cholesky factor of the covariances c_ij = φ_iᵀA⁻¹φ_j. r_i is the residual c_ii -
// ‖v_i‖². The variance d_ij of the difference of arms i and j has the bounds
//
//	‖v_i - v_j‖² ≤ d_ij ≤ ‖v_i - v_j‖² + (√r_i + √r_j)² ≤ ‖v_i - v_j‖² + 2r_i + 2r_j.
type leading struct {
	*covariances
	armList
	w    blas64.General // N × s: w_i
	rows blas32.General // N × q: coordinates
	rest []float64      // N: r
}

// lead computes coordinates until the mean residual is at most limit or there are mostLeading of them.
func (l *covariances) lead(limit float64) *leading {
	x, support := l.x, len(l.support)
	n := len(x.in.Squares)
	x.stop.claim(n, n*support, n*mostLeading/2)
	c := &leading{covariances: l, armList: l.armList(nil, nil), w: reshape(blas64.General{}, n, support), rest: make([]float64, n)}
	x.do(n, passRows, func(from, to int) {
		b := new(workspace)
		l.whitened(c.armList, b, from, to)
		for k := range to - from {
			copy(row(c.w, from+k), row(b.v, k))
			c.rest[from+k] = (x.in.Squares[from+k] - dot(row(b.v, k), row(b.v, k))) / x.in.Ridge
		}
	})
	c.rows = blas32.General{Rows: n, Stride: mostLeading, Data: make([]float32, n*mostLeading)}
	for c.rows.Cols < mostLeading && sum(c.rest) > limit*float64(n) {
		c.add()
	}
	return c
}

// row returns the q coordinates of arm i.
func (c *leading) row(i int) []float32 {
	return c.rows.Data[i*c.rows.Stride : i*c.rows.Stride+c.rows.Cols]
}

// add adds a coordinate: the one along the arm with the largest residual.
func (c *leading) add() {
	x, p := c.covariances.x, floats.MaxIdx(c.rest)
	root := math.Sqrt(c.rest[p])
	own := slices.Clone(c.row(p))
	x.do(len(c.rest), 4*passRows, func(from, to int) {
		products := make([]float64, to-from)
		x.in.Inner(products, p, from)
		for k, v := range products {
			i := from + k
			f := (v-blas64Dot(row(c.w, p), row(c.w, i)))/x.in.Ridge - blas32Dot(own, c.row(i))
			at := float32(f / root)
			c.rows.Data[i*c.rows.Stride+len(own)] = at
			c.rest[i] = max(c.rest[i]-float64(at)*float64(at), 0)
		}
	})
	c.rows.Cols++
	c.rest[p] = 0
}

// blas64Dot returns xᵀy by BLAS, which is faster for long vectors.
func blas64Dot(x, y []float64) float64 {
	return blas64.Dot(blas64.Vector{N: len(x), Inc: 1, Data: x}, blas64.Vector{N: len(y), Inc: 1, Data: y})
}

func blas32Dot(x, y []float32) float64 {
	return float64(blas32.DDot(blas32.Vector{N: len(x), Inc: 1, Data: x}, blas32.Vector{N: len(y), Inc: 1, Data: y}))
}

// variance returns the exact variance of the difference of arms i and j, without the rounding of coordinates. products is
// workspace of length 1.
func (c *leading) variance(i, j int, products []float64) float64 {
	x := c.covariances.x
	x.in.Inner(products[:1], i, j)
	sum := 0.0
	wi, wj := row(c.w, i), row(c.w, j)
	for k, a := range wi {
		d := a - wj[k]
		sum += d * d
	}
	return (x.in.Squares[i] + x.in.Squares[j] - 2*products[0] - sum) / x.in.Ridge
}

// bound returns an upper bound on the variances of all contrasts; s is a pass over all arms at the present weights. With
// more = true it adds contrasts that the pass missed, and reports whether there were any.
func (x *Exchange) bound(s *pass, tolerance float64, more bool) (ceiling float64, met bool) {
	if len(x.groups) == 0 {
		return s.reached, false
	}
	c := x.covariancesAt(x.lambda).lead(leftOut * s.reached)
	level := max(x.level, s.reached) * (1 + 2*tolerance)
	ceiling = s.reached
	var order []ranked
	partner := map[int]int{}
	for _, g := range x.groups {
		p := x.newPairScan(g, c, s.reached)
		high, with, top := p.run()
		ceiling = max(ceiling, top)
		for k, h := range high {
			s.reached = max(s.reached, h)
			if h > level {
				order = append(order, ranked{g[p.order[k].arm], h})
				partner[g[p.order[k].arm]] = g[p.order[with[k]].arm]
			}
		}
	}
	if !more || len(order) == 0 {
		return ceiling, false
	}
	slices.SortFunc(order, byRank)
	var joined []int
	for _, a := range order {
		q := Pair{a.arm, partner[a.arm], 1}
		if len(joined) == mostJoining {
			break
		}
		if !slices.Contains(joined, q.I) && !slices.Contains(joined, q.J) && !x.carries(q) {
			x.pairs = append(x.pairs, q)
			joined = append(joined, q.I, q.J)
			x.end(q.I)
			x.end(q.J)
		}
	}
	x.view(joined)
	return ceiling, len(joined) > 0
}

// pairScan compares all pairs of a group, to find those whose variance may exceed floor.
type pairScan struct {
	c     *leading
	g     []int
	floor float64
	exact bool // whether to evaluate these pairs exactly

	order []ranked // positions in g with the squared distance from the mean, the farthest first
	short blas32.General
	reach []float64 // squared length of the centred coordinates plus twice the residual
	slack float64
}

func (x *Exchange) newPairScan(g []int, c *leading, floor float64) *pairScan {
	m := c.rows.Cols
	p := &pairScan{c: c, g: g, floor: floor}
	x.stop.claim(len(g), len(g)*m/2, 4*len(g))
	centre := make([]float64, m)
	for _, i := range g {
		for k, v := range c.row(i) {
			centre[k] += float64(v) / float64(len(g))
		}
	}
	for k, i := range g {
		d := c.rest[i]
		for j, v := range c.row(i) {
			d += (float64(v) - centre[j]) * (float64(v) - centre[j])
		}
		p.order = append(p.order, ranked{k, d})
	}
	slices.SortFunc(p.order, byRank)
	p.short = blas32.General{Rows: len(g), Cols: m, Stride: max(m, 1), Data: make([]float32, len(g)*max(m, 1))}
	p.reach = make([]float64, len(g))
	for k, o := range p.order {
		i := g[o.arm]
		for j, v := range c.row(i) {
			d := float64(v) - centre[j]
			p.short.Data[k*p.short.Stride+j] = float32(d)
			p.reach[k] += d * d
		}
		p.reach[k] += 2 * c.rest[i]
	}
	// an inner product of m 32-bit terms has an error of at most (m + 2) 2⁻²⁴ ‖v_i‖‖v_j‖ to first order; the factor 2 is
	// for higher orders and the rounding of the coordinates
	p.slack = 2 * 2 * float64(m+4) * halfPrecision * p.order[0].key
	p.exact = p.guess() <= mostRefined
	return p
}

// guess returns an estimate of the number of pairs that may exceed the floor, from a sample.
func (p *pairScan) guess() float64 {
	n := len(p.g)
	over := 0
	for k := range guesses { // the steps are coprime to each other, and to most n
		i, j := (k*7919)%n, (k*104729+k/7)%n
		d := p.reach[i] + p.reach[j]
		for c, v := range p.short.Data[i*p.short.Stride : i*p.short.Stride+p.short.Cols] {
			d -= 2 * float64(v) * float64(p.short.Data[j*p.short.Stride+c])
		}
		if d > p.floor {
			over++
		}
	}
	return float64(over) / guesses * float64(n) * float64(n) / 2
}

// run returns, for each arm in the order of the scan, the largest variance above the floor among evaluated pairs, and the
// other arm of that pair. `top` is an upper bound on the variances of all pairs of the group.
func (p *pairScan) run() (high []float64, partner []int, top float64) {
	x := p.c.covariances.x
	n := len(p.g)
	limit := cmp.Or(x.opt.Scan, mostPairProducts)
	found := newFarthest(n)
	if float64(n)*float64(n)/2*float64(p.short.Cols) > limit {
		a, b := math.Sqrt(p.order[0].key), math.Sqrt(p.order[min(1, n-1)].key)
		return found.high, found.partner, (a + b) * (a + b)
	}
	workers := eachTile(x.do, n, func() *pairTile {
		return &pairTile{farthest: *newFarthest(n), products: make([]float64, 1), tile: blas32.General{Data: make([]float32, tileRows*tileCols)}}
	}, p.visit)
	for _, f := range workers {
		found.merge(&f.farthest)
		top = max(top, f.top)
	}
	return found.high, found.partner, max(top, p.floor)
}

// pairTile has the workspace and the result of one worker.
type pairTile struct {
	farthest
	top      float64
	tile     blas32.General
	products []float64
}

// visit compares the arms of a tile with each other, and with all later arms that may be far enough away. `from` is the
// first arm of the tile.
func (p *pairScan) visit(f *pairTile, from int) {
	part := func(at, n int) blas32.General {
		return blas32.General{Rows: n, Cols: p.short.Cols, Stride: p.short.Stride, Data: p.short.Data[at*p.short.Stride : (at+n)*p.short.Stride]}
	}
	n := min(tileCols, len(p.g)-from)
	own, longest := part(from, n), math.Sqrt(p.order[from].key)
	reach := p.reach[from : from+n]
	for b := from; b < len(p.g); b += tileRows {
		if d := longest + math.Sqrt(p.order[b].key); d*d+p.slack <= p.floor {
			return
		}
		nb := min(tileRows, len(p.g)-b)
		f.tile.Rows, f.tile.Cols, f.tile.Stride = nb, n, n
		blas32.Gemm(blas.NoTrans, blas.Trans, -2, part(b, nb), own, 0, f.tile)
		for k := range nb {
			at := b + k
			least := float32(p.floor - p.slack - p.reach[at])
			least -= 4 * halfPrecision * float32(math.Abs(float64(least)))
			for c, v := range f.tile.Data[k*n : k*n+min(n, max(0, at-from))] {
				if float64(v)+reach[c] > float64(least) {
					p.take(f, at, from+c, float64(v)+reach[c]+p.reach[at]+p.slack)
				}
			}
		}
	}
}

// take processes a pair (a, b) whose variance is at most d: it evaluates the pair if p.exact is set, and otherwise uses d.
func (p *pairScan) take(f *pairTile, a, b int, d float64) {
	if p.exact {
		d = p.c.variance(p.g[p.order[a].arm], p.g[p.order[b].arm], f.products)
		if d >= f.high[a] {
			f.farthest.take(a, b, d)
		}
		if d >= f.high[b] {
			f.farthest.take(b, a, d)
		}
	}
	f.top = max(f.top, d)
}

// farthest has, for each of n arms, the arm farthest from it, and among equal ones the first.
type farthest struct {
	high    []float64
	partner []int
}

func newFarthest(n int) *farthest {
	return &farthest{high: slices.Repeat([]float64{-1}, n), partner: slices.Repeat([]int{-1}, n)}
}

func (f *farthest) take(k, arm int, d float64) {
	if d > f.high[k] || arm < f.partner[k] {
		f.high[k], f.partner[k] = d, arm
	}
}

// merge adds the result of another worker. The order of merges does not affect the result.
func (f *farthest) merge(g *farthest) {
	for k, j := range g.partner {
		if j >= 0 && g.high[k] >= f.high[k] {
			f.take(k, j, g.high[k])
		}
	}
}

// eachTile calls visit for each tile of the pairs of n arms, on several cores. `visit` gets the first arm of a tile and
// compares the tile with itself and with later arms. Each worker has its own workspace from fresh; the workspaces are
// returned. Large and small tiles alternate.
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
