package engine

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// plainSkew is the absolute skewness above which rewards count as skewed, a common rule of thumb.
const plainSkew = 1

// fewestSkewed is the smallest number of rewards for which skewness is estimated.
const fewestSkewed = 8

// SkewWarning returns a warning about the arm with the most skewed rewards; nil if none is skewed, or if skewness does no harm.
// It does harm if each arm has its own unknown normal scale: a round without the rare large rewards then underestimates both mean
// and scale.
//
// rewards has the rewards of each arm. If sample is true, they are a random sample, and skewness is reported only if it is
// significant at LackLevel over all arms (D'Agostino 1970, leading term).
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
