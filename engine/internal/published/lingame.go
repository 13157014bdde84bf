package published

import (
	"encoding/binary"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// linGame is the sampling rule of LinGame [DMSV20, Algorithm 2], a game between a learner and nature. The learner
// chooses weights of arms. Nature answers with the rewards θ' that have another answer and are nearest to θ̂ under
// these weights. Each tuple of leaders has its own learner, an AdaHedge. For arm i with r = φ_iᵀ(θ̂ - θ') it gains the
// optimistic
//
//	min(½ p_i (|r| + √(2 log t ‖φ_i‖²_{V⁻¹}))², log t).
//
// The pulls track the sums of the weights (C-tracking). The constants are from the authors' program.
//
// [DMSV20]: R. Degenne, P. Ménard, X. Shang, M. Valko, Gamification of pure exploration for linear bandits, ICML 2020.
type linGame struct {
	*sequential
	learners map[string]*adaHedge
	sums     [][]float64
}

// NewLinGame returns LinGame.
func NewLinGame(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	a, err := newSequential(m, opt)
	if err != nil {
		return nil, err
	}
	return a.begin(&linGame{sequential: a, learners: map[string]*adaHedge{}}), nil
}

// start returns all distinct arms: each is pulled once first.
func (r *linGame) start() [][2]int { return r.all() }

func (r *linGame) next(draft [][]float64) (part, arm int) {
	if r.sums == nil {
		for _, p := range r.parts {
			r.sums = append(r.sums, append([]float64(nil), p.counts...))
		}
	}
	learner := r.learner()
	weights := learner.act()
	learner.gain(r.gains(weights))
	most, at := math.Inf(-1), 0
	for k, p := range r.parts {
		for i := range p.arms {
			r.sums[k][i] += weights[at]
			at++
			if lag := r.sums[k][i] - p.counts[i] - draft[k][i]; lag > most+tie {
				part, arm, most = k, i, lag
			}
		}
	}
	return part, arm
}

// learner returns the AdaHedge of the current leaders.
func (r *linGame) learner() *adaHedge {
	var key []byte
	arms := 0
	for _, p := range r.parts {
		arms += len(p.arms)
		for _, task := range p.tasks {
			key = binary.AppendUvarint(key, uint64(p.leader(task)))
		}
	}
	l, known := r.learners[string(key)]
	if !known {
		l = newAdaHedge(arms)
		r.learners[string(key)] = l
	}
	return l
}

// gains returns the gain of each arm if nature answers the weights with the nearest alternative.
func (r *linGame) gains(weights []float64) []float64 {
	out := make([]float64, len(weights))
	least, from, at := math.Inf(1), 0, 0
	var nearest []float64 // cᵀ(θ̂ - θ') of the arms of that part
	for _, p := range r.parts {
		n := len(p.arms)
		if value, moved := p.alternative(weights[at:at+n], r.opt.Epsilon); value < least {
			least, nearest, from = value, moved, at
		}
		at += n
	}
	width, at := math.Log(float64(r.pulls)), 0
	for _, p := range r.parts {
		for i := range p.arms {
			moved := 0.0
			if at >= from && at < from+len(nearest) {
				moved = math.Abs(nearest[at-from])
			}
			moved += math.Sqrt(2 * width * p.variance[i*len(p.arms)+i])
			out[at] = min(p.precision[i]*moved*moved/2, width)
			at++
		}
	}
	return out
}

// alternative returns the divergence from θ̂ to the nearest rewards with another answer, and the change of each arm's
// reward. The divergence is +Inf if no task has several arms.
func (a *part) alternative(weights []float64, epsilon float64) (least float64, moved []float64) {
	least = math.Inf(1)
	if len(a.basis) == 0 {
		return least, nil
	}
	rows := a.factor(weights)
	var first, rival int
	for _, task := range a.tasks {
		leader := a.leader(task)
		for _, i := range task {
			if i == leader {
				continue
			}
			gap := a.mean[leader] - a.mean[i] + epsilon
			if value := gap * gap / (2 * squaredDistance(rows[leader], rows[i])); value < least {
				least, first, rival = value, leader, i
			}
		}
	}
	if math.IsInf(least, 1) {
		return least, nil
	}
	gap := a.mean[first] - a.mean[rival] + epsilon
	scale := gap / squaredDistance(rows[first], rows[rival])
	moved = make([]float64, len(rows))
	for i, row := range rows {
		for k, x := range row {
			moved[i] += scale * x * (rows[first][k] - rows[rival][k])
		}
	}
	return least, moved
}

// adaHedge is AdaHedge [RKEG14]: exponential weights whose learning rate adapts to the losses.
//
// [RKEG14]: S. de Rooij, T. van Erven, P. D. Grünwald, W. M. Koolen, Follow the leader if you can, hedge if you must, JMLR 15, 2014.
type adaHedge struct {
	losses []float64
	mixed  float64 // Δ: the sum of the mixability gaps
}

func newAdaHedge(n int) *adaHedge {
	const start = 0.01
	return &adaHedge{make([]float64, n), start}
}

// rate returns the learning rate η.
func (h *adaHedge) rate() float64 { return math.Log(float64(len(h.losses))) / h.mixed }

// act returns the current weights of the arms, with sum 1.
func (h *adaHedge) act() []float64 {
	least := h.losses[0]
	for _, x := range h.losses {
		least = min(least, x)
	}
	out, sum := make([]float64, len(h.losses)), 0.0
	for i, x := range h.losses {
		out[i] = math.Exp(-h.rate() * (x - least))
		sum += out[i]
	}
	for i := range out {
		out[i] /= sum
	}
	return out
}

// gain updates the losses with the gains of one step.
func (h *adaHedge) gain(gains []float64) {
	weights, eta := h.act(), h.rate()
	most := gains[0]
	for _, g := range gains {
		most = max(most, g)
	}
	loss, sum := 0.0, 0.0
	for i, g := range gains {
		h.losses[i] -= g
		loss -= weights[i] * g
		sum += weights[i] * math.Exp(-eta*(most-g))
	}
	mix := -most - math.Log(sum)/eta
	if len(gains) > 1 {
		h.mixed += max(0, loss-mix)
	}
}
