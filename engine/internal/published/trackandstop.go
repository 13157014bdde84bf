package published

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// trackAndStop is the sampling rule of Track-and-Stop for linear bandits [JP20, Algorithm 1]. It first pulls each arm
// of a basis once. Later, let t be the number of pulls and V their information:
//
//   - if the smallest eigenvalue of V is below √(t/d), it pulls the arms of the basis in turn;
//   - otherwise it pulls the arm whose count is farthest below the sum of all weights so far (C-tracking).
//
// The weights are optimal for the estimated rewards: the design of T*, which minimises the largest ‖y‖²/(θ̂ᵀy + ε)²
// over leaders and rivals of all tasks. TrackAndStop computes them before each decision, as [GK16] do. LazyTrackAndStop
// computes them when the number of pulls has grown by a tenth; [JP20] allow any times. With independent arms this is
// C-Track-and-Stop of [GK16], with the forced exploration of [JP20].
//
// Gaps below a 10,000th of the largest gap are set to this value, so that the design can be computed for nearly tied
// estimates.
//
// [JP20]: Y. Jedra, A. Proutiere, Optimal best-arm identification in linear bandits, NeurIPS 2020.
type trackAndStop struct {
	*sequential
	lazy    bool
	due     int         // number of pulls at which the weights are computed again
	weights [][]float64 // by part and position, with sum 1
	sums    [][]float64 // by part and position: counts after the start plus all weights so far
	forced  int         // position in basis of the next forced exploration
	basis   [][2]int
	solved  []solved // by part
}

// solved is the design of a part for a given number of pulls.
type solved struct {
	pulls   float64
	weights []float64
	value   float64
	dual    []dual      // dual weights of the design's certificate
	rows    [][]float64 // rows of the factor of the weights, see part.factor
}

// dual is a pair of arms with its dual weight in the certificate.
type dual struct {
	design.Pair
	u float64
}

// NewTrackAndStop returns Track-and-Stop that computes its weights before each decision.
func NewTrackAndStop(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newTrackAndStop(m, opt, false)
}

// NewLazyTrackAndStop returns Track-and-Stop that computes its weights when the number of pulls has grown by a tenth.
func NewLazyTrackAndStop(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newTrackAndStop(m, opt, true)
}

func newTrackAndStop(m *model.Model, opt model.Terms, lazy bool) (engine.Algorithm, error) {
	a, err := newSequential(m, opt)
	if err != nil {
		return nil, err
	}
	return a.begin(&trackAndStop{sequential: a, lazy: lazy, solved: make([]solved, len(a.parts))}), nil
}

// start returns the basis arms of all parts.
func (r *trackAndStop) start() [][2]int {
	for k, p := range r.parts {
		for _, i := range p.basis {
			r.basis = append(r.basis, [2]int{k, i})
		}
	}
	return r.basis
}

func (r *trackAndStop) next(draft [][]float64) (part, arm int) {
	t := float64(r.pulls)
	for _, d := range draft {
		for _, n := range d {
			t += n
		}
	}
	if r.sums == nil {
		for _, p := range r.parts {
			r.sums = append(r.sums, append([]float64(nil), p.counts...))
		}
	}
	if r.pulls >= r.due {
		r.weights = r.optimal()
		r.due = r.pulls + 1
		if r.lazy {
			r.due = int(math.Ceil(1.1 * float64(r.pulls)))
		}
	}
	for k, weights := range r.weights {
		for i, w := range weights {
			r.sums[k][i] += w
		}
	}
	if limit := math.Sqrt(t / float64(len(r.basis))); r.unexplored(limit, draft) {
		at := r.basis[r.forced]
		r.forced = (r.forced + 1) % len(r.basis)
		return at[0], at[1]
	}
	most := math.Inf(-1)
	for k, p := range r.parts {
		for i, sum := range r.sums[k] {
			if lag := sum - p.counts[i] - draft[k][i]; sum > 0 && lag > most+tie {
				part, arm, most = k, i, lag
			}
		}
	}
	return part, arm
}

// unexplored reports whether the smallest eigenvalue of V is below limit. In the coordinates of the basis, it is at least
// the smallest number of pulls of a basis arm, which is checked first.
func (r *trackAndStop) unexplored(limit float64, draft [][]float64) bool {
	for k, p := range r.parts {
		least := math.Inf(1)
		for _, i := range p.basis {
			least = min(least, p.counts[i]+draft[k][i])
		}
		if least < limit && p.leastInformation() < limit {
			return true
		}
	}
	return false
}

// optimal returns the optimal weights for the estimated rewards. Within a part they are proportional to its design,
// between parts to the designs' values.
func (r *trackAndStop) optimal() [][]float64 {
	total := 0.0
	for k, p := range r.parts {
		pulls := 0.0
		for _, c := range p.counts {
			pulls += c
		}
		if s := &r.solved[k]; s.pulls != pulls {
			p.design(s, r.Model, r.opt.Epsilon)
			s.pulls = pulls
		}
		total += r.solved[k].value
	}
	out := make([][]float64, len(r.parts))
	for k, p := range r.parts {
		out[k] = make([]float64, len(p.arms))
		for i, w := range r.solved[k].weights {
			out[k][i] = w * r.solved[k].value / total
		}
	}
	return out
}

// design sets s to the weights that minimise the largest ‖y‖²/(θ̂ᵀy + ε)², with this value. It keeps earlier weights that
// are optimal within designTolerance for the current estimates.
func (a *part) design(s *solved, m *model.Model, epsilon float64) {
	pairs, largest := a.contrasts(epsilon)
	if len(pairs) == 0 {
		s.weights = make([]float64, len(a.arms))
		for i := range s.weights {
			s.weights[i] = 1 / float64(len(s.weights))
		}
		return
	}
	if !a.optimal(s, pairs) {
		d, err := design.Minimax(design.Space{Features: a.coordinates, Precision: a.precision}, design.Contrasts{Pairs: pairs},
			m.Solver(designTolerance/10))
		try.To(err)
		s.weights, s.value, s.dual = d.Weights, d.Value, nil
		for k, u := range d.Certificate.Dual {
			s.dual = append(s.dual, dual{d.Certificate.Pairs[k], u})
		}
		s.rows = a.factor(s.weights)
	}
	if largest > 0 {
		s.value /= largest * largest
	}
}

// contrasts returns all pairs of a leader and a rival, and the largest gap. The weight of a pair is 1/(gap/largest gap)².
func (a *part) contrasts(epsilon float64) (pairs []design.Pair, largest float64) {
	for _, task := range a.tasks {
		first := a.leader(task)
		for _, i := range task {
			if i == first {
				continue
			}
			// Weight holds the gap until the loop below.
			at := design.Pair{I: min(first, i), J: max(first, i), Weight: a.mean[first] - a.mean[i] + epsilon}
			largest = max(largest, at.Weight)
			if k := slices.IndexFunc(pairs, func(p design.Pair) bool { return p.I == at.I && p.J == at.J }); k >= 0 {
				pairs[k].Weight = min(pairs[k].Weight, at.Weight)
				continue
			}
			pairs = append(pairs, at)
		}
	}
	const negligible = 1e-4
	for k, p := range pairs {
		gap := max(p.Weight/largest, negligible)
		if largest == 0 {
			gap = 1
		}
		pairs[k].Weight = 1 / (gap * gap)
	}
	return pairs, largest
}

// optimal reports whether the weights of s are optimal for these pairs within designTolerance, and if so sets s.value.
// Let h_p = ‖y_p‖² for a pair p, multiplied by its weight, and let u be the dual weights. With f = Σ u_p h_p and g_i =
// Σ u_p (y_pᵀA⁻¹φ_i)²/σ_i², the value of any design is at least f²/max g.
func (a *part) optimal(s *solved, pairs []design.Pair) bool {
	if s.rows == nil {
		return false
	}
	value := 0.0
	for _, p := range pairs {
		value = max(value, p.Weight*squaredDistance(s.rows[p.I], s.rows[p.J]))
	}
	f, most := 0.0, 0.0
	gains := make([]float64, len(a.arms))
	for _, d := range s.dual {
		k := slices.IndexFunc(pairs, func(p design.Pair) bool { return p.I == d.I && p.J == d.J })
		if k < 0 {
			return false
		}
		u := d.u * pairs[k].Weight
		f += u * squaredDistance(s.rows[d.I], s.rows[d.J])
		for i, row := range s.rows {
			x := 0.0
			for l, c := range row {
				x += c * (s.rows[d.I][l] - s.rows[d.J][l])
			}
			gains[i] += u * a.precision[i] * x * x
		}
	}
	for _, g := range gains {
		most = max(most, g)
	}
	if !(value*most <= f*f*(1+designTolerance)) {
		return false
	}
	s.value = value
	return true
}

// designTolerance is the relative duality gap of designs. It costs at most a thousandth of the pulls.
const designTolerance = 1e-3
