package engine

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// MaxRank is the largest feature dimension a Model keeps. Below it the features
// are exact to rounding; past it they are truncated, and Truncation bounds what
// was left out.
const MaxRank = 1024

// Model is a Problem bound to its kernel: feature vectors φ_i with
// φ_iᵀφ_j = k(x̃_i, x̃_j), the precision of each arm, and a memory of the designs
// computed so far. It is safe for concurrent use.
type Model struct {
	Problem    *Problem
	Unit       float64    // reward units of one normalised unit
	Features   *mat.Dense // Φ: N × m, by pivoted Cholesky of the Gram matrix
	Precision  []float64  // Unit²/σ_i²
	Truncation float64    // largest k(x̃,x̃) - ‖φ‖² left out; about 1e-12 of the diagonal unless past MaxRank

	mu     sync.Mutex
	memory map[string]*stage
	floats int // stored in memory, to bound it

	ctx context.Context // ends designs; nil never does

	known func() (*truth, error)   // once
	tasks func() ([]*Model, error) // once: the model of each task alone
}

// memoryLimit bounds the numbers kept by Model.memory (256 MiB).
const memoryLimit = 1 << 25

// NewModel evaluates the kernel on the problem's points and factors the Gram
// matrix. unit = 0 takes the largest noise scale. It reports a kernel that is
// not positive semi-definite on these points.
func NewModel(p *Problem, unit float64) (*Model, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if unit == 0 {
		unit = p.LargestNoise()
	}
	if _, err := p.Kernel.Check(p.Tasks, p.Arms); err != nil {
		return nil, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	gram, err := p.Kernel.On(p.Tasks, p.Arms, p.TaskOf)
	if err != nil {
		return nil, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	factor, err := kernels.PivotedCholesky(gram, MaxRank, 0)
	if err != nil {
		return nil, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	m := &Model{
		Problem: p, Unit: unit, Features: factor.L, Truncation: factor.Residual,
		Precision: make([]float64, p.N()), memory: map[string]*stage{},
	}
	m.known = sync.OnceValues(m.computeTruth)
	m.tasks = sync.OnceValues(m.perTask)
	for i, s := range p.Noise {
		m.Precision[i] = unit * unit / (s * s)
	}
	return m, nil
}

// perTask returns the model of each task on its own.
func (m *Model) perTask() ([]*Model, error) {
	out := make([]*Model, m.Problem.V())
	for v := range out {
		var err error
		if out[v], err = NewModel(m.Problem.Only(v), m.Unit); err != nil {
			return nil, err
		}
		out[v].Until(m.ctx)
	}
	return out, nil
}

// Rank is the dimension m of the features.
func (m *Model) Rank() int { return m.Features.RawMatrix().Cols }

// Space is what designs are chosen over, under ridge ξ.
func (m *Model) Space(ridge float64) design.Space {
	return design.Space{Features: m.Features, Precision: m.Precision, Ridge: ridge}
}

// designTolerance is the relative duality gap asked of designs inside
// algorithms. The value, not the lower bound, enters the sample counts, so a
// gap costs samples and never the guarantee.
func designTolerance(arms int) float64 {
	switch {
	case arms <= 64:
		return 1e-9
	case arms <= 400:
		return 1e-6
	}
	return 1e-3
}

// Until lets the end of a context end the designs of the model, which then return its
// error: at high rank a design takes long. It returns the model.
func (m *Model) Until(ctx context.Context) *Model {
	m.ctx = ctx
	return m
}

// Solver is how the model's designs are solved, to a relative gap.
func (m *Model) Solver(tolerance float64) design.Options {
	return design.Options{Tolerance: tolerance, Context: m.ctx}
}

// Design solves line 4 of Alg. 1 for the given candidate sets (one per task).
// The result is remembered.
func (m *Model) Design(ridge float64, alive [][]int) (design.Design, error) {
	st, err := m.remember(key('d', ridge, 0, alive), func() (*stage, error) {
		d, err := design.Minimax(m.Space(ridge), design.Contrasts{Groups: alive}, m.Solver(designTolerance(m.Problem.N())))
		return &stage{design: d}, err
	})
	if err != nil {
		return design.Design{}, err
	}
	return st.design, nil
}

// Omega is the principle dimension ω(ξ, S) of a set of arms [Du23, App. C.4],
// remembered.
func (m *Model) Omega(ridge float64, set []int) (float64, error) {
	d, err := m.Design(ridge, [][]int{set})
	return d.Value, err
}

// OmegaExceeds tells whether ω(ξ, S) > limit. It solves only as far as needed to
// certify the answer; within the tolerance of designs, the value decides.
// Remembered.
func (m *Model) OmegaExceeds(ridge float64, set []int, limit float64) (bool, error) {
	st, err := m.remember(key('o', ridge, 0, [][]int{set})+key('l', limit, 0, nil), func() (*stage, error) {
		opt := m.Solver(designTolerance(m.Problem.N()))
		opt.Threshold = limit
		d, err := design.Minimax(m.Space(ridge), design.Contrasts{Groups: [][]int{set}}, opt)
		d.Weights, d.Certificate = nil, design.Certificate{}
		return &stage{design: d}, err
	})
	if err != nil {
		return false, err
	}
	d := st.design
	return d.Value > limit, nil
}

// stage is what one round of sampling is decided by before its data: the
// design, the rounded counts, and the estimator they give.
type stage struct {
	design   design.Design
	rounding design.Rounding
	estimate *Estimator
}

// remember returns the stage stored under k, computing it at most a few times.
// Computing is a pure function of k, so which worker came first cannot matter.
func (m *Model) remember(k string, compute func() (*stage, error)) (*stage, error) {
	m.mu.Lock()
	st, ok := m.memory[k]
	m.mu.Unlock()
	if ok {
		return st, nil
	}
	st, err := compute()
	if err != nil {
		return nil, err
	}
	size := len(k)/8 + len(st.design.Weights) + len(st.rounding.Counts) + st.estimate.size()
	m.mu.Lock()
	if m.floats+size <= memoryLimit {
		m.floats += size
		m.memory[k] = st
	}
	m.mu.Unlock()
	return st, nil
}

// key identifies a stage: a kind, the ridge, the number of pulls and the sets.
func key(kind byte, ridge float64, pulls int, alive [][]int) string {
	b := []byte{kind}
	b = binary.LittleEndian.AppendUint64(b, math.Float64bits(ridge))
	b = binary.AppendUvarint(b, uint64(pulls))
	for _, set := range alive {
		b = binary.AppendUvarint(b, uint64(len(set)))
		for _, i := range set {
			b = binary.AppendUvarint(b, uint64(i))
		}
	}
	return string(b)
}
