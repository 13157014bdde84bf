package bayes

import (
	"cmp"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// judgement is what the posterior says of one task.
type judgement struct {
	first int       // its leader
	apart []float64 // by arm: posterior variance of its reward less that of the leader, normalised
	// by member: probability that some arm is better than the leader by more than ε, and the sum of the
	// probabilities that each is
	wrong, sum []float64
	risk       float64 // Σ weight·wrong
}

// judged returns what the posterior says of arms. Where they are clearly not decided at the allowance, sums
// stand for joint probabilities.
func (a *coBayes) judged(set []int, allowance float64) (judgement, error) {
	members := a.belief.Mixture.Members
	j := judgement{
		first: rounds.Leader(set, a.estimates), apart: make([]float64, len(set)),
		wrong: make([]float64, len(members)), sum: make([]float64, len(members)),
	}
	chances, total, largest := make([][]float64, len(members)), 0.0, make([]float64, len(set))
	variances := make([]float64, len(set))
	for k, of := range members {
		if err := of.VariancesFrom(variances, set, j.first); err != nil {
			return j, err
		}
		chances[k] = make([]float64, len(set))
		for l, i := range set {
			if i == j.first {
				continue
			}
			v, gap := variances[l]+of.Scale*a.left, a.by[k][i]-a.by[k][j.first]
			p := exceeds(gap, v, a.epsilon, a.scales.FreedomOf([]int{i, j.first}))
			off := gap - (a.estimates[i] - a.estimates[j.first])
			j.apart[l] += of.Weight * (v + off*off)
			chances[k][l] = p
			j.sum[k] += p
			largest[l] += of.Weight * p
		}
		j.wrong[k] = min(1, j.sum[k])
		total += of.Weight * j.wrong[k]
	}
	if j.risk = total; slices.Max(largest) > allowance {
		return j, nil
	}
	j.risk = 0
	for k, of := range members {
		j.wrong[k] = min(1, anyOf(of.Posterior, set, j.first, chances[k]))
		j.risk += of.Weight * j.wrong[k]
	}
	return j, nil
}

// together returns the probability that an answer of some task is wrong, at most: within a member
// probabilities of tasks are added.
func together(members []model.Member, tasks []judgement) float64 {
	out := 0.0
	for k, of := range members {
		sum := 0.0
		for _, j := range tasks {
			sum += j.wrong[k]
		}
		out += of.Weight * min(1, sum)
	}
	return out
}

// missing returns the arms of a set without pulls, the most promising first.
func (a *coBayes) missing(set []int) []int {
	var out []int
	for _, i := range set {
		if a.Counts[i] == 0 {
			out = append(out, i)
		}
	}
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(a.estimates[j], a.estimates[i]) })
	return out
}
