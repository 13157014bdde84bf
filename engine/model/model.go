package model

import (
	"context"
	"fmt"
	"slices"
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

// Model is a Problem bound to its kernel: feature vectors φ_i with Scale·φ_iᵀφ_j = k(x̃_i, x̃_j),
// the precision of each arm, and a memory of the designs computed so far. It is safe for concurrent
// use.
//
// The exact features of many arms cost more than most computations with a model, so that they are
// computed when something first needs them: Exact returns the model with them. Without them there
// are exact values of the kernel (Row, Among) and the features that a residual leaves (Stopped).
//
// Features and rewards are normalised once, here, so that no tolerance below has a unit. What
// is asked and told stays in the kernel's units: ξ, ‖θ*‖ and Truncation.
type Model struct {
	Problem   *problem.Problem
	Unit      float64   // reward units of one normalised unit
	Scale     float64   // kernel units of one unit of φᵀφ
	Diagonal  float64   // largest k(x̃,x̃)
	Precision []float64 // Unit²/σ_i²
	Memory    *Memory

	// The exact features and what follows from them. They are nil and 0 in a model of more than
	// some hundred arms; the one that Exact returns has them.

	Features *mat.Dense    // Φ: N × m, by pivoted Cholesky of the Gram matrix
	Layout   *canon.Layout // for designs
	// largest k(x̃,x̃) - Scale·‖φ‖² left out; about 1e-12 of Diagonal unless cut
	Truncation float64
	derived    bool // whether Features have more, or other, coordinates than the kernel
	apartOnly  bool // whether the kernel is identity() on so many arms that they have no features: each has its own mean
	cut        bool // whether the features end at the largest rank that is kept

	identity func() string // of all numbers of the model, the expected rewards included; once
	numbers  func() string // the same without the precisions; once

	*life

	source *source
	exact  *once[*Model]

	known       func() (*truth, error)          // once
	represented func() (*representation, error) // once
	tasks       func() ([]*Model, error)        // once: the model of each task alone
	independent func() (*Model, error)          // once: the same problem under the kernel identity()
	plain       func() (*Model, error)          // once: in coordinates for least squares
	level       func() (*Model, error)          // once: with a constant

	admits    func() bool          // once, see AdmitsAll
	ranksAdd  func() (bool, error) // once, see RanksAdd
	unrelated func() bool          // once, see Unrelated
}

// UnitOf returns the reward units of one normalised unit: the one given or, for 0, the largest noise.
func UnitOf(p *problem.Problem, unit float64) float64 {
	if unit == 0 {
		return p.LargestNoise()
	}
	return unit
}

// New evaluates the kernel on the problem's points and factors the Gram matrix. unit = 0 takes the
// largest noise scale. It reports a kernel that is not positive semi-definite on these points.
func New(p *problem.Problem, unit float64) (*Model, error) {
	return NewContext(context.Background(), p, unit)
}

// NewContext works like New until the context ends, which then also ends what the model computes
// (see Until). It is an error when there is no memory for the features.
func NewContext(ctx context.Context, p *problem.Problem, unit float64) (*Model, error) {
	return newModel(ctx, p, unit, MaxRank)
}

// newModel works like NewContext with another largest rank.
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

// identify sets the identity from the numbers and the precisions.
func identify(m *Model) {
	numbers, precision := m.numbers, m.Precision
	m.identity = sync.OnceValue(func() string { return numbers() + canon.Fingerprint(precision) })
}

// others returns the numbers of the model beside its kernel's and the precisions.
func (m *Model) others() [][]float64 {
	taskOf := lists.Make(m.Problem.N(), func(i int) float64 { return float64(m.Problem.TaskOf[i]) })
	return [][]float64{{m.Unit, m.Scale, m.Truncation}, taskOf, m.Problem.Mean}
}

// Reweighted returns the model with other precisions, normalised. The truth and the models of
// single tasks stay as under the guesses.
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

// Without returns the model with arms that can no longer be pulled, and whose rewards so far count no
// more.
func (m *Model) Without(arms []int) (*Model, error) {
	precision := slices.Clone(m.Precision)
	for _, i := range arms {
		precision[i] = 0
	}
	return m.Reweighted(precision)
}

// Share makes the model remember in a Memory that other models use, too, instead of its own; nil
// changes nothing. It is called before the model is used, and returns it.
func (m *Model) Share(memory *Memory) *Model {
	if memory != nil {
		m.Memory = memory
	}
	return m
}

// perTask returns the model of each task on its own.
func (m *Model) perTask() ([]*Model, error) {
	return lists.Try(m.Problem.V(), func(v int) (*Model, error) {
		alone, err := newModel(m.Context(), m.Problem.Only(v), m.Unit, m.source.maxRank)
		if err != nil {
			return nil, err
		}
		return alone.Share(m.Memory), nil
	})
}

// TaskModels returns the model of each task on its own, in task order: what agents that share nothing go
// by.
func (m *Model) TaskModels() ([]*Model, error) { return m.tasks() }

// Independent returns the model of the same problem under the kernel identity(): with exact features, or of more than
// MostDesigned arms with none, where estimates without ridge are the arms' own means.
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

// Cut reports whether the features end at MaxRank, below the rank of the kernel on these points. It
// needs the exact features; where they cannot be had, they count as cut.
func (m *Model) Cut() bool {
	if m.apartOnly {
		return false
	}
	exact, err := m.Exact()
	return err != nil || exact.cut
}

// Rank returns the dimension m of the exact features; where they cannot be had, the largest that it
// may be.
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

// LeastRank returns the rank of the exact features or, where these were not computed, a number that it
// is not below: the rank itself up to some hundred. exact is whether it is the rank.
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

// Space returns the space over which designs are chosen, under ridge ξ, of a model with exact
// features.
func (m *Model) Space(ridge float64) design.Space {
	return design.Space{Features: m.Features, Precision: m.Precision, Ridge: m.Normalised(ridge)}
}

// Normalised returns ξ in units of the features.
func (m *Model) Normalised(ridge float64) float64 { return ridge / m.Scale }

// DesignTolerance returns the relative duality gap asked of designs inside algorithms. The value,
// not the lower bound, enters the sample counts, so a gap costs samples and never the guarantee.
func DesignTolerance(arms int) float64 {
	switch {
	case arms <= 64:
		return 1e-9
	case arms <= 400:
		return 1e-6
	}
	return 1e-3
}

// life holds the context that ends what a model computes, and what is derived from the model.
type life struct {
	now atomic.Pointer[context.Context]
}

func newLife(ctx context.Context) *life {
	l := new(life)
	l.now.Store(&ctx)
	return l
}

// Context ends what the model computes.
func (l *life) Context() context.Context { return *l.now.Load() }

// During lets ctx be that context until the function that it returns is called.
func (l *life) During(ctx context.Context) (end func()) {
	before := l.now.Swap(&ctx)
	return func() { l.now.Store(before) }
}

// Until lets the end of a context end what the model computes, which then returns its
// error: at high rank a design takes long. It returns the model.
func (m *Model) Until(ctx context.Context) *Model {
	m.now.Store(&ctx)
	return m
}

// Own returns the model for one user of it: no other model goes over to the contexts that this one is given.
func (m *Model) Own() *Model {
	own := *m
	own.life = newLife(m.Context())
	return &own
}

// Solver returns the options with which the model's designs are solved, to a relative gap.
func (m *Model) Solver(tolerance float64) design.Options {
	return design.Options{Tolerance: tolerance, Context: m.Context()}
}

// Memory keeps what models have computed before any data: designs, roundings and estimators, each
// under all the numbers that it follows from. Models that share one (Model.Share) solve each design
// once, also when they ask for it at once, and no result depends on what was remembered.
//
// The zero value is ready; it is safe for concurrent use and bounded at 256 MiB. Save writes what is costly
// and small to a file, and Load reads it back.
type Memory = canon.Memory

// ErrMemoryFile is wrapped by errors of Memory.Load about files that are no memory, are damaged or are of
// another build.
var ErrMemoryFile = canon.ErrMemoryFile

// once computes a value when it is first asked for. Who asks meanwhile waits, until the own context
// ends. An error is not kept: the next one computes it again.
type once[T any] struct {
	turn  chan struct{} // holds one value while nobody computes
	done  bool
	value T
}

func newOnce[T any]() *once[T] {
	o := &once[T]{turn: make(chan struct{}, 1)}
	o.turn <- struct{}{}
	return o
}

// get returns the value, which compute makes if there is none.
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

// Designs returns what finds allocations.
func (m *Model) Designs() Designs { return Designs{m} }

// Truth returns what is known of the expected rewards.
func (m *Model) Truth() Truth { return Truth{m} }

// Relations returns what the kernel makes of the arms.
func (m *Model) Relations() Relations { return Relations{m} }

// ByValues returns a model that tells arms apart by exact values of the kernel: itself, unless its
// features were cut.
func (m *Model) ByValues() *Model {
	if !m.cut {
		return m
	}
	out := *m
	out.Features, out.Layout, out.Truncation, out.cut = nil, nil, 0, false
	return &out
}

// Many reports whether arms are too many, and the rank of the kernel too large, for features of all: designs under a
// ridge are sought by exact values of the kernel (design.Exchange), and estimators use the
// arms that were pulled. Arms that have nothing in common have designs in closed form.
func (m *Model) Many() bool {
	if m.derived || m.Problem.N() <= fewArms {
		return false
	}
	rank, _ := m.LeastRank()
	return rank > fewDirections && !(m.Problem.N() <= MaxRank && m.Relations().Unrelated())
}

// Terms are the options of an algorithm on one model: checked, with their defaults, and normalised, so that Epsilon, Gap and
// Misfit count in Unit. A ridge that nobody stated stays so: some algorithms then choose their form by the problem.
type Terms struct {
	engine.Options
	unit float64
}

// Terms checks options for a mode and normalises them.
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

// SetEpsilon replaces the accuracy by one in reward units.
func (t *Terms) SetEpsilon(epsilon float64) { t.Epsilon = epsilon / t.unit }
