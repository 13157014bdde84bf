package plan

import (
	"context"
	"math/rand/v2"

	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Supposed returns the problem with these expected rewards, N of them, and normal noise of the
// problem's scales: reward laws with bounds or measured rewards do not fit rewards that are assumed.
func Supposed(p *problem.Problem, mean []float64) *problem.Problem { return supposed(p, mean) }

// LeastFavourable returns n problems with the hardest rewards that the kernel can represent in which
// the best arm of every task leads by gap, reward units; see leastFavourable. unit is as in
// engine.Options.
func LeastFavourable(ctx context.Context, p *problem.Problem, gap, unit float64, n int) ([]*problem.Problem, error) {
	m, err := model.NewContext(ctx, p, unit)
	if err != nil {
		return nil, err
	}
	if m, err = m.Exact(); err != nil {
		return nil, err
	}
	var out []*problem.Problem
	for d := range n {
		mean, err := leastFavourable(m, gap, rand.New(rand.NewPCG(1, uint64(d))))
		if err != nil {
			return nil, err
		}
		out = append(out, supposed(p, mean))
	}
	return out, nil
}
