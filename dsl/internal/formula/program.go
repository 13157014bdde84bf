package formula

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/expr-lang/expr/ast"
)

// Program is a formula fitted to points with certain columns. It is safe for
// concurrent use.
type Program struct {
	definition *Definition
	at         map[*ast.MemberNode]int
	root       node
	frames     sync.Pool // of *frame, so that rows do not allocate
}

// Resolve fits the formula to points with these columns. It is an error without columns, or when
// the formula reads a column that is not there.
func (d *Definition) Resolve(columns []string) (*Program, error) {
	p := &Program{definition: d, at: map[*ast.MemberNode]int{}}
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: the formula reads features, but there are no feature columns", d.name)
	}
	for _, c := range d.columns {
		i := c.index
		if c.name != "" {
			i = slices.Index(columns, c.name)
		}
		switch {
		case i < 0:
			return nil, fmt.Errorf("%s (%s): there is no column %q; the columns are %s", d.name, c.place, c.name, strings.Join(columns, ", "))
		case i >= len(columns):
			return nil, fmt.Errorf("%s (%s): there is no column %d; the columns are %s, numbered from 0", d.name, c.place, i,
				strings.Join(columns, ", "))
		}
		p.at[c.node] = i
	}
	c := &compiler{Definition: d, at: p.at, columns: len(columns)}
	p.root = c.compile(d.body, everyColumn)
	slots := c.slots
	p.frames.New = func() any { return newFrame(slots) }
	return p, nil
}

// Pair returns k(x, y) for two feature vectors.
func (p *Program) Pair(x, y []float64) float64 {
	return (&pair{Definition: p.definition, at: p.at, px: x, py: y}).eval(p.definition.body).number
}

// Rows sets dst[j] = k(x, y_{from+j}), where column c of the points y is ys[c].
func (p *Program) Rows(dst, x []float64, ys [][]float64, from int) {
	f := p.frames.Get().(*frame)
	f.x, f.ys = x, ys
	p.rows(f, dst, from)
	f.x, f.ys = nil, nil
	p.frames.Put(f)
}

// rows runs Rows with the state to work in, block by block.
func (p *Program) rows(f *frame, dst []float64, from int) {
	for start := 0; start < len(dst); start += block {
		part := dst[start:min(start+block, len(dst))]
		f.from, f.to = from+start, from+start+len(part)
		if p.root.uniform() {
			fill(part, p.root.one(f))
			continue
		}
		if out := p.root.rows(f, part); &out[0] != &part[0] { // a view of a column
			copy(part, out)
		}
	}
}

func fill(dst []float64, v float64) {
	for j := range dst {
		dst[j] = v
	}
}
