package belief

import (
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
