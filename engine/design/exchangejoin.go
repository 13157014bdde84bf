package design

import (
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
)

const (
	// atFirst is how far below the largest variance met the first contrasts may lie.
	atFirst = 0.5
	// mostJoining is the most contrasts of groups, or listed ones, that join in a round.
	mostJoining = 160
	// tried is how many are looked at for each that may join.
	tried = 3
	// sameEnd is the squared distance of two arms, relative to the largest variance met, below which
	// one of them stands for both in a round.
	sameEnd = 0.01
	// mostOf is the most contrasts with one arm that join in a round.
	mostOf = 4
	// sameHelp is the squared distance of two arms, relative to their variance, below which one of them
	// is enough for a round.
	sameHelp = 0.04
)

// between returns the variances of the differences of some arms at the weights at hand, by position.
func (x *Exchange) between(arms []int) func(a, b int) float64 {
	if len(arms) == 0 {
		return nil
	}
	l := x.focus(x.lambda)
	w := l.cross(arms)
	inner := x.among(arms)
	c := reshape(blas64.General{}, len(arms), len(arms))
	x.do(len(arms), 16, func(from, to int) {
		for k := from; k < to; k++ {
			inner(row(c, k), k, 0)
			for j := range row(c, k) {
				row(c, k)[j] = (row(c, k)[j] - dot(row(w, k), row(w, j))) / x.in.Ridge
			}
		}
	})
	return func(a, b int) float64 { return distanceOf(row(c, a)[a], row(c, b)[b], row(c, a)[b]) }
}

// gather takes in contrasts above the level that a pass met, the largest first, and no two in a round with
// nearly the same ends. It reports whether there were any.
func (x *Exchange) gather(s *sight, level float64) bool {
	var order []ranked
	for e, h := range s.high {
		if h > level && !x.carries(Pair{x.ends[e], s.partner[e], 1}) {
			order = append(order, ranked{e, h})
		}
	}
	slices.SortFunc(order, byRank)
	if len(order) > tried*mostJoining {
		order = order[:tried*mostJoining]
	}
	var fresh []int // arms that would become ends
	place := map[int]int{}
	for _, a := range order {
		j := s.partner[a.arm]
		if _, known := place[j]; !known && !x.isEnd[j] {
			place[j] = len(fresh)
			fresh = append(fresh, j)
		}
	}
	apart := x.between(fresh)
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
			if slices.ContainsFunc(joined, func(o int) bool { return apart(k, o) < sameEnd*s.reached }) {
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

// gatherListed takes in listed contrasts above the level likewise.
func (x *Exchange) gatherListed(s *sight, level float64) bool {
	var order []ranked
	for k, h := range s.listed {
		if h > level && !x.carries(x.listed[k]) {
			order = append(order, ranked{k, h})
		}
	}
	slices.SortFunc(order, byRank)
	if len(order) > tried*mostJoining {
		order = order[:tried*mostJoining]
	}
	others := make([]int, len(order))
	for a, o := range order {
		others[a] = x.listed[o.arm].J
	}
	apart := x.between(others)
	var joined []int // positions in order
	for a, o := range order {
		q := x.listed[o.arm]
		near := func(b int) bool {
			r := x.listed[order[b].arm]
			return r.I == q.I && q.Weight*apart(a, b) < sameEnd*o.key
		}
		if len(joined) == mostJoining/4 {
			break
		}
		if !slices.ContainsFunc(joined, near) {
			joined = append(joined, a)
			x.pairs = append(x.pairs, q)
		}
	}
	for _, a := range joined {
		x.end(others[a])
	}
	return len(joined) > 0
}

// carries reports whether a contrast is carried.
func (x *Exchange) carries(q Pair) bool {
	for _, p := range x.pairs {
		if p.I == q.I && p.J == q.J || p.I == q.J && p.J == q.I {
			return true
		}
	}
	return false
}

// adopt lets arms be sampled that would help more than those of T by as much as matters. It reports
// whether there were any.
func (x *Exchange) adopt(s *sight, tolerance float64) bool {
	top := slices.Max(s.atT)
	limit := min(max(32, len(x.arms)/4), mostSampled-len(x.arms))
	var order []ranked
	for k, g := range s.g {
		if i := s.arm(k); g > top*(1+0.5*tolerance) && x.at[i] < 0 {
			order = append(order, ranked{k, g})
		}
	}
	slices.SortFunc(order, byRank)
	order = order[:max(min(len(order), tried*limit), 0)]
	arms := make([]int, len(order))
	for a, o := range order {
		arms[a] = s.arm(o.arm)
	}
	apart := x.between(arms)
	var joined []int // positions in order
	for a, o := range order {
		if len(joined) == limit {
			break
		}
		if !slices.ContainsFunc(joined, func(b int) bool { return apart(a, b) < sameHelp*s.size[o.arm] }) {
			joined = append(joined, a)
		}
	}
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
