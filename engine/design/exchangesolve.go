package design

import (
	"math"
	"slices"
)

const (
	// looseGap is the largest relative gap to which a restricted problem is solved.
	looseGap = 0.1
	// mostSeekers is the largest number of arms that look for the one farthest from them at first.
	mostSeekers = 256
	// exchangeRounds is the most restricted problems of a solve; the gap reported holds whenever they end.
	exchangeRounds = 40
	// wholeRounds is the most times that a sample is tried on all arms.
	wholeRounds = 4
	// ripe is how many times the lower bound the largest variance met may be where arms and contrasts
	// are dropped: before, what matters is not known.
	ripe = 1.5
)

// Minimax returns the allocation with the smallest largest variance.
func (x *Exchange) Minimax(c Contrasts) (d Design, err error) {
	defer caught(&err)
	if err := x.contrasts(c); err != nil {
		return Design{}, err
	}
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
	if separated(x.best, x.opt) {
		x.best.Status = Separated
	}
	x.best.Iterations = x.iterations
	x.best.Lower = min(x.best.Lower, x.best.Value)
	return x.best, nil
}

// separated reports whether the optimum is certified to lie above the threshold.
func separated(d Design, opt Options) bool { return opt.Threshold > 0 && d.Lower > opt.Threshold }

// first takes in the first contrasts, and reports whether any variance is above zero.
func (x *Exchange) first() bool {
	if len(x.groups) > 0 {
		seekers := len(x.ends)
		for _, i := range x.arms { // an arm that may be sampled is far from most others
			if seekers == mostSeekers {
				break
			}
			x.end(i)
			seekers++
		}
		for _, g := range x.groups { // every group has some
			for k := range min(len(g), max(2, seekers/len(x.groups)/8)) {
				x.end(g[k*len(g)/min(len(g), max(2, seekers/len(x.groups)/8))])
			}
		}
	}
	s := x.look(nil, x.lambda)
	x.widen(s)
	level := atFirst * s.reached
	x.gather(s, level)
	const rounding = 1e-14 // of a squared length
	return len(x.pairs) > 0 && s.reached > rounding*slices.Max(x.in.Squares)/x.in.Ridge
}

// over returns the arms of the passes.
func (x *Exchange) over() []int {
	if x.inView == nil {
		return nil
	}
	return x.sample
}

// alternate goes between restricted problems and passes until nothing is missing.
func (x *Exchange) alternate(rounds int, asked float64) Status {
	tolerance := x.tolerance()
	for round := 1; ; round++ {
		d := x.confine(asked)
		x.take(d)
		if round >= rounds {
			return IterationLimit
		}
		s := x.look(x.over(), x.lambda)
		lower := s.lower(sum(x.dual))
		if x.over() == nil { // it holds for all arms
			x.prove(lower)
			if separated(x.best, x.opt) {
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
		if max(s.reached, x.level) < ripe*lower {
			x.forget(d)
		}
	}
}

// widen lets passes go over the arms that a pass over all found to be extreme: those farthest from an end,
// those with the largest variances and those that would help most.
func (x *Exchange) widen(s *sight) {
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
		order := make([]ranked, len(values))
		for k, v := range values {
			order[k] = ranked{k, v}
		}
		slices.SortFunc(order, byRank)
		for _, o := range order[:min(most, len(order))] {
			more = append(more, o.arm)
			if len(values) == len(s.listed) && len(values) != s.count {
				more[len(more)-1] = x.listed[o.arm].J
			}
		}
	}
	x.view(more)
}

// take keeps the solution of a restricted problem.
func (x *Exchange) take(d confined) {
	x.level, x.dual = d.value, slices.Clone(d.dual)
	x.lambda = slices.Clone(d.lambda)
	for k, l := range x.lambda {
		if l < trimBelow/float64(len(x.lambda)) {
			x.lambda[k] = 0
		}
	}
	scale(1/sum(x.lambda), x.lambda)
}

// prove keeps a lower bound over all arms if it is the best so far, with the point that proves it.
func (x *Exchange) prove(lower float64) {
	if !(lower > x.best.Lower) {
		return
	}
	x.best.Lower = lower
	x.best.Certificate = Certificate{Weights: x.expand(x.lambda)}
	total := sum(x.dual)
	for k, u := range x.dual {
		if u > 0 {
			x.best.Certificate.Pairs = append(x.best.Certificate.Pairs, x.pairs[k])
			x.best.Certificate.Dual = append(x.best.Certificate.Dual, u/total)
		}
	}
}

// verify evaluates the weights at hand on all arms and all pairs. It reports whether the solve ends; else
// what is missing has joined.
func (x *Exchange) verify(more bool, status Status) (bool, Status) {
	tolerance := x.tolerance()
	if len(x.dual) < len(x.pairs) { // joined since
		x.dual = append(x.dual, make([]float64, len(x.pairs)-len(x.dual))...)
	}
	s := x.look(nil, x.lambda)
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
		panic(ended{errSingular})
	}
	return true, status
}
