package gp

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

// Blocks is a covariance of N points in groups, 0 between groups.
type Blocks struct {
	Group, At []int           // of each point: its group, and its position there
	Within    []*mat.SymDense // by group
}

// Alone returns a diagonal covariance.
func Alone(variance []float64) *Blocks {
	n := len(variance)
	return &Blocks{indices.All(n), make([]int, n),
		lists.Map(variance, func(v float64) *mat.SymDense { return mat.NewSymDense(1, []float64{v}) })}
}

// Entry returns the covariance of two points.
func (b *Blocks) Entry(i, j int) float64 {
	if b == nil || b.Group[i] != b.Group[j] {
		return 0
	}
	return b.Within[b.Group[i]].At(b.At[i], b.At[j])
}

// AddTimes adds the product with x to a list.
func (b *Blocks) AddTimes(to, x []float64) {
	sums := lists.Map(b.Within, func(c *mat.SymDense) []float64 { return make([]float64, c.SymmetricDim()) })
	for i, v := range x {
		sums[b.Group[i]][b.At[i]] += v
	}
	for i := range to {
		c, k := b.Within[b.Group[i]], b.At[i]
		for l, v := range sums[b.Group[i]] {
			to[i] += c.At(k, l) * v
		}
	}
}

// Grouped is the prior K = ΦΦᵀ + B of N points in groups: what groups have in common has a low rank m, and B is block diagonal, as in
// the partially independent conditional of [Snelson and Ghahramani 2007]. The cost is linear in the number of groups.
type Grouped struct {
	Features *mat.Dense // Φ, N × m
	*Blocks             // B
	points   [][]int    // by group
}

// NewGrouped returns the prior. Points with the same group and position are one point.
func NewGrouped(features *mat.Dense, own *Blocks) *Grouped {
	return &Grouped{features, own, indices.Groups(len(own.Within), own.Group)}
}

// Turned has observations y of β + f, f ~ N(0, sK + gI), for one g and every scale s. With D = gI + N and D^-½BD^-½ = UΛUᵀ by group,
// rows are UᵀD^-½ times the features, 1 and y: their covariance is s·ΦΦᵀ + diag(1 + sλ).
type Turned struct {
	prior    *Grouped
	own      float64   // g
	variance []float64 // N: of the noise; +Inf without an observation
	flat     bool      // whether β has a flat prior; otherwise β = 0
	rows     *mat.Dense
	ones, y  []float64
	values   []float64 // λ
	noise    float64   // log |D|

	Count     int     // of observations
	Precision float64 // 1ᵀD⁻¹1
	Level     float64 // the mean of y weighted by D⁻¹, or 0
	Squares   float64 // (y - level)ᵀD⁻¹(y - level)
	Largest   float64 // a bound on the eigenvalues of D^-½KD^-½
}

// Observe turns the observations: N values y with the variances of their noise, +Inf for a point without one.
func (k *Grouped) Observe(own float64, variance, y []float64, flat bool) *Turned {
	_, m := k.Features.Dims()
	t := &Turned{prior: k, own: own, variance: variance, flat: flat}
	t.Count = lists.Count(variance, func(v float64) bool { return !math.IsInf(v, 1) })
	t.rows = mat.NewDense(t.Count, m, nil)
	t.ones, t.y, t.values = make([]float64, t.Count), make([]float64, t.Count), make([]float64, t.Count)
	from, sum := 0, 0.0
	for g, points := range k.points {
		at := lists.Where(points, func(i int) bool { return !math.IsInf(variance[i], 1) })
		n := len(at)
		if n == 0 {
			continue
		}
		b, roots := mat.NewSymDense(n, nil), lists.Map(at, func(i int) float64 { return 1 / math.Sqrt(own+variance[i]) })
		diagonal := true
		for a, i := range at {
			t.noise -= 2 * math.Log(roots[a])
			t.Precision += roots[a] * roots[a]
			sum += roots[a] * roots[a] * y[i]
			for c := range at[:a+1] {
				v := k.Within[g].At(k.At[i], k.At[at[c]]) * roots[a] * roots[c]
				diagonal = diagonal && (a == c || v == 0)
				b.SetSym(a, c, v)
			}
			for j, v := range k.Features.RawRowView(i) {
				t.rows.Set(from+a, j, v*roots[a])
			}
			t.ones[from+a], t.y[from+a], t.values[from+a] = roots[a], y[i]*roots[a], b.At(a, a)
		}
		var eigen mat.EigenSym
		if !diagonal && eigen.Factorize(b, true) {
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
	if flat {
		t.Level = sum / t.Precision
	}
	for i, v := range t.y {
		t.Squares += (v - t.Level*t.ones[i]) * (v - t.Level*t.ones[i])
	}
	t.Largest += floats.Dot(t.rows.RawMatrix().Data, t.rows.RawMatrix().Data)
	return t
}

// scaled has A = I/s + ΦᵀQΦ, factored, for centred features Φ and y, Q = diag(1/(1 + sλ)).
type scaled struct {
	precision float64   // 1ᵀQ1
	middle    []float64 // of the features
	known     mat.Cholesky
	deviance  float64
	quadratic float64
}

// at computes the sums at a scale.
func (t *Turned) at(scale float64) (*scaled, error) {
	n, m := t.rows.Dims()
	out, level := &scaled{middle: make([]float64, m)}, 0.0
	roots := make([]float64, n)
	out.deviance = t.noise - math.Log(scale)
	product := 1.0
	for i, v := range t.values {
		pivot := 1 + scale*v
		roots[i] = 1 / math.Sqrt(pivot)
		if product *= pivot; product > manyPivots {
			out.deviance += math.Log(product)
			product = 1
		}
	}
	out.deviance += math.Log(product)
	if t.flat {
		for i, h := range t.ones {
			q := roots[i] * roots[i] * h
			out.precision += q * h
			level += q * t.y[i]
			floats.AddScaled(out.middle, q, t.rows.RawRowView(i))
		}
		level /= out.precision
		floats.Scale(1/out.precision, out.middle)
		out.deviance += math.Log(out.precision)
	}
	information, along := mat.NewSymDense(m, nil), mat.NewVecDense(m, nil)
	row, raw := make([]float64, m), information.RawSymmetric().Data
	for i, root := range roots {
		copy(row, t.rows.RawRowView(i))
		floats.AddScaled(row, -t.ones[i], out.middle)
		floats.Scale(root, row)
		z := root * (t.y[i] - level*t.ones[i])
		out.quadratic += z * z
		floats.AddScaled(along.RawVector().Data, z, row)
		for j, v := range row {
			floats.AddScaled(raw[j*m+j:(j+1)*m], v, row[j:])
		}
	}
	if !out.known.Factorize(symmetric.Add(information, func(int) float64 { return 1 / scale })) {
		return nil, ErrSingular
	}
	out.deviance += out.known.LogDet() + float64(m)*math.Log(scale)
	var solved mat.VecDense
	_ = out.known.SolveVecTo(&solved, along) // it only warns of a condition
	out.quadratic = max(0, out.quadratic-mat.Dot(along, &solved))
	out.deviance += out.quadratic
	return out, nil
}

// manyPivots is the product of pivots at which the logarithm is taken, so that a further pivot cannot overflow.
const manyPivots = 1e100

// Deviance returns -2 times the log of the restricted likelihood of a scale times √s, up to a constant [RW06, eq. 2.45].
func (t *Turned) Deviance(scale float64) float64 {
	at, err := t.at(scale)
	if err != nil {
		return math.Inf(1)
	}
	return at.deviance
}

// Structured is the covariance RRᵀ + B of N points, B block diagonal.
type Structured struct {
	Root *mat.Dense // R
	*Blocks
	points [][]int // by group
}

// NewStructured returns the covariance RRᵀ + diag(own).
func NewStructured(root *mat.Dense, own []float64) *Structured {
	b := Alone(own)
	return &Structured{root, b, indices.Groups(len(own), b.Group)}
}

// Posterior returns the covariance of β + f given the observations at a scale, and the quadratic form (y - β̂)ᵀΣ⁻¹(y - β̂). With
// E = sB + gI, and of each group G = E_·P (E_PP + N)⁻¹ for its observed points P,
//
//	f = E f + (Φ - GΦ_P)w + (1 - G1)β + e,  w ~ N(0, A⁻¹),  Cov e = E - G E_P·.
func (t *Turned) Posterior(scale float64) (*Structured, float64, error) {
	at, err := t.at(scale)
	if err != nil {
		return nil, 0, err
	}
	n, m := t.prior.Features.Dims()
	columns := m
	if t.flat {
		columns++
	}
	own := &Blocks{t.prior.Group, t.prior.At, make([]*mat.SymDense, len(t.prior.points))}
	p := &Structured{mat.NewDense(n, columns, nil), own, t.prior.points}
	for g, points := range t.prior.points {
		if err := t.given(p, g, points, scale, at); err != nil {
			return nil, 0, err
		}
	}
	var lower mat.TriDense
	at.known.LTo(&lower)
	blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), p.Root.Slice(0, n, 0, m).(*mat.Dense).RawMatrix())
	return p, at.quadratic, nil
}

// given sets the covariance of a group given w, and its rows of Φ - GΦ_P, less φ̄ for β, and (1 - G1)/√(1ᵀQ1). For observed points
// I - G_P is N(E_PP + N)⁻¹, which loses no digits.
func (t *Turned) given(p *Structured, g int, points []int, scale float64, at *scaled) error {
	k := t.prior
	e := func(i, j int) float64 {
		v := scale * k.Entry(i, j)
		if i == j {
			v += t.own
		}
		return v
	}
	seen := lists.Where(points, func(i int) bool { return !math.IsInf(t.variance[i], 1) })
	_, m := k.Features.Dims()
	n := len(seen)
	out := mat.NewSymDense(len(points), nil)
	p.Within[g] = out
	known := mat.NewDense(max(1, n), m+1+n, nil) // (E_PP + N)⁻¹ times Φ_P, 1 and N
	if n > 0 {
		var factor mat.Cholesky
		if !factor.Factorize(symmetric.Make(n, func(a, b int) float64 {
			v := e(seen[a], seen[b])
			if a == b {
				v += t.variance[seen[a]]
			}
			return v
		})) {
			return ErrSingular
		}
		for a, i := range seen {
			row := known.RawRowView(a)
			copy(row, k.Features.RawRowView(i))
			row[m], row[m+1+a] = 1, t.variance[i]
		}
		_ = factor.SolveTo(known, known) // it only warns of a condition
	}
	back := make([]float64, m+1+n)
	for a := range points {
		i := points[a]
		noise := t.variance[i]
		clear(back)
		if math.IsInf(noise, 1) {
			copy(back, k.Features.RawRowView(i))
			back[m] = 1
			for b, j := range seen {
				floats.AddScaled(back[:m+1], -e(i, j), known.RawRowView(b)[:m+1])
			}
		} else {
			floats.AddScaled(back[:m+1], noise, known.RawRowView(slices.Index(seen, i))[:m+1])
		}
		for b, j := range seen {
			floats.AddScaled(back[m+1:], e(i, j), known.RawRowView(b)[m+1:])
		}
		for b, j := range seen { // Cov(e_i, e_j) = E_iP (E_PP + N)⁻¹ N_j
			out.SetSym(k.At[i], k.At[j], back[m+1+b])
		}
		row := p.Root.RawRowView(i)
		copy(row, back[:m])
		if t.flat {
			floats.AddScaled(row[:m], -back[m], at.middle)
			row[m] = back[m] / math.Sqrt(at.precision)
		}
	}
	unseen := lists.Where(points, func(i int) bool { return math.IsInf(t.variance[i], 1) })
	for _, i := range unseen {
		for _, j := range unseen {
			v := e(i, j)
			for b, l := range seen { // E_iP (E_PP + N)⁻¹ E_Pj
				v -= out.At(k.At[i], k.At[l]) / t.variance[l] * e(seen[b], j)
			}
			out.SetSym(k.At[i], k.At[j], v)
		}
	}
	return nil
}

// Planned is a structured covariance after further observations of points, which are added one by one without a new factor.
type Planned struct {
	*Structured
	known  *mat.SymDense // W: R in RWRᵀ has the covariance W
	groups map[int]*plannedGroup
}

// plannedGroup has the rows and the covariance of a group with observations.
type plannedGroup struct {
	rows *mat.Dense
	own  *mat.SymDense
}

// Plan returns the covariance before any observation.
func (s *Structured) Plan() *Planned {
	_, m := s.Root.Dims()
	return &Planned{s, symmetric.Add(mat.NewSymDense(m, nil), func(int) float64 { return 1 }), map[int]*plannedGroup{}}
}

// row returns the row of a point and its group, which is nil without observations.
func (p *Planned) row(i int) ([]float64, *plannedGroup) {
	if g := p.groups[p.Group[i]]; g != nil {
		return g.rows.RawRowView(p.At[i]), g
	}
	return p.Root.RawRowView(i), nil
}

// Covariance returns the covariances of some points.
func (p *Planned) Covariance(points []int) *mat.SymDense {
	n := len(points)
	_, m := p.Root.Dims()
	rows, across := mat.NewDense(n, m, nil), mat.NewDense(n, m, nil)
	for k, i := range points {
		row, _ := p.row(i)
		copy(rows.RawRowView(k), row)
	}
	if across.Copy(rows); len(p.groups) > 0 { // before any observation W is I
		across.Mul(rows, p.known)
	}
	return symmetric.Make(n, func(k, l int) float64 {
		i, j := points[k], points[l]
		v := floats.Dot(across.RawRowView(k), rows.RawRowView(l))
		if g := p.groups[p.Group[i]]; g != nil && p.Group[i] == p.Group[j] {
			return v + g.own.At(p.At[i], p.At[j])
		}
		return v + p.Entry(i, j)
	})
}

// Observe adds an observation of a point with a variance s² of the noise. With c the covariances of its group given w, and r its row,
//
//	C - ccᵀ/(c_i + s²),  R - c rᵀ/(c_i + s²),  W - Wr(Wr)ᵀ/(c_i + s² + rᵀWr).
func (p *Planned) Observe(i int, noise float64) {
	group, members := p.groups[p.Group[i]], p.Within[p.Group[i]].SymmetricDim()
	_, m := p.Root.Dims()
	if group == nil {
		group = &plannedGroup{mat.NewDense(members, m, nil), mat.NewSymDense(members, nil)}
		group.own.CopySym(p.Within[p.Group[i]])
		for _, j := range p.points[p.Group[i]] {
			group.rows.SetRow(p.At[j], p.Root.RawRowView(j))
		}
		p.groups[p.Group[i]] = group
	}
	k := p.At[i]
	r := slices.Clone(group.rows.RawRowView(k))
	spread := group.own.At(k, k) + noise
	var along mat.VecDense
	along.MulVec(p.known, mat.NewVecDense(m, r))
	p.known.SymRankOne(p.known, -1/(spread+floats.Dot(r, along.RawVector().Data)), &along)
	c := mat.NewVecDense(members, nil)
	for l := range members {
		c.SetVec(l, group.own.At(k, l))
		floats.AddScaled(group.rows.RawRowView(l), -c.AtVec(l)/spread, r)
	}
	group.own.SymRankOne(group.own, -1/spread, c)
}
