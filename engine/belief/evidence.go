package belief

import (
	"context"
	"math"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// evidence is the evidence of the model at one vector of hyperparameters, from the measurements of the chosen arms.
type evidence struct {
	log float64 // log marginal likelihood, nats
	// For counts: Laplace's approximation of means and their variances at the mode of the posterior. For other rewards:
	// the measured means and their variances.
	target, variance []float64
	// prediction of each mean from all others; the variance does not include the noise of the mean itself
	loo, looVariance []float64
}

// chosen are the measured arms from which hyperparameters are searched, with their measurements.
type chosen struct {
	*model
	at              []int // indices of data.cells
	y, n, rel, wins []float64
	fixed           []float64 // variances of the sites of limits, 0 for other arms; nil without limits
	within, free    float64
	blocks          *blocks
	distinct        *kernels.Points // features of the chosen arms; arms with the same name and features in several tasks occur once
	place           []int           // index in distinct of each chosen arm
	ones            *mat.Dense      // a column of ones
	taskOf          []int
	tasks           *kernels.Points // tasks that the tables have
	placeOf         []int           // index in tasks of each chosen arm's task
	done            *sync.Pool      // covariance matrices for reuse
	first           *atomic.Pointer[tables]

	given []*mat.SymDense // covariances stated with the problem
	row   []int           // row of each chosen arm in given

	// during a run: squares within arms, summed over each task, with their degrees of freedom
	withinOf, freeOf []float64
}

// newChosen selects the measured arms with indices at in d.cells.
func newChosen(m *model, at []int) *chosen {
	d, c := m.d, &chosen{
		model: m, at: at, within: m.d.within, free: m.d.free, blocks: m.d.blocks, done: new(sync.Pool), first: new(atomic.Pointer[tables]),
	}
	if c.blocks != nil && len(at) < len(d.cells) { // use the blocks of the chosen arms alone
		c.blocks = newBlocks(d, at, d.rel, d.unit)
		c.within, c.free = 0, 0
		squares, freedom := d.squares()
		for _, a := range at {
			c.within, c.free = c.within+squares[a]/d.rel[a]/(d.unit*d.unit), c.free+freedom[a]
		}
	}
	c.within = max(c.within, exact*c.free)
	index := indices.Of(d.cells, at)
	c.y, c.n, c.taskOf = indices.Of(d.y, at), indices.Of(d.n, at), indices.Of(d.p.TaskOf, index)
	c.someTasks()
	c.rel, c.wins, c.fixed = indices.Of(d.rel, at), indices.Of(d.wins, at), indices.Of(d.fixed, at)
	c.ones = mat.NewDense(max(len(at), 1), 1, slices.Repeat([]float64{1}, max(len(at), 1)))
	c.merge(index)
	c.given, c.row = c.chosenGiven(), indices.All(len(at))
	return c
}

// someTasks restricts tables to the tasks of the chosen arms.
func (c *chosen) someTasks() {
	some := slices.Compact(slices.Sorted(slices.Values(c.taskOf)))
	c.tasks = c.d.tasks.Subset(some)
	c.placeOf = lists.Map(c.taskOf, func(v int) int {
		k, _ := slices.BinarySearch(some, v)
		return k
	})
}

// allTasks makes tables include all tasks.
func (c *chosen) allTasks() { c.tasks, c.placeOf = c.d.tasks, c.taskOf }

// merge sets distinct and place for the arms in index. Arms with the same name and features in several tasks share a
// place, so that kernels of arms are evaluated once for them.
func (c *chosen) merge(index []int) {
	seen := map[string]int{}
	var first []int
	for _, i := range index {
		key := strconv.Itoa(c.d.arms.ID[i]) + featuresKey(c.d.arms, i)
		if _, ok := seen[key]; !ok {
			seen[key] = len(first)
			first = append(first, i)
		}
		c.place = append(c.place, seen[key])
	}
	c.distinct = c.d.arms.Subset(first)
}

// featuresKey returns a string that is equal for points with equal features.
func featuresKey(points *kernels.Points, i int) string {
	var key []byte
	for _, x := range points.X {
		key = strconv.AppendFloat(append(key, ','), x[i], 'b', -1, 64)
	}
	return string(key)
}

// gram returns the covariance matrix of the chosen arms: the sum over terms of task kernel times arm kernel, the own part
// on the diagonal, and for counts the constant. The caller puts the matrix into c.done after use.
func (c *chosen) gram(t *tables) *mat.SymDense {
	constant := 0.0
	if c.wins != nil {
		constant = constantLogit
	}
	return c.gramWith(t, constant)
}

// gramWith is gram with the given constant.
func (c *chosen) gramWith(t *tables, constant float64) *mat.SymDense {
	gram, s := c.spare(), c.spots()
	raw := gram.RawSymmetric()
	for i := range raw.N {
		row := raw.Data[i*raw.Stride+i : i*raw.Stride+raw.N]
		clear(row)
		t.row(row, s.from(i), s.from(i), constant)
		row[0] += t.own
	}
	return gram
}

// spare returns a matrix for the chosen arms with undefined entries, reused if possible.
func (c *chosen) spare() *mat.SymDense {
	if m, ok := c.done.Get().(*mat.SymDense); ok {
		return m
	}
	return mat.NewSymDense(len(c.at), nil)
}

// whole returns a copy of a symmetric matrix with both triangles filled.
func whole(m *mat.SymDense) *mat.Dense {
	var out mat.Dense
	out.CloneFrom(m)
	return &out
}

// of computes the evidence at the hyperparameters u. If predict is set, it includes the predictions of left-out means.
func (c *chosen) of(ctx context.Context, u []float64, predict bool) (_ *evidence, err error) {
	defer try.Caught(&err)
	t := try.Of(c.tables(ctx, u, nil))
	gram := c.gram(t)
	defer c.done.Put(gram)
	var e *evidence
	var r *gp.Regression
	if c.wins != nil {
		l := try.Of(gp.NewLaplace(gp.DensePrior{SymDense: gram}, c.wins, c.n))
		e, r = &evidence{log: l.LogEvidence, target: l.Targets, variance: l.Noise}, l.Regression
	} else {
		x := try.Of(c.normal(gram, u))
		e, r = &evidence{log: x.log, target: c.y, variance: x.variance}, x.Regression
	}
	if predict {
		e.loo, e.looVariance = r.LeaveOneOut()
		for i, v := range e.variance {
			e.loo[i] += e.target[i] - r.Targets[i]
			e.looVariance[i] = max(e.looVariance[i]-v, 0)
		}
	}
	return e, nil
}

// scattered is the noise of the chosen means at one vector of hyperparameters.
type scattered struct {
	target   []float64     // means, without the effects of blocks that differences within arms estimate
	variance []float64     // variances of the means, without blocks
	fixed    []float64     // variances that do not depend on σ², 0 for others; nil if none
	cov      *mat.SymDense // V, the noise covariance of target, if there are blocks; else nil
	rest     float64       // sum of squares within arms that blocks do not explain, over σ²
	log      float64       // log evidence of the differences within arms, up to a constant
}

// scattered returns the noise at u. S are the squares within arms and ν their degrees of freedom. The effects β of blocks
// have the prior variance τ². Then
//
//	log = -½ ((S - βᵀr)/σ² + ν log σ² + log |I + τ²W/σ²|).
//
// The remaining uncertainty of β is part of V (see effects).
func (c *chosen) scattered(u []float64) (*scattered, error) {
	sigma2 := c.value(u, noiseNumber, 1)
	x := &scattered{target: c.y, variance: c.variancesAt(u), fixed: c.fixed, rest: c.within / sigma2}
	x.log = -0.5 * (x.rest + c.free*math.Log(sigma2))
	if c.blocks == nil {
		return x, nil
	}
	e, err := c.blocks.at(c.model, u)
	if err != nil {
		return nil, err
	}
	x.rest -= e.square / sigma2
	x.log += 0.5 * (e.square/sigma2 - e.logDet)
	x.target, x.cov = slices.Clone(c.y), mat.NewSymDense(len(c.y), nil)
	floats.Add(x.target, e.shift)
	e.addTo(x.cov, sigma2)
	for k, v := range c.fixed {
		if v > 0 {
			x.cov.SetSym(k, k, v)
		}
	}
	return x, nil
}

// normal is the Gaussian posterior of normal rewards at one vector of hyperparameters, with the log evidence.
type normal struct {
	*scattered
	*gp.Regression
	log float64
}

// normal returns the Gaussian posterior of normal rewards at the hyperparameters u, and the log evidence. It integrates
// out the constant, and overwrites gram.
func (c *chosen) normal(gram *mat.SymDense, u []float64) (_ *normal, err error) {
	defer try.Caught(&err)
	noise := try.Of(c.scattered(u))
	if noise.cov != nil {
		gram.AddSym(gram, noise.cov)
	} else {
		symmetric.Add(gram, func(i int) float64 { return noise.variance[i] })
	}
	sigma := try.Of(gp.NewDense(gram))
	r := try.Of(gp.New(gp.Data{Targets: noise.target, Basis: c.ones, Precision: 1 / constantVariance}, sigma))
	return &normal{noise, r, noise.log + r.Evidence}, nil
}
