package published

import (
	"context"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// ocba is optimal computing budget allocation [CLYC00, Theorem 1]. Each agent works alone with the sample means of its
// arms. It first pulls each arm once. Then it always pulls the arm whose count is farthest below its target N_i. The
// targets add up to the number of pulls, including the next one, and have the proportions
//
//	N_i/N_j = (σ_i/δ_i)²/(σ_j/δ_j)²,  N_b = σ_b √(Σ_{i≠b} N_i²/σ_i²).
//
// Here b is the arm with the largest sample mean, δ_i is the gap of arm i to it, and σ_i is the stated noise scale. The
// recommendation is the arm with the largest sample mean.
//
// [CLYC00]: C.-H. Chen, J. Lin, E. Yücesan, S. E. Chick, Simulation budget allocation for further enhancing the
// efficiency of ordinal optimization, Discrete Event Dynamic Systems 10, 2000.
type ocba struct{ *budgeted }

// NewOCBA returns optimal computing budget allocation for each task separately.
func NewOCBA(m *model.Model, opt model.Terms) (_ engine.Algorithm, err error) {
	defer try.Caught(&err)
	alone := try.Of(m.Independent()).Problem
	exact := try.Of(try.Of(model.NewContext(m.Context(), alone, m.Unit)).Exact())
	return ocba{try.Of(newBudgeted(exact, opt, proportions{})).(*budgeted)}, nil
}

// Learn computes the sample means. Arms without pulls get -Inf, so they never lead.
func (a ocba) Learn(_ context.Context, b engine.Batch) error {
	if err := a.receive(b); err != nil || b.Empty() {
		return err
	}
	a.estimates = a.pool.Means()
	for i, c := range a.pool.Counts {
		if a.estimates[i] /= a.Model.Unit; c == 0 {
			a.estimates[i] = math.Inf(-1)
		}
	}
	return nil
}

// State implements engine.Algorithm.
func (a ocba) State() engine.State { return engine.StateOf(a) }

// proportions is the sampling rule of ocba.
type proportions struct{}

func (proportions) choose(a *budgeted, v, n int) (chosen []int) {
	for _, i := range a.order()[v] {
		if a.pool.Counts[i] == 0 && len(chosen) < n {
			chosen = append(chosen, i)
		}
	}
	set := a.Sets[v]
	shares, counts, total := a.shares(v), make([]float64, len(set)), 1.0
	for k, i := range set {
		counts[k] = float64(a.pool.Counts[i])
		if slices.Contains(chosen, i) {
			counts[k]++
		}
		total += counts[k]
	}
	for ; len(chosen) < n; total++ {
		next, most := 0, math.Inf(-1)
		for k, share := range shares {
			if lag := share*total - counts[k]; lag > most+tie {
				next, most = k, lag
			}
		}
		counts[next]++
		chosen = append(chosen, set[next])
	}
	return chosen
}

// shares returns the shares N_i/Σ N_j of the arms of a task.
func (a *budgeted) shares(v int) []float64 {
	set, best, sum := a.Sets[v], a.leaderOf(v), 0.0
	least := tie / math.Sqrt(a.Model.Precision[best]) // the gap that counts for equal means
	closest := math.Inf(1)
	for _, i := range set {
		if i != best {
			closest = min(closest, max(least, a.estimates[best]-a.estimates[i]))
		}
	}
	out, own := make([]float64, len(set)), 0
	for k, i := range set {
		if i == best {
			own = k
			continue
		}
		ratio := closest / max(least, a.estimates[best]-a.estimates[i])
		out[k] = ratio * ratio / a.Model.Precision[i]
		sum += out[k] * out[k] * a.Model.Precision[i]
	}
	out[own] = math.Sqrt(sum / a.Model.Precision[best])
	if total := lists.Total(out); total > 0 {
		for k := range out {
			out[k] /= total
		}
	}
	return out
}
