package published

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// linGapE is the greedy sampling rule of LinGapE [XHS18, Algorithm 1]. After one pull of each arm, it chooses the
// leader and the rival whose gap has the largest upper confidence bound, over all tasks,
//
//	B = max θ̂ᵀ(φ_j - φ_i) + √(2β ‖φ_j - φ_i‖²).
//
// It pulls the arm that most reduces the variance of this gap. The paper stops if B ≤ ε, which is the stopping rule of
// evidence. The paper uses ridge regression with a bound on the norm of θ, and has a factor K² in β for K arms;
// evidence needs neither.
//
// [XHS18]: L. Xu, J. Honda, M. Sugiyama, A fully adaptive algorithm for pure exploration in linear bandits, AISTATS
// 2018.
type linGapE struct{ *sequential }

// NewLinGapE returns LinGapE with the greedy rule.
func NewLinGapE(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	a, err := newSequential(m, opt)
	if err != nil {
		return nil, err
	}
	return a.begin(linGapE{a}), nil
}

// start returns all distinct arms: each is pulled once first.
func (r linGapE) start() (out [][2]int) { return r.all() }

func (a *sequential) all() (out [][2]int) {
	for k, p := range a.parts {
		for i := range p.arms {
			out = append(out, [2]int{k, i})
		}
	}
	return out
}

func (r linGapE) next(draft [][]float64) (part, arm int) {
	var leader, rival int
	most := math.Inf(-1)
	for k, p := range r.parts {
		beta := r.threshold(p)
		for _, task := range p.tasks {
			first := p.leader(task)
			for _, i := range task {
				if i == first {
					continue
				}
				_, size := r.statistic(p, first, i)
				if bound := p.mean[i] - p.mean[first] + math.Sqrt(2*beta*size); bound > most {
					part, leader, rival, most = k, first, i, bound
				}
			}
		}
	}
	p := r.parts[part]
	variance := p.variance
	for i, n := range draft[part] { // pulls that are planned in this round count as made
		if n > 0 {
			if &variance[0] == &p.variance[0] {
				variance = slices.Clone(variance)
			}
			update(variance, i, n*p.precision[i])
		}
	}
	n, largest := len(p.arms), 0.0
	for i := range p.arms {
		lever := variance[i*n+leader] - variance[i*n+rival]
		if gain := p.precision[i] * lever * lever / (1 + p.precision[i]*variance[i*n+i]); gain > largest*(1+tie) {
			arm, largest = i, gain
		}
	}
	return part, arm
}

// update changes the matrix CV⁻¹Cᵀ as pulls of the arm at position i with total precision w do.
func update(variance []float64, i int, w float64) {
	n := int(math.Round(math.Sqrt(float64(len(variance)))))
	g := slices.Clone(variance[i*n : (i+1)*n])
	s := w / (1 + w*g[i])
	for k := range n {
		for l := range n {
			variance[k*n+l] -= s * g[k] * g[l]
		}
	}
}
