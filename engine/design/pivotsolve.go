package design

import "math"

// solve alternates between the restricted problem and the search for contrasts that it lacks; then it
// looks at all pairs.
func (w *wide) solve() (Design, error) {
	if len(w.p.groups) == 0 && len(w.p.pairs) == 0 {
		return trivial(w.p.phi.Rows), nil
	}
	tolerance := w.opt.tolerance()
	w.start()
	w.look()
	w.gather()
	if w.reached <= 0 && w.scan() <= 0 {
		return trivial(w.p.phi.Rows), nil
	}
	w.best = Design{Value: math.Inf(1), Status: IterationLimit}
	asked := looseGap
	rounds := w.opt.Rounds
	if rounds == 0 {
		rounds = wideRounds
	}
	for range rounds {
		if err := w.opt.ended(); err != nil {
			return Design{}, err
		}
		restricted, status, err := w.restrict(asked)
		if err != nil {
			return Design{}, err
		}
		w.best.Iterations += restricted.Iterations
		w.prove(restricted)
		w.look()
		last := asked
		asked = max(tolerance, min(asked, 0.2*(max(w.reached, restricted.Value)/w.best.Lower-1)))
		if t := w.opt.Threshold; t > 0 && w.best.Lower > t {
			status = Separated
			w.best.Status = status
			break
		}
		if w.reached > restricted.Value*(1+tolerance) && w.gather() {
			continue
		}
		if last > tolerance {
			asked = tolerance
			continue
		}
		if w.scan(); w.reached > restricted.Value*(1+2*tolerance) && w.gather() {
			continue
		}
		w.best.Status = status
		break
	}
	return w.finish(), nil
}

// finish evaluates the weights at hand on all contrasts.
func (w *wide) finish() Design {
	d := w.best
	d.Value = w.scan()
	d.Reached = max(w.reached, 0)
	d.Weights = w.expand(w.lambda)
	d.Lower = min(d.Lower, d.Value)
	return d
}

// expand returns weights of pivots as weights of all arms.
func (w *wide) expand(lambda []float64) []float64 {
	out := make([]float64, w.p.phi.Rows)
	for k, i := range w.in.Arms {
		out[i] = lambda[k]
	}
	return out
}

// start chooses the first weights of the pivots: a few steps towards the D-optimal ones, whose largest
// variance is tens of percents above the optimum on smooth kernels where that of uniform ones is a
// multiple.
func (w *wide) start() {
	m := len(w.in.Arms)
	p := w.sub(nil)
	const sweeps = 8
	arms, weights := p.multiplicative(sweeps)
	w.lambda = make([]float64, m)
	for a, k := range arms {
		w.lambda[k] = 0.9 * weights[a]
	}
	for k := range w.lambda {
		w.lambda[k] += 0.1 / float64(m)
	}
	scale(1/sum(w.lambda), w.lambda)
}
