package belief

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
)

const (
	// foundFrom is how many measured arms that are related numbers are found from in the course of a run, foundLarge
	// where posteriors go by features.
	foundFrom, foundLarge = 192, 96
	membersLarge          = 2   // sets of numbers where there are so many arms
	rankLarge             = 128 // and features of their kernels
	besideStated          = 0.1 // part of newKernelModel beside a stated kernel
)

// dense reports whether posteriors go by covariances of all arms. Posteriors of arms that nothing relates but the level of their task
// have few features at any number of arms.
func (l *Learner) dense(m *model) bool {
	return l.stated != nil || l.p.N() <= l.most && !m.unrelated()
}

// unrelated reports whether nothing relates arms but the level of their task.
func (m *model) unrelated() bool {
	_, rough := m.at["rough"]
	return !m.features() && (!rough || m.d.p.V() == 1)
}

// sources returns how many measured arms numbers are found from.
func (l *Learner) sources(m *model) int {
	switch {
	case l.dense(m):
		return foundFrom
	case m.unrelated():
		return l.p.N()
	}
	return foundLarge
}

// outlook returns the posterior of all arms at u.
func (l *Learner) outlook(ctx context.Context, c *chosen, u []float64) (outlook, error) {
	if l.dense(c.model) {
		return l.onCovariances(ctx, c, u)
	}
	return l.onFeatures(ctx, c, u)
}

// onCovariances returns the posterior of all arms at u by their covariances.
func (l *Learner) onCovariances(ctx context.Context, c *chosen, u []float64) (outlook, error) {
	all := newChosen(c.model, indices.All(len(c.d.cells)))
	all.distinct, all.stated = l.distinct, l.stated
	for k, i := range c.d.cells {
		all.place[k] = l.place[i]
	}
	t, upper, err := all.factor(ctx, mat.NewSymDense(len(all.at), nil), u)
	if err != nil {
		return nil, err
	}
	n := l.p.N()
	to, from := l.spots(indices.All(n)), all.spots()
	white := mat.NewDense(len(all.at), n, nil)
	for a, i := range from.arm {
		t.row(white.RawRowView(a), from.from(a), to)
		white.RawRowView(a)[i] += t.own
	}
	blas64.Trsm(blas.Left, blas.Trans, 1, *upper, white.RawMatrix())
	y := mat.NewVecDense(len(all.y), slices.Clone(all.y))
	blas64.Trsv(blas.Trans, *upper, y.RawVector())
	mean := mat.NewVecDense(n, nil)
	mean.MulVec(white.T(), y)
	return &onCovariances{t, l, white, mean.RawVector().Data, c.value(u, noiseNumber, 1), c.factors(u)}, nil
}

// onCovariances is a posterior by covariances of all arms: K - VᵀV, where V = U⁻ᵀK of the measured arms with all.
type onCovariances struct {
	*tables
	of     *Learner
	white  *mat.Dense // V
	mean   []float64
	sigma2 float64
	by     []float64
}

func (o *onCovariances) means() []float64   { return o.mean }
func (o *onCovariances) noise() float64     { return o.sigma2 }
func (o *onCovariances) factors() []float64 { return o.by }

func (o *onCovariances) covariances(to *mat.SymDense, arms []int) {
	o.fill(to, o.of.spots(arms))
	rows, _ := o.white.Dims()
	part := mat.NewDense(rows, len(arms), nil)
	for a := range rows {
		from, row := o.white.RawRowView(a), part.RawRowView(a)
		for k, i := range arms {
			row[k] = from[i]
		}
	}
	blas64.Syrk(blas.Trans, -1, part.RawMatrix(), 1, to.RawSymmetric())
}

func (o *onCovariances) apart(to []float64, arms []int, from int) {
	first := o.of.spots([]int{from})
	with, own := make([]float64, len(arms)), [1]float64{}
	o.row(with, first, o.of.spots(arms))
	o.row(own[:], first, first)
	sums := make([]float64, len(arms))
	rows, _ := o.white.Dims()
	for a := range rows {
		row := o.white.RawRowView(a)
		for k, i := range arms {
			d := row[i] - row[from]
			sums[k] += d * d
		}
	}
	for k, i := range arms {
		if i == from {
			continue
		}
		s := o.of.spots([]int{i})
		v := [1]float64{}
		o.row(v[:], s, s)
		to[k] += max(0, v[0]+own[0]-2*with[k]+2*o.own-sums[k])
	}
}

func (o *onCovariances) variances(to []float64) {
	rows, _ := o.white.Dims()
	for i := range to {
		s, v := o.of.spots([]int{i}), [1]float64{}
		o.row(v[:], s, s)
		to[i] += v[0] + o.own
	}
	for a := range rows {
		for i, x := range o.white.RawRowView(a) {
			to[i] -= x * x
		}
	}
}

// onFeatures returns the posterior of all arms at u by features of the kernel.
func (l *Learner) onFeatures(ctx context.Context, c *chosen, u []float64) (outlook, error) {
	variance := c.d.variances(c.value(u, noiseNumber, 1))
	by := c.factors(u)
	for k, i := range c.d.cells {
		if by != nil {
			variance[k] *= by[l.p.TaskOf[i]]
		}
	}
	m, err := c.memberAt(ctx, u, c.d.y, variance, rankLarge)
	if err != nil {
		return nil, err
	}
	return &onFactor{m, by}, nil
}

// onFactor is a posterior with the covariance R Rᵀ + diag(own²).
type onFactor struct {
	*member
	by []float64
}

func (o *onFactor) means() []float64   { return o.mean }
func (o *onFactor) noise() float64     { return o.sigma2 }
func (o *onFactor) factors() []float64 { return o.by }

func (o *onFactor) covariances(to *mat.SymDense, arms []int) {
	_, rank := o.root.Dims()
	part := mat.NewDense(len(arms), rank, nil)
	for k, i := range arms {
		copy(part.RawRowView(k), o.root.RawRowView(i))
		to.SetSym(k, k, to.At(k, k)+o.own[i]*o.own[i])
	}
	blas64.Syrk(blas.NoTrans, 1, part.RawMatrix(), 1, to.RawSymmetric())
}

func (o *onFactor) apart(to []float64, arms []int, from int) {
	other := o.root.RawRowView(from)
	for k, i := range arms {
		if i == from {
			continue
		}
		to[k] += o.own[i]*o.own[i] + o.own[from]*o.own[from]
		for j, x := range o.root.RawRowView(i) {
			to[k] += (x - other[j]) * (x - other[j])
		}
	}
}

func (o *onFactor) variances(to []float64) {
	for i := range to {
		to[i] += o.own[i]*o.own[i] + floats.Dot(o.root.RawRowView(i), o.root.RawRowView(i))
	}
}
