package model

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// dual is a posterior of many arms on a basis of the arms that were pulled, see throughBasis. With their features φ and
// what is outside, r_ij = k(x̃_i, x̃_j) - φ_iᵀφ_j, the reward of arm i is β + φ_iᵀθ + u_i + v_i, where
// the data bear on the level β and on θ, u ~ N(0, s·r) is taken to be 0 on the arms pulled, and v_i ~ N(0, g) is
// the part of the arm by itself. So, with the numbers of Posterior and a_i = g t_i',
//
//	Cov(μ_i, μ_j) = (1 - a_i)(1 - a_j)((φ_i - φ̄)ᵀA⁻¹(φ_j - φ̄) + 1/T' + s r_ij) + [i = j](1 - a_i) g,
//
// exactly where every arm pulled is in the basis, at N m operations for the means of all arms and N m² for their
// variances, with m arms in the basis. It is the dual form of the textbook, k_ij - k_iS (K_SS + N)⁻¹ k_Sj, in an order of operations
// in which small variances are no differences of large numbers.
type dual struct {
	life      *life
	basis     *basis
	scale     float64 // s
	own       float64 // g
	flat      bool
	arms      []int             // pulled
	with      []float64         // N: t', 0 for arms without pulls
	precision float64           // T'
	origin    []float64         // m: φ̄, or 0
	lower     blas64.Triangular // L, LLᵀ = A
	looked    sync.Map          // of arms whose covariances were asked for: A⁻¹(φ_i - φ̄), m
}

// newDual factors A for the data around their level.
func newDual(c *onBasis, scale float64) (*dual, error) {
	b := c.basis
	d := &dual{
		life: c.life, basis: b, scale: scale, own: c.own, flat: c.flat, arms: c.arms, with: indices.Spread(len(b.rest), c.with, c.arms),
		precision: c.precision, origin: c.origin,
	}
	var factor mat.Cholesky
	if !factor.Factorize(ridged(c.matrix, 1/scale)) {
		return nil, errors.New("it is not positive definite")
	}
	var lower mat.TriDense
	factor.LTo(&lower)
	d.lower = lower.RawTriangular()
	return d, nil
}

// ridged returns a matrix with a number added to its diagonal.
func ridged(matrix *mat.SymDense, ridge float64) *mat.SymDense {
	out := mat.NewSymDense(matrix.SymmetricDim(), nil)
	out.CopySym(matrix)
	for j := range out.SymmetricDim() {
		out.SetSym(j, j, out.At(j, j)+ridge)
	}
	return out
}

// kept returns 1 - a_i, the part of the kernel's estimate of an arm that goes into its reward's posterior.
func (d *dual) kept(i int) float64 { return 1 - d.own*d.with[i] }

// level returns the variance of the level, 1/T' where it is unknown.
func (d *dual) level() float64 {
	if d.flat {
		return 1 / d.precision
	}
	return 0
}

// solve sets x to A⁻¹x.
func (d *dual) solve(x []float64) {
	v := blas64.Vector{N: len(x), Inc: 1, Data: x}
	blas64.Trsv(blas.NoTrans, d.lower, v)
	blas64.Trsv(blas.Trans, d.lower, v)
}

// estimates returns the posterior means of all arms, normalised; y has the means of the rewards,
// normalised.
func (d *dual) estimates(centre float64, y []float64) []float64 {
	b := d.basis
	theta := make([]float64, b.dim)
	for _, i := range d.arms {
		addTo(theta, d.with[i]*(y[i]-centre), b.row(i))
		addTo(theta, -d.with[i]*(y[i]-centre), d.origin)
	}
	d.solve(theta)
	level := centre - Dot(d.origin, theta)
	out := make([]float64, len(b.rest))
	// The context is looked at by what follows; a part of the means is of no use.
	_ = cores.Do(context.WithoutCancel(d.life.Context()), len(out), basisRows, func(from, to int) {
		for i := from; i < to; i++ {
			out[i] = level + Dot(b.row(i), theta)
		}
	})
	for _, i := range d.arms {
		out[i] += d.own * d.with[i] * (y[i] - out[i])
	}
	return out
}

// whitened returns L⁻¹(φ_i - o) for a vector o, such as φ̄.
func (d *dual) whitened(i int, o []float64) []float64 {
	x := slices.Clone(d.basis.row(i))
	addTo(x, -1, o)
	blas64.Trsv(blas.NoTrans, d.lower, blas64.Vector{N: len(x), Inc: 1, Data: x})
	return x
}

// variance returns the variance of the difference of two arms.
func (d *dual) variance(i, j int) float64 {
	if i == j {
		return 0
	}
	origin, other := d.against(j)
	return d.difference(i, j, d.whitened(i, origin), other, d.basis.outside(i, j))
}

// against returns what features of arms are taken from for their differences with an arm, φ_j or where arms have parts by themselves φ̄,
// and there L⁻¹(φ_j - φ̄).
func (d *dual) against(j int) (origin, other []float64) {
	if d.own == 0 {
		return d.basis.row(j), nil
	}
	return d.origin, d.whitened(j, d.origin)
}

// difference returns the variance of the difference of two arms from L⁻¹(φ_i - o), what against returns and the product of their parts
// outside the basis.
func (d *dual) difference(i, j int, w, other []float64, product float64) (v float64) {
	ki, kj := d.kept(i), d.kept(j)
	if d.own > 0 {
		v = (ki-kj)*(ki-kj)*d.level() + (ki+kj)*d.own
		for k, x := range w {
			y := ki*x - kj*other[k]
			v += y * y
		}
	} else {
		v = Dot(w, w)
	}
	return v + d.scale*math.Max(0, ki*ki*d.basis.rest[i]+kj*kj*d.basis.rest[j]-2*ki*kj*product)
}

// of returns the variance of an arm from L⁻¹(φ_i - φ̄).
func (d *dual) of(i int, w []float64) float64 {
	k := d.kept(i)
	return k*k*(Dot(w, w)+d.level()+d.scale*d.basis.rest[i]) + k*d.own
}

func (d *dual) armVariance(i int) float64 { return d.of(i, d.whitened(i, d.origin)) }

// solved returns A⁻¹(φ_i - φ̄), which is not to be changed: covariances with an arm are asked for by each task.
func (d *dual) solved(i int) []float64 {
	if h, ok := d.looked.Load(i); ok {
		return h.([]float64)
	}
	h := d.whitened(i, d.origin)
	blas64.Trsv(blas.Trans, d.lower, blas64.Vector{N: len(h), Inc: 1, Data: h})
	d.looked.Store(i, h)
	return h
}

// covariances sets dst[k] to the covariance of arms[k] with an arm.
func (d *dual) covariances(dst []float64, arms []int, with int) {
	b := d.basis
	h := d.solved(with)
	level := d.level() - Dot(d.origin, h)
	var row []float64
	first := 0
	if !b.inside[with] {
		h = slices.Clone(h)
		addTo(h, -d.scale, b.row(with))
		row, first = b.stretch(arms, with)
	}
	for k, i := range arms {
		v := level + Dot(h, b.row(i))
		if row != nil && !b.inside[i] {
			v += d.scale * row[i-first]
		} else if row != nil {
			v += d.scale * Dot(b.row(with), b.row(i)) // all of the product, in the same features
		}
		dst[k] = d.kept(i) * d.kept(with) * v
		if i == with {
			dst[k] += d.kept(i) * d.own
		}
	}
}

func (d *dual) matrix(arms []int) *mat.SymDense {
	b, n := d.basis, len(arms)
	white := mat.NewDense(n, b.dim, nil)
	for k, i := range arms {
		copy(white.RawRowView(k), b.row(i))
		addTo(white.RawRowView(k), -1, d.origin)
	}
	blas64.Trsm(blas.Right, blas.Trans, 1, d.lower, white.RawMatrix())
	out := mat.NewSymDense(n, nil)
	out.SymOuterK(1, white)
	level := d.level()
	for k, i := range arms {
		row := out.RawSymmetric().Data[k*n : (k+1)*n]
		for l := k; l < n; l++ {
			row[l] = d.kept(i) * d.kept(arms[l]) * (row[l] + level + d.scale*b.outside(i, arms[l]))
		}
		row[k] += d.kept(i) * d.own
	}
	return out
}

// stretch returns the values of the kernel of an arm with all from the first of some arms to the last,
// and the first.
func (b *basis) stretch(arms []int, with int) (row []float64, first int) {
	first, last := arms[0], arms[0]
	for _, i := range arms {
		first, last = min(first, i), max(last, i)
	}
	row = make([]float64, last-first+1)
	kernels.Part(b.gram, row, with, first)
	return row, first
}

// variances sets dst[k] to the variance of the difference of the rewards of arms[k] and another arm, or with -1 of
// its reward alone.
func (d *dual) variances(dst []float64, arms []int, from int) error {
	b := d.basis
	var row, other []float64
	first, origin := 0, d.origin
	if from >= 0 && len(arms) > 0 {
		origin, other = d.against(from)
		if !b.inside[from] {
			row, first = b.stretch(arms, from)
		}
	}
	return cores.Do(d.life.Context(), len(arms), basisRows, func(begin, end int) {
		part := blas64.General{Rows: end - begin, Cols: b.dim, Stride: b.dim, Data: make([]float64, (end-begin)*b.dim)}
		for k, i := range arms[begin:end] {
			to := part.Data[k*b.dim : (k+1)*b.dim]
			copy(to, b.row(i))
			addTo(to, -1, origin)
		}
		blas64.Trsm(blas.Right, blas.Trans, 1, d.lower, part)
		for k, i := range arms[begin:end] {
			w, product := part.Data[k*b.dim:(k+1)*b.dim], 0.0
			if row != nil && !b.inside[i] {
				product = row[i-first] - Dot(b.row(i), b.row(from))
			}
			switch {
			case from < 0:
				dst[begin+k] = d.of(i, w)
			case i == from:
				dst[begin+k] = 0
			default:
				dst[begin+k] = d.difference(i, from, w, other, product)
			}
		}
	})
}

// floats returns how many numbers are held.
func (d *dual) floats() int { return len(d.basis.data) + 3*len(d.basis.rest) + d.lower.N*d.lower.N }

// normalised returns means in units of the model.
func (e *Estimator) normalised(means []float64) []float64 {
	return lists.Map(means, func(v float64) float64 { return v / e.unit })
}

func (c *onBases) posterior(scale float64) (*Posterior, float64, error) {
	of := *c
	of.scale = scale
	p := of.fitted.posterior(c.m, indices.Spread(c.m.Problem.N(), c.total, c.arms), len(c.arms), !c.known, of.surprise())
	parts, err := lists.Try(len(c.on), func(k int) (*dual, error) { return newDual(c.on[k], scale) })
	if err != nil {
		return nil, 0, fmt.Errorf("the information matrix: %w", err)
	}
	if p.dual = parts[0]; len(parts) > 1 {
		p.dual, p.level = newDuals(&of, parts)
	}
	return p, of.likelihood(), nil
}

// pulledMeans holds what a posterior of many arms is formed of: the arms with pulls. All numbers are
// normalised.
type pulledMeans struct {
	scaling
	m       *Model
	known   bool    // whether the level is stated
	level   float64 // the one stated
	arms    []int
	total   []float64 // by arm of arms: t
	y       []float64 // by arm of arms
	related *related
	parts   []*pulledPart // by part of related, see throughBasis
}

// pulledPart holds the arms with pulls among arms that the kernel relates to no others, by their positions there.
type pulledPart struct {
	life     *life
	basis    *basis
	arms     []int
	total, y []float64
}

func newPulledMeans(m *Model, level engine.Level, counts []int, means []float64) *pulledMeans {
	d := &pulledMeans{scaling: scaling{natural: natural(m)}, m: m, known: level.Known, level: level.Value / m.Unit}
	for i, c := range counts {
		if c > 0 {
			d.arms = append(d.arms, i)
			d.total = append(d.total, float64(c)*m.Precision[i])
			d.y = append(d.y, means[i]/m.Unit)
		}
	}
	return d
}

// divide sets the parts, which have no bases yet.
func (d *pulledMeans) divide() (err error) {
	if d.related, err = relatedArms(d.m); err != nil {
		return err
	}
	d.parts = lists.Make(len(d.related.arms), func(int) *pulledPart { return &pulledPart{life: d.m.life} })
	for k, i := range d.arms {
		p := d.parts[d.related.of[i]]
		p.arms, p.total, p.y = append(p.arms, d.related.at[i]), append(p.total, d.total[k]), append(p.y, d.y[k])
	}
	return nil
}

// spread returns the mean square of the means around their level, but at least the mean variance of one.
func (d *pulledMeans) spread() float64 {
	level := d.level
	if !d.known {
		level = stat.Mean(d.y, nil)
	}
	squares, noise := 0.0, 0.0
	for k, t := range d.total {
		squares += (d.y[k] - level) * (d.y[k] - level)
		noise += 1 / t
	}
	return max(squares, noise) / float64(len(d.arms))
}

// fit returns the data around their level for a scale, fitted where it is 0, and for the part of arms by
// themselves where that is wanted, see withOwn. But it is taken
// only where the data speak for it, at the level of other tests of the kernel: with the part, every arm
// that was not pulled is uncertain by itself, which of many arms costs a pull of each that may be best.
// Of the likelihood ratio, -2 log is half of a χ²_1 under no such part [Self and Liang 1987, case 5].
func (d *pulledMeans) fit(scale float64, own bool) (*onBases, error) {
	return fitTested(d.total, own, func(own float64) (*onBases, error) { return d.around(own, scale) })
}

// fitTested is fit for data around their level of any kind.
func fitTested[T interface{ likelihood() float64 }](total []float64, own bool, around func(own float64) (T, error)) (T, error) {
	none, err := around(0)
	if err != nil || !own {
		return none, err
	}
	best, err := withOwn(none, total, around)
	if err != nil {
		return none, err
	}
	if gain := none.likelihood() - best.likelihood(); !(distuv.ChiSquared{K: 1}.Survival(gain)/2 <= engine.LackLevel) {
		return none, nil
	}
	return best, nil
}

// onBases holds the data around their level, by part of the arms. Several parts share a level that is unknown, see pooled.
type onBases struct {
	*pulledMeans
	fitted
	on []*onBasis
}

// onBasis holds the data of a part around their level, with their information in the features of a basis as a
// tridiagonal matrix.
type onBasis struct {
	*pulledPart
	levelled
	tridiagonal // with Qᵀ Σ t' (φ - φ̄)(ȳ_i - ȳ) along
}

// around returns them for a part of arms by themselves and a scale, fitted where it is 0.
func (d *pulledMeans) around(own, scale float64) (*onBases, error) {
	if err := d.m.Context().Err(); err != nil {
		return nil, err
	}
	c := &onBases{pulledMeans: d, fitted: fitted{own: own, scale: scale}}
	for _, p := range d.parts {
		part := p.around(!d.known && len(p.arms) > 0, len(d.parts) > 1, d.level, own, scale)
		c.on, c.precision, c.squares = append(c.on, part), c.precision+part.precision, c.squares+part.squares
		c.centre += part.precision * part.centre
	}
	if c.centre /= c.precision; len(c.on) == 1 {
		c.centre = c.on[0].centre
	}
	if scale > 0 {
		return c, nil
	}
	var err error
	c.scale, err = d.least(c.largest(), c.squares, c.deviance)
	return c, err
}

// around returns the data of the part around their level, or the one that is known; several is whether there are other parts.
func (d *pulledPart) around(flat, several bool, level, own, scale float64) *onBasis {
	b := d.basis
	features := func(k int) []float64 { return b.row(d.arms[k]) }
	c := &onBasis{pulledPart: d, levelled: newLevelled(flat, level, own, scale, d.total, d.y, b.dim, features)}
	c.matrix = mat.NewSymDense(b.dim, nil)
	along := make([]float64, b.dim)
	if len(d.arms) > 0 {
		rows, z := mat.NewDense(len(d.arms), b.dim, nil), make([]float64, len(d.arms))
		for k, t := range c.with {
			root, row := math.Sqrt(t), rows.RawRowView(k)
			addTo(row, root, features(k))
			addTo(row, -root, c.origin)
			z[k] = root * (d.y[k] - c.centre)
			c.squares += z[k] * z[k]
		}
		c.matrix.SymOuterK(1, rows.T())
		blas64.Gemv(blas.Trans, 1, rows.RawMatrix(), blas64.Vector{N: len(z), Inc: 1, Data: z}, 0, blas64.Vector{N: b.dim, Inc: 1, Data: along})
	}
	var middle []float64
	if flat && several {
		middle = slices.Clone(c.origin)
	}
	c.tridiagonal = newTridiagonal(c.matrix, along, middle)
	return c
}

// largest returns a bound on the largest eigenvalue of the information.
func (c *onBases) largest() float64 {
	return lists.Max(c.on, func(part *onBasis) float64 { return part.largest() })
}

// pooled returns what a part says of the level, where several share one that is unknown: its precision, 0 without pulls, and its mean,
//
//	1/a_p = 1/T' + s φ̄ᵀ(I + sT)⁻¹φ̄,  β̂_p = ȳ - s φ̄ᵀ(I + sT)⁻¹c.
func (c *onBasis) pooled(scale float64, at solved) (a, level float64) {
	if c.middle == nil {
		return 0, 0
	}
	return 1 / (1/c.precision + scale*at.square), c.centre - scale*at.cross
}

// pooled is what the data say at a scale: of the level its precision a = Σ a_p, 0 where it is one part's, and its mean
// β̂ = Σ a_p β̂_p/a. One level in place of one by part adds Σ a_p (β̂_p - β̂)² to the squares, and log a - Σ log a_p to log det.
type pooled struct{ precision, level, logDet, squares float64 }

// pooled returns it. The squares are Σ t' (y - ȳ)² - s Σ cᵀ(I + sT)⁻¹c + Σ a_p (β̂_p - β̂)².
func (c *onBases) pooled(scale float64) pooled {
	out, spread := pooled{level: c.centre, squares: c.squares}, 0.0
	for _, part := range c.on {
		at := part.solved(scale)
		out.logDet += at.logDet
		out.squares -= scale * at.quadratic
		a, level := part.pooled(scale, at)
		if a == 0 {
			continue
		}
		// the mean and the squares around it, one part after another
		sum := out.precision + a
		if out.precision == 0 {
			out.level = level
		}
		off := level - out.level
		spread += off * off * out.precision * a / sum
		out.level += off * a / sum
		out.precision = sum
		out.logDet -= math.Log(a)
	}
	if out.squares += spread; out.precision > 0 {
		out.logDet += math.Log(out.precision)
	}
	return out
}

// deviance returns the same as centred.deviance.
func (c *onBases) deviance(scale float64) float64 {
	at := c.pooled(scale)
	return at.logDet + at.squares - c.squares - math.Log(scale)
}

// surprise returns the sum of squares of the centred means over their prior predictive covariance.
func (c *onBases) surprise() float64 { return max(0, c.pooled(c.scale).squares) }

// penalised returns the sum of levelled.penalised of all parts.
func (c *onBases) penalised(deviance float64) float64 {
	for _, part := range c.on {
		deviance = part.penalised(deviance)
	}
	return deviance
}

// likelihood returns the likelihood of levelled.penalised.
func (c *onBases) likelihood() float64 { return c.penalised(c.deviance(c.scale)) }
