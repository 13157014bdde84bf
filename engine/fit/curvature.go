package fit

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// atLimit names the limit that a value is at.
func atLimit(f kernels.Free, value float64) string {
	least, most := f.Limits()
	switch value {
	case least:
		return "min"
	case most:
		return "max"
	}
	return ""
}

// scaled returns the derivative of the likelihood by each number on its scale: by its logarithm, or
// by the number as a share of the way between its limits.
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

// width returns the way between the limits on the number's scale.
func width(f kernels.Free) float64 {
	least, most := f.Limits()
	if f.Logarithmic() {
		return math.Log(most / least)
	}
	return most - least
}

// moved returns a value moved on its scale, within the limits.
func moved(f kernels.Free, value, by float64) float64 {
	least, most := f.Limits()
	if f.Logarithmic() {
		return min(max(value*math.Exp(by), least), most)
	}
	return min(max(value+by, least), most)
}

// distance returns the distance of b from a on the number's scale.
func distance(f kernels.Free, a, b float64) float64 {
	if f.Logarithmic() {
		return math.Log(b / a)
	}
	return b - a
}

// curve is the step of the differences of the gradient, as a share of 1 or of the way
// between the limits.
const curve = 1e-3

// standardErrors returns the roots of the diagonal of the inverse of minus the Hessian, the
// observed information, over the numbers that are not at a limit; 0 for those that are, and for
// those that the data do not determine.
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

// information returns minus the Hessian over the numbers that are not at a limit, and which these are; nil
// where there are none, or where the likelihood cannot be computed near them.
func (s *surface) information(values []float64, limits []string) (information *mat.SymDense, inner []int, err error) {
	for i, l := range limits {
		if l == "" {
			inner = append(inner, i)
		}
	}
	if len(inner) == 0 {
		return nil, nil, nil
	}
	if !s.dense {
		if err := s.fix(values); err != nil {
			return nil, nil, err
		}
		defer func() { s.inducing = nil }()
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
		for c, j := range inner {
			rows.Set(r, c, row[j])
		}
	}
	information = mat.NewSymDense(len(inner), nil)
	for r := range inner {
		for c := r; c < len(inner); c++ {
			information.SetSym(r, c, -(rows.At(r, c)+rows.At(c, r))/2)
		}
	}
	return information, inner, nil
}

// Directions with less information than flat of the most have none: two scales of one
// term, of which only the product counts, are left with rounding. A number with more
// than part of such a direction in it is not determined.
const (
	flat = 1e-7
	part = 0.05
)

// variances returns the diagonal of the inverse of the information, by its eigenvectors; 0 for
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

// hessianRow returns the change of the scaled gradient along one number.
func (s *surface) hessianRow(values []float64, i int) ([]float64, error) {
	f := s.free[i].Free
	step := curve
	if !f.Logarithmic() {
		step *= width(f)
	}
	var slopes [2][]float64
	var at [2]float64
	for side, by := range []float64{-step, step} {
		there := append([]float64(nil), values...)
		there[i] = moved(f, values[i], by)
		at[side] = there[i]
		g, err := s.process(there)
		if err != nil {
			return nil, err
		}
		if slopes[side], err = s.scaled(g, there); err != nil {
			return nil, err
		}
	}
	row := make([]float64, len(values))
	for j := range row {
		row[j] = (slopes[1][j] - slopes[0][j]) / distance(f, at[0], at[1])
	}
	return row, nil
}
