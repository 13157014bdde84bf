package belief

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// mostBlocks is the most blocks whose effects are taken out.
const mostBlocks = 1000

// blocks say which measurements were made together: on a day, on a plate. A block adds an effect of its own
// to all its rewards.
type blocks struct {
	share *mat.Dense    // of the measurements of each measured arm in each block, n × B
	about *mat.SymDense // Σ over arms of diag(n_ij) - n_i p_i p_iᵀ, each over rel: what differences within arms say of blocks
	right []float64     // B: Σ of rewards less the mean of their arm, over rel
}

// design returns the constant and the blocks as effects on the means of the chosen arms: the design H, what
// is known of them from within arms, both over σ², and the precisions of their prior.
func (c *chosen) design(sigma2, variance float64) (h *mat.Dense, extra *mat.SymDense, right, precision []float64) {
	n, q := len(c.y), 1
	if c.d.blocks != nil {
		_, b := c.d.blocks.share.Dims()
		q += b
	}
	h = mat.NewDense(n, q, nil)
	right, precision = make([]float64, q), make([]float64, q)
	precision[0] = 1 / constantVariance
	for i := range n {
		h.Set(i, 0, 1)
	}
	if q == 1 {
		return h, nil, right, precision
	}
	extra = mat.NewSymDense(q, nil)
	for j := 1; j < q; j++ {
		precision[j] = 1 / variance
		right[j] = c.d.blocks.right[j-1] / sigma2
		for i, a := range c.at {
			h.Set(i, j, c.d.blocks.share.At(a, j-1))
		}
		for k := j; k < q; k++ {
			extra.SetSym(j, k, c.d.blocks.about.At(j-1, k-1)/sigma2)
		}
	}
	return h, extra, right, precision
}

// join reads what was measured together, once the scatter of measurements is known: n_ij of arm i in block j, and r_ij
// the sum of their rewards less n_ij times the mean of the arm.
func (d *data) join() {
	p := d.p
	if len(p.Blocks) < 2 || d.wins != nil {
		return
	}
	b := &blocks{
		share: mat.NewDense(len(d.cells), len(p.Blocks), nil), about: mat.NewSymDense(len(p.Blocks), nil), right: make([]float64, len(p.Blocks)),
	}
	at := map[int]int{}
	for k, i := range d.cells {
		at[i] = k
	}
	for _, r := range p.Rows {
		k := at[r.Arm]
		b.share.Set(k, r.Block, b.share.At(k, r.Block)+r.Count)
		b.right[r.Block] += r.Count * ((r.Reward-d.offset)/d.unit - d.y[k]) / d.rel[k]
	}
	for k, n := range d.n {
		row := b.share.RawRowView(k)
		var present []int
		for j, c := range row {
			if c > 0 {
				present = append(present, j)
			}
		}
		for x, i := range present {
			b.about.SetSym(i, i, b.about.At(i, i)+row[i]/d.rel[k])
			for _, j := range present[x:] {
				b.about.SetSym(i, j, b.about.At(i, j)-row[i]*row[j]/n/d.rel[k])
			}
		}
		for j := range row {
			row[j] /= n
		}
	}
	d.blocks = b
}

// estimable is how large a direction of the effects is at least, in parts of the largest count of a block, that
// differences within arms estimate.
const estimable = 1e-6

// unblocked takes the effects of blocks out of the squares within arms, and out of their degrees of freedom what that
// costs: β minimises Σ over measurements of (y - ȳ_i - β_b + Σ_j p_ij β_j)².
func (d *data) unblocked(squares, freedom []float64) (left, free []float64) {
	p, count := d.p, len(d.p.Blocks)
	if count < 2 {
		return squares, freedom
	}
	at := map[int]int{}
	for k, i := range d.cells {
		at[i] = k
	}
	held := make([]map[int]float64, len(d.cells)) // n_ij
	normal, right := mat.NewSymDense(count, nil), mat.NewVecDense(count, nil)
	for _, r := range p.Rows {
		k := at[r.Arm]
		if held[k] == nil {
			held[k] = map[int]float64{}
		}
		held[k][r.Block] += r.Count
		normal.SetSym(r.Block, r.Block, normal.At(r.Block, r.Block)+r.Count)
		right.SetVec(r.Block, right.AtVec(r.Block)+r.Count*(r.Reward-d.mean(k)))
	}
	most := 0.0
	for j := range count {
		most = max(most, normal.At(j, j))
	}
	for k, row := range held {
		for i, a := range row {
			for j, b := range row {
				if i <= j {
					normal.SetSym(i, j, normal.At(i, j)-a*b/d.n[k])
				}
			}
		}
	}
	for j := range count {
		normal.SetSym(j, j, normal.At(j, j)+estimable*most)
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	beta := mat.NewVecDense(count, nil)
	if !chol.Factorize(normal) || condition(chol.SolveVecTo(beta, right)) != nil || condition(chol.InverseTo(&inverse)) != nil {
		return squares, freedom
	}
	rank, total := float64(count)-estimable*most*mat.Trace(&inverse), floats.Sum(freedom)
	left, free = append([]float64(nil), squares...), append([]float64(nil), freedom...)
	for _, r := range p.Rows {
		k, fitted := at[r.Arm], beta.AtVec(r.Block)
		for j, n := range held[k] {
			fitted -= n / d.n[k] * beta.AtVec(j)
		}
		left[k] -= r.Count * fitted * (2*(r.Reward-d.mean(k)) - fitted)
	}
	for k := range left {
		left[k] = max(left[k], 0)
		free[k] *= max(1-rank/total, 0)
	}
	return left, free
}
