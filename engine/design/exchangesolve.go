package design

import (
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

const (
	// looseGap is the relative gap to which the first restricted problems are solved.
	looseGap = 0.1
	// mostSeekers is the initial largest number of arms for which a pass searches the farthest arm.
	mostSeekers = 256
	// exchangeRounds is the largest number of restricted problems of a solve. After any number the reported gap is valid.
	exchangeRounds = 40
	// wholeRounds is the largest number of times that the result of a sample is checked on all arms.
	wholeRounds = 4
	// dropBelow is the ratio of the largest variance found to the lower bound below which arms and contrasts are dropped. While
	// the ratio is larger, it is unknown which of them matter.
	dropBelow = 1.5
)

// Minimax returns the allocation that minimises the largest variance of the contrasts, with both bounds (see Exchange). It
// returns an error for invalid contrasts and if the context ends.
func (x *Exchange) Minimax(c Contrasts) (d Design, err error) {
	defer try.Caught(&err)
	x.contrasts(c)
	n := len(x.in.Squares)
	if len(x.groups) == 0 && len(x.listed) == 0 || len(x.arms) == 0 {
		return trivial(n), nil
	}
	x.iterations, x.best = 0, Design{Status: IterationLimit}
	x.begin()
	if !x.first() {
		return trivial(n), nil
	}
	asked := looseGap
	for tries := 1; ; tries++ {
		status := x.alternate(exchangeRounds/tries, asked)
		asked = x.tolerance()
		done, status := x.verify(tries < wholeRounds && status != Separated, status)
		if done {
			x.best.Status = status
			break
		}
	}
	if aboveThreshold(x.best, x.opt) {
		x.best.Status = Separated
	}
	x.best.Iterations = x.iterations
	x.best.Lower = min(x.best.Lower, x.best.Value)
	return x.best, nil
}

// aboveThreshold reports whether the optimum is proved to be above the threshold.
func aboveThreshold(d Design, opt Options) bool { return opt.Threshold > 0 && d.Lower > opt.Threshold }

// first adds the first contrasts. It reports whether any contrast has a positive variance.
func (x *Exchange) first() bool {
	if len(x.groups) > 0 {
		seekers := len(x.ends)
		for _, i := range x.arms { // arms that may be sampled are far from most others
			if seekers == mostSeekers {
				break
			}
			x.end(i)
			seekers++
		}
		for _, g := range x.groups { // at least some arms of each group
			for k := range min(len(g), max(2, seekers/len(x.groups)/8)) {
				x.end(g[k*len(g)/min(len(g), max(2, seekers/len(x.groups)/8))])
			}
		}
	}
	s := x.scan(nil, x.lambda)
	x.widen(s)
	level := atFirst * s.reached
	x.gather(s, level)
	const rounding = 1e-14 // relative to the largest squared length
	return len(x.pairs) > 0 && s.reached > rounding*slices.Max(x.in.Squares)/x.in.Ridge
}

// over returns the arms of the passes; nil means all.
func (x *Exchange) over() []int {
	if x.inView == nil {
		return nil
	}
	return x.sample
}

// alternate alternates restricted problems and passes, until a pass finds neither violated contrasts nor helpful arms. It
// stops after at most `rounds` restricted problems. `asked` is the relative gap for the first of them.
func (x *Exchange) alternate(rounds int, asked float64) Status {
	tolerance := x.tolerance()
	for round := 1; ; round++ {
		d := x.confine(asked)
		x.take(d)
		if round >= rounds {
			return IterationLimit
		}
		s := x.scan(x.over(), x.lambda)
		lower := s.lower(sum(x.dual))
		if x.over() == nil { // valid for all arms
			x.prove(lower)
			if aboveThreshold(x.best, x.opt) {
				return Separated
			}
		}
		last := asked
		asked = max(tolerance, min(asked, 0.2*(max(s.reached, x.level)/lower-1)))
		met := s.reached > x.level*(1+0.5*tolerance) && x.gather(s, x.level)
		joined := x.adopt(s, tolerance)
		switch {
		case met || joined:
		case last > tolerance:
			asked = tolerance
		default:
			return d.status
		}
		if max(s.reached, x.level) < dropBelow*lower {
			x.forget(d)
		}
	}
}

// widen adds arms to the sample, by the result of a pass over all arms. These are the arms farthest from an end, and those
// with the largest variances or gradients.
func (x *Exchange) widen(s *pass) {
	if x.inView == nil {
		return
	}
	const most = 300
	more := make([]int, 0, 3*most)
	for _, j := range s.partner {
		if j >= 0 {
			more = append(more, j)
		}
	}
	for _, values := range [][]float64{s.size, s.g, s.listed} {
		order := ranking(len(values), func(k int) (float64, bool) { return values[k], true })
		for _, o := range order[:min(most, len(order))] {
			more = append(more, o.arm)
			if len(values) == len(s.listed) && len(values) != s.count {
				more[len(more)-1] = x.listed[o.arm].J
			}
		}
	}
	x.view(more)
}

// take stores the weights, the dual weights and the value of a restricted problem.
func (x *Exchange) take(d confined) {
	x.level, x.dual = d.value, slices.Clone(d.dual)
	x.lambda, _ = withoutSmall(d.lambda)
}

// prove stores a lower bound over all arms, with the weights and contrasts that prove it, if it is the best so far.
func (x *Exchange) prove(lower float64) {
	if !(lower > x.best.Lower) {
		return
	}
	x.best.Lower, x.best.Certificate = lower, certificate(x.expand(x.lambda), x.pairs, x.dual)
}

// verify evaluates the present weights on all arms and all pairs. It reports whether the solve is done. If it is not,
// verify has added the missing arms and contrasts; with more = false it adds none.
func (x *Exchange) verify(more bool, status Status) (bool, Status) {
	tolerance := x.tolerance()
	if len(x.dual) < len(x.pairs) { // contrasts were added after the last restricted problem
		x.dual = append(x.dual, make([]float64, len(x.pairs)-len(x.dual))...)
	}
	s := x.scan(nil, x.lambda)
	lower := s.lower(sum(x.dual))
	x.prove(lower)
	x.best.Weights = x.expand(x.lambda)
	if more {
		before := len(x.pairs)
		met := s.reached > x.level*(1+2*tolerance) && x.gather(s, x.level*(1+tolerance))
		var joining []int
		for _, q := range x.pairs[before:] {
			joining = append(joining, q.I, q.J)
		}
		had := len(x.arms)
		joined := x.adopt(s, 2*tolerance)
		joining = append(joining, x.arms[had:]...)
		if met || joined {
			x.view(joining)
			x.widen(s)
			return false, status
		}
	}
	ceiling, met := x.bound(s, tolerance, more)
	if met {
		return false, status
	}
	x.best.Value, x.best.Reached = ceiling, max(s.reached, 0)
	if math.IsNaN(ceiling) {
		try.To(errSingular)
	}
	return true, status
}

const (
	// atFirst is the smallest variance of a first contrast, relative to the largest.
	atFirst = 0.5
	// mostJoining is the largest number of contrasts that a round adds: from groups, and a quarter of it from listed ones.
	mostJoining = 160
	// tried is the number of candidates that are compared for each contrast or arm that may be added.
	tried = 3
	// sameEnd is a squared distance of two arms, relative to the largest variance. If it is smaller, a round adds only one
	// of the two arms.
	sameEnd = 0.01
	// mostOf is the largest number of contrasts of one arm that a round adds.
	mostOf = 4
	// sameHelp is a squared distance of two arms, relative to their variance. If it is smaller, a round adds only one of
	// the two arms to T.
	sameHelp = 0.04
)

// between returns a function of two positions in arms: the variance of the difference of these arms at the present
// weights.
func (x *Exchange) between(arms []int) func(a, b int) float64 {
	if len(arms) == 0 {
		return nil
	}
	l := x.covariancesAt(x.lambda)
	w, c := l.cross(arms), x.products(arms)
	x.do(len(arms), 16, func(from, to int) {
		for k := from; k < to; k++ {
			for j := range row(c, k) {
				row(c, k)[j] = (row(c, k)[j] - dot(row(w, k), row(w, j))) / x.in.Ridge
			}
		}
	})
	return func(a, b int) float64 { return distanceOf(row(c, a)[a], row(c, b)[b], row(c, a)[b]) }
}

// gather adds contrasts found by a pass whose variance is above level, the largest first. In one round it adds no two
// nearly equal arms. It reports whether it added any.
func (x *Exchange) gather(s *pass, level float64) bool {
	order := ranking(len(s.high), func(e int) (float64, bool) {
		return s.high[e], s.high[e] > level && !x.carries(Pair{x.ends[e], s.partner[e], 1})
	})
	order = order[:min(len(order), tried*mostJoining)]
	var fresh []int // arms that are not yet ends
	place := map[int]int{}
	for _, a := range order {
		j := s.partner[a.arm]
		if _, known := place[j]; !known && !x.isEnd[j] {
			place[j] = len(fresh)
			fresh = append(fresh, j)
		}
	}
	squaredDistance := x.between(fresh)
	var joined []int // positions in fresh
	count := 0
	degree := map[int]int{}
	for _, a := range order {
		if count == mostJoining {
			break
		}
		q := Pair{x.ends[a.arm], s.partner[a.arm], 1}
		if degree[q.I] == mostOf || degree[q.J] == mostOf || x.carries(q) {
			continue
		}
		if k, isNew := place[q.J]; isNew && !slices.Contains(joined, k) {
			if slices.ContainsFunc(joined, func(o int) bool { return squaredDistance(k, o) < sameEnd*s.reached }) {
				continue
			}
			joined = append(joined, k)
		}
		degree[q.I]++
		degree[q.J]++
		x.pairs = append(x.pairs, q)
		count++
	}
	for _, q := range x.pairs[len(x.pairs)-count:] {
		x.end(q.I)
		x.end(q.J)
	}
	return x.gatherListed(s, level) || count > 0
}

// gatherListed adds listed contrasts whose variance is above level, in the same way as gather. It reports whether it added
// any.
func (x *Exchange) gatherListed(s *pass, level float64) bool {
	order := ranking(len(s.listed), func(k int) (float64, bool) { return s.listed[k], s.listed[k] > level && !x.carries(x.listed[k]) })
	order = order[:min(len(order), tried*mostJoining)]
	squaredDistance := x.between(lists.Map(order, func(o ranked) int { return x.listed[o.arm].J }))
	joined := pick(len(order), mostJoining/4, func(a, b int) bool {
		q, r := x.listed[order[a].arm], x.listed[order[b].arm]
		return r.I == q.I && q.Weight*squaredDistance(a, b) < sameEnd*order[a].key
	})
	for _, a := range joined {
		q := x.listed[order[a].arm]
		x.pairs = append(x.pairs, q)
		x.end(q.J)
	}
	return len(joined) > 0
}

// carries reports whether contrast q is present.
func (x *Exchange) carries(q Pair) bool {
	return slices.ContainsFunc(x.pairs, func(p Pair) bool { return p.I == q.I && p.J == q.J || p.I == q.J && p.J == q.I })
}

// adopt adds arms to T whose gradient exceeds the largest gradient in T by a fraction of half the tolerance. It reports
// whether it added any.
func (x *Exchange) adopt(s *pass, tolerance float64) bool {
	top := slices.Max(s.atT)
	limit := min(max(32, len(x.arms)/4), mostSampled-len(x.arms))
	order := ranking(len(s.g), func(k int) (float64, bool) { return s.g[k], s.g[k] > top*(1+0.5*tolerance) && x.at[s.arm(k)] < 0 })
	order = order[:max(min(len(order), tried*limit), 0)]
	arms := lists.Map(order, func(o ranked) int { return s.arm(o.arm) })
	squaredDistance := x.between(arms)
	joined := pick(len(order), limit, func(a, b int) bool { return squaredDistance(a, b) < sameHelp*s.size[order[a].arm] })
	if len(joined) == 0 {
		return false
	}
	mass := min(max(0.3*(order[0].key/top-1), 1e-3), 0.2)
	scale(1-mass, x.lambda)
	for _, a := range joined {
		x.at[arms[a]] = len(x.arms)
		x.arms = append(x.arms, arms[a])
		x.lambda = append(x.lambda, mass/float64(len(joined)))
	}
	return true
}
