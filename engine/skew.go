package engine

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// plainSkew is the absolute skewness from which rewards are called skewed, as in the usual rule of thumb.
const plainSkew = 1

// fewestSkewed is how many rewards of an arm its skewness is judged by.
const fewestSkewed = 8

// SkewWarning reports the arm whose rewards are plainly skewed, the most skewed one; nil where none is, and where
// skewness does no harm. Student's law with a scale for each arm errs on skewed rewards: a round that lacks the rare
// large rewards has too small a mean and too small a scale at once.
//
// Rewards are those of each arm. Where they are a sample, a skewness that normal rewards have by chance with a
// probability of LackLevel or more, over all arms together, is not reported (D'Agostino 1970, by its leading term).
func SkewWarning(p *problem.Problem, opt Options, rewards [][]float64, sample bool) *Warning {
	if p.Noise.UnknownBy != problem.UnknownArm || opt.LawFor(p) != LawNormal || p.Block != nil {
		return nil
	}
	worst, most := -1, 0.0
	for i, values := range rewards {
		n := float64(len(values))
		if n < fewestSkewed {
			continue
		}
		g := stat.Skew(values, nil)
		chance := 2 * distuv.UnitNormal.Survival(math.Abs(g)*math.Sqrt(n/6)) * float64(len(rewards))
		if math.Abs(g) > max(plainSkew, math.Abs(most)) && !(sample && chance > LackLevel) {
			worst, most = i, g
		}
	}
	if worst < 0 {
		return nil
	}
	return &Warning{Kind: WarnSkewed, Names: p.NamesOf(worst), Numbers: []float64{p.Turned(most)}}
}
