package reference

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

var _ engine.Amender = (*uniformFB)(nil)

// Amend fixes the estimator from the counts. A round without any is made again.
func (a *uniformFB) Amend(counts []int) error {
	if engine.PullsOf(counts) > 0 {
		e, err := model.NewEstimator(a.Model, a.ridge, counts)
		if err != nil {
			return err
		}
		a.estimator = e
	}
	a.counts = counts
	return nil
}
