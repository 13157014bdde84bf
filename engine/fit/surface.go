package fit

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// surface is the log marginal likelihood as a function of the free numbers: the numbers of
// the kernel, and the noise scale where that is one.
type surface struct {
	ctx     context.Context
	d       *data
	kernel  kernels.Joint
	free    []kernels.Parameter // the kernel's, then the noise's
	touches [][]bool            // [number][term]: whether the term depends on the number
	noise   bool                // the last number is σ
	fixed   []float64           // variances of the means where the noise is not free

	dense       bool   // whether the covariance is factored as it is
	inducing    []int  // arms along which it is while they are fixed; nil: every point has its own
	evaluations *tally // of the likelihood, by all surfaces of one fit
}

// newSurface lists the free numbers. noise is nil for the problem's own.
func newSurface(ctx context.Context, d *data, k kernels.Joint, noise *kernels.Free) (*surface, error) {
	free, err := k.Free()
	if err != nil {
		return nil, err
	}
	s := &surface{ctx: ctx, d: d, kernel: k, free: free, fixed: d.known(), dense: len(d.y) <= DenseArms, evaluations: new(tally)}
	at := s.start()
	for i, f := range free {
		other := append([]float64(nil), at...)
		least, most := f.Limits()
		if other[i] = most; at[i] == most {
			other[i] = least
		}
		moved, err := k.With(other)
		if err != nil {
			return nil, err
		}
		touched := make([]bool, len(k.Terms))
		for t := range touched {
			one := kernels.Joint{Terms: k.Terms[t : t+1]}
			touched[t] = !one.Equal(kernels.Joint{Terms: moved.Terms[t : t+1]}) && !sameTerm(k.Terms[t], moved.Terms[t])
		}
		s.touches = append(s.touches, touched)
	}
	if noise != nil {
		if least, _ := noise.Limits(); !(least > 0) {
			return nil, fmt.Errorf("the noise is a free number that may be %g; it must be greater than 0", least)
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

// beside returns the surface of other data or another kernel in the same fit.
func (s *surface) beside(d *data, k kernels.Joint, noise *kernels.Free) (*surface, error) {
	other, err := newSurface(s.ctx, d, k, noise)
	if err == nil {
		other.evaluations = s.evaluations
	}
	return other, err
}

// sameTerm compares terms by what they are at their values: With writes out limits,
// which alone make no difference.
func sameTerm(a, b kernels.Term) bool {
	settled := func(t kernels.Term) kernels.Joint {
		j, _ := kernels.Joint{Terms: []kernels.Term{t}}.Settled()
		return j
	}
	return settled(a).Equal(settled(b))
}

// start returns the values that the free numbers begin with.
func (s *surface) start() []float64 {
	return lists.Map(s.free, func(f kernels.Parameter) float64 { return f.Value })
}

// variance returns the noise variances of the means at these values.
func (s *surface) variance(values []float64) []float64 {
	if s.noise {
		return s.d.common(values[len(values)-1])
	}
	return s.fixed
}

// at returns the kernel at these values.
func (s *surface) at(values []float64) (kernels.Joint, error) {
	if s.noise {
		values = values[:len(values)-1]
	}
	return s.kernel.With(values)
}

// gram returns the Gram matrix of some terms, all of them for nil.
func (s *surface) gram(k kernels.Joint, some []bool) (*mat.SymDense, error) {
	if some != nil {
		k.Terms = indices.Of(k.Terms, indices.Where(len(some), func(t int) bool { return some[t] }))
	}
	m, err := k.On(s.ctx, s.d.p.Tasks, s.d.p.Arms, s.d.p.TaskOf)
	if err != nil {
		return nil, err
	}
	return kernels.Dense(m), nil
}

// process factors the covariance at these values.
func (s *surface) process(values []float64) (*process, error) {
	if err := s.ctx.Err(); err != nil {
		return nil, err
	}
	s.evaluations.add()
	if !s.dense {
		arms := s.inducing
		if arms == nil {
			var err error
			if arms, _, err = s.induce(values, mostLost, mostInducing); err != nil {
				return nil, err
			}
		}
		return s.induced(values, arms)
	}
	k, err := s.at(values)
	if err != nil {
		return nil, err
	}
	gram, err := s.gram(k, nil)
	if err != nil {
		return nil, err
	}
	return newProcess(s.d, gram, s.variance(values))
}

// likelihood returns the log likelihood of all the data: of the means, and, where σ is free, of the
// scatter within replicates,
//
//	-½ Σ (n_i - 1) log σ² - S/(2σ²),  S the sum of squares within arms.
func (s *surface) likelihood(g *process, values []float64) float64 {
	if !s.noise || s.d.freedom == 0 {
		return g.likelihood
	}
	sigma := values[len(values)-1]
	return g.likelihood - s.d.freedom*math.Log(sigma) - s.within()/(2*sigma*sigma)
}

// silent returns what data.silent does at the optimum.
func (s *surface) silent(best optimum, variance []float64) (sum float64, count int, err error) {
	if low := best.process.low; low != nil {
		return low.silentMany(s.ctx, s.d, variance)
	}
	k, err := s.at(best.values)
	if err != nil {
		return 0, 0, err
	}
	gram, err := s.gram(k, nil)
	if err != nil {
		return 0, 0, err
	}
	return s.d.silent(s.ctx, gram, variance)
}

func (s *surface) within() float64 {
	return lists.Total(s.d.squares)
}

// difference is the step of the central differences of the covariance, on the scale of
// Free.To. Its error, about step²/6 of a third derivative and 1e-16/step of a value, is
// 1e-9 of the entries; where a number is a factor, rounding alone.
const difference = 1e-4

// gradient returns the derivative of the likelihood by u = Free.To of each number. The formula is
// exact, and so is its covariance's change up to the differences.
func (s *surface) gradient(g *process, values []float64) ([]float64, error) {
	if g.low != nil {
		return s.inducedGradient(g, values)
	}
	noise := func(sigma float64) float64 {
		inverse, sum := g.projected(), 0.0
		for i, n := range s.d.count {
			a := g.alpha.AtVec(i)
			sum += (a*a - inverse.At(i, i)) * sigma / n
		}
		return sum
	}
	return s.eachSlope(values, noise, func(i int, up, down float64) (float64, error) {
		change, err := s.change(values, i, up, down)
		if err != nil {
			return 0, err
		}
		change.ScaleSym(1/(2*difference), change)
		return g.slope(change), nil
	})
}

// eachSlope returns the derivative of the likelihood by u = Free.To of each number: of σ from the
// derivative of the means' likelihood by it, of a number of the kernel from its values to both sides
// of u.
func (s *surface) eachSlope(values []float64, noise func(sigma float64) float64,
	kernel func(i int, up, down float64) (float64, error)) ([]float64, error) {
	out := make([]float64, len(values))
	for i, f := range s.free {
		u := f.To(values[i])
		if math.IsInf(u, 0) {
			continue // at a limit the map is flat
		}
		up, down := f.Of(u+difference), f.Of(u-difference)
		if s.noise && i == len(values)-1 {
			sigma := values[i]
			sum := noise(sigma)
			if s.d.freedom > 0 {
				sum += -s.d.freedom/sigma + s.within()/(sigma*sigma*sigma)
			}
			out[i] = sum * (up - down) / (2 * difference)
			continue
		}
		var err error
		if out[i], err = kernel(i, up, down); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// change returns the difference of the Gram matrices with number i up and down.
func (s *surface) change(values []float64, i int, up, down float64) (*mat.SymDense, error) {
	var grams [2]*mat.SymDense
	for side, v := range []float64{up, down} {
		moved := append([]float64(nil), values...)
		moved[i] = v
		k, err := s.at(moved)
		if err != nil {
			return nil, err
		}
		if grams[side], err = s.gram(k, s.touches[i]); err != nil {
			return nil, err
		}
	}
	a, b := grams[0].RawSymmetric().Data, grams[1].RawSymmetric().Data
	for k := range a {
		a[k] -= b[k]
	}
	return grams[0], nil
}

// tally counts, and tells it.
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
