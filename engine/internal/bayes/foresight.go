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

// foresight predicts how posterior covariances change with planned pulls. The change depends only on which arms are
// pulled, not on the rewards. For each task it computes only the columns of the covariance for the leader, its rivals and
// the pulled arms, so the cost is linear in the number of arms. For a posterior in groups, the cost is also linear in the
// number of tasks.
type foresight struct {
	groups    *gp.Planned // for a posterior in groups, with the planned pulls; nil for others
	posterior *model.Estimator
	precision []float64 // 1/σ_i², normalised
	cost      []float64 // N: costs of a pull divided by their mean; nil if all costs are equal
	pulls     []foreseen
}

// foreseen is a planned choice of one or more pulls of an arm. It subtracts u uᵀ from the covariance, with u = scale ·
// (previous covariances with the arm).
type foreseen struct {
	arm    int
	before []float64 // per earlier choice: element of its u for this arm
	scale  float64
}

// outlook holds the predicted covariances of one task.
type outlook struct {
	*foresight
	arms      []int
	leader    int           // position in arms
	all       *mat.SymDense // covariances of the arms; only for a posterior in groups
	own       []float64     // variances of the arms, normalised
	lead      []float64     // covariances of the arms with the leader
	rivals    []rival       // covariances of the arms with other arms, computed on request
	taken     [][]float64   // u of the arms, per choice that update has processed
	freedom   []float64     // per arm: degrees of freedom of the noise scales of the arm and the leader
	step      int           // number of pulls per choice
	remaining int           // number of further pulls that the task may get
	enough    float64       // risk at which the task needs no further pulls
}

// rival holds the covariances of an outlook's arms with the arm at position at.
type rival struct {
	at     int
	column []float64
}

// mostForeseen is the largest number of choices for a task in a round.
const mostForeseen = 16

// watch returns the outlook of a task's arms before any planned pull. most is the largest number of pulls. freedom returns
// the degrees of freedom of the noise scales of some arms. variances holds the variance of each arm's gap to the leader,
// normalised.
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

// update applies the choices that were made since the last update, by any task.
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

// takeOff subtracts at·u from column.
func takeOff(column, u []float64, at float64) {
	column = column[:len(u)]
	for k, v := range u {
		column[k] -= v * at
	}
}

// takeOffAll subtracts at[c]·us[c] from column for all c, four at a time.
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

// column returns the covariances of all arms with the arm at position r.
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

// pull adds a choice of n pulls of the arm at position k. The outlook must be up to date.
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

// most returns the position of the arm whose next pull most reduces the variance of the gap between the leader and the
// rival at position r. If pulls have costs, it is the reduction per cost.
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

// chance returns the probability that the arm at position k exceeds the leader by more than epsilon, if the posterior
// means do not change.
func (o *outlook) chance(k int, means []float64, epsilon float64) float64 {
	if k == o.leader {
		return 0
	}
	variance := o.own[k] + o.own[o.leader] - 2*o.lead[k]
	return exceeds(means[o.arms[k]]-means[o.arms[o.leader]], variance, epsilon, o.freedom[k])
}

// outcome returns the sum of the chances of all arms, and the position of the arm with the largest chance.
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

// judgement is what the posterior implies for one task.
type judgement struct {
	first     int       // leader
	variances []float64 // per arm: posterior variance of its gap to the leader, normalised
	// per member: an upper bound on the probability that some arm exceeds the leader by more than ε, the sum of these
	// probabilities over single arms
	wrong []float64
	risk  float64 // Σ weight·wrong
}

// judged returns what the posterior implies for the arms of a task.
func (a *coBayes) judged(set []int) judgement {
	members := a.belief.Mixture.Members
	j := judgement{first: rounds.Leader(set, a.estimates), variances: make([]float64, len(set)), wrong: make([]float64, len(members))}
	variances := make([]float64, len(set))
	for k, of := range members {
		try.To(of.VariancesFrom(variances, set, j.first))
		for l, i := range set {
			if i == j.first {
				continue
			}
			v, gap := variances[l]+of.Scale*a.truncated, a.by[k][i]-a.by[k][j.first]
			off := gap - (a.estimates[i] - a.estimates[j.first])
			j.variances[l] += of.Weight * (v + off*off)
			j.wrong[k] += exceeds(gap, v, a.opt.Epsilon, a.scales.FreedomOf([]int{i, j.first}))
		}
		j.wrong[k] = min(1, j.wrong[k])
		j.risk += of.Weight * j.wrong[k]
	}
	return j
}

// together returns an upper bound on the probability that some answer is wrong. sums has, for each member, the sum of the
// tasks' error probabilities.
func together(members []model.Member, sums []float64) float64 {
	out := 0.0
	for k, of := range members {
		out += of.Weight * min(1, sums[k])
	}
	return out
}

// missing returns the arms of a set without pulls, in descending order of their estimates.
func (a *coBayes) missing(set []int) []int {
	out := lists.Where(set, func(i int) bool { return a.Counts[i] == 0 })
	slices.SortStableFunc(out, func(i, j int) int { return cmp.Compare(a.estimates[j], a.estimates[i]) })
	return out
}
