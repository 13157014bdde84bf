package bounded

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Section is the kernel on the arms of a problem that are open or were pulled. Its arms have the positions 0, 1, … in the
// order of the problem. It is not safe for concurrent use.
type Section struct {
	Arms     []int     // arms of the problem, ascending
	Diagonal []float64 // k(x̃,x̃), one per arm of the section

	gram kernels.Matrix
	rows map[int][]float64 // by position: the rows computed so far
}

// NewSection returns the kernel of a problem on these arms, which must be ascending.
func NewSection(ctx context.Context, p *problem.Problem, arms []int) (*Section, error) {
	taskOf := indices.Of(p.TaskOf, arms)
	gram, err := p.Kernel.On(ctx, p.Tasks, p.Arms.Subset(arms), taskOf)
	if err != nil {
		return nil, fmt.Errorf("problem %q: %w", p.Name, err)
	}
	s := &Section{Arms: arms, Diagonal: make([]float64, len(arms)), gram: gram, rows: map[int][]float64{}}
	gram.Diagonal(s.Diagonal)
	return s, nil
}

// Has reports whether an arm of the problem is in the section.
func (s *Section) Has(arm int) bool {
	_, found := slices.BinarySearch(s.Arms, arm)
	return found
}

// Find returns the position of an arm of the problem in the section. It panics if the arm is not there.
func (s *Section) Find(arm int) int {
	k, found := slices.BinarySearch(s.Arms, arm)
	if !found {
		panic(fmt.Sprintf("bounded: arm %d is not in the section", arm))
	}
	return k
}

// Rows returns the kernel between the arms at these positions and all arms of the section, one row per position. Rows are
// computed once. It returns an error if ctx ends or memory does not suffice.
func (s *Section) Rows(ctx context.Context, of []int) (_ [][]float64, err error) {
	defer try.Caught(&err)
	out := make([][]float64, len(of))
	var missing []int
	for _, i := range of {
		if s.rows[i] == nil && !slices.Contains(missing, i) {
			missing = append(missing, i)
		}
	}
	try.To(memlimit.Matrices(ctx, "the kernel's rows", 1, len(missing), len(s.Arms)))
	fresh := make([][]float64, len(missing))
	try.To(cores.Do(ctx, len(missing), 1, func(k, _ int) {
		fresh[k] = make([]float64, len(s.Arms))
		s.gram.Row(fresh[k], missing[k])
	}))
	for k, i := range missing {
		s.rows[i] = fresh[k]
	}
	for k, i := range of {
		out[k] = s.rows[i]
	}
	return out, nil
}

// Near returns the kernel between an arm and the arms at these positions, which are near each other.
func (s *Section) Near(arm int, of []int) []float64 {
	from := slices.Min(of)
	row := make([]float64, slices.Max(of)+1-from)
	kernels.Part(s.gram, row, arm, from)
	return lists.Map(of, func(i int) float64 { return row[i-from] })
}

// Local holds features of a section that are accurate enough for given arms. Only designs of rounds use them, not
// estimates.
type Local struct {
	Features *mat.Dense // Φ: one row per arm of the section, m columns
	Pivots   []int      // positions of m arms whose features are exact
	Rest     []float64  // k(x̃,x̃) - ‖φ‖² ≥ 0, one per arm of the section
	Worst    float64    // largest weight·rest
}

// Localise returns features by pivoted Cholesky [HPS12]. The next pivot is the arm with the largest weight·rest·favour,
// among arms whose weight·rest is above tolerance. It stops if there is no such arm, or if Features has the given
// number (most) of columns. weight and favour have one value of 0 or more per arm; arms of weight 0 are not pivots.
//
//	[HPS12] Harbrecht, Peters, Schneider: On the low-rank approximation by the pivoted Cholesky
//	        decomposition, Applied Numerical Mathematics 62, 2012.
func (s *Section) Localise(ctx context.Context, weight, favour []float64, tolerance float64, most int) (_ *Local, err error) {
	defer try.Caught(&err)
	n := len(s.Arms)
	l := &Local{Rest: append([]float64(nil), s.Diagonal...)}
	top := lists.Max(s.Diagonal, func(v float64) float64 { return v })
	room := 0
	var data []float64 // rows of room numbers; the first columns are set
	for {
		pivot, best := -1, 0.0
		l.Worst = 0
		for i, rest := range l.Rest {
			need := weight[i] * rest
			l.Worst = max(l.Worst, need)
			if need > tolerance && rest > negligible*top && need*favour[i] > best {
				pivot, best = i, need*favour[i]
			}
		}
		columns := len(l.Pivots)
		if pivot < 0 || columns == most {
			break
		}
		if columns == room {
			more := min(most, max(32, 2*room))
			try.To(memlimit.Matrices(ctx, "the features of a round", 1, n, more))
			grown := make([]float64, n*more)
			for i := range n {
				copy(grown[i*more:], data[i*room:(i+1)*room])
			}
			data, room = grown, more
		}
		row := make([]float64, n)
		s.gram.Row(row, pivot)
		root := math.Sqrt(l.Rest[pivot])
		own := data[pivot*room : pivot*room+columns]
		try.To(cores.Do(ctx, n, 4*tile, func(from, end int) {
			for i := from; i < end; i++ {
				phi := data[i*room : i*room+columns+1]
				v := (row[i] - floats.Dot(own, phi[:columns])) / root
				phi[columns] = v
				l.Rest[i] = max(l.Rest[i]-v*v, 0)
			}
		}))
		data[pivot*room+columns] = root
		l.Rest[pivot] = 0
		l.Pivots = append(l.Pivots, pivot)
	}
	if len(l.Pivots) == 0 {
		return l, nil
	}
	l.Features = mat.NewDense(n, room, data).Slice(0, n, 0, len(l.Pivots)).(*mat.Dense)
	return l, nil
}

// negligible is the smallest rest, relative to the largest variance of the kernel, that is not a rounding error.
const negligible = 1e-12

// factor factors a positive-semidefinite matrix. If this fails, it adds ridges from 10⁻¹⁴ to 10⁻⁶ of the largest diagonal
// element until it succeeds. The result is used only for designs and leaders, not for tests.
func factor(a *mat.SymDense) (out *gp.Dense, err error) {
	top := lists.Max(indices.All(a.SymmetricDim()), func(i int) float64 { return a.At(i, i) })
	for part := 0.0; part < 1e-5; part = max(100*part, 1e-14) {
		ridged := mat.NewSymDense(a.SymmetricDim(), nil)
		ridged.CopySym(a)
		if out, err = gp.NewDense(symmetric.Add(ridged, func(int) float64 { return part * top })); err == nil {
			break
		}
	}
	return out, err
}

// Whiten returns ΦL⁻ᵀ, where LLᵀ is the positive-definite information matrix known. In these features the information is
// the identity.
func Whiten(ctx context.Context, features *mat.Dense, known *mat.SymDense) (*mat.Dense, error) {
	n, m := features.Dims()
	chol, err := factor(known)
	if err != nil {
		return nil, fmt.Errorf("what is known after a round: %w", err)
	}
	if err := memlimit.Matrices(ctx, "the features of a round", 1, n, m); err != nil {
		return nil, err
	}
	out := mat.NewDense(n, m, nil)
	err = cores.Do(ctx, n, tile, func(from, end int) {
		part := out.Slice(from, end, 0, m).(*mat.Dense)
		part.Copy(features.Slice(from, end, 0, m))
		blas64.Trsm(blas.Right, blas.NoTrans, 1, chol.Upper, part.RawMatrix())
	})
	return out, err
}

// Combined is the error functional of a sum of estimates of the gaps between arm x and the leaders of several rounds r,
//
//	Σ_r p_rᵀȳ_r  of  Σ_r a_r (f_b(r) - f_x).
//
// The bias of the sum is ⟨f, G⟩, at most S‖G‖, with
//
//	G = Σ_r (Σ_i p_r,i k_i - a_r(k_b(r) - k_x)) = Σ_u Coefficients[u] k_u - Σ_b Leaders[b].Scale k_b + Own·k_x.
//
// The functionals of rounds add up as vectors. ‖G‖ may therefore be far below the sum of the rounds' own bounds, and a
// round can correct the bias of earlier rounds.
type Combined struct {
	Coefficients []float64 // one per arm of a list that is kept elsewhere and grows at its end
	Leaders      []Led     // beside coefficients that leaders may have in the list
	Own          float64   // of k_x, beside a coefficient that x may have in the list
	Square       float64   // ‖G‖², rounded up
}

// Led is a leader with the sum of a_r over the rounds that it led.
type Led struct {
	Arm   int // of the problem
	Scale float64
}

// Lead adds scale to the sum of a leader.
func (c *Combined) Lead(arm int, scale float64) {
	at := slices.IndexFunc(c.Leaders, func(l Led) bool { return l.Arm == arm })
	if at < 0 {
		at, c.Leaders = len(c.Leaders), append(c.Leaders, Led{Arm: arm})
	}
	c.Leaders[at].Scale += scale
}

// Grow extends Coefficients to n arms.
func (c *Combined) Grow(n int) {
	c.Coefficients = append(c.Coefficients, make([]float64, max(0, n-len(c.Coefficients)))...)
}
