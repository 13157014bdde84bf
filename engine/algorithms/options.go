package algorithms

import "github.com/gonb-cope/gonb-cope/engine"

// Which algorithms go by which options of engine.Options, as far as not all do: by Scheduled, Prior, and these.

// TakesRidge reports whether the algorithm goes by Options.Ridge. One with Prior chooses between two
// estimators by its kind, and takes no value.
func (e Entry) TakesRidge() bool { return e.Regression == RegressionRidge || e.Prior }

// TakesTotal reports whether the algorithm goes by Options.Total and Options.Rounds.
func (e Entry) TakesTotal() bool { return e.Mode == engine.ModeFB && e.Prior }

// TakesGap reports whether the algorithm goes by Options.Gap.
func (e Entry) TakesGap() bool { return e.Mode == engine.ModeFC && e.Regression == RegressionRidge }

// TakesNorm reports whether the algorithm goes by Options.Norm: features that were cut need the norm
// under least squares, too.
func (e Entry) TakesNorm() bool {
	return e.Regression == RegressionRidge || e.Regression == RegressionLeastSquares
}

// TakesLaw reports whether the algorithm goes by Options.Law.
func (e Entry) TakesLaw() bool { return e.Mode == engine.ModeFC && e.Backing == BackingNormal }

// TakesMisfit reports whether the test allows for rewards that the kernel cannot represent, by
// Options.Misfit and Options.Robust. Sample means need no such allowance.
func (e Entry) TakesMisfit() bool { return e.TakesLaw() && e.Regression == RegressionLeastSquares }

// CanBelieve reports whether the answers can go by a posterior, whose prior has Options.Level and
// Options.Scale.
func (e Entry) CanBelieve() bool {
	return e.Believes(engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeGP}})
}

// Having returns the names of the algorithms of a mode for which has holds, in the order of All.
func Having(mode string, has func(Entry) bool) []string {
	var out []string
	for _, e := range algorithms {
		if e.Mode == mode && has(e) {
			out = append(out, e.Name)
		}
	}
	return out
}
