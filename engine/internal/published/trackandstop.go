package published

import (
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// trackAndStop is the sampling rule of Track-and-Stop for linear bandits [JP20, Algorithm 1]. After one pull of each arm of a basis, with
// t pulls so far and V their information,
//
//   - if the smallest eigenvalue of V is below √(t/d), it pulls the arms of the basis in turn;
//   - otherwise it pulls the arm whose count is farthest below the sum of all weights so far (C-tracking).
//
// The weights are optimal for the estimated rewards: the design of T*, which minimises the largest ‖y‖²/(θ̂ᵀy + ε)² over leaders and
// rivals of all tasks. TrackAndStop computes them before each decision, as [GK16] do; LazyTrackAndStop when the number of pulls has
// grown by a tenth, a choice of ours: [JP20] allow any times. With independent arms this is C-Track-and-Stop of [GK16], with the
// forced exploration of [JP20].
//
// Gaps below a 10,000th of the largest count as that, so that the design of nearly tied estimates can be computed.
//
// [JP20]: Y. Jedra, A. Proutiere, Optimal best-arm identification in linear bandits, NeurIPS 2020.
type trackAndStop struct {
	*sequential
	lazy    bool
	due     int         // pulls at which the weights are computed again
	weights [][]float64 // by part and position, sum 1
	sums    [][]float64 // of the weights so far; at the start the counts
	forced  int         // of the next forced exploration
	basis   [][2]int
	solved  []solved // by part
}

// solved is the design of a part for the pulls that it had.
type solved struct {
	pulls   float64
	weights []float64
	value   float64
}

// NewTrackAndStop returns Track-and-Stop with weights that are computed before each decision.
func NewTrackAndStop(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	return newTrackAndStop(m, opt, false)
}

// NewLazyTrackAndStop returns Track-and-Stop with weights that are computed seldom.
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

// start returns the basis of all parts.
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

// unexplored reports whether the smallest eigenvalue of V is below the limit. In the coordinates of the basis it is at least the
// smallest number of pulls of a basis arm.
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

// optimal returns the weights for the estimated rewards: within each part its design, and parts in proportion to their values.
func (r *trackAndStop) optimal() [][]float64 {
	total := 0.0
	for k, p := range r.parts {
		pulls := 0.0
		for _, c := range p.counts {
			pulls += c
		}
		if s := &r.solved[k]; s.pulls != pulls {
			*s = p.design(r.Model, r.opt.Epsilon)
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

// design returns the weights that minimise the largest ‖y‖²/(θ̂ᵀy + ε)², with that value.
func (a *part) design(m *model.Model, epsilon float64) solved {
	type pair struct{ i, j int }
	var pairs []pair
	gaps, largest := map[pair]float64{}, 0.0
	for _, task := range a.tasks {
		first := a.leader(task)
		for _, i := range task {
			if i == first {
				continue
			}
			at, gap := pair{min(first, i), max(first, i)}, a.mean[first]-a.mean[i]+epsilon
			if before, known := gaps[at]; !known {
				pairs = append(pairs, at)
				gaps[at] = gap
			} else {
				gaps[at] = min(before, gap)
			}
			largest = max(largest, gap)
		}
	}
	uniform := make([]float64, len(a.arms))
	for i := range uniform {
		uniform[i] = 1 / float64(len(uniform))
	}
	if len(pairs) == 0 {
		return solved{weights: uniform}
	}
	const negligible = 1e-4
	var c design.Contrasts
	for _, at := range pairs {
		gap := max(gaps[at]/largest, negligible)
		if largest == 0 {
			gap = 1
		}
		c.Pairs = append(c.Pairs, design.Pair{I: at.i, J: at.j, Weight: 1 / (gap * gap)})
	}
	d, err := design.Minimax(design.Space{Features: a.coordinates, Precision: a.precision}, c, m.Solver(designTolerance))
	try.To(err)
	if largest > 0 {
		d.Value /= largest * largest
	}
	return solved{weights: d.Weights, value: d.Value}
}

// designTolerance is the relative gap of the design: weights are tracked only to a fraction of a pull.
const designTolerance = 1e-4
