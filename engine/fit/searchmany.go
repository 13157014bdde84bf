package fit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
)

// coarseArms is how many arms the starts of a search among many are compared on.
const coarseArms = 160

// searchMany works like search where arms are many: all starts are searched from on some of the arms,
// and one search on all of them begins at the best point found. Where inducing arms lose
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

// fix keeps the inducing arms that some values choose, until they are made nil. Where they lose too much
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

// silentMany returns what silent does, from the features of the inducing arms: the kernel has their
// eigenvalues, and 0 in all other directions. What arms have by themselves adds the same to all, which
// is exact where all means have one variance, and the mean over arms otherwise.
func (l *inducing) silentMany(ctx context.Context, d *data, variance []float64) (sum float64, count int, err error) {
	n, m := len(d.y), len(l.arms)
	scaled := func(v float64, i int) float64 { return v / math.Sqrt(variance[i]) }
	var levels []*mat.VecDense
	if d.levels != nil {
		_, q := d.levels.Dims()
		for j := range q {
			x := mat.NewVecDense(n, nil)
			for i := range n {
				x.SetVec(i, scaled(d.levels.At(i, j), i))
			}
			takeOut(levels, x) // columns of one task each are orthogonal already
			if norm := mat.Norm(x, 2); norm > 0 {
				x.ScaleVec(1/norm, x)
				levels = append(levels, x)
			}
		}
	}
	rows := mat.NewDense(m, n, nil)
	for a := range m {
		row := rows.RawRowView(a)
		for i, v := range l.features.RawRowView(a) {
			row[i] = scaled(v, i)
		}
		takeOut(levels, mat.NewVecDense(n, row))
	}
	y := mat.NewVecDense(n, nil)
	for i, v := range d.y {
		y.SetVec(i, scaled(v, i))
	}
	takeOut(levels, y)
	inner := mat.NewSymDense(m, nil)
	inner.SymOuterK(1, rows)
	values, vectors, err := eigen.Decompose(ctx, inner)
	if err != nil {
		return 0, 0, err
	}
	var along, z mat.VecDense
	along.MulVec(rows, y)
	z.MulVec(vectors.T(), &along)
	own := 0.0
	for _, v := range variance {
		own += l.own / v / float64(n)
	}
	take := func(square, mu float64, directions int) {
		if mu <= 1 {
			sum, count = sum+square/(1+mu), count+directions
		}
	}
	left, outside := mat.Dot(y, y), n-len(levels)
	for j, mu := range values { // the coordinate of y along eigenvector j is z_j/√μ_j
		if mu > 1e-12*values[m-1] {
			square := z.AtVec(j) * z.AtVec(j) / mu
			left, outside = left-square, outside-1
			take(square, mu+own, 1)
		}
	}
	take(max(left, 0), own, outside)
	return sum, count, nil
}

// takeOut takes off x its parts along orthonormal vectors.
func takeOut(basis []*mat.VecDense, x *mat.VecDense) {
	for _, b := range basis {
		x.AddScaledVec(x, -mat.Dot(b, x), b)
	}
}

// alikeMany returns what alike does, from the features of the inducing arms and the variance of arms by
// themselves.
func (l *inducing) alikeMany(d *data) (correlation [][]float64, signal float64) {
	p, m := d.p, len(l.arms)
	groups := p.Groups()
	centred := mat.DenseCopyOf(l.features.T()) // n × m
	named := make([]map[int][]int, len(groups))
	for v, g := range groups {
		mean := make([]float64, m)
		named[v] = map[int][]int{}
		for _, i := range g {
			named[v][p.Arms.ID[i]] = append(named[v][p.Arms.ID[i]], i)
			for a, x := range centred.RawRowView(i) {
				mean[a] += x / float64(len(g))
			}
		}
		for _, i := range g {
			row := centred.RawRowView(i)
			for a := range row {
				row[a] -= mean[a]
			}
		}
	}
	return correlated(len(groups), func(a, b int) float64 {
		sum, count := 0.0, 0
		for _, i := range groups[a] {
			for _, j := range named[b][p.Arms.ID[i]] {
				x := 0.0
				for k, v := range centred.RawRowView(i) {
					x += v * centred.At(j, k)
				}
				if a == b { // of the arms by themselves, centred
					x -= l.own / float64(len(groups[a]))
					if i == j {
						x += l.own
					}
				}
				sum, count = sum+x, count+1
			}
		}
		if count == 0 {
			return 0
		}
		return sum / float64(count)
	})
}
