package belief

import (
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/lapack/lapack64"
	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/cores"
)

// moved returns numbers with one of them a gradient step further.
func moved(u []float64, j int) []float64 {
	p := slices.Clone(u)
	p[j] += gradientStep
	return p
}

// slope fills in the derivatives of log evidence plus log prior at u; 0 where there is none.
func (s *search) slope(grad, u []float64) {
	of := s.differences
	if s.wins == nil {
		of = s.adjoint
	}
	if of(grad, u) != nil {
		clear(grad)
	}
}

// differences is slope by differences of the evidence.
func (s *search) differences(grad, u []float64) error {
	places := [][]float64{u}
	for j := range u {
		places = append(places, moved(u, j))
	}
	v, err := s.scores(places)
	for j := range grad {
		grad[j] = (v[j+1] - v[0]) / gradientStep
	}
	return err
}

// adjoint is slope for normal rewards. With α = Σ⁻¹(y - Hβ) and P = Σ⁻¹ - Σ⁻¹H N⁻¹HᵀΣ⁻¹ (see chosen.normal), the evidence
// changes with the covariance by
//
//	d log p = ½ (αᵀ dΣ α - tr P dΣ)  [RW06, eq. 5.9],
//
// and dΣ is a difference of kernels, which costs less than an evidence. The numbers that the kernel does not have, noise
// and blocks, take differences of the evidence.
func (s *search) adjoint(grad, u []float64) error {
	gram, err := s.gram(s.ctx, u)
	if err != nil {
		return err
	}
	at := func(u []float64) (*normal, error) {
		copied := mat.NewSymDense(len(s.y), nil)
		copied.CopySym(gram)
		return s.normal(copied, s.value(u, "noise", 1), s.value(u, "blocks", 0))
	}
	x, err := at(u)
	if err != nil {
		return err
	}
	weight, err := x.weight()
	if err != nil {
		return err
	}
	failed := make([]error, len(u))
	err = cores.Do(s.ctx, len(u), 1, func(from, to int) {
		for j := from; j < to; j++ {
			number, step := s.numbers[j], moved(u, j)
			rise := 0.0
			if number.name == noiseNumber || number.name == blocksNumber {
				var y *normal
				if y, failed[j] = at(step); failed[j] == nil {
					rise = y.log - x.log
				}
			} else {
				var other *mat.SymDense
				if other, failed[j] = s.gram(s.ctx, step); failed[j] == nil {
					rise = along(weight, gram, other)
				}
			}
			grad[j] = rise/gradientStep - (u[j]-number.mean)/(number.sd*number.sd)
		}
	})
	for _, e := range failed {
		if err == nil {
			err = e
		}
	}
	return err
}

// weight returns ½ (ααᵀ - P).
func (x *normal) weight() (*mat.SymDense, error) {
	h, scaled, alpha, err := x.back()
	if err != nil {
		return nil, err
	}
	inverse, ok := lapack64.Potri(x.upper)
	if !ok {
		return nil, errSingular
	}
	var corrected mat.Dense
	corrected.Mul(h, scaled)
	n := len(alpha)
	out := mat.NewSymDense(n, nil)
	data := out.RawSymmetric().Data
	for i := range n {
		row := data[i*n : (i+1)*n]
		floats.AddScaledTo(row[i:], corrected.RawRowView(i)[i:], -1, inverse.Data[i*inverse.Stride+i:i*inverse.Stride+n])
		floats.AddScaled(row[i:], alpha[i], alpha[i:])
		floats.Scale(0.5, row[i:])
	}
	return out, nil
}

// along returns tr w (b - a) of symmetric matrices; b is overwritten.
func along(w, a, b *mat.SymDense) float64 {
	n, sum := w.SymmetricDim(), 0.0
	for i := range n {
		row := func(m *mat.SymDense) []float64 { return m.RawSymmetric().Data[i*n+i : (i+1)*n] }
		change := row(b)
		floats.Sub(change, row(a))
		sum += 2*floats.Dot(row(w), change) - row(w)[0]*change[0]
	}
	return sum
}
