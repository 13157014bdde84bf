package belief

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// costNoise is the assumed standard deviation of the noise of log costs, relative to their spread. It is positive because
// costs may follow a rule exactly, and a kernel without noise would then be singular.
const costNoise = 0.05

// WithCosts returns the problem with predictions for the costs that are missing in the data: exp of the posterior mean of
// the log cost. It leaves out arms whose measurements have all failed: a failed measurement often ends early. It returns p
// unchanged if no cost is missing, or if the other known costs do not distinguish arms.
func WithCosts(ctx context.Context, p *problem.Problem) (*problem.Problem, error) {
	if p.CostPredicted == nil {
		return p, nil
	}
	known := lists.Make(p.N(), func(i int) float64 {
		if p.CostPredicted[i] || p.OnlyFailed(i) {
			return math.NaN()
		}
		return math.Log(p.Cost[i])
	})
	spread := stat.StdDev(lists.Where(known, func(v float64) bool { return !math.IsNaN(v) }), nil)
	if !(spread > 0) { // all known costs are equal, or there is only one
		return p, nil
	}
	b, err := Of(ctx, p.Measuring(known, costNoise*spread).WithKernel(kernels.Joint{}), Options{})
	var u *Undetermined
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.As(err, &u):
		return p, nil
	case err != nil:
		return nil, err
	}
	q := *p
	q.Cost = slices.Clone(p.Cost)
	for i, predicted := range p.CostPredicted {
		if predicted {
			q.Cost[i] = math.Exp(stat.Mean(mat.Col(nil, i, b.Draws), nil))
		}
	}
	return &q, nil
}
