package model

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
)

// keptUntil is how many times the pulls of a fit the data may have before scale and part are fitted again.
const keptUntil = 1.1

// ContinuedPosterior works like FurtherPosterior where the posterior before is of part of these data. In
// more than mostDecomposed features of at most mostOwn arms it keeps the scale and the part of arms by
// themselves that were fitted, until there are a tenth more pulls than then: a fit compares several matrices,
// and a campaign of small rounds has a hundred of them. Means and covariances are of all data.
func ContinuedPosterior(m *Model, prior Prior, before *Posterior, counts []int, means []float64) (*Posterior, error) {
	pulls := engine.PullsOf(counts)
	if before == nil || m.Problem.N() > mostOwn || !prior.FitsOwn() || float64(pulls) > keptUntil*float64(before.fittedTo) {
		return FurtherPosterior(m, prior, before, counts, means)
	}
	if _, dim := m.Features.Dims(); dim <= mostDecomposed || !slices.ContainsFunc(counts, func(c int) bool { return c > 0 }) {
		return FurtherPosterior(m, prior, before, counts, means)
	}
	d := newMeans(m, prior.Level, true, counts, means)
	if err := d.room(); err != nil {
		return nil, err
	}
	p, err := d.posterior(d.around(before.Own/(m.Unit*m.Unit), before.Scale*d.natural()))
	if err != nil {
		return nil, fmt.Errorf("the information matrix: %w", err)
	}
	p.fittedTo = before.fittedTo
	return p, m.Context().Err()
}
