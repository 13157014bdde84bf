package published

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// evidence is the estimator from all pulls, with the stopping rule of a generalised likelihood ratio test. Leader a is
// separated from rival b if
//
//	Z = (θ̂ᵀy + ε)²/(2 ‖y‖²) ≥ β,  y = φ_a - φ_b.
//
// A run ends if every leader is separated from every rival of its task.
//
// ThresholdHeuristic has ‖y‖² = yᵀV⁻¹y and β = log((1 + log t)/δ) after t pulls [GK16, Section 6]. No proof is known.
//
// ThresholdMixture is proven for sub-Gaussian noise and any sampling rule, for all times together. Let S = Σ φ_s η_s.
// The mixture of exp(θᵀS - ½θᵀVθ) over θ ~ N(0, I/λ) is a supermartingale [APS11, Theorem 1]. With probability 1 - δ,
// therefore,
//
//	½ Sᵀ(V + λI)⁻¹S ≤ β = log(1/δ) + ½ log det(I + V/λ)
//
// at all times. As S = V(θ̂ - θ), any yᵀθ is within √(2β ‖y‖²) of yᵀθ̂ with ‖y‖² = yᵀ(V⁻¹ + λV⁻²)y. No bound on the
// norm of θ is needed. [JP20] use a larger ‖y‖² instead, (1+u) yᵀV⁻¹y for V ⪰ cI and λ = uc. δ is divided equally among
// the parts.
//
// [GK16]: A. Garivier, E. Kaufmann, Optimal best arm identification with fixed confidence, COLT 2016.
// [APS11]: Y. Abbasi-Yadkori, D. Pál, C. Szepesvári, Improved algorithms for linear stochastic bandits, NeurIPS 2011.
type evidence struct {
	model    *model.Model
	opt      model.Terms
	parts    []*part
	taskPart []int
	position [][2]int // N: part of the arm, and its position there
	tested   int      // number of parts with rivals
	pulls    int
	merged   [][2]int // pairs of an arm and an earlier arm of its task with equal features
}

// priorPulls is λ of the mixture: the information of the prior, in pulls of each basis arm. Any value is valid. Runs that
// end with a few times as many pulls of each basis arm are shortest.
const priorPulls = 30

func newEvidence(m *model.Model, opt model.Terms) (e *evidence, err error) {
	e = &evidence{model: m, opt: opt}
	if e.parts, e.taskPart, e.position, err = newParts(m); err != nil {
		return nil, err
	}
	p := m.Problem
	for v := range p.V() {
		a := e.parts[e.taskPart[v]]
		lo, hi := p.ArmsOf(v)
		var task []int
		for i := lo; i < hi; i++ {
			at := e.position[i][1]
			if earlier := a.equal(task, at); earlier >= 0 {
				for j := lo; j < i; j++ {
					if e.position[j][1] == earlier {
						e.merged = append(e.merged, [2]int{i, j})
						break
					}
				}
				continue
			}
			task = append(task, at)
		}
		a.addTask(task)
	}
	for _, a := range e.parts {
		for _, task := range a.tasks {
			if len(task) > 1 {
				e.tested++
				break
			}
		}
	}
	return e, nil
}

// equal returns an element of list whose arm has the same coordinates as the arm at position at; -1 if there is none.
func (a *part) equal(list []int, at int) int {
	const rounding = 1e-12
	for _, i := range list {
		distance := 0.0
		for k := range a.basis {
			distance = max(distance, math.Abs(a.coordinates.At(i, k)-a.coordinates.At(at, k)))
		}
		if distance <= rounding {
			return i
		}
	}
	return -1
}

// addTask adds the positions of a task's arms, unless another task has the same ones.
func (a *part) addTask(task []int) {
	if !slices.ContainsFunc(a.tasks, func(other []int) bool { return slices.Equal(other, task) }) {
		a.tasks = append(a.tasks, task)
	}
}

// learn adds the rewards of a batch to the parts.
func (e *evidence) learn(b engine.Batch) {
	for i, count := range b.Counts {
		if count > 0 {
			at := e.position[i]
			e.parts[at[0]].add(at[1], float64(count), float64(count)*b.Means[i]/e.model.Unit)
			e.pulls += count
		}
	}
}

// measured reports whether all parts have enough pulls for estimates.
func (e *evidence) measured() bool {
	for _, a := range e.parts {
		if !a.measured {
			return false
		}
	}
	return true
}

// threshold returns β for a part.
func (e *evidence) threshold(a *part) float64 {
	if e.opt.Threshold == engine.ThresholdHeuristic {
		return math.Log((1 + math.Log(float64(e.pulls))) / e.opt.Delta)
	}
	return math.Log(float64(e.tested)/e.opt.Delta) + a.logDet/2
}

// statistic returns Z and ‖y‖² for two positions of a part.
func (e *evidence) statistic(a *part, leader, rival int) (z, size float64) {
	size, second := a.contrast(leader, rival)
	if e.opt.Threshold != engine.ThresholdHeuristic {
		size += priorPulls * second
	}
	gap := max(0, a.mean[leader]-a.mean[rival]+e.opt.Epsilon)
	return gap * gap / (2 * size), size
}

// leadersSeparated reports whether the leaders of all tasks of a part are separated from all their rivals.
func (e *evidence) leadersSeparated(a *part) bool {
	beta := e.threshold(a)
	for _, task := range a.tasks {
		first := a.leader(task)
		for _, i := range task {
			if z, _ := e.statistic(a, first, i); i != first && !(z >= beta) {
				return false
			}
		}
	}
	return true
}
