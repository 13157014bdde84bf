package rpc

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// atOnce limits the number of values per request to a function of the program. Larger matrices are requested in blocks of
// rows.
const atOnce = 1 << 20

// maxGrids limits the number of grids per function, and of point lists per grid.
const maxGrids = 4

// kernel returns a kernel whose values the program computes.
func (a *asker) kernel(name string, number int) kernels.Formula {
	k := &asked{asker: a, number: number}
	f := kernels.Formula{Name: name, Params: "x, y"}
	f.Pair = func(x, y kernels.Point) float64 { return k.pair(x, y) }
	f.Meet = func(p *kernels.Points) kernels.Formula {
		g := k.grid(p)
		met := f
		met.Pair = func(x, y kernels.Point) float64 { return k.pair(x, y, g) }
		met.Rows = func(dst []float64, x kernels.Point, ys *kernels.Points, from int) { k.row(g, dst, x, ys, from) }
		return met
	}
	return f
}

// asked is a kernel whose values the program computes. It is safe for concurrent use.
type asked struct {
	asker  *asker
	number int

	mu    sync.Mutex
	grids []*grid
}

// grid caches the kernel values between distinct points.
type grid struct {
	columns  []string
	points   [][]float64    // features of the distinct points
	index    map[string]int // bytes of the features → index in points
	lists    []located      // point lists with the indices of their points
	rows     [][]float64    // rows[i] has the kernel values of point i with all points; nil if not computed
	computed int            // number of computed rows
}

// located is a list of points with their indices in a grid.
type located struct {
	points *kernels.Points
	at     []int
}

// grid returns a cached grid that contains all points of p, or a new one.
func (k *asked) grid(p *kernels.Points) *grid {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, g := range k.grids {
		if slices.Equal(g.columns, p.Columns) && g.locate(p) != nil {
			return g
		}
	}
	g := &grid{columns: p.Columns, index: map[string]int{}}
	for i := range p.Len() {
		x := p.Point(i).X
		key := string(bytesOf(x))
		if _, known := g.index[key]; !known {
			g.index[key] = len(g.points)
			g.points = append(g.points, x)
		}
	}
	g.rows = make([][]float64, len(g.points))
	if len(k.grids) == maxGrids {
		k.grids = k.grids[1:]
	}
	k.grids = append(k.grids, g)
	return g
}

// locate returns the indices of the points p in the grid, or nil if the grid lacks one.
func (g *grid) locate(p *kernels.Points) []int {
	for _, l := range g.lists {
		if l.points == p {
			return l.at
		}
	}
	at := make([]int, p.Len())
	for i := range at {
		place, known := g.index[string(bytesOf(p.Point(i).X))]
		if !known {
			return nil
		}
		at[i] = place
	}
	if len(g.lists) == maxGrids {
		g.lists = g.lists[1:]
	}
	g.lists = append(g.lists, located{p, at})
	return at
}

// values returns row i of the grid. It computes a missing row together with as many following rows as one request may
// contain. It returns nil after an error.
func (k *asked) values(g *grid, i int) []float64 {
	if g.rows[i] != nil {
		return g.rows[i]
	}
	n := len(g.points)
	block := max(1, atOnce/n)
	if g.computed >= 4*block { // drops all rows, to limit the memory
		g.rows, g.computed = make([][]float64, n), 0
	}
	to := min(n, i+block)
	if block >= n {
		i, to = 0, n
	}
	values, err := k.compute(g.columns, g.points[i:to], g.points)
	if err != nil {
		return nil
	}
	for r := i; r < to; r++ {
		g.rows[r] = values[(r-i)*n : (r-i+1)*n]
	}
	g.computed += to - i
	return g.rows[i]
}

// compute requests the kernel values of all points xs with all points ys, row by row.
func (k *asked) compute(columns []string, xs, ys [][]float64) (_ []float64, err error) {
	defer try.Caught(&err)
	p := evaluateParams{Function: k.number, Kind: "kernel", Columns: columns, Rows: len(xs), Width: len(ys)}
	out := try.Of(k.asker.ask(p, bytesOf(slices.Concat(xs...)), bytesOf(slices.Concat(ys...))))
	block := try.Of(k.asker.server.channel.take(out.Block))
	values, err := floats(block, len(xs)*len(ys))
	if err != nil {
		return nil, fmt.Errorf("the function returned %w", err)
	}
	return values, nil
}

// pair returns the kernel value of two points, or NaN after an error. It uses the first of the given grids that contains
// both points. Without given grids it searches all cached ones.
func (k *asked) pair(x, y kernels.Point, among ...*grid) float64 {
	k.mu.Lock()
	defer k.mu.Unlock()
	if among == nil {
		among = k.grids
	}
	one, other := string(bytesOf(x.X)), string(bytesOf(y.X))
	for _, g := range among {
		i, known := g.index[one]
		j, both := g.index[other]
		if known && both {
			if row := k.values(g, i); row != nil {
				return row[j]
			}
			return math.NaN()
		}
	}
	values, err := k.compute(nil, [][]float64{x.X}, [][]float64{y.X})
	if err != nil {
		return math.NaN()
	}
	return values[0]
}

// row sets dst[j] to the kernel value of x and ys[from+j], or to NaN after an error.
func (k *asked) row(g *grid, dst []float64, x kernels.Point, ys *kernels.Points, from int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	i, known := g.index[string(bytesOf(x.X))]
	if at := g.locate(ys); known && at != nil {
		if row := k.values(g, i); row != nil {
			for j := range dst {
				dst[j] = row[at[from+j]]
			}
			return
		}
	} else {
		others := lists.Make(len(dst), func(j int) []float64 { return ys.Point(from + j).X })
		if values, err := k.compute(g.columns, [][]float64{x.X}, others); err == nil {
			copy(dst, values)
			return
		}
	}
	for j := range dst {
		dst[j] = math.NaN()
	}
}
