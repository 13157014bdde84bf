package bounds

import (
	"context"

	"github.com/gonb-cope/gonb-cope/engine/design"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

const (
	// wholeArms is the number of arms up to which an information gain comes from a design on all of
	// them; with more it is so up to wholeWork products, where the rank of the kernel is known to be small.
	wholeArms = 400
	wholeWork = 2e8
)

// information returns the allocation of largest information gain, under ξ > 0 in the kernel's units: a
// design on all arms, to a relative gap of tolerance, or the search for very many.
func information(ctx context.Context, m *model.Model, ridge, tolerance float64) (gained, error) {
	n := m.Problem.N()
	if rank, known := m.LeastRank(); n > wholeArms && !(known && float64(n)*float64(rank)*float64(rank) <= wholeWork) {
		return gainOf(ctx, m, ridge)
	}
	exact, err := m.Exact()
	if err != nil {
		return gained{}, err
	}
	d, err := design.InformationGain(exact.Space(ridge), exact.Solver(tolerance))
	if err != nil {
		return gained{}, err
	}
	return gained{weights: d.Weights, value: d.Value, upper: d.Upper}, nil
}
