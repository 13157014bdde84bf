package model

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// related divides the arms into groups between which the kernel is 0, so that only the prior mean relates them.
type related struct {
	arms      [][]int          // by part, ascending
	of, at    []int            // N: the group of an arm, and its position there
	gram      []kernels.Matrix // by part, normalised
	variances [][]float64      // by part: the diagonal
}

// relatedArms returns the groups of a model's arms, cached.
func relatedArms(m *Model) (*related, error) {
	return m.source.related.get(m.Context(), func() (*related, error) {
		r := &related{arms: kernels.Components(m.source.gram), of: make([]int, m.Problem.N()), at: make([]int, m.Problem.N())}
		variances := m.Variances()
		for p, arms := range r.arms {
			gram := m.Gram()
			if len(r.arms) > 1 {
				var err error
				if gram, err = m.Among(arms); err != nil {
					return nil, err
				}
			}
			r.gram, r.variances = append(r.gram, gram), append(r.variances, indices.Of(variances, arms))
			for k, i := range arms {
				r.of[i], r.at[i] = p, k
			}
		}
		return r, nil
	})
}

// Divided reports whether a mixture is computed on the pulled arms, however few, because the kernel relates only some arms: if there are
// more than mostDecomposed features and no two arms have equal features.
func (m Relations) Divided() bool {
	if m.Features == nil || m.Features.RawMatrix().Cols <= mostDecomposed || !slices.Equal(m.Layout.First, indices.All(m.Problem.N())) {
		return false
	}
	r, err := relatedArms(m.Model)
	return err == nil && len(r.arms) > 1
}

// basesOf returns the bases of a posterior by group, or empty bases.
func (r *related) basesOf(p *Posterior) []*basis {
	out := lists.Make(len(r.arms), func(k int) *basis { return newBasis(r.gram[k], r.variances[k]) })
	if p == nil {
		return out
	}
	switch d := p.dual.(type) {
	case *dual:
		out[0] = d.basis.whole
	case *duals:
		for k, part := range d.parts {
			out[k] = part.basis.whole
		}
	}
	return out
}

// duals is a posterior of arms in several groups. The dual of a group uses its own data. An unknown prior mean is common to all: with the
// symbols of onBases.pooled, and with w_i = a_p (1 - a_i)(1/T' - (φ_i - φ̄)ᵀA⁻¹φ̄), the derivative of E μ_i in the prior mean,
//
//	E μ_i = E_p μ_i + w_i (β̂ - β̂_p),  Cov(μ_i, μ_j) = Cov_p(μ_i, μ_j) - w_i w_j (1/a_p - 1/a),
//
// and w_i w_j/a for arms of different groups. In a group without pulls w_i is 1, and its dual has a known prior mean.
type duals struct {
	*related
	parts  []*dual
	centre []float64 // by part: of its dual
	off    []float64 // by part: β̂ - β̂_p
	less   []float64 // by part: 1/a_p - 1/a
	weight []float64 // N: w; 0 if the prior mean is stated
	levels float64   // 1/a
}

var _ conditioned = (*duals)(nil)

// newDuals combines the posteriors of the groups, and returns the prior mean.
func newDuals(c *onBases, parts []*dual) (*duals, float64) {
	d := &duals{
		related: c.related, parts: parts, weight: make([]float64, len(c.related.of)),
		centre: make([]float64, len(parts)), off: make([]float64, len(parts)), less: make([]float64, len(parts)),
	}
	all := c.pooled(c.scale)
	if all.precision > 0 {
		d.levels = 1 / all.precision
	}
	for p, part := range parts {
		d.centre[p] = c.on[p].centre
		of, at := c.on[p].pooled(c.scale, c.on[p].solved(c.scale))
		switch {
		case all.precision == 0: // the prior mean is stated
			continue
		case of == 0:
			d.off[p], d.less[p] = all.level-d.centre[p], -d.levels
			for _, i := range d.arms[p] {
				d.weight[i] = 1
			}
			continue
		}
		d.off[p], d.less[p] = all.level-at, 1/of-d.levels
		middle := slices.Clone(part.origin)
		part.solve(middle)
		add := 1/part.precision + Dot(part.origin, middle)
		for k, i := range d.arms[p] {
			d.weight[i] = of * part.retained(k) * (add - Dot(part.basis.row(k), middle))
		}
	}
	return d, all.level
}

func (d *duals) floats() int {
	return len(d.weight) + lists.Sum(d.parts, (*dual).floats)
}

func (d *duals) estimates(_ float64, y []float64) []float64 {
	out := make([]float64, len(y))
	for p, part := range d.parts {
		for k, v := range part.estimates(d.centre[p], indices.Of(y, d.arms[p])) {
			i := d.arms[p][k]
			out[i] = v + d.weight[i]*d.off[p]
		}
	}
	return out
}

func (d *duals) variance(i, j int) float64 {
	var out [1]float64
	_ = d.variances(out[:], []int{i}, j) // later computations check the context
	return out[0]
}

func (d *duals) armVariance(i int) float64 {
	return d.parts[d.of[i]].armVariance(d.at[i]) - d.weight[i]*d.weight[i]*d.less[d.of[i]]
}

// runs calls do for consecutive arms of one group, with their positions there, which do must not keep.
func (d *duals) runs(arms []int, do func(part, from int, at []int)) {
	at := make([]int, 0, len(arms))
	for from := 0; from < len(arms); {
		p := d.of[arms[from]]
		at = at[:0]
		for to := from; to < len(arms) && d.of[arms[to]] == p; to++ {
			at = append(at, d.at[arms[to]])
		}
		do(p, from, at)
		from += len(at)
	}
}

func (d *duals) variances(dst []float64, arms []int, from int) (err error) {
	d.runs(arms, func(p, first int, at []int) {
		other, same := -1, from >= 0 && d.of[from] == p
		if same {
			other = d.at[from]
		}
		out := dst[first : first+len(at)]
		if err == nil {
			err = d.parts[p].variances(out, at, other)
		}
		for k := range out {
			w := d.weight[arms[first+k]]
			switch {
			case same:
				w -= d.weight[from]
			case from >= 0:
				out[k] += d.armVariance(from) - 2*w*d.weight[from]*d.levels
			}
			out[k] = max(0, out[k]-w*w*d.less[p])
		}
	})
	return err
}

// shared returns the contribution of the prior mean to the covariance of two arms, beyond that of their group.
func (d *duals) shared(i, j int) float64 {
	if p := d.of[i]; p == d.of[j] {
		return -d.weight[i] * d.weight[j] * d.less[p]
	}
	return d.weight[i] * d.weight[j] * d.levels
}

func (d *duals) covariances(dst []float64, arms []int, with int) {
	d.runs(arms, func(p, first int, at []int) {
		out := dst[first : first+len(at)]
		if clear(out); p == d.of[with] {
			d.parts[p].covariances(out, at, d.at[with])
		}
		for k := range out {
			out[k] += d.shared(arms[first+k], with)
		}
	})
}

func (d *duals) matrix(arms []int) *mat.SymDense {
	out := symmetric.Make(len(arms), func(k, l int) float64 { return d.shared(arms[l], arms[k]) })
	positions, at := make([][]int, len(d.parts)), make([][]int, len(d.parts))
	for k, i := range arms {
		p := d.of[i]
		positions[p], at[p] = append(positions[p], k), append(at[p], d.at[i])
	}
	for p, part := range d.parts {
		if len(at[p]) == 0 {
			continue
		}
		own := part.matrix(at[p])
		for a, k := range positions[p] {
			for b, l := range positions[p][:a+1] {
				out.SetSym(k, l, out.At(k, l)+own.At(a, b))
			}
		}
	}
	return out
}
