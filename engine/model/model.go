package model

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/internal/canon"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Model is a Problem with its kernel. It has feature vectors φ_i with Scale·φ_iᵀφ_j = k(x̃_i, x̃_j), the precision of each
// arm, and a cache of designs. It is safe for concurrent use.
//
// The exact features of many arms are expensive, so they are computed on first use: Exact returns the model with them.
// Without them, a model has exact kernel values (Row, Among) and approximate features (Stopped).
//
// Features and rewards are normalised here once, so that no tolerance has a unit. Only ξ, ‖θ*‖ and Truncation are in the
// kernel's units.
type Model struct {
	Problem   *problem.Problem
	Unit      float64   // reward units of one normalised unit
	Scale     float64   // kernel units of one unit of φᵀφ
	Diagonal  float64   // largest k(x̃,x̃)
	Precision []float64 // Unit²/σ_i²
	Memory    *Memory

	// The exact features and values derived from them. They are nil and 0 in a model of more than eagerArms arms, until
	// Exact is called.

	Features *mat.Dense    // Φ: N × m, by pivoted Cholesky of the Gram matrix
	Layout   *canon.Layout // for designs
	// largest k(x̃,x̃) - Scale·‖φ‖², the part that features omit; about 1e-12 of Diagonal unless features were cut
	Truncation float64
	derived    bool // whether Features have more, or other, coordinates than those of the kernel
	apartOnly  bool // whether the kernel is identity() on too many arms for features: estimates are then the arms' own means
	cut        bool // whether the features were truncated at the largest rank

	identity func() string // hash of all numbers of the model, expected rewards included
	numbers  func() string // hash of all numbers except the precisions

	*life

	source *source
	exact  *once[*Model]

	known       func() (*truth, error)          // once
	represented func() (*representation, error) // see Truth.represent; computed once
	tasks       func() ([]*Model, error)        // the model of each task alone
	independent func() (*Model, error)          // the same problem under the kernel identity()
	plain       func() (*Model, error)          // the model in coordinates for least squares, see Decoupled
	level       func() (*Model, error)          // the model with a constant as a further feature, see Levelled

	admits    func() bool          // once, see AdmitsAll
	ranksAdd  func() (bool, error) // once, see RanksAdd
	unrelated func() bool          // once, see Unrelated
}

// UnitOf returns the reward units of one normalised unit. This is unit, or the largest noise scale if unit is 0.
func UnitOf(p *problem.Problem, unit float64) float64 {
	if unit == 0 {
		return p.LargestNoise()
	}
	return unit
}

// New returns the model of a problem. It evaluates the kernel on the problem's points and factors the Gram matrix. unit =
// 0 means the largest noise scale. It returns an error if the kernel is not positive semi-definite on these points.
func New(p *problem.Problem, unit float64) (*Model, error) {
	return NewContext(context.Background(), p, unit)
}

// NewContext is New with a context, which also ends later computations of the model (see Until). It returns an error if
// there is no memory for the features, or if ctx ends.
func NewContext(ctx context.Context, p *problem.Problem, unit float64) (*Model, error) {
	return newModel(ctx, p, unit, MaxRank)
}

// newModel is NewContext with maxRank as the largest rank.
func newModel(ctx context.Context, p *problem.Problem, unit float64, maxRank int) (*Model, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	unit = UnitOf(p, unit)
	source, err := newSource(ctx, p, maxRank)
	if err != nil {
		return nil, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	m := &Model{
		Problem: p, Unit: unit, Diagonal: source.factor.Largest(), Scale: source.scale,
		Precision: lists.Map(p.Noise.Scales, func(s float64) float64 { return unit * unit / (s * s) }),
		Memory:    new(Memory), source: source, exact: newOnce[*Model](), life: newLife(ctx),
	}
	m.known = sync.OnceValues(m.Truth().computeTruth)
	m.represented = sync.OnceValues(m.Truth().represent)
	m.tasks = sync.OnceValues(m.perTask)
	m.independent = sync.OnceValues(m.underIdentity)
	m.admits = sync.OnceValue(m.Relations().admitsAll)
	m.ranksAdd = sync.OnceValues(m.Relations().addRanks)
	m.unrelated = sync.OnceValue(m.Relations().lookUnrelated)
	m.level = sync.OnceValues(m.withConstant)
	m.plain = sync.OnceValues(m.Designs().plainly)
	if p.N() <= eagerArms {
		return m, m.fill()
	}
	m.numbers = sync.OnceValue(m.written)
	identify(m)
	return m, nil
}

// identify sets m.identity, the hash of the model's numbers and precisions.
func identify(m *Model) {
	numbers, precision := m.numbers, m.Precision
	m.identity = sync.OnceValue(func() string { return numbers() + canon.Fingerprint(precision) })
}

// others returns the numbers of the model, except the precisions and those of its kernel.
func (m *Model) others() [][]float64 {
	taskOf := lists.Make(m.Problem.N(), func(i int) float64 { return float64(m.Problem.TaskOf[i]) })
	return [][]float64{{m.Unit, m.Scale, m.Truncation}, taskOf, m.Problem.Mean}
}

// Reweighted returns the model with other precisions, N values, normalised. The expected rewards and the models of single
// tasks do not change.
func (m *Model) Reweighted(precision []float64) (*Model, error) {
	w := *m
	w.Precision, w.exact = precision, newOnce[*Model]()
	identify(&w)
	if m.Layout == nil {
		return &w, nil
	}
	var err error
	w.Layout, err = m.Layout.Reweighted(m.Context(), w.Features, w.Precision)
	return &w, err
}

// Share makes the model use the given Memory, which other models may use too; nil changes nothing. Call it before the
// model is used. It returns the model.
func (m *Model) Share(memory *Memory) *Model {
	if memory != nil {
		m.Memory = memory
	}
	return m
}

// perTask returns the model of each task alone, in task order.
func (m *Model) perTask() ([]*Model, error) {
	return lists.Try(m.Problem.V(), func(v int) (*Model, error) {
		alone, err := newModel(m.Context(), m.Problem.Only(v), m.Unit, m.source.maxRank)
		if err != nil {
			return nil, err
		}
		return alone.Share(m.Memory), nil
	})
}

// TaskModels returns the model of each task alone, in task order, for agents that do not share data.
func (m *Model) TaskModels() ([]*Model, error) { return m.tasks() }

// Independent returns the model of the same problem under the kernel identity(). It has exact features for at most
// MostDesigned arms. For more arms it has none, and estimates without ridge are the arms' own means.
func (m *Model) Independent() (*Model, error) { return m.independent() }

func (m *Model) underIdentity() (*Model, error) {
	same := kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}
	alone, err := newModel(m.Context(), m.Problem.WithKernel(same), m.Unit, m.source.maxRank)
	if err != nil {
		return nil, err
	}
	if alone.Share(m.Memory); alone.Problem.N() <= MostDesigned {
		return alone.Exact()
	}
	alone.apartOnly, alone.Features, alone.Layout = true, nil, nil
	return alone, nil
}

// Cut reports whether the features were truncated at MaxRank, below the kernel's rank on these points. It computes the
// exact features, and returns true if that fails.
func (m *Model) Cut() bool {
	if m.apartOnly {
		return false
	}
	exact, err := m.Exact()
	return err != nil || exact.cut
}

// Rank returns the dimension m of the exact features. If they cannot be computed, it returns an upper bound.
func (m *Model) Rank() int {
	if m.apartOnly {
		return m.Problem.N()
	}
	exact, err := m.Exact()
	if err != nil {
		return min(m.Problem.N(), m.source.maxRank)
	}
	return exact.Features.RawMatrix().Cols
}

// LeastRank returns the rank of the exact features. If these were not computed, it returns the kernel's rank up to
// countedRank. `exact` is whether the result is the rank and not only a lower bound.
func (m *Model) LeastRank() (rank int, exact bool) {
	if m.Features != nil {
		return m.Rank(), true
	}
	counted := min(countedRank, m.source.maxRank)
	pivots, err := m.Pivots(counted, 0)
	if err != nil {
		return 0, false
	}
	return len(pivots), len(pivots) < counted
}

// Space returns the design space with ridge ξ (kernel units). The model must have exact features.
func (m *Model) Space(ridge float64) design.Space {
	return design.Space{Features: m.Features, Precision: m.Precision, Ridge: m.Normalised(ridge)}
}

// Normalised returns ξ in units of the features; ridge is ξ in kernel units.
func (m *Model) Normalised(ridge float64) float64 { return ridge / m.Scale }

// DesignTolerance returns the relative duality gap for designs inside algorithms with this number of arms. Sample counts
// use the design's value and not its lower bound, so a gap costs samples but does not affect the guarantee.
func DesignTolerance(arms int) float64 {
	if arms <= 64 {
		return 1e-9
	}
	return 1e-3
}

// life has the context of the computations of a model and of models derived from it.
type life struct {
	now atomic.Pointer[context.Context]
}

func newLife(ctx context.Context) *life {
	l := new(life)
	l.now.Store(&ctx)
	return l
}

// Context returns the context of the model's computations. They stop when it ends.
func (l *life) Context() context.Context { return *l.now.Load() }

// During sets the context of the model's computations. The returned function restores the earlier context.
func (l *life) During(ctx context.Context) (end func()) {
	before := l.now.Swap(&ctx)
	return func() { l.now.Store(before) }
}

// Until sets the context of the model's computations and returns the model. When the context ends, they return its error;
// a design of high rank may take long.
func (m *Model) Until(ctx context.Context) *Model {
	m.now.Store(&ctx)
	return m
}

// Own returns a copy of the model with a context of its own, so that setting it does not affect other users of the model.
func (m *Model) Own() *Model {
	own := *m
	own.life = newLife(m.Context())
	return &own
}

// Solver returns the options of the model's design solver for a relative gap of tolerance.
func (m *Model) Solver(tolerance float64) design.Options {
	return design.Options{Tolerance: tolerance, Context: m.Context()}
}

// Memory caches results of models that do not depend on data: designs, roundings and estimators. The keys contain all
// numbers that the results depend on. Models that share a Memory (Model.Share) solve each design once, even concurrently.
// No result depends on the cache.
//
// The zero value is ready. It is safe for concurrent use and limited to 256 MiB. Save writes costly and small entries to a
// file, and Load reads them back.
type Memory = canon.Memory

// once computes a value on first use. Concurrent callers wait until it is computed or their own context ends. An error is
// not cached, so the next caller computes again.
type once[T any] struct {
	turn  chan struct{} // contains a token unless a goroutine computes
	done  bool
	value T
}

func newOnce[T any]() *once[T] {
	o := &once[T]{turn: make(chan struct{}, 1)}
	o.turn <- struct{}{}
	return o
}

// get returns the value, after computing it on the first call.
func (o *once[T]) get(ctx context.Context, compute func() (T, error)) (value T, err error) {
	select {
	case <-o.turn:
	case <-ctx.Done():
		return value, ctx.Err()
	}
	defer func() { o.turn <- struct{}{} }()
	if !o.done {
		if value, err = compute(); err != nil {
			return value, err
		}
		o.value, o.done = value, true
	}
	return o.value, nil
}

// Designs returns the methods that compute allocations of the model.
func (m *Model) Designs() Designs { return Designs{m} }

// Truth returns the methods that use the known expected rewards.
func (m *Model) Truth() Truth { return Truth{m} }

// Relations returns the methods that compare arms under the kernel.
func (m *Model) Relations() Relations { return Relations{m} }

// ByValues returns a model that compares arms by exact kernel values. This is the model itself, unless its features were
// cut.
func (m *Model) ByValues() *Model {
	if !m.cut {
		return m
	}
	out := *m
	out.Features, out.Layout, out.Truncation, out.cut = nil, nil, 0, false
	return &out
}

// Many reports whether the number of arms and the kernel's rank are too large for features of all arms. Designs with a
// ridge then use exact kernel values (design.Exchange), and estimators use the pulled arms. It is false for unrelated
// arms, which have designs in closed form.
func (m *Model) Many() bool {
	if m.derived || m.Problem.N() <= fewArms {
		return false
	}
	rank, _ := m.LeastRank()
	return rank > fewDirections && !(m.Problem.N() <= MaxRank && m.Relations().Unrelated())
}

// Terms has the options of an algorithm for one model, after checks and with defaults. Epsilon, Gap and Misfit are in
// units of Unit. An unset ridge remains unset, because some algorithms then choose a method that depends on the problem.
type Terms struct {
	engine.Options
	unit float64
}

// Terms checks the options for a mode and normalises them. It returns an error for options out of range.
func (m *Model) Terms(mode string, stated engine.Options) (Terms, error) {
	t := Terms{unit: m.Unit}
	var err error
	t.Options, err = stated.Checked(mode)
	t.Ridge = stated.Ridge
	t.SetEpsilon(t.Epsilon)
	t.Gap /= m.Unit
	t.Misfit /= m.Unit
	return t, err
}

// SetEpsilon sets the accuracy; the argument is in reward units.
func (t *Terms) SetEpsilon(epsilon float64) { t.Epsilon = epsilon / t.unit }
