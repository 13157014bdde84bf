//go:build unix

package main

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
)

// drawn returns a world whose truth is a draw from the posterior of the measurements under
//
//	v₁ [t = t'] + v₂ e(x, x') + v₃ [t = t'] e(x, x') + v₄ [same cell],  e(x, x') = exp(-‖x - x'‖/ℓ),
//
// with [same name] for e without features, and normal noise, around the mean of all. The variances, ℓ and the noise
// are the set of highest likelihood of 400 drawn at random. No method that is compared has this kernel.
func (m *measured) drawn(rng *rand.Rand) *world {
	if m.posterior == nil {
		p, err := m.learn()
		if err != nil {
			panic("zoo: " + err.Error())
		}
		m.posterior = p
	}
	n := len(m.truth)
	var f mat.VecDense
	f.MulVec(m.posterior.root, mat.NewVecDense(n, normals(rng, n)))
	d := m.draft
	d.truth = lists.Make(n, func(i int) float64 { return m.posterior.mean[i] + f.AtVec(i) })
	d.sd = slices.Repeat([]float64{m.posterior.noise}, n)
	return d.world()
}

// posterior is the one of all cells.
type posterior struct {
	mean  []float64
	root  *mat.TriDense // of the covariance
	noise float64       // standard deviation
}

// learn finds the numbers and the posterior.
func (m *measured) learn() (*posterior, error) {
	y, counts := make([]float64, len(m.rewards)), make([]float64, len(m.rewards))
	within, free := 0.0, 0.0
	for i, r := range m.rewards {
		if y[i], counts[i] = stat.Mean(r, nil), float64(len(r)); len(r) > 1 {
			within += stat.Variance(r, nil) * float64(len(r)-1)
		}
		free += float64(len(r) - 1)
	}
	offset, spread := stat.Mean(y, nil), stat.StdDev(y, nil)
	for i := range y {
		y[i] = (y[i] - offset) / spread
	}
	e := m.distances()
	rng := source(1) // the sets of numbers are the same for every table
	best := math.Inf(-1)
	var cov mat.Cholesky // of the means
	var gram *mat.SymDense
	var noise float64
	for range 400 {
		v := [5]float64{}
		for k := range v {
			v[k] = math.Exp(1.5*rng.NormFloat64() - 1.2)
		}
		k := m.gram(e, v, math.Exp(0.8*rng.NormFloat64()-0.5))
		c := mat.NewSymDense(len(y), nil)
		c.CopySym(k)
		symmetric.Add(c, func(i int) float64 { return v[4] / counts[i] })
		var chol mat.Cholesky
		var w mat.VecDense
		if !chol.Factorize(c) || chol.SolveVecTo(&w, mat.NewVecDense(len(y), y)) != nil {
			continue
		}
		l := -mat.Dot(mat.NewVecDense(len(y), y), &w)/2 - chol.LogDet()/2
		if s := within / (spread * spread); free > 0 { // the likelihood of the replicates' scatter
			l -= free/2*math.Log(v[4]) + s/(2*v[4])
		}
		if l > best {
			best, gram, noise = l, k, v[4]
			cov.Clone(&chol)
		}
	}
	if gram == nil {
		return nil, errors.New("no kernel could be factored")
	}
	p, err := conditioned(&cov, gram, y, spread)
	if err != nil {
		return nil, err
	}
	for i := range p.mean {
		p.mean[i] += offset
	}
	p.noise = spread * math.Sqrt(noise)
	return p, nil
}

// conditioned returns the posterior of all cells given their means y in units of spread; cov is their covariance
// and gram the part without noise.
func conditioned(cov *mat.Cholesky, gram *mat.SymDense, y []float64, spread float64) (*posterior, error) {
	n := len(y)
	var weights, mean mat.VecDense
	var solved, taken mat.Dense
	if err := errors.Join(cov.SolveVecTo(&weights, mat.NewVecDense(n, y)), cov.SolveTo(&solved, gram)); err != nil {
		return nil, err
	}
	mean.MulVec(gram, &weights)
	taken.Mul(gram, &solved)
	square := spread * spread
	rest := symmetric.Make(n, func(i, j int) float64 { return square * (gram.At(i, j) - (taken.At(i, j)+taken.At(j, i))/2) })
	symmetric.Add(rest, func(int) float64 { return 1e-9 * square })
	var root mat.Cholesky
	if !root.Factorize(rest) {
		return nil, errors.New("the covariance of the posterior could not be factored")
	}
	p := &posterior{mean: lists.Make(n, func(i int) float64 { return spread * mean.AtVec(i) }), root: new(mat.TriDense)}
	root.LTo(p.root)
	return p, nil
}

// distances returns the distances of all pairs of cells: features scaled to [0, 1], other codes and other names at 1.
func (m *measured) distances() *mat.SymDense {
	scaled := m.draft.world().documented().Arms
	coded := lists.Map(m.ArmColumns, func(name string) bool { return slices.Contains(m.categories, name) })
	return symmetric.Make(len(m.Arms), func(i, j int) float64 {
		sum := 0.0
		for c := range m.ArmColumns {
			off := scaled.X[c][i] - scaled.X[c][j]
			if coded[c] && off != 0 {
				off = 1
			}
			sum += off * off
		}
		if len(m.ArmColumns) == 0 && m.Arms[i] != m.Arms[j] {
			sum = math.Inf(1)
		}
		return math.Sqrt(sum)
	})
}

// gram returns the kernel of all cells.
func (m *measured) gram(distances *mat.SymDense, v [5]float64, length float64) *mat.SymDense {
	return symmetric.Make(len(m.Arms), func(i, j int) float64 {
		e := math.Exp(-distances.At(i, j) / length)
		x := v[1] * e
		if m.TaskOf[i] == m.TaskOf[j] {
			x += v[0] + v[2]*e
		}
		if i == j {
			x += v[3]
		}
		return x
	})
}
