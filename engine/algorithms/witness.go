package algorithms

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// witnessed reports whether a function within the bound on the norm is negligibly far from the expected
// rewards (model.Model.Witness), as the mean of the runs' samples has it, or the bound comes from such a
// function and allows for its distance.
func (b Basis) witnessed(m *model.Model) bool {
	_, found := b.witness(m)
	return found
}

// witness returns what the distance of that function costs of δ, too.
func (b Basis) witness(m *model.Model) (cost float64, found bool) {
	if !b.regularised(m) {
		return 0, false
	}
	if b.Options.Norm == 0 {
		return 0, b.smooth(m)
	}
	samples := 0.0
	if b.drawn() {
		samples = b.Result.SamplesPerAgent.Mean * float64(b.Model.Problem.V())
	}
	return m.Witness(b.Options, samples)
}

// smooth reports whether the algorithm, without a stated norm, goes by a function that is near to the
// expected rewards, and allows for its distance.
func (b Basis) smooth(m *model.Model) bool {
	if _, bounded := b.Algorithm.BoundOf(m, b.Options); !bounded || b.Result.Schedule == engine.SchedulePaper {
		return false
	}
	price := model.PriceOfWidths
	if b.Algorithm.tests() {
		price = model.PriceOfWalks
	}
	_, found, err := m.Smooth(b.Options, price)
	return err == nil && found
}

// tests reports whether the algorithm is CoTestFC or one of its kind, with or without a bound on the norm.
func (e Entry) tests() bool {
	return e.Mode == engine.ModeFC && e.Backing == BackingNormal && e.Regression == RegressionLeastSquares
}

// BoundOf returns the bound on the norm by which the algorithm goes on a model, if it goes by one: CoTestFC
// where one is stated or its kernel has too many dimensions for least squares, eliminations among very
// many arms. An error in place of it counts as a bound, since the kernel is not used without.
func (e Entry) BoundOf(m *model.Model, opt engine.Options) (b model.Bound, bounded bool) {
	switch {
	case e.tests():
		of, is, err := cotest.BoundOf(m, opt)
		return of.Bound, is || err != nil
	case e.Regression == RegressionRidge && m.Many():
		b, _ = m.Bounded(opt, model.PriceOfWidths)
		return b, true
	}
	return b, false
}

// delta returns the error probability that is proven: δ, and what expected rewards cost that are near to
// a function within the stated norm.
func (b Basis) delta() float64 {
	cost := 0.0
	if b.Truth != nil && b.Result.Mode == engine.ModeFC {
		for _, m := range b.relied() {
			if c, found := b.witness(m); found {
				cost = max(cost, c)
			}
		}
	}
	return b.Result.Delta + cost
}
