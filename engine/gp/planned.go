package gp

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

// Planned is the covariance of a Blocked distribution after further observations. Each is added without a new factorization.
type Planned struct {
	*Blocked
	known  *mat.SymDense // W: the covariance is RWRᵀ plus blocks, where R has the rows
	blocks map[int]*plannedBlock
}

// plannedBlock has the rows and the covariance of a block that has further observations.
type plannedBlock struct {
	rows *mat.Dense
	own  *mat.SymDense
}

// Plan returns the covariance without further observations.
func (b *Blocked) Plan() *Planned {
	_, m := b.Features.Dims()
	return &Planned{b, symmetric.Add(mat.NewSymDense(m, nil), func(int) float64 { return 1 }), map[int]*plannedBlock{}}
}

// row returns the row of point i, and its block, which is nil without further observations.
func (p *Planned) row(i int) ([]float64, *plannedBlock) {
	if g := p.blocks[p.Block[i]]; g != nil {
		return g.rows.RawRowView(p.At[i]), g
	}
	return p.Features.RawRowView(i), nil
}

// Covariance returns the covariance matrix of the given points.
func (p *Planned) Covariance(points []int) *mat.SymDense {
	n := len(points)
	_, m := p.Features.Dims()
	rows, across := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	for k, i := range points {
		row, _ := p.row(i)
		copy(rows.RawRowView(k), row)
	}
	if across.Copy(rows); len(p.blocks) > 0 { // before any observation W is I
		across.Mul(rows, p.known)
	}
	return symmetric.Make(n, func(k, l int) float64 {
		i, j := points[k], points[l]
		v := floats.Dot(across.RawRowView(k), rows.RawRowView(l))
		if g := p.blocks[p.Block[i]]; g != nil && p.Block[i] == p.Block[j] {
			return v + g.own.At(p.At[i], p.At[j])
		}
		return v + p.Entry(i, j)
	})
}

// Observe adds an observation of point i with noise variance s² = noise. Given w, let C be the covariance of the
// point's block, c its column i, and r the row of the point. The updates are
//
//	C - ccᵀ/(c_i + s²),  R - c rᵀ/(c_i + s²),  W - Wr(Wr)ᵀ/(c_i + s² + rᵀWr).
func (p *Planned) Observe(i int, noise float64) {
	block, points := p.blocks[p.Block[i]], p.points[p.Block[i]]
	members := len(points)
	_, m := p.Features.Dims()
	if block == nil {
		block = &plannedBlock{mat.NewDense(members, m, nil), mat.NewSymDense(members, nil)}
		for _, j := range points {
			block.rows.SetRow(p.At[j], p.Features.RawRowView(j))
			for _, l := range points {
				block.own.SetSym(p.At[j], p.At[l], p.Entry(j, l))
			}
		}
		p.blocks[p.Block[i]] = block
	}
	k := p.At[i]
	r := slices.Clone(block.rows.RawRowView(k))
	spread := block.own.At(k, k) + noise
	var along mat.VecDense
	along.MulVec(p.known, mat.NewVecDense(m, r))
	p.known.SymRankOne(p.known, -1/(spread+floats.Dot(r, along.RawVector().Data)), &along)
	c := mat.NewVecDense(members, nil)
	for l := range members {
		c.SetVec(l, block.own.At(k, l))
		floats.AddScaled(block.rows.RawRowView(l), -c.AtVec(l)/spread, r)
	}
	block.own.SymRankOne(block.own, -1/spread, c)
}
