package fit

import (
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// coarseArms is how many arms the starts of a search among many are compared on.
const coarseArms = 160

// searchMany works like search where arms are many: all starts are searched from on some of the arms,
// and the best of what that finds is where one search on all of them begins. Where inducing arms lose
// too much and the arms are not too many, that is on their whole covariance.
func (s *surface) searchMany(starts int, further [][]float64) (optimum, error) {
	at := s.start()
	defer func() { s.inducing = nil }()
	if len(at) == 0 {
		g, err := s.process(at)
		if err != nil {
			return optimum{}, err
		}
		likelihood := s.likelihood(g, at)
		return optimum{values: at, likelihood: likelihood, begin: likelihood, process: g}, nil
	}
	some, err := s.some()
	if err != nil {
		return optimum{}, err
	}
	found, err := some.search(starts, further...)
	if err != nil {
		return optimum{}, err
	}
	if err := s.fix(found.values); err != nil {
		return optimum{}, err
	}
	var best optimum
	for k, values := range append([][]float64{at, found.values}, further...) {
		g, err := s.process(values)
		if err != nil {
			return best, err
		}
		if l := s.likelihood(g, values); k == 0 || l > best.likelihood {
			best = optimum{values: values, likelihood: l, begin: best.begin, process: g}
		}
		if k == 0 {
			best.begin = best.likelihood
		}
	}
	values, err := s.climb(best.values)
	if err != nil {
		return best, err
	}
	if err := s.improve(&best, values); err != nil {
		return best, err
	}
	if err := s.tidy(&best); err != nil {
		return best, err
	}
	s.inducing = nil
	return best, s.finish(&best)
}

// fix makes the inducing arms those of some values, until they are made nil. Where they lose too much
// and the arms are not too many, the covariance is factored as it is.
func (s *surface) fix(values []float64) (err error) {
	var lost float64
	if s.inducing, lost, err = s.induce(values, roughlyLost, roughlyMost); err != nil || lost <= tooMuch || len(s.d.y) > mostExact {
		return err
	}
	_, lost, err = s.induce(values, tooMuch, mostInducing)
	s.dense = lost > tooMuch
	return err
}

// finish makes the process of the optimum, and its likelihood, those along more inducing arms.
func (s *surface) finish(best *optimum) (err error) {
	if best.process, err = s.process(best.values); err == nil {
		best.likelihood = s.likelihood(best.process, best.values)
		best.begin = min(best.begin, best.likelihood)
	}
	return err
}

// refine takes one of Newton's steps from an optimum along few inducing arms: with the slope along more
// of them, and the curvature along few. The likelihood at the start becomes that along more, too.
func (s *surface) refine(best *optimum) error {
	slope, err := s.scaled(best.process, best.values)
	if err != nil {
		return err
	}
	limits := make([]string, len(best.values))
	for i, p := range s.free {
		limits[i] = atLimit(p.Free, best.values[i])
	}
	information, inner, err := s.information(best.values, limits)
	if err != nil || information == nil {
		return err
	}
	right := mat.NewVecDense(len(inner), nil)
	for k, i := range inner {
		right.SetVec(k, slope[i])
	}
	var chol mat.Cholesky
	var step mat.VecDense
	if !chol.Factorize(information) || chol.SolveVecTo(&step, right) != nil {
		return nil // where a number is not determined there is no such step
	}
	values := slices.Clone(best.values)
	for k, i := range inner {
		values[i] = round(moved(s.free[i].Free, values[i], step.AtVec(k)))
	}
	if err := s.improve(best, values); err != nil {
		return err
	}
	start := s.start()
	g, err := s.process(start)
	if err == nil {
		best.begin = min(s.likelihood(g, start), best.likelihood)
	}
	return err
}

// some returns the surface of some of the arms, drawn at random, the same ones every time, and at least
// two of every task.
func (s *surface) some() (*surface, error) {
	p, d := s.d.p, s.d
	rng := rand.New(rand.NewPCG(0, 0))
	var arms []int
	for _, set := range p.Groups() {
		take := min(len(set), max(2, len(set)*coarseArms/len(d.y)))
		for _, at := range rng.Perm(len(set))[:take] {
			arms = append(arms, set[at])
		}
	}
	slices.Sort(arms)
	out := &data{p: d.p.Some(arms), freedom: d.freedom}
	for _, i := range arms {
		out.y, out.count = append(out.y, d.y[i]), append(out.count, d.count[i])
	}
	if d.levels != nil {
		_, q := d.levels.Dims()
		out.levels = mat.NewDense(len(arms), q, nil)
		for k, i := range arms {
			out.levels.SetRow(k, d.levels.RawRowView(i))
		}
	}
	out.squares = d.squares // of all arms: they say the same of the noise
	few, err := newSurface(s.ctx, out, s.kernel, nil)
	if err != nil {
		return nil, err
	}
	few.evaluations, few.noise, few.free, few.dense = s.evaluations, s.noise, s.free, true
	few.fixed = make([]float64, len(arms))
	for k, i := range arms {
		few.fixed[k] = s.fixed[i]
	}
	return few, nil
}
