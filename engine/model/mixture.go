package model

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Mixture is the posterior if the scale s of the kernel and the variance g of independent effects are unknown. It
// averages posteriors for several values, weighted by their evidence,
//
//	Σ_k w_k N(μ | s_k, g_k, data),  w_k ∝ p(data | s_k, g_k) √s_k √g_k,
//
// over a grid that is even in log s and log g. The standard deviations √s and √g then have flat priors [Gelman06]. The
// grid also has g = 0, with the prior of the smallest positive g. The evidence is the restricted likelihood of
// Posterior. As a function of log s it is nearly normal, so three Gauss-Hermite points represent it, or one point if it
// is narrow. With a stated scale there is one member. For unrelated arms, an independent effect is equivalent to a
// larger scale, so only the scale varies.
//
// [Gelman06]: A. Gelman, Prior distributions for variance parameters in hierarchical models, Bayesian Analysis 1 (2006)
// 515.
type Mixture struct {
	Members  []Member // the heaviest first
	fittedTo int      // number of pulls of the data from which the weights were computed
}

// Member is one posterior of a Mixture. Arms with equal features share one independent effect.
type Member struct {
	*Posterior
	Weight float64 // sum over members is 1
	at     point
}

// ContinuedMixture returns the mixture for counts and means (N each, reward units), with the precisions of the model.
// `before` is the mixture for part of these data, or nil. The search for points takes most of the time if there are many
// arms or more than mostDecomposed features. The points of before are then kept until there are 30 % more pulls; weights,
// means and covariances always use all data. `within` has data within blocks, for up to MostWithin arms, and replaces the
// means; nil means that there are no blocks. Members with a total weight below negligible are dropped. It returns an error
// if there are no pulls or if the context ends.
func ContinuedMixture(
	m *Model, prior Prior, before *Mixture, counts []int, means []float64, within *Within, negligible float64,
) (*Mixture, error) {
	pulls := engine.PullsOf(counts)
	if pulls == 0 {
		return nil, errors.New("nothing was measured, so no arm can be estimated")
	}
	var points []point
	fittedTo := pulls
	if before != nil && float64(pulls) <= keptUntil*float64(before.fittedTo) &&
		(m.Designs().Dual() || m.Features.RawMatrix().Cols > mostDecomposed) {
		points, fittedTo = before.points(), before.fittedTo
	}
	members, err := mixed(m, prior, before, counts, means, within, points, negligible)
	if err != nil {
		return nil, fmt.Errorf("the information matrix: %w", err)
	}
	return &Mixture{shared(members), fittedTo}, m.Context().Err()
}

// keptUntil is a ratio of pulls: above it, the points are searched again.
const keptUntil = 1.3

// mixed returns the members at the given points. If points is nil, it searches for them.
func mixed(
	m *Model, prior Prior, before *Mixture, counts []int, means []float64, within *Within, points []point, negligible float64,
) (_ []Member, err error) {
	defer try.Caught(&err)
	if within == nil && m.Relations().InGroups() {
		d := newGroupedMeans(m, try.Of(m.grouped()), prior.Level, counts, means)
		if before != nil {
			d.near = before.Members[0].Scale * d.natural
		}
		at := func(own, _ float64) (*onGroups, error) { return d.around(own, d.natural) }
		return membersAt(points, prior.Scale*d.natural, d.total, negligible, m.Relations().Unrelated(), at)
	}
	if m.Designs().Dual() {
		d := newPulledMeans(m, prior.Level, counts, means)
		var top *Posterior
		expected := 0.0
		if before != nil {
			top, expected = before.Members[0].Posterior, before.scale()
		}
		at := func(own, _ float64) (*onBasis, error) { return d.around(own, d.natural) }
		return throughBasis(d, top, prior.Scale, expected, func(stated float64) ([]Member, float64, error) {
			members, err := membersAt(points, stated, d.total, negligible, false, at)
			return members, d.natural * (&Mixture{Members: members}).scale(), err
		})
	}
	d := newMeans(m, prior.Level, prior.FitsOwn(), counts, means)
	try.To(d.room())
	if within != nil {
		try.To(d.turn(within))
	}
	at := func(own, _ float64) (*centred, error) { return d.centred(own, natural(m)) }
	return membersAt(points, prior.Scale*natural(m), d.total, negligible, false, at)
}

// point is a grid point (own is g, scale is s, normalised) with the log of its weight and -2 log of its likelihood.
type point struct{ own, scale, weight, likelihood float64 }

// scale returns the largest scale among the members.
func (x *Mixture) scale() float64 {
	return lists.Max(x.Members, func(of Member) float64 { return of.Scale })
}

func (x *Mixture) points() []point {
	return lists.Map(x.Members, func(of Member) point { return of.at })
}

// evidence has the data centred for one variance of independent effects.
type evidence interface {
	// law returns the log of the evidence, integrated over scales, and representative scales with their weights
	law() (log float64, scales, shares []float64)
	// posterior returns the posterior at a scale, and -2 log of its penalised likelihood, see levelled.penalised
	posterior(scale float64) (p *Posterior, likelihood float64, err error)
}

// membersAt returns the members at the given points. If points is nil, it searches for points, and drops those with a
// total weight below negligible. `stated` is the stated scale, or 0. `total` has the precisions of the arms' means. `alone`
// means that there are no independent effects. `at` returns the data centred for a variance of these effects.
func membersAt[T evidence](
	points []point, stated float64, total []float64, negligible float64, alone bool, at func(own, scale float64) (T, error),
) (_ []Member, err error) {
	defer try.Caught(&err)
	around, given := map[float64]T{}, points != nil
	if stated > 0 {
		points = []point{{scale: stated}}
	} else if points == nil {
		points = try.Of(weighed(total, alone, around, at))
		points = heaviest(points, negligible)
	}
	members := make([]Member, len(points))
	for k, p := range points {
		c, known := around[p.own]
		if !known {
			c = try.Of(at(p.own, p.scale))
			around[p.own] = c
		}
		of, likelihood := try.Two(c.posterior(p.scale))
		if given {
			p.weight += (p.likelihood - likelihood) / 2
		}
		p.likelihood = likelihood
		members[k] = Member{Posterior: of, at: p}
	}
	return members, nil
}

const (
	// leastOwn is the smallest positive g of the grid, divided by the average variance of an arm's mean. ownStep is the
	// factor between two values of g.
	leastOwn, ownStep = 1. / 64, 4
	// hopeless is a loss in nats relative to the best g: after a larger loss, larger g are not tried.
	hopeless = 12
)

// weighed returns the grid points with the logs of their weights, and stores the centred data for each g in around.
func weighed[T evidence](total []float64, alone bool, around map[float64]T, at func(own, scale float64) (T, error)) ([]point, error) {
	raw := meanVariance(total)
	var points []point
	best, last := math.Inf(-1), math.Inf(1)
	for own := 0.0; last > best-hopeless && own < scaleMost*raw; own = max(own*ownStep, leastOwn*raw) {
		c, err := at(own, 0)
		if err != nil {
			return nil, err
		}
		around[own] = c
		log, scales, shares := c.law()
		log += math.Log(max(own/raw, leastOwn)) / 2
		best, last = max(best, log), log
		for k, s := range scales {
			points = append(points, point{own: own, scale: s, weight: log + math.Log(shares[k])})
		}
		if alone {
			break
		}
	}
	return points, nil
}

// heaviest returns the points sorted by weight, without the lightest, whose total weight is at most the fraction
// negligible.
func heaviest(points []point, negligible float64) []point {
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Compare(b.weight, a.weight) })
	sum, shares := 0.0, make([]float64, len(points))
	for k, p := range points {
		shares[k] = math.Exp(p.weight - points[0].weight)
		sum += shares[k]
	}
	light := 0.0
	for len(points) > 1 {
		if light += shares[len(points)-1]; light > negligible*sum {
			break
		}
		points = points[:len(points)-1]
	}
	return points
}

// shared sorts the members by weight, the heaviest first, and sets Weight so that the sum is 1.
func shared(members []Member) []Member {
	slices.SortStableFunc(members, func(a, b Member) int { return cmp.Compare(b.at.weight, a.at.weight) })
	sum := 0.0
	for k := range members {
		members[k].Weight = math.Exp(members[k].at.weight - members[0].at.weight)
		sum += members[k].Weight
	}
	for k := range members {
		members[k].Weight /= sum
	}
	return members
}

// Explained returns the fraction of variance that the posterior explains in leave-one-out prediction [RW06, sec. 5.4.2]: 1
// - Σ e²/Σ b². e is the distance of an arm's mean from its prediction by all other means. b is its distance from the
// average of the other pulled arms of its task, or of all tasks if there are none. It is 0 if all means are equal or fewer
// than two arms were pulled, and it may be negative.
func (p *Posterior) Explained(m *Model, means []float64) float64 {
	estimates := p.Estimates(means)
	tasks := m.Problem.V()
	sums, counts := make([]float64, tasks+1), make([]float64, tasks+1)
	for i, t := range p.Total {
		if t > 0 {
			for _, v := range [2]int{m.Problem.TaskOf[i], tasks} {
				sums[v] += means[i] / m.Unit
				counts[v]++
			}
		}
	}
	if counts[tasks] < 2 {
		return 0
	}
	residual, all := 0.0, 0.0
	for i, t := range p.Total {
		if t == 0 {
			continue
		}
		y, v := means[i]/m.Unit, m.Problem.TaskOf[i]
		if counts[v] < 2 {
			v = tasks
		}
		b := y - (sums[v]-y)/(counts[v]-1)
		others, _ := gp.Cavity(estimates[i], min(p.ArmVariance(i), (1-1e-12)/t), y, 1/t)
		residual += (y - others) * (y - others)
		all += b * b
	}
	if all == 0 {
		return 0
	}
	return 1 - residual/all
}
