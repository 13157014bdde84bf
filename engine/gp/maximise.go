package gp

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/optimize"
)

// Maximise maximises a function from a start by BFGS [NW06, alg. 6.1], for example the evidence by hyperparameters [RW06,
// sec. 5.4.1]. `at` returns the value at x and a function that computes the gradient, so that the two can share a
// factorization. An error of at means that there is no value at x. Maximise returns the best point of the search, also if
// a line search cannot continue. It returns an error if the context ends.
//
// [NW06]: J. Nocedal, S. J. Wright, Numerical Optimization, Springer, 2006.
func Maximise(
	ctx context.Context, from []float64, settings *optimize.Settings, at func(x []float64) (float64, func(grad []float64) error, error),
) ([]float64, error) {
	var last []float64
	var value float64
	var slope func(grad []float64) error
	locate := func(x []float64) {
		if last != nil && slices.Equal(x, last) {
			return
		}
		last = slices.Clone(x)
		var err error
		if value, slope, err = at(x); err != nil {
			value, slope = math.Inf(-1), func([]float64) error { return err }
		}
	}
	problem := optimize.Problem{
		Func: func(x []float64) float64 {
			locate(x)
			return -value
		},
		Grad: func(grad, x []float64) {
			locate(x)
			if slope(grad) != nil {
				clear(grad)
			}
			floats.Scale(-1, grad)
		},
		Status: func() (optimize.Status, error) { return optimize.NotTerminated, ctx.Err() },
	}
	result, _ := optimize.Minimize(problem, from, settings, &optimize.BFGS{})
	if result == nil {
		return from, ctx.Err()
	}
	return result.X, ctx.Err()
}
