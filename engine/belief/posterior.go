package belief

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// member is the posterior of all N arms under one set of numbers: a normal law with the covariance
// R Rᵀ + diag(own²), in scaled units.
type member struct {
	mean   []float64
	root   *mat.Dense // R, N × rank
	own    []float64
	sigma2 float64
}

// memberAt computes the posterior at u. Along the features Φ of a pivoted Cholesky factor of the kernel, at most
// rank of them, arm i is f_i = φ_iᵀw + e_i with w ~ N(0, I) and e_i ~ N(0, g_i), where g_i is the own part
// and the remainder of the factor. The constant and the unknown effects of blocks are further entries of w. With D_i = g_i +
// the variance of the mean i,
//
//	A = I + ΦᵀD⁻¹Φ,  w | y ~ N(A⁻¹ΦᵀD⁻¹y, A⁻¹),  e_i | w, y ~ N(c_i (y_i - φ_iᵀw), g_i (1 - c_i)),  c_i = g_i/D_i.
func (m *model) memberAt(ctx context.Context, u []float64, target, variance []float64, rank int) (_ *member, err error) {
	defer try.Caught(&err)
	d, n := m.d, m.d.p.N()
	k, own := m.smooth(u)
	sigma2 := m.value(u, noiseNumber, 1)
	constant := constantVariance
	if d.wins != nil {
		constant = constantLogit
	}
	var features *mat.Dense
	rest := make([]float64, n)
	width := 0
	if len(k.Terms) > 0 {
		on := try.Of(k.On(ctx, d.tasks, d.arms, d.p.TaskOf))
		factor := try.Of(kernels.PivotedCholesky(ctx, on, min(rank, n), 1e-7))
		features, rest = factor.L, factor.Rest
		_, width = features.Dims()
	}
	independent, blocks, effect := 1.0, 0, (*mat.Dense)(nil)
	if d.blocks != nil {
		e := try.Of(d.blocks.effects(sigma2 / m.value(u, blocksNumber, 0)))
		effect, independent = try.Two(e.decompose())
		_, blocks = effect.Dims()
		target = slices.Clone(target)
		floats.Add(target, e.shift)
	}
	all := width + 1 + blocks
	// G: the rows by which f follows w; observed: those by which the means do, over √D
	g, observed := mat.NewDense(n, all, nil), mat.NewDense(len(d.cells), all, nil)
	for i := range n {
		row := g.RawRowView(i)
		if width > 0 {
			copy(row, features.RawRowView(i))
		}
		row[width] = math.Sqrt(constant)
	}
	out := &member{mean: make([]float64, n), own: make([]float64, n), sigma2: sigma2}
	for i := range n {
		out.own[i] = math.Sqrt(own + max(rest[i], 0))
	}
	right := mat.NewVecDense(all, nil)
	for a, i := range d.cells {
		gi := own + max(rest[i], 0)
		site := d.fixed != nil && d.fixed[a] > 0 // of limits: blocks are part of it
		di := gi + independent*variance[a]
		if site {
			di = gi + variance[a]
		}
		row := observed.RawRowView(a)
		copy(row, g.RawRowView(i))
		for j := range blocks {
			if site {
				break
			}
			row[width+1+j] = math.Sqrt(sigma2) * effect.At(a, j)
		}
		c := gi / di
		out.mean[i] = c * target[a]
		out.own[i] = math.Sqrt(gi * (1 - c))
		to := g.RawRowView(i)
		for j, v := range row {
			to[j] -= c * v
			row[j] = v / math.Sqrt(di)
			right.SetVec(j, right.AtVec(j)+v*target[a]/di)
		}
	}
	inner := mat.NewSymDense(all, nil)
	inner.SymOuterK(1, observed.T())
	var chol mat.Cholesky
	if !chol.Factorize(symmetric.Add(inner, func(int) float64 { return 1 })) {
		return nil, errSingular
	}
	w := mat.NewVecDense(all, nil)
	try.To(condition(chol.SolveVecTo(w, right)))
	var shift mat.VecDense
	shift.MulVec(g, w)
	for i := range n {
		out.mean[i] += shift.AtVec(i)
	}
	// R = G L⁻ᵀ, the cores sharing the rows
	var lower mat.TriDense
	chol.LTo(&lower)
	err = cores.Do(ctx, n, 256, func(from, to int) {
		blas64.Trsm(blas.Right, blas.Trans, 1, lower.RawTriangular(), g.Slice(from, to, 0, all).(*mat.Dense).RawMatrix())
	})
	out.root = g
	return out, err
}

// without returns what the posterior of each measured arm would have for its mean without its own measurements, whose means have these
// variances: of the posterior N(m, v) it takes the factor N(y, s²) off,
//
//	(s² m - v y) / (s² - v).
func (m *member) without(d *data, variance []float64) []float64 {
	out := make([]float64, len(d.cells))
	for k, i := range d.cells {
		root := m.root.RawRowView(i)
		v, s := floats.Dot(root, root)+m.own[i]*m.own[i], variance[k]
		out[k] = (s*m.mean[i] - v*d.y[k]) / (s - v)
	}
	return out
}

// draw adds draws of the member to a matrix with a row a draw, of the arms listed.
func (m *member) draw(rng *rand.Rand, into *mat.Dense) {
	count, n := into.Dims()
	_, rank := m.root.Dims()
	z := mat.NewDense(count, rank, nil)
	for i := range count {
		for j, row := 0, z.RawRowView(i); j < len(row); j++ {
			row[j] = rng.NormFloat64()
		}
	}
	into.Mul(z, m.root.T())
	for i := range count {
		row := into.RawRowView(i)
		for j := range n {
			row[j] += m.mean[j] + m.own[j]*rng.NormFloat64()
		}
	}
}

var errNoMember = errors.New("no numbers of the kernel fit the measurements")

// Floats counts the numbers, for a Memory.
func (b *Belief) Floats() int {
	rows, columns := b.Draws.Dims()
	return (rows + 1) * columns
}

// remembered is Of where opt has a memory: the belief of the same measurements is computed once, also where the
// logarithm of columns was found before.
func remembered(ctx context.Context, p *problem.Problem, opt Options) (_ *Belief, err error) {
	defer try.Caught(&err)
	memory := opt.Memory
	opt.Memory = nil
	key := func(p *problem.Problem) canon.Key { return canon.Key{Kind: canon.KindBelief, Of: identity(p)} }
	asked := key(p)
	b := try.Of(canon.Remember(ctx, memory, asked, func() (*Belief, error) { return Of(ctx, p, opt) }))
	if found := key(b.Usable); found.Of != asked.Of {
		try.Of(canon.Remember(ctx, memory, found, func() (*Belief, error) { return b, nil }))
	}
	if b.Problem == p {
		return b, nil
	}
	own := *b // of a problem with the same measurements and, maybe, other words
	own.Problem, own.Usable = p, p.Logarithmic(b.Log).WithKernel(b.Usable.Kernel)
	return &own, nil
}

// identity reports what the belief of a problem follows from: all but its kernel.
func identity(p *problem.Problem) string {
	var words []string
	numbers := [][]float64{p.Mean, p.Partial, p.Reps, p.Noise.Scales, p.Noise.SD}
	numbers = append(numbers, p.Rewards...)
	words = append(words, p.Digests()...)
	words = append(words, p.Noise.Known, p.Noise.UnknownBy, p.Goal)
	for _, points := range []*kernels.Points{p.Tasks, p.Arms} {
		numbers = append(numbers, points.Unscaled().X...)
		for c, column := range points.Columns {
			if words = append(words, column); p.Categories[column] != nil {
				words = append(words, "text")
			}
			if points.Units != nil && points.Units[c].Log {
				words = append(words, "logarithm")
			}
		}
	}
	if p.Noise.Bounds != nil {
		numbers = append(numbers, p.Noise.Bounds[:])
	}
	rows := lists.Flat(p.Rows, func(r problem.Row) []float64 { return []float64{float64(r.Arm), float64(r.Block), r.Reward, r.Count} })
	numbers = append(numbers, rows, []float64{float64(len(p.Blocks)), float64(len(p.Rewards))})
	return strings.Join(words, "\x00") + canon.Fingerprint(numbers...)
}
