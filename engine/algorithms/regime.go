package algorithms

import (
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Regime names the form that the computation had on the problem, as model.Regimes has it; "" of algorithms that the catalogue does not
// have.
func (b Basis) Regime() string {
	e, m := b.Algorithm, b.Model
	if _, err := Named(e.Mode, e.Name); err != nil {
		return ""
	}
	_, bounded := e.BoundOf(m, b.Options)
	switch {
	case e.tests():
		return b.formOfTest()
	case e.Regression == RegressionMeans:
		return model.RegimeMeans
	case e.Believes(b.Options):
		return b.formOfPosterior()
	case bounded:
		return model.RegimeNorm
	case m.Cut():
		return model.RegimeCut
	}
	return model.RegimeExact
}

// formOfPosterior names the form of a posterior.
func (b Basis) formOfPosterior() string {
	m, pulled := b.Model, b.Model.Designs().Dual() || b.Algorithm.Default || b.untested()
	switch {
	case m.Problem.Block != nil && b.Algorithm.Mode == engine.ModeFC:
		return model.RegimePosteriorBlocks
	case b.untested() && b.Algorithm.Default && b.Options.LearnsKernel(m.Problem):
		if m.Problem.N() > model.MostLearned {
			return model.RegimeLearnedMany
		}
		return model.RegimeLearned
	case (pulled || b.Algorithm.Regression == RegressionPosterior) && m.Relations().Unrelated():
		return model.RegimeFormula
	case pulled:
		return model.RegimePulled
	}
	return model.RegimeFeatures
}

// formOfTest names the form of a test. Where agents test alone it names theirs behind it.
func (b Basis) formOfTest() string {
	regime := cotest.RegimeOf(b.Model, b.Options)
	if b.Algorithm.Shares && regime != model.RegimeAlone {
		return regime
	}
	alone, err := b.Model.Alone()
	if err != nil || regime == model.RegimeBlocks {
		return regime
	}
	var forms []string
	for _, m := range alone {
		form := strings.Replace(cotest.RegimeOf(m, b.Options), model.RegimeTogether, "least squares", 1)
		if !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	return model.RegimeAlone + ": " + strings.Join(forms, " or ")
}
