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

// evidence is the model at some numbers, with the measurements of some arms.
type evidence struct {
	log float64 // log marginal likelihood, nats
	// Laplace's approximation of counts: means and their variances, where the posterior has its
	// mode; of other rewards the means and variances that were measured
	target, variance []float64
	// prediction of each mean from all others, and its variance without the noise of the mean itself
	loo, looVariance []float64
}

// chosen are the measured arms that numbers are found from.
type chosen struct {
	*model
	at              []int // indices of data.cells
	y, n, rel, wins []float64
	fixed           []float64 // variances of the sites of limits, 0 of other arms; nil without any
	within, free    float64
	blocks          *blocks
	distinct        *kernels.Points // their features, once for the same arm in several tasks
	place           []int           // of each chosen arm in distinct
	ones            *mat.Dense      // a column of ones
	taskOf          []int
	tasks           *kernels.Points // those that tables have
	placeOf         []int           // of each chosen arm's task among these
	done            *sync.Pool      // covariances that are no longer needed
	first           *atomic.Pointer[tables]

	given []*mat.SymDense // covariances that came with the problem
	row   []int           // of each chosen arm in these

	// in the course of a run: squares within arms of each task with their degrees of freedom
	withinOf, freeOf []float64
}

// newChosen takes some measured arms.
func newChosen(m *model, at []int) *chosen {
	d, c := m.d, &chosen{
		model: m, at: at, within: m.d.within, free: m.d.free, blocks: m.d.blocks, done: new(sync.Pool), first: new(atomic.Pointer[tables]),
	}
	if c.blocks != nil && len(at) < len(d.cells) { // their measurements alone
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

// someTasks makes tables have the tasks of the chosen arms alone.
func (c *chosen) someTasks() {
	some := slices.Compact(slices.Sorted(slices.Values(c.taskOf)))
	c.tasks = c.d.tasks.Subset(some)
	c.placeOf = lists.Map(c.taskOf, func(v int) int {
		k, _ := slices.BinarySearch(some, v)
		return k
	})
}

// allTasks makes tables have all tasks.
func (c *chosen) allTasks() { c.tasks, c.placeOf = c.d.tasks, c.taskOf }

// merge lists the arms with these indices, each that has the same name and features in several tasks once: kernels of
// arms are evaluated on these alone.
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

// featuresKey returns a text that is equal for points with equal features.
func featuresKey(points *kernels.Points, i int) string {
	var key []byte
	for _, x := range points.X {
		key = strconv.AppendFloat(append(key, ','), x[i], 'b', -1, 64)
	}
	return string(key)
}

// gram returns the covariance of the chosen arms by the tables of a kernel, with their own part and the constant of counts: of
// each term, its kernel of tasks times its kernel of arms. The caller returns it after use.
func (c *chosen) gram(t *tables) *mat.SymDense {
	constant := 0.0
	if c.wins != nil {
		constant = constantLogit
	}
	return c.gramWith(t, constant)
}

// gramWith is gram with another constant.
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

// spare returns an unused matrix of the chosen arms, with any numbers in it.
func (c *chosen) spare() *mat.SymDense {
	if m, ok := c.done.Get().(*mat.SymDense); ok {
		return m
	}
	return mat.NewSymDense(len(c.at), nil)
}

// whole returns a symmetric matrix with both its triangles.
func whole(m *mat.SymDense) *mat.Dense {
	var out mat.Dense
	out.CloneFrom(m)
	return &out
}

// of computes the evidence at u; predict asks for the predictions of left-out means.
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

// scattered is the noise of the chosen means at one value of the hyperparameters.
type scattered struct {
	target   []float64     // the means, without the effects of blocks that differences within arms show
	variance []float64     // of the means without blocks
	fixed    []float64     // variances that do not depend on σ², 0 for others; nil if none
	cov      *mat.SymDense // V, the noise covariance of target, if there are blocks; else nil
	rest     float64       // sum of squares within arms that blocks do not explain, over σ²
	log      float64       // log evidence of the differences within arms, up to a constant
}

// scattered returns the noise at u. With S the squares within arms, ν their degrees of freedom and the effects β of blocks with prior
// variance τ²,
//
//	log = -½ ((S - βᵀr)/σ² + ν log σ² + log |I + τ²W/σ²|),
//
// and what differences within arms leave of β is part of V (see effects).
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

// normal has the Gaussian posterior of normal rewards at one value u of the hyperparameters, and the log evidence.
type normal struct {
	*scattered
	*gp.Regression
	log float64
}

// normal returns the Gaussian posterior of normal rewards at the hyperparameters u, and the log evidence. It overwrites gram. The
// constant is integrated out.
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
