package cotest

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Bound is a bound on the norm of the reward function.
type Bound struct {
	Norm  float64 // S > 0, normalised, in units of the kernel
	Known bool    // whether it is the norm of expected rewards that are known, and nobody stated it
}

// mostLeastSquares is the largest rank of a kernel on the arms up to which least squares are used where
// nobody stated a norm: a design takes seconds there.
const mostLeastSquares = 256

// mostDeviation is the largest standard deviation of rewards under the norm, over unit, that squares are
// computed of, and one over the smallest.
const mostDeviation = 1e60

// BoundOf returns the bound on the norm that CoTestFC goes by with these options, or none: then it goes
// by least squares. It is an error where the kernel has too many dimensions for least squares, and
// nothing bounds the norm.
func BoundOf(m *model.Model, opt engine.Options) (b Bound, bounded bool, err error) {
	switch {
	case opt.Robust:
		return b, false, nil
	case opt.Norm > mostDeviation/math.Sqrt(m.Diagonal): // says nothing
	case opt.Norm > 0:
		return Bound{Norm: max(opt.Norm, 1/(mostDeviation*math.Sqrt(m.Diagonal)))}, true, nil
	}
	few, err := m.RankAtMost(mostLeastSquares)
	if few || err != nil {
		return b, false, err
	}
	norm, err := m.Norm()
	if err != nil {
		return b, false, fmt.Errorf("the kernel tells more than %d directions of these %d arms apart, too many for least squares; give norm, a bound on the norm of the reward function, or choose CoBayesFC: %w", mostLeastSquares, m.Problem.N(), err)
	}
	return Bound{Norm: norm, Known: true}, norm > 0, nil
}
