package belief

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/upper"
)

const (
	// foundFrom is the number of measured, related arms from which hyperparameters are estimated during a run; foundLarge
	// is the number if posteriors use features.
	foundFrom, foundLarge = 192, 96
	membersLarge          = 2   // number of hyperparameter vectors if there are more than Learner.most arms
	rankLarge             = 128 // largest number of features of the kernel in posteriors by features
	besideStated          = 0.1 // argument part of newKernelModel if a kernel is stated
)

// dense reports whether posteriors use the full covariance matrix. If arms are related only through the level of their
// task, few features suffice for any number of arms.
func (l *Learner) dense(m *model) bool {
	return l.stated != nil || l.p.N() <= l.most && !m.unrelated()
}

// unrelated reports whether arms are related only through the level of their task.
func (m *model) unrelated() bool {
	_, rough := m.at["rough"]
	return !m.features() && (!rough || m.d.p.V() == 1) && m.d.given == nil
}

// sources returns the number of measured arms from which hyperparameters are estimated.
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
func (l *Learner) outlook(ctx context.Context, c *chosen, u []float64) (*outlook, error) {
	if l.dense(c.model) {
		return l.onCovariances(ctx, c, u)
	}
	return l.onFeatures(ctx, c, u)
}

// onCovariances computes the posterior of all arms at u with the full covariance matrix.
func (l *Learner) onCovariances(ctx context.Context, c *chosen, u []float64) (*outlook, error) {
	if len(c.at) < len(c.d.cells) {
		all := newChosen(c.model, indices.All(len(c.d.cells)))
		all.allTasks()
		all.distinct, all.place = l.distinct, indices.Of(l.place, c.d.cells)
		all.given, all.row = c.given, c.d.cells
		c = all
	}
	f, err := c.factor(ctx, u)
	if err != nil {
		return nil, err
	}
	defer c.done.Put(f.of)
	m, n := len(c.at), l.p.N()
	o := &onCovariances{
		tables: f.tables, of: l, white: mat.NewDense(m, n, nil), column: slices.Repeat([]int{-1}, n), spread: c.variancesAt(u),
	}
	mean := make([]float64, n)
	y := blas64.Vector{N: m, Inc: 1, Data: slices.Clone(c.y)}
	blas64.Trsv(blas.Trans, f.Upper, y)
	measured, from := o.white.Slice(0, m, 0, m).(*mat.Dense), c.spots()
	upper.Inverse(measured.RawMatrix(), f.Upper)
	for k, i := range indices.Of(c.d.cells, c.at) {
		o.column[i], mean[i] = k, c.y[k]
		floats.Mul(measured.RawRowView(k)[:k+1], o.spread[:k+1])
	}
	var others []int
	for i, k := range o.column {
		if k < 0 {
			o.column[i] = m + len(others)
			others = append(others, i)
		}
	}
	if to := l.spots(others); len(others) > 0 {
		right := o.white.Slice(0, m, m, n).(*mat.Dense)
		for k := range m {
			f.row(right.RawRowView(k), from.from(k), to, constantVariance)
		}
		right.Scale(-1, right)
		upper.Solve(f.Upper, right.RawMatrix())
	}
	fitted := mat.NewVecDense(n, nil)
	fitted.MulVec(o.white.T(), mat.NewVecDense(m, y.Data))
	for i, k := range o.column {
		mean[i] -= fitted.AtVec(k)
	}
	return &outlook{o, mean, c.value(u, noiseNumber, 1), c.factors(u)}, nil
}

// onCovariances is a posterior with the full covariance matrix. K is the prior covariance of the measured arms, D their
// noise, and UᵀU = K + D. V = U⁻ᵀK' and W = U⁻ᵀD, with K' the prior covariance of measured with other arms. The posterior
// covariances are
//
//	D - WᵀW,  WᵀV,  K - VᵀV
//
// of measured arms, of measured with other arms, and of other arms (K their prior covariance). The means are y - WᵀU⁻ᵀy
// and VᵀU⁻ᵀy [RW06, eq. 2.23 and 2.24].
type onCovariances struct {
	*tables
	of     *Learner
	white  *mat.Dense // [W -V]
	column []int      // N, column of each arm in white; measured arms come first
	spread []float64  // D, noise variances of the measured means
}

// before returns the covariance of two arms without the part from white, which the callers subtract.
func (o *onCovariances) before(i, j int) (sum float64) {
	switch k, m := o.column[i], len(o.spread); {
	case k < m && i == j:
		return o.spread[k]
	case k < m || o.column[j] < m:
		return 0
	case i == j:
		sum = o.own
	}
	p := o.of
	return sum + o.at(p.p.TaskOf[i], p.place[i], p.p.TaskOf[j], p.place[j], i, j)
}

// AddCovariances adds the posterior covariances of the given arms to the matrix to, which has a row for each of them.
func (o *onCovariances) AddCovariances(to *mat.SymDense, arms []int) {
	rows, _ := o.white.Dims()
	part := mat.NewDense(rows, len(arms), nil)
	for a := range rows {
		from, row := o.white.RawRowView(a), part.RawRowView(a)
		for k, i := range arms {
			row[k] = from[o.column[i]]
		}
	}
	for k, i := range arms {
		for l := k; l < len(arms); l++ {
			to.SetSym(k, l, to.At(k, l)+o.before(i, arms[l]))
		}
	}
	upper.Less(to.RawSymmetric(), part.RawMatrix())
}

// AddDifferences adds to each to[k] the variance of the difference of the rewards of arms[k] and from.
func (o *onCovariances) AddDifferences(to []float64, arms []int, from int) {
	sums := make([]float64, len(arms))
	rows, _ := o.white.Dims()
	for a := range rows {
		row := o.white.RawRowView(a)
		other := row[o.column[from]]
		for k, i := range arms {
			d := row[o.column[i]] - other
			sums[k] += d * d
		}
	}
	for k, i := range arms {
		if i != from {
			to[k] += max(0, o.before(i, i)+o.before(from, from)-2*o.before(i, from)-sums[k])
		}
	}
}

// AddVariances adds the posterior variance of each arm to its entry of to.
func (o *onCovariances) AddVariances(to []float64) {
	for i, k := range o.column {
		to[i] += o.before(i, i)
		for a := range o.white.RawMatrix().Rows {
			to[i] -= o.white.At(a, k) * o.white.At(a, k)
		}
	}
}

// onFeatures computes the posterior of all arms at u with features of the kernel.
func (l *Learner) onFeatures(ctx context.Context, c *chosen, u []float64) (*outlook, error) {
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
	return &outlook{m, m.Mean, m.sigma2, by}, nil
}
