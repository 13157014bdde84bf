package gp

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Turned has observations y of β + f, f ~ N(0, sK + gI), transformed so that the likelihood at any scale s is cheap, for
// one g. D = gI + N, and D^-½BD^-½ = UΛUᵀ in each block. The rows are UᵀD^-½ times the features, 1 and y. Their covariance
// is s·ΦΦᵀ + diag(1 + sλ). Many rows of equal λ are replaced by fewer with the same sums of squares and products.
type Turned struct {
	prior   *Blocked
	of      Observations
	own     float64 // g
	rows    *mat.Dense
	ones, y []float64
	values  []float64 // λ
	// by row: how many observations it replaces; 0 if an earlier row of the same λ counts them
	multiple []float64
	noise    float64 // log |D|

	Count     int     // number of observations
	Precision float64 // 1ᵀD⁻¹1
	Level     float64 // the mean of y weighted by D⁻¹, or 0
	Squares   float64 // (y - level)ᵀD⁻¹(y - level)
	Largest   float64 // upper bound on the eigenvalues of D^-½KD^-½
}

// Turn returns the transformed observations for g = own. It divides them by their standard deviations and rotates them by
// U, block by block.
func (b *Blocked) Turn(own float64, o Observations) *Turned {
	_, m := b.Features.Dims()
	n := len(o.At)
	t := &Turned{prior: b, of: o, own: own, Count: n, rows: mat.NewDense(max(1, n), m, nil)}
	t.ones, t.y, t.values = make([]float64, n), make([]float64, n), make([]float64, n)
	row := b.rows(o)
	from, sum := 0, 0.0
	for _, seen := range b.byBlock(o.At) {
		n := len(seen)
		if n == 0 {
			continue
		}
		c, roots := mat.NewSymDense(n, nil), lists.Map(seen, func(k int) float64 { return 1 / math.Sqrt(own+o.Noise[k]) })
		diagonal := true
		for a, k := range seen {
			t.noise -= 2 * math.Log(roots[a])
			t.Precision += roots[a] * roots[a]
			sum += roots[a] * roots[a] * o.Y[k]
			for e, l := range seen[:a+1] {
				v := b.Entry(o.At[k], o.At[l]) * roots[a] * roots[e]
				diagonal = diagonal && (a == e || v == 0)
				c.SetSym(a, e, v)
			}
			floats.ScaleTo(t.rows.RawRowView(from+a), roots[a], row(k))
			t.ones[from+a], t.y[from+a], t.values[from+a] = roots[a], o.Y[k]*roots[a], c.At(a, a)
		}
		var eigen mat.EigenSym
		if !diagonal && eigen.Factorize(c, true) {
			var u mat.Dense
			eigen.VectorsTo(&u)
			eigen.Values(t.values[from : from+n])
			part := t.rows.Slice(from, from+n, 0, m).(*mat.Dense)
			part.Mul(u.T(), mat.DenseCopyOf(part))
			for _, x := range [][]float64{t.ones[from : from+n], t.y[from : from+n]} {
				turned := mat.NewVecDense(n, x)
				turned.MulVec(u.T(), mat.VecDenseCopyOf(turned))
			}
		}
		from += n
	}
	for i, v := range t.values {
		t.values[i] = max(v, 0)
		t.Largest = max(t.Largest, t.values[i])
	}
	if o.Flat {
		t.Level = sum / t.Precision
	}
	for i, v := range t.y {
		t.Squares += (v - t.Level*t.ones[i]) * (v - t.Level*t.ones[i])
	}
	t.Largest += floats.Dot(t.rows.RawMatrix().Data, t.rows.RawMatrix().Data)
	t.condense()
	return t
}

// condense replaces the rows of each λ by the triangular factor of their QR decomposition, if that leaves fewer than half
// of the rows.
func (t *Turned) condense() {
	_, m := t.rows.Dims()
	groups := map[float64][]int{}
	var values []float64
	for i, v := range t.values {
		if groups[v] == nil {
			values = append(values, v)
		}
		groups[v] = append(groups[v], i)
	}
	rows := lists.Sum(values, func(v float64) int { return min(len(groups[v]), m+2) })
	if t.multiple = slices.Repeat([]float64{1}, t.Count); 2*rows >= t.Count {
		return
	}
	of := *t
	t.rows, t.ones, t.y, t.values, t.multiple = mat.NewDense(rows, m, nil), nil, nil, nil, make([]float64, rows)
	for _, v := range values {
		group := groups[v]
		part := mat.NewDense(len(group), m+2, nil) // Φ, 1 and y
		for k, i := range group {
			row := part.RawRowView(k)
			copy(row, of.rows.RawRowView(i))
			row[m], row[m+1] = of.ones[i], of.y[i]
		}
		if len(group) > m+2 {
			part = triangular(part)
		}
		size, _ := part.Dims()
		t.multiple[len(t.y)] = float64(len(group))
		for k := range size {
			row := part.RawRowView(k)
			copy(t.rows.RawRowView(len(t.y)), row[:m])
			t.ones, t.y, t.values = append(t.ones, row[m]), append(t.y, row[m+1]), append(t.values, v)
		}
	}
}

// triangular returns the triangular factor of the QR decomposition of x, which has more rows than columns. It adds a few
// rows at a time, which then fit into the cache.
func triangular(x *mat.Dense) *mat.Dense {
	n, m := x.Dims()
	r := x.Slice(0, m, 0, m).(*mat.Dense)
	for from := m; from < n; from += 4 * m {
		var rows, whole mat.Dense
		rows.Stack(r, x.Slice(from, min(from+4*m, n), 0, m))
		var qr mat.QR
		qr.Factorize(&rows)
		qr.RTo(&whole)
		r = whole.Slice(0, m, 0, m).(*mat.Dense)
	}
	return r
}

// manyPivots is a product of pivots: when it is exceeded, Deviance takes the logarithm, so that the next pivot cannot
// overflow.
const manyPivots = 1e100

// Deviance returns -2 times the log of the restricted likelihood at a scale times √s, up to a constant [RW06, eq. 2.45].
// It returns +Inf if a factor fails.
func (t *Turned) Deviance(scale float64) float64 {
	deviance, product := t.noise-math.Log(scale), 1.0
	w, root := &whitened{mat.DenseCopyOf(t.rows), make([]float64, len(t.y)), make([]float64, len(t.y))}, math.Sqrt(scale)
	for i, v := range t.values {
		pivot := 1 + scale*v
		whiten := 1 / math.Sqrt(pivot)
		w.h[i], w.z[i] = whiten*t.ones[i], whiten*t.y[i]
		floats.Scale(root*whiten, w.x.RawRowView(i))
		if t.multiple[i] != 1 {
			deviance += t.multiple[i] * math.Log(pivot)
		} else if product *= pivot; product > manyPivots {
			deviance += math.Log(product)
			product = 1
		}
	}
	a, err := w.along(t.of.Flat)
	if err != nil {
		return math.Inf(1)
	}
	return deviance + math.Log(product) + a.logDet + a.quadratic
}

// Posterior returns the distribution of β + f at a scale, given the observations. scaled is workspace for the scaled
// features; posteriors may share it.
func (t *Turned) Posterior(ctx context.Context, scale float64, scaled *mat.Dense) (*BlockedPosterior, error) {
	scaled.Scale(math.Sqrt(scale), t.prior.Features)
	prior := &Blocked{nil, scaled, t.prior.scaled(scale, func(int) float64 { return t.own }), t.prior.points}
	return prior.Posterior(ctx, t.of)
}
