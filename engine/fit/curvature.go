package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/symmetric"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// limits returns, for each free number, "min" or "max" if its value is at that limit, and "" otherwise.
func (s *surface) limits(values []float64) []string {
	return lists.Make(len(values), func(i int) string {
		switch least, most := s.free[i].Limits(); values[i] {
		case least:
			return "min"
		case most:
			return "max"
		}
		return ""
	})
}

// scaled returns the derivative of the log likelihood by each free number, measured on the number's scale. That is its
// logarithm if the number is logarithmic, and the number itself otherwise.
func (s *surface) scaled(g *process, values []float64) ([]float64, error) {
	slope, err := s.gradient(g, values)
	if err != nil {
		return nil, err
	}
	for i, f := range s.free {
		if share := 1 / (1 + math.Exp(-f.To(values[i]))); share > 0 && share < 1 {
			slope[i] /= share * (1 - share) * width(f.Free)
		}
	}
	return slope, nil
}

// width returns the distance between the limits of f on its scale.
func width(f kernels.Free) float64 {
	least, most := f.Limits()
	return distance(f, least, most)
}

// moved returns value moved by a distance on the scale of f, but within the limits.
func moved(f kernels.Free, value, by float64) float64 {
	least, most := f.Limits()
	if f.Logarithmic() {
		return min(max(value*math.Exp(by), least), most)
	}
	return min(max(value+by, least), most)
}

// distance returns the distance from a to b on the scale of f; it is negative if b < a.
func distance(f kernels.Free, a, b float64) float64 {
	if f.Logarithmic() {
		return math.Log(b / a)
	}
	return b - a
}

// curve is the step of the differences of the gradient: on the logarithm, or as a fraction of the distance between the
// limits.
const curve = 1e-3

// standardErrors returns the standard errors of the free numbers, on their scales: roots of the diagonal of the inverse of
// the observed information. It returns 0 for numbers at a limit and for numbers that the data do not determine.
func (s *surface) standardErrors(values []float64, limits []string) ([]float64, error) {
	out := make([]float64, len(values))
	information, inner, err := s.information(values, limits)
	if err != nil || information == nil {
		return out, err
	}
	for r, v := range variances(information) {
		out[inner[r]] = math.Sqrt(v)
	}
	return out, nil
}

// information returns the observed information, which is minus the Hessian of the log likelihood, for the numbers that are
// not at a limit. inner has the indices of these numbers. It returns nil if there are none, or if the likelihood cannot be
// computed near the values.
func (s *surface) information(values []float64, limits []string) (information *mat.SymDense, inner []int, err error) {
	inner = indices.Where(len(limits), func(i int) bool { return limits[i] == "" })
	if len(inner) == 0 {
		return nil, nil, nil
	}
	rows := mat.NewDense(len(inner), len(inner), nil)
	for r, i := range inner {
		row, err := s.hessianRow(values, i)
		if err != nil {
			if stopped(err) {
				return nil, nil, err
			}
			return nil, nil, nil
		}
		rows.SetRow(r, indices.Of(row, inner))
	}
	return symmetric.Make(len(inner), func(r, c int) float64 { return -(rows.At(r, c) + rows.At(c, r)) / 2 }), inner, nil
}

// flat bounds the eigenvalues of the information, relative to the largest: a direction with a smaller eigenvalue has no
// information. An example is two scales of one term, where only their product matters. A number is not determined if its
// component in such a direction is above `part`.
const (
	flat = 1e-7
	part = 0.05
)

// variances returns the diagonal of the inverse of the information, computed from its eigenvectors. It returns 0 for
// numbers that are not determined.
func variances(information *mat.SymDense) []float64 {
	out := make([]float64, information.SymmetricDim())
	var eigen mat.EigenSym
	if !eigen.Factorize(information, true) {
		return out
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	eigenvalues := eigen.Values(nil)
	most := eigenvalues[len(eigenvalues)-1]
	for i := range out {
		for j, v := range eigenvalues {
			share := vectors.At(i, j)
			if v > flat*most {
				out[i] += share * share / v
			} else if math.Abs(share) > part {
				out[i] = 0
				break
			}
		}
	}
	return out
}

// hessianRow returns the row of the Hessian for number i, by a central difference of the scaled gradient.
func (s *surface) hessianRow(values []float64, i int) (_ []float64, err error) {
	defer try.Caught(&err)
	f := s.free[i].Free
	step := curve
	if !f.Logarithmic() {
		step *= width(f)
	}
	var slopes [2][]float64
	var at [2]float64
	for side, by := range []float64{-step, step} {
		there := slices.Clone(values)
		there[i] = moved(f, values[i], by)
		at[side] = there[i]
		g := try.Of(s.process(there))
		slopes[side] = try.Of(s.scaled(g, there))
	}
	return lists.Make(len(values), func(j int) float64 { return (slopes[1][j] - slopes[0][j]) / distance(f, at[0], at[1]) }), nil
}
