package fit

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/eigen"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// surface is the log marginal likelihood as a function of the free hyperparameters. These are the numbers of the kernel,
// and the noise scale if that is free.
type surface struct {
	ctx     context.Context
	d       *data
	kernel  kernels.Joint
	free    []kernels.Parameter // the kernel's, then the noise's
	touches [][]bool            // [number][term]: whether the term depends on the number
	noise   bool                // whether the last number is σ
	fixed   []float64           // noise variances of the means if the noise is not free

	evaluations *tally // number of evaluations of the likelihood, over all surfaces of a fit
}

// newSurface returns the surface for kernel k; noise is nil for the noise of the problem.
func newSurface(ctx context.Context, d *data, k kernels.Joint, noise *kernels.Free) (_ *surface, err error) {
	defer try.Caught(&err)
	free := try.Of(k.Free())
	s := &surface{ctx: ctx, d: d, kernel: k, free: free, fixed: d.known(), evaluations: new(tally)}
	at := s.start()
	for i, f := range free {
		other := slices.Clone(at)
		least, most := f.Limits()
		if other[i] = most; at[i] == most {
			other[i] = least
		}
		moved := try.Of(k.With(other))
		touched := make([]bool, len(k.Terms))
		for t := range touched {
			one := kernels.Joint{Terms: k.Terms[t : t+1]}
			touched[t] = !one.Equal(kernels.Joint{Terms: moved.Terms[t : t+1]}) && !sameTerm(k.Terms[t], moved.Terms[t])
		}
		s.touches = append(s.touches, touched)
	}
	if noise != nil {
		if least, _ := noise.Limits(); !(least > 0) {
			return nil, fmt.Errorf("the noise is a free hyperparameter that may be %g; it must be greater than 0", least)
		}
	}
	switch {
	case noise == nil:
	case noise.Fixed():
		s.fixed = d.common(noise.Value)
	default:
		f := *noise
		f.Min, f.Max = noise.Limits()
		s.noise, s.free = true, append(s.free, kernels.Parameter{Free: f, Where: "noise"})
	}
	return s, nil
}

// beside returns a surface for other data or another kernel that counts evaluations together with s.
func (s *surface) beside(d *data, k kernels.Joint, noise *kernels.Free) (*surface, error) {
	other, err := newSurface(s.ctx, d, k, noise)
	if err == nil {
		other.evaluations = s.evaluations
	}
	return other, err
}

// sameTerm reports whether two terms are equal at their values. The limits of free hyperparameters, which With writes out,
// make no difference.
func sameTerm(a, b kernels.Term) bool {
	settled := func(t kernels.Term) kernels.Joint {
		j, _ := kernels.Joint{Terms: []kernels.Term{t}}.Settled()
		return j
	}
	return settled(a).Equal(settled(b))
}

// start returns the start values of the free hyperparameters.
func (s *surface) start() []float64 {
	return lists.Map(s.free, func(f kernels.Parameter) float64 { return f.Value })
}

// variance returns the noise variances of the means at the given values.
func (s *surface) variance(values []float64) []float64 {
	if s.noise {
		return s.d.common(values[len(values)-1])
	}
	return s.fixed
}

// at returns the kernel at the given values.
func (s *surface) at(values []float64) (kernels.Joint, error) {
	if s.noise {
		values = values[:len(values)-1]
	}
	return s.kernel.With(values)
}

// settled returns the kernel at the given values, with numbers instead of free hyperparameters.
func (s *surface) settled(values []float64) (kernels.Joint, error) {
	k, err := s.at(values)
	if err != nil {
		return k, err
	}
	return k.Settled()
}

// gram returns the Gram matrix of the kernel at the given values. `some` marks the terms to include; nil means all.
func (s *surface) gram(values []float64, some []bool) (_ *mat.SymDense, err error) {
	defer try.Caught(&err)
	k := try.Of(s.at(values))
	if some != nil {
		k.Terms = indices.Of(k.Terms, indices.Where(len(some), func(t int) bool { return some[t] }))
	}
	return kernels.Dense(try.Of(k.On(s.ctx, s.d.p.Tasks, s.d.p.Arms, s.d.p.TaskOf))), nil
}

// process returns the process at the given values, and counts an evaluation.
func (s *surface) process(values []float64) (_ *process, err error) {
	defer try.Caught(&err)
	try.To(s.ctx.Err())
	s.evaluations.add()
	gram := try.Of(s.gram(values, nil))
	return newProcess(s.d, gram, s.variance(values))
}

// likelihood returns the log likelihood of all data. This is that of the means and, if σ is free, that of the
// replicates' deviations from their means,
//
//	-½ Σ (n_i - 1) log σ² - S/(2σ²),  S the sum of squares within arms.
func (s *surface) likelihood(g *process, values []float64) float64 {
	if !s.noise || s.d.freedom == 0 {
		return g.likelihood
	}
	sigma := values[len(values)-1]
	return g.likelihood - s.d.freedom*math.Log(sigma) - s.within()/(2*sigma*sigma)
}

// features returns Φ, with a column per arm, such that ΦᵀΦ is the Gram matrix of the kernel at the optimum.
func (s *surface) features(best optimum) (phi *mat.Dense, err error) {
	defer try.Caught(&err)
	gram := try.Of(s.gram(best.values, nil))
	values, vectors := try.Two(eigen.Decompose(s.ctx, gram))
	phi = mat.DenseCopyOf(vectors.T())
	for k, v := range values {
		floats.Scale(math.Sqrt(max(v, 0)), phi.RawRowView(k))
	}
	return phi, nil
}

func (s *surface) within() float64 {
	return lists.Total(s.d.squares)
}

// difference is the step of the central differences of the covariance, on the scale of Free.To. The error is about step²/6
// of a third derivative plus 1e-16/step of a value, which is 1e-9 of the entries. For a number that is a factor, the error
// is only rounding.
const difference = 1e-4

// gradient returns the derivatives of the log likelihood by u = Free.To of each number. They are exact except for central
// differences of the covariance.
func (s *surface) gradient(g *process, values []float64) (_ []float64, err error) {
	defer try.Caught(&err)
	noise, weight := g.NoiseGradient(), g.Gradient()
	out := make([]float64, len(values))
	for i, f := range s.free {
		u := f.To(values[i])
		if math.IsInf(u, 0) {
			continue // at a limit the map is flat
		}
		up, down := slices.Clone(values), slices.Clone(values)
		up[i], down[i] = f.Of(u+difference), f.Of(u-difference)
		if s.noise && i == len(values)-1 {
			sigma, sum := values[i], 0.0
			for k, n := range s.d.count {
				sum += noise[k] * 2 * sigma / n
			}
			if s.d.freedom > 0 {
				sum += -s.d.freedom/sigma + s.within()/(sigma*sigma*sigma)
			}
			out[i] = sum * (up[i] - down[i]) / (2 * difference)
			continue
		}
		after, before := try.Of(s.gram(up, s.touches[i])), try.Of(s.gram(down, s.touches[i]))
		floats.Sub(after.RawSymmetric().Data, before.RawSymmetric().Data)
		out[i] = symmetric.Trace(weight, after) / (2 * difference)
	}
	return out, nil
}

// tally counts evaluations and passes each count to a function.
type tally struct {
	count int
	tell  func(count int)
}

func (t *tally) add() {
	t.count++
	if t.tell != nil {
		t.tell(t.count)
	}
}
