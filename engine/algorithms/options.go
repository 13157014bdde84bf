package algorithms

import "github.com/gonb-cope/gonb-cope/engine"

// options says which algorithms go by an option of engine.Options, by its name in the language. An
// option that is not listed is one of every algorithm.
var options = map[string]func(Entry) bool{
	"schedule": func(e Entry) bool { return e.Scheduled },
	"xi":       func(e Entry) bool { return e.Regression == RegressionRidge || e.Prior },
	"gap":      func(e Entry) bool { return e.Mode == engine.ModeFC && e.Regression == RegressionRidge },
	// features that were cut need the norm under least squares, too
	"norm": func(e Entry) bool {
		return e.Regression == RegressionRidge || e.Regression == RegressionLeastSquares
	},
	"law":    func(e Entry) bool { return e.Mode == engine.ModeFC && e.Backing == BackingNormal },
	"level":  believes,
	"scale":  believes,
	"misfit": allowsMisfit,
	"robust": allowsMisfit,
}

// allowsMisfit reports whether the test allows for rewards that the kernel cannot represent. Sample
// means need no such allowance.
func allowsMisfit(e Entry) bool {
	return e.Mode == engine.ModeFC && e.Backing == BackingNormal && e.Regression == RegressionLeastSquares
}

// believes reports whether the answers can go by a posterior, which has a prior with these options.
func believes(e Entry) bool {
	return e.Believes(engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeGP}})
}

// Has reports whether the algorithm goes by an option, named as in the language.
func (e Entry) Has(option string) bool {
	has, listed := options[option]
	return !listed || has(e)
}

// HasNumber reports whether the algorithm goes by a number for an option that it has. One that
// chooses between two estimators by xi takes no number.
func (e Entry) HasNumber(option string) bool {
	return e.Has(option) && !(option == "xi" && e.Prior)
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
