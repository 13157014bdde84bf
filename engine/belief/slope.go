package belief

import (
	"cmp"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/engine/gp"
	"github.com/gonb-cope/gonb-cope/internal/base/cores"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// moved returns a copy of u with step added to entry j.
func moved(u []float64, j int, step float64) []float64 {
	p := slices.Clone(u)
	p[j] += step
	return p
}

// slope sets grad to the derivatives of log evidence plus log prior at u. The derivative of the evidence is tr w dΣ, with
// w from gp.Regression.Gradient or gp.Laplace.Gradient. dΣ comes from differences of the kernel's tables, which are
// smaller than Σ if tasks share arms.
func (s *search) slope(grad, u []float64) (err error) {
	defer try.Caught(&err)
	t := try.Of(s.tables(s.ctx, u, nil))
	w := try.Of(s.weight(t, u))
	weight := w.SymDense
	var noise float64
	var shared map[int]float64
	if w.normal != nil {
		noise, shared = try.Two(s.scatter(w.normal, weight, u))
	}
	ofTasks, ofArms := s.along(weight, t)
	failed := make([]error, len(u))
	err = cores.Do(s.ctx, len(u), 1, func(from, to int) {
		for j := from; j < to; j++ {
			of, effects := shared[j]
			switch {
			case s.numbers[j].name == noiseNumber:
				grad[j] = noise
			case effects:
				grad[j] = of
			default:
				var next *tables
				if next, failed[j] = s.tables(s.ctx, moved(u, j, gradientStep), t); failed[j] != nil {
					continue
				}
				rise := mat.Trace(weight) * (next.own - t.own)
				for k := range t.tasks {
					rise += change(ofTasks[k], t.tasks[k], next.tasks[k]) + change(ofArms[k], t.arms[k], next.arms[k])
				}
				for k, given := range t.given {
					if more := next.shares[k] - t.shares[k]; more != 0 {
						rise += more * symmetric.Trace(weight, given)
					}
				}
				grad[j] = rise / gradientStep
			}
			grad[j] -= (u[j] - s.numbers[j].mean) / (s.numbers[j].sd * s.numbers[j].sd)
		}
	})
	for _, e := range failed {
		err = cmp.Or(err, e)
	}
	return err
}

// weight is the matrix w of slope. normal is the posterior of normal rewards; nil for counts.
type weight struct {
	*mat.SymDense
	normal *normal
}

// weight returns the matrix w for the kernel t at u.
func (c *chosen) weight(t *tables, u []float64) (_ weight, err error) {
	defer try.Caught(&err)
	gram := c.gram(t)
	defer c.done.Put(gram)
	if c.wins != nil {
		return weight{try.Of(gp.NewLaplace(gp.DensePrior{SymDense: gram}, c.wins, c.n)).Gradient(), nil}, nil
	}
	x := try.Of(c.normal(gram, u))
	return weight{x.Gradient(), x}, nil
}

// scatter returns derivatives of the evidence. noise is the derivative by log σ². shared has those by the logarithms of
// the variances τ² of shared effects, from central differences, by index of the hyperparameter. If all variances grow by
// one factor, V grows by the same factor and the estimated effects do not change, thus
//
//	∂/∂ log σ² + Σ ∂/∂ log τ² = tr w V + ½ (rest - ν).
func (s *search) scatter(x *normal, weight *mat.SymDense, u []float64) (noise float64, shared map[int]float64, err error) {
	noise = x.traceOf(weight) + 0.5*(x.rest-s.free)
	shared = map[int]float64{}
	for _, number := range s.d.effectNumbers() {
		j := s.model.at[number]
		var sides [2]float64
		for k, step := range []float64{-gradientStep, gradientStep} {
			next, err := s.scattered(moved(u, j, step))
			if err != nil {
				return 0, nil, err
			}
			sides[k] = next.log - floats.Dot(x.Weights, next.target) + next.traceOf(weight)
		}
		shared[j] = (sides[1] - sides[0]) / (2 * gradientStep)
		noise -= shared[j]
	}
	return noise, shared, nil
}

// traceOf returns tr w V for the part of the noise covariance V that is proportional to σ².
func (x *scattered) traceOf(w *mat.SymDense) (sum float64) {
	if x.cov != nil {
		sum = symmetric.Trace(w, x.cov)
	}
	for i, v := range x.variance {
		if x.cov == nil {
			sum += w.At(i, i) * v
		}
		if x.fixed != nil {
			sum -= w.At(i, i) * x.fixed[i]
		}
	}
	return sum
}

// along returns the derivatives of tr w Σ with respect to the entries of the tables of Σ.
func (s *search) along(w *mat.SymDense, t *tables) (tasks, arms []*mat.Dense) {
	for k := range t.tasks {
		z, x := t.tasks[k], t.arms[k]
		ofTasks, ofArms := mat.NewDense(z.RawMatrix().Rows, z.RawMatrix().Cols, nil), mat.NewDense(x.RawMatrix().Rows, x.RawMatrix().Cols, nil)
		for i, v := range s.placeOf {
			p := s.place[i]
			row := w.RawSymmetric().Data[i*len(s.at)+i : (i+1)*len(s.at)]
			fromZ, fromX, toZ, toX := z.RawRowView(v), x.RawRowView(p), ofTasks.RawRowView(v), ofArms.RawRowView(p)
			for j, weight := range row {
				if j > 0 { // also counts the entry below the diagonal
					weight *= 2
				}
				v, p := s.placeOf[i+j], s.place[i+j]
				toZ[v] += weight * fromX[p]
				toX[p] += weight * fromZ[v]
			}
		}
		tasks, arms = append(tasks, ofTasks), append(arms, ofArms)
	}
	return tasks, arms
}

// change returns tr wᵀ(b - a).
func change(w, a, b *mat.Dense) float64 {
	if a == b {
		return 0
	}
	sum, before, after := 0.0, a.RawMatrix().Data, b.RawMatrix().Data
	for k, v := range w.RawMatrix().Data {
		sum += v * (after[k] - before[k])
	}
	return sum
}
