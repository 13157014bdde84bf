package cotest

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// form names a mode of CoTestFC; formOf chooses it for a problem.
type form int

const (
	formTogether  form = iota // all tasks together by least squares
	formAlone                 // each agent alone, because the ranks of the tasks add up
	formAloneMany             // each agent alone, because all tasks together have too many dimensions for least squares
	formMeans                 // each arm by its own mean
	formNorm                  // ridge estimates under a bound on the norm
	formBlocks                // differences within blocks
)

// A mode combines an estimator of gaps with a planner of pulls:
//
//	mode       estimator    planner
//	together   features     minimaxPlanner
//	alone      of one task  of one task, by each agent at δ/V
//	means      ownMeans     apartPlanner
//	norm       normBets     localDesign
//	blocks     inBlocks     blockPlanner
//
// The distribution of the rewards (Options.Law) determines the statistic (coTest.statistic, within.score) and its
// boundary (decisions.boundary):
//
//	law                      statistic          boundary
//	normal, scales known     scaled             sequential.Heights
//	normal, scales unknown   scaled, Student's  sequential.Heights
//	sub-Gaussian             scaled             sequential.Mixture
//	bounded                  capital            1/α
//	symmetric, in blocks     sequential.Fair    1/α
type mode struct {
	regime string // name of the mode in results
	make   func(m *model.Model, opt model.Terms, b Bound) (engine.Algorithm, error)
}

// modes has one mode per form. init fills it because an initialiser would refer to itself: newAlone chooses a mode for
// each task.
var modes [formBlocks + 1]mode

func init() {
	modes = [...]mode{
		formTogether: {model.RegimeTogether, func(m *model.Model, opt model.Terms, _ Bound) (engine.Algorithm, error) {
			return newCoTest(m, opt, minimaxPlanner{})
		}},
		formAlone: {model.RegimeAlone, func(m *model.Model, opt model.Terms, _ Bound) (engine.Algorithm, error) {
			return newAlone(m, opt, engine.Warning{Kind: engine.WarnTestsAlone, Names: byNorm(opt), Numbers: []float64{float64(m.Rank())}})
		}},
		formAloneMany: {model.RegimeAlone, func(m *model.Model, opt model.Terms, _ Bound) (engine.Algorithm, error) {
			numbers := []float64{model.MostLeastSquares, float64(m.Problem.N())}
			return newAlone(m, opt, engine.Warning{Kind: engine.WarnTestsAloneMany, Names: byNorm(opt), Numbers: numbers})
		}},
		formMeans: {model.RegimeMeans, func(m *model.Model, opt model.Terms, _ Bound) (engine.Algorithm, error) { return newApart(m, opt) }},
		formNorm:  {model.RegimeNorm, func(m *model.Model, opt model.Terms, b Bound) (engine.Algorithm, error) { return newNormed(m, opt, b) }},
		formBlocks: {model.RegimeBlocks, func(m *model.Model, opt model.Terms, _ Bound) (engine.Algorithm, error) {
			return newSideBySide(m, opt)
		}},
	}
}

// byNorm returns what a warning advises about the norm to a user whose agents or arms did not share.
func byNorm(opt model.Terms) []string {
	if opt.Norm > 0 {
		return []string{fmt.Sprintf("state a smaller norm= if one holds (norm=%.3g saves nothing here)", opt.Norm)}
	}
	return []string{"state norm="}
}
