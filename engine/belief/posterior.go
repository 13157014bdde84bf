package belief

import (
	"context"
	"errors"
	"math"
	"slices"
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

// member is the posterior of all N arms under one set of numbers, in scaled units.
type member struct {
	*gp.Posterior
	sigma2 float64
}

// priorAt returns the prior at u: arm i is f_i = φ_iᵀw + e_i. φ_i has the features of a pivoted Cholesky factor of the kernel, at most
// rank of them, the constant, and some zeros; the variance of e_i is the own part and the remainder of the factor.
func (m *model) priorAt(ctx context.Context, u []float64, rank, zeros int) (features *mat.Dense, variance []float64, err error) {
	defer try.Caught(&err)
	d, n := m.d, m.d.p.N()
	k, own := m.smooth(u)
	factor := kernels.Factor{L: new(mat.Dense), Rest: make([]float64, n)}
	if len(k.Terms) > 0 {
		on := try.Of(k.On(ctx, d.tasks, d.arms, d.p.TaskOf))
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
	return features, lists.Map(factor.Rest, func(rest float64) float64 { return own + max(rest, 0) }), nil
}

// memberAt computes the posterior at u. The unknown effects of blocks are further entries of w.
func (m *model) memberAt(ctx context.Context, u []float64, target, variance []float64, rank int) (_ *member, err error) {
	defer try.Caught(&err)
	d, sigma2 := m.d, m.value(u, noiseNumber, 1)
	independent, blocks, effect := 1.0, 0, (*mat.Dense)(nil)
	if d.blocks != nil {
		e := try.Of(d.blocks.effects(sigma2 / m.value(u, blocksNumber, 0)))
		effect, independent = try.Two(e.decompose())
		_, blocks = effect.Dims()
		target = slices.Clone(target)
		floats.Add(target, e.shift)
	}
	features, own := try.Two(m.priorAt(ctx, u, rank, blocks))
	_, all := features.Dims()
	// the columns by which the means follow w, and their D
	observed, noise := mat.NewDense(all, len(d.cells), nil), make([]float64, len(d.cells))
	for a, i := range d.cells {
		observed.SetCol(a, features.RawRowView(i))
		if noise[a] = own[i] + variance[a]; d.fixed != nil && d.fixed[a] > 0 { // a site of limits: blocks are part of it
			continue
		}
		noise[a] -= (1 - independent) * variance[a]
		for j := range blocks {
			observed.Set(all-blocks+j, a, math.Sqrt(sigma2)*effect.At(a, j))
		}
	}
	sigma := try.Of(gp.NewLowRank(observed, noise))
	p := try.Of(sigma.Posterior(ctx, features, own, d.cells, target))
	return &member{p, sigma2}, nil
}

// without returns what the posterior of each measured arm would have for its mean without its own measurements, whose means have these
// variances.
func (m *member) without(d *data, variance []float64) []float64 {
	variances := make([]float64, len(m.Mean))
	m.AddVariances(variances)
	return lists.Make(len(d.cells), func(k int) float64 {
		i := d.cells[k]
		mean, _ := gp.Cavity(m.Mean[i], variances[i], d.y[k], variance[k])
		return mean
	})
}

var errNoMember = errors.New("no hyperparameters of the kernel fit the measurements")

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
