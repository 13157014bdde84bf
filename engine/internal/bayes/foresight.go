package bayes

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/engine/internal/rounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// foresight computes how posterior covariances change with pulls that are planned but not made:
// they depend on which arms are pulled, not on what that brings. Of every task only the columns of the
// covariance are computed that are looked at, for its leader, its rivals and the arms pulled:
// the cost is linear in the number of arms. In groups it is linear in the number of tasks, too.
type foresight struct {
	groups    *gp.Planned // of a posterior in groups, with the planned pulls; nil for others
	posterior *model.Estimator
	precision []float64 // 1/σ_i², normalised
	cost      []float64 // N costs of a pull over their mean; nil if all cost the same
	pulls     []foreseen
}

// foreseen is a choice of pulls of an arm: u u^T is what it takes from the covariance, with
// u = scale (covariance before it with the arm).
type foreseen struct {
	arm    int
	before []float64 // by earlier choice: its u of this arm
	scale  float64
}

// outlook holds the predicted covariances of one task.
type outlook struct {
	*foresight
	arms      []int
	leader    int           // position in arms
	all       *mat.SymDense // covariances of the arms, of a posterior in groups
	own       []float64     // variances of the arms, normalised
	lead      []float64     // their covariances with the leader
	rivals    []rival       // and with other arms
	taken     [][]float64   // u of the arms, by choice; as many as it has looked at
	freedom   []float64     // of each arm's noise scale and the leader's together
	step      int           // pulls chosen at once
	remaining int           // pulls that it may still get
	enough    float64       // the risk at which it needs no more
}

// rival has the covariances of the arms of an outlook with the one at a position.
type rival struct {
	at     int
	column []float64
}

// mostForeseen limits how often the pulls of a task are chosen in a round.
const mostForeseen = 16

// watch returns the outlook of arms, before the first pull. variances has the variances of their rewards
// less the leader's, normalised.
func (f *foresight) watch(arms []int, leader, most int, freedom func(arms []int) float64, variances []float64) *outlook {
	o := &outlook{
		foresight: f, arms: arms, remaining: most, step: (most + mostForeseen - 1) / mostForeseen,
		own: make([]float64, len(arms)), lead: make([]float64, len(arms)), freedom: make([]float64, len(arms)),
	}
	pair := []int{0, leader}
	for k, i := range arms {
		if i == leader {
			o.leader = k
		}
		pair[0] = i
		o.freedom[k] = freedom(pair)
	}
	if f.groups != nil {
		o.update()
		return o
	}
	f.posterior.Covariances(o.lead, arms, leader)
	f.posterior.OwnVariances(o.own, arms, o.lead, variances, o.lead[o.leader])
	return o
}

// update takes in the choices that were made since it was last asked.
func (o *outlook) update() {
	if o.groups != nil {
		o.all = o.groups.Covariance(o.arms)
		for k := range o.arms {
			o.own[k], o.lead[k] = o.all.At(k, k), o.all.At(k, o.leader)
		}
		return
	}
	n, further := len(o.arms), o.pulls[len(o.taken):]
	o.taken = slices.Grow(o.taken, len(further))
	numbers := make([]float64, n*len(further))
	for f, p := range further {
		u := numbers[f*n : (f+1)*n]
		o.posterior.Covariances(u, o.arms, p.arm)
		takeOffAll(u, o.taken, p.before)
		for k := range u {
			u[k] *= p.scale
			o.own[k] -= u[k] * u[k]
		}
		takeOff(o.lead, u, u[o.leader])
		for _, r := range o.rivals {
			takeOff(r.column, u, u[r.at])
		}
		o.taken = append(o.taken, u)
	}
}

// takeOff subtracts at·u.
func takeOff(column, u []float64, at float64) {
	column = column[:len(u)]
	for k, v := range u {
		column[k] -= v * at
	}
}

// takeOffAll subtracts at[c]·us[c] for one c after another, a few of them in a pass.
func takeOffAll(column []float64, us [][]float64, at []float64) {
	c, n := 0, len(column)
	for ; c+4 <= len(at); c += 4 {
		u0, u1, u2, u3 := us[c][:n], us[c+1][:n], us[c+2][:n], us[c+3][:n]
		at0, at1, at2, at3 := at[c], at[c+1], at[c+2], at[c+3]
		for k, v := range column {
			column[k] = v - u0[k]*at0 - u1[k]*at1 - u2[k]*at2 - u3[k]*at3
		}
	}
	for ; c < len(at); c++ {
		takeOff(column, us[c], at[c])
	}
}

// column returns the covariances of the arms with that at position r.
func (o *outlook) column(r int) []float64 {
	if r == o.leader {
		return o.lead
	}
	if o.groups != nil {
		return lists.Make(len(o.arms), func(k int) float64 { return o.all.At(k, r) })
	}
	for _, known := range o.rivals {
		if known.at == r {
			return known.column
		}
	}
	c := make([]float64, len(o.arms))
	o.posterior.Covariances(c, o.arms, o.arms[r])
	for _, u := range o.taken {
		takeOff(c, u, u[r])
	}
	o.rivals = append(o.rivals, rival{r, c})
	return c
}

// pull foresees n pulls of the arm at position k of an outlook that is up to date.
func (o *outlook) pull(k, n int) {
	i := o.arms[k]
	if o.groups != nil {
		o.groups.Observe(i, 1/(float64(n)*o.precision[i]))
		return
	}
	p := foreseen{arm: i, before: make([]float64, len(o.taken))}
	for c, u := range o.taken {
		p.before[c] = u[k]
	}
	var own [1]float64
	o.posterior.Covariances(own[:], []int{i}, i)
	for _, at := range p.before {
		own[0] -= at * at
	}
	p.scale = 1 / math.Sqrt(own[0]+1/(float64(n)*o.precision[i]))
	o.pulls = append(o.pulls, p)
}

// most returns the position of the arm whose next pull most reduces the variance of the difference between the leader and
// the rival at position r; if pulls have costs, most per cost.
func (o *outlook) most(r int) int {
	best, largest := o.leader, math.Inf(-1)
	rival := o.column(r)
	for k, i := range o.arms {
		cov := o.lead[k] - rival[k]
		gain := cov * cov / (o.own[k] + 1/o.precision[i])
		if o.cost != nil {
			gain /= o.cost[i]
		}
		if gain > largest {
			best, largest = k, gain
		}
	}
	return best
}

// chance returns the probability that the arm at position k exceeds the leader by more than
// epsilon, if the means stay what they are.
func (o *outlook) chance(k int, means []float64, epsilon float64) float64 {
	if k == o.leader {
		return 0
	}
	variance := o.own[k] + o.own[o.leader] - 2*o.lead[k]
	return exceeds(means[o.arms[k]]-means[o.arms[o.leader]], variance, epsilon, o.freedom[k])
}

// outcome returns the sum of the chances of all arms, and the position of the arm with the largest.
func (o *outlook) outcome(means []float64, epsilon float64) (risk float64, rival int) {
	largest := -1.0
	for k := range o.arms {
		p := o.chance(k, means, epsilon)
		risk += p
		if k != o.leader && p > largest {
			rival, largest = k, p
		}
	}
	return risk, rival
}

// judgement is what the posterior says of one task.
type judgement struct {
	first     int       // its leader
	variances []float64 // by arm: posterior variance of its reward less the leader's, normalised
	// by member: probability that some arm is better than the leader by more than ε, and the sum of the
	// probabilities that each is
	wrong, sum []float64
	risk       float64 // Σ weight·wrong
}

// drawnFrom is the part of a task's share of δ from which on a joint probability is drawn: it is between the largest and the sum.
const drawnFrom = 0.03

// judged returns what the posterior says of arms. Where they are clearly not decided at the allowance, or little can be gained, sums
// represent joint probabilities.
func (a *coBayes) judged(set []int, allowance float64) judgement {
	members := a.belief.Mixture.Members
	j := judgement{
		first: rounds.Leader(set, a.estimates), variances: make([]float64, len(set)),
		wrong: make([]float64, len(members)), sum: make([]float64, len(members)),
	}
	chances, total, largest := make([][]float64, len(members)), 0.0, make([]float64, len(set))
	variances := make([]float64, len(set))
	for k, of := range members {
		try.To(of.VariancesFrom(variances, set, j.first))
		chances[k] = make([]float64, len(set))
		for l, i := range set {
			if i == j.first {
				continue
			}
			v, gap := variances[l]+of.Scale*a.truncated, a.by[k][i]-a.by[k][j.first]
			p := exceeds(gap, v, a.opt.Epsilon, a.scales.FreedomOf([]int{i, j.first}))
			off := gap - (a.estimates[i] - a.estimates[j.first])
			j.variances[l] += of.Weight * (v + off*off)
			chances[k][l] = p
			j.sum[k] += p
			largest[l] += of.Weight * p
		}
		j.wrong[k] = min(1, j.sum[k])
		total += of.Weight * j.wrong[k]
	}
	if j.risk = total; slices.Max(largest) > allowance {
		return j
	}
	j.risk = 0
	for k, of := range members {
		if of.Weight*(j.sum[k]-slices.Max(chances[k])) > drawnFrom*a.delta()/float64(len(a.Sets)) {
			j.wrong[k] = min(1, anyOf(of.Posterior, set, j.first, chances[k]))
		}
		j.risk += of.Weight * j.wrong[k]
	}
	return j
}

// together returns the probability that an answer of some task is wrong, at most: within a member probabilities of tasks are added, whose
// sums are given.
func together(members []model.Member, sums []float64) float64 {
	out := 0.0
	for k, of := range members {
		out += of.Weight * min(1, sums[k])
	}
	return out
}

// missing returns the arms of a set without pulls, the most promising first.
func (a *coBayes) missing(set []int) []int {
	out := lists.Where(set, func(i int) bool { return a.Counts[i] == 0 })
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(a.estimates[j], a.estimates[i]) })
	return out
}
