package belief

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// member is the posterior of all N arms under one vector of hyperparameters, in scaled units.
type member struct {
	*gp.BlockedPosterior
	sigma2 float64
}

// priorAt returns the prior at u, f_i = φ_iᵀw + e_i for arm i. features has a row φ_i for each arm. variance has the
// variance of e_i: the own part plus the remainder of the Cholesky factor.
func (m *model) priorAt(ctx context.Context, u []float64, rank int) (features *mat.Dense, variance []float64, err error) {
	k, own := m.smooth(u)
	features, variance, err = m.priorOf(ctx, k, u, m.d.given, rank, 0)
	floats.AddConst(own, variance)
	return features, variance, err
}

// priorOf returns features of the kernel k plus the stated covariances some, from a pivoted Cholesky factor of at most
// this rank. Columns for the constant and zero columns follow. variance has the remainder of the factor for each arm.
func (m *model) priorOf(
	ctx context.Context, k kernels.Joint, u []float64, some []given, rank, zeros int,
) (features *mat.Dense, variance []float64, err error) {
	defer try.Caught(&err)
	d, n := m.d, m.d.p.N()
	factor := kernels.Factor{L: new(mat.Dense), Rest: make([]float64, n)}
	if len(k.Terms)+len(some) > 0 {
		on := m.addGiven(try.Of(k.On(ctx, d.tasks, d.arms, d.p.TaskOf)), u, some)
		factor = try.Of(kernels.PivotedCholesky(ctx, on, min(rank, n), 1e-7))
	}
	width, constant := factor.L.RawMatrix().Cols, constantVariance
	if d.wins != nil {
		constant = constantLogit
	}
	features = mat.NewDense(n, width+1+zeros, nil)
	for i := range n {
		if width > 0 {
			copy(features.RawRowView(i), factor.L.RawRowView(i))
		}
		features.Set(i, width, math.Sqrt(constant))
	}
	return features, lists.Map(factor.Rest, func(rest float64) float64 { return max(rest, 0) }), nil
}

// memberAt computes the posterior at u with features alone, without blocks of covariances.
func (m *model) memberAt(ctx context.Context, u []float64, target, variance []float64, rank int) (_ *member, err error) {
	defer try.Caught(&err)
	l := try.Of(m.layout(ctx, u, target, variance, rank, false))
	return &member{try.Of(l.posterior(ctx, l.owns(), l.target)), l.sigma2}, nil
}

// layout is the prior and the measurements at u. From one layout, posteriors under several distributions of the own parts
// are computed.
type layout struct {
	*model
	sigma2   float64
	prior    *gp.Blocked // prior of all arms without own parts; the last features are 0 and belong to the effects of blocks
	observed *mat.Dense  // features of the measured means, including features of the effects of blocks
	own      float64     // variance of the own part of an arm
	target   []float64   // the measured means
	noise    []float64   // variances of the measured means
}

// mostInBlock is the largest number of arms of a task for which a layout uses full covariances within tasks.
const mostInBlock = 256

// layout returns the prior at u, with the measured means target and their variances. If blocked is set and every task has
// at most mostInBlock arms, covariances within tasks are exact and only those between tasks use features.
func (m *model) layout(ctx context.Context, u []float64, target, variance []float64, rank int, blocked bool) (_ *layout, err error) {
	defer try.Caught(&err)
	d := m.d
	l := &layout{model: m, sigma2: m.value(u, noiseNumber, 1), target: target, noise: slices.Clone(variance)}
	independent, blocks, effect := 1.0, 0, (*mat.Dense)(nil)
	weights := func(int) float64 { return 1 } // factor on the variance of a mean, because effects change its weight
	if d.blocks != nil {
		e := try.Of(d.blocks.at(m, u))
		effect, independent = try.Two(e.decompose())
		_, blocks = effect.Dims()
		l.target = slices.Clone(target)
		floats.Add(l.target, e.shift)
		weights = func(a int) float64 { return d.blocks.arms[a] / e.arms[a] }
	}
	k, own := m.smooth(u)
	l.own = own
	var within *gp.Blocks
	some := d.given
	if groups := d.p.Groups(); blocked && len(groups) > 1 && lists.Max(groups, func(g []int) int { return len(g) }) <= mostInBlock {
		within = try.Of(m.inBlocks(&k, u, groups))
		some = lists.Where(some, func(g given) bool { return !g.alone() })
	}
	features, rest := try.Two(m.priorOf(ctx, k, u, some, rank, blocks))
	if l.prior = gp.NewBlocked(features, gp.Alone(rest)); within != nil {
		l.prior = gp.NewBlocked(features, within).With(func(i int) float64 { return rest[i] })
	}
	_, all := features.Dims()
	l.observed = mat.NewDense(len(d.cells), all, nil)
	for a, i := range d.cells {
		row := l.observed.RawRowView(a)
		copy(row, features.RawRowView(i))
		if d.fixed != nil && d.fixed[a] > 0 { // a site of limits already includes the blocks
			continue
		}
		l.noise[a] *= weights(a)
		l.noise[a] -= (1 - independent) * l.noise[a]
		for j := range blocks {
			row[all-blocks+j] = math.Sqrt(l.sigma2) * effect.At(a, j)
		}
	}
	return l, nil
}

// inBlocks removes the terms that relate only arms of the same task from the kernel k. It returns these terms as a
// covariance matrix for each task, plus the stated covariances of that kind. Tasks whose arms have equal features share
// one matrix.
func (m *model) inBlocks(k *kernels.Joint, u []float64, groups [][]int) (_ *gp.Blocks, err error) {
	defer try.Caught(&err)
	common, own := kernels.Joint{}, kernels.Joint{}
	for _, t := range k.Terms {
		to := &common
		if _, alone := t.Task.(kernels.Identity); alone {
			to = &own
		}
		to.Terms = append(to.Terms, t)
	}
	*k = common
	known := map[string]*mat.SymDense{}
	alone := lists.Where(m.d.given, func(g given) bool { return g.alone() })
	b := &gp.Blocks{Block: m.d.p.TaskOf, At: make([]int, m.d.p.N())}
	for _, arms := range groups {
		key := ""
		for k, i := range arms {
			b.At[i] = k
			key += featuresKey(m.d.arms, i) + ";"
			for _, s := range m.d.p.Similar {
				key += strconv.Itoa(s.Rows[i]) + ";"
			}
			if len(m.d.p.Kernel.Terms) > 0 { // a stated kernel may compare names
				key += strconv.Itoa(m.d.arms.ID[i]) + ";"
			}
		}
		cov, ok := known[key]
		if !ok {
			cov = mat.NewSymDense(max(len(arms), 1), nil)
			points := m.d.arms.Subset(arms)
			for _, t := range own.Terms {
				gram := try.Of(kernels.Gram(cmp.Or(t.Arm, kernels.Kernel(kernels.Constant{Value: 1})), points))
				gram.ScaleSym(t.Scale, gram)
				cov.AddSym(cov, gram)
			}
			for _, g := range alone {
				gram := g.among(arms)
				gram.ScaleSym(m.share(u, g), gram)
				cov.AddSym(cov, gram)
			}
			known[key] = cov
		}
		b.Within = append(b.Within, cov)
	}
	return b, nil
}

// owns returns the variance of the own part, repeated for every arm.
func (l *layout) owns() []float64 { return slices.Repeat([]float64{l.own}, l.d.p.N()) }

// posterior returns the posterior of the expected rewards, given the variance of each arm's own part and the measured
// means.
func (l *layout) posterior(ctx context.Context, own, target []float64) (*gp.BlockedPosterior, error) {
	return l.prior.With(func(i int) float64 { return own[i] }).Posterior(ctx, gp.Observations{
		At: l.d.cells, Y: target, Noise: l.noise, Features: l.observed,
	})
}

// without returns, for each measured arm, the posterior mean from all other arms' measurements. variance has the variances
// of the measured means.
func (d *data) without(p *gp.BlockedPosterior, variance []float64) []float64 {
	variances := make([]float64, len(p.Mean))
	p.AddVariances(variances)
	return lists.Make(len(d.cells), func(k int) float64 {
		i := d.cells[k]
		mean, _ := gp.Cavity(p.Mean[i], variances[i], d.y[k], variance[k])
		return mean
	})
}

var errNoMember = errors.New("no hyperparameters of the kernel fit the measurements")

// Floats returns the number of float64 values in the belief; a Memory uses it as size.
func (b *Belief) Floats() int {
	rows, columns := b.Draws.Dims()
	return (rows + 1) * columns
}

// remembered is Of with a cache. A second entry, under the problem b.Usable, serves requests that already have the
// logarithms of the found columns.
func remembered(ctx context.Context, p *problem.Problem, opt Options) (_ *Belief, err error) {
	defer try.Caught(&err)
	memory := opt.Memory
	opt.Memory = nil
	key := func(p *problem.Problem) canon.Key { return canon.Key{Kind: canon.KindBelief, Of: identity(p)} }
	asked := key(p)
	b := try.Of(canon.Remember(ctx, memory, asked, func() (*Belief, error) { return Of(ctx, p, opt) }))
	if found := key(b.Usable); found.Of != asked.Of && len(uses(p).Kernel.Terms) == 0 {
		try.Of(canon.Remember(ctx, memory, found, func() (*Belief, error) { return b, nil }))
	}
	if b.Problem == p {
		return b, nil
	}
	return b.under(p), nil // the cached problem has the same measurements, but names may differ
}

// under returns the belief as one of the problem p, which differs only in names or in measurements that are left out.
func (b *Belief) under(p *problem.Problem) *Belief {
	own := *b
	own.Problem, own.Usable = p, p.Logarithmic(b.Log).WithKernel(b.Usable.Kernel)
	return &own
}

// identity returns a key of everything on which the belief of a problem depends. A stated kernel is part of the key.
func identity(p *problem.Problem) string {
	stated := uses(p).Kernel
	words := []string{stated.String()}
	for _, f := range stated.Formulas() {
		words = append(words, f.Name, f.Params, f.Body)
	}
	numbers := [][]float64{p.Mean, p.Partial, p.Reps, p.Noise.Scales, p.Noise.SD}
	if len(stated.Terms) > 0 { // the stated kernel compares points as the problem scales them
		numbers = slices.Concat(numbers, p.Tasks.X, p.Arms.X)
	}
	numbers = append(numbers, p.Rewards...)
	words = append(words, p.Digests()...)
	for _, s := range p.Similar {
		words = append(words, "similar", s.Column, s.Source.SHA256)
	}
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
		numbers = append(numbers, p.Noise.Bounds[:], []float64{p.Noise.Scatter})
	}
	if p.Levels != nil { // the kinds of random effects follow from these
		words = append(words, slices.Concat(p.Long.Random, p.Long.Blocks, p.Long.Crossed, lists.Flat(p.Levels, slices.Clone[[]string]))...)
		numbers = append(numbers, lists.Map(p.Rows, func(r problem.Row) float64 { return float64(r.Levels) }))
	}
	rows := lists.Flat(p.Rows, func(r problem.Row) []float64 { return []float64{float64(r.Arm), float64(r.Block), r.Reward, r.Count} })
	numbers = append(numbers, rows, []float64{float64(len(p.Blocks)), float64(len(p.Rewards))})
	return strings.Join(words, "\x00") + canon.Fingerprint(numbers...)
}
