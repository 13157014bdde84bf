package cotest

import (
	"fmt"
	"math"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/model"
)

// Bound is a bound on the norm of the reward function.
type Bound struct {
	model.Bound      // S > 0, and η
	Known       bool // whether it comes from expected rewards that are known, and nobody stated it
}

// fewLeastSquares is model.MostLeastSquares for many arms with a norm, where counting more takes longer than a round.
const fewLeastSquares = 64

// mostDeviation is the largest standard deviation of rewards under the norm, over unit, that squares are
// computed of, and one over the smallest.
const mostDeviation = 1e60

// sharply is how many times the dimensions that show all arms to a hundredth of the kernel's variance a
// kernel has at most where it ends sharply: then a norm says little that the rank does not.
const sharply = 1.25

// BoundOf returns the bound on the norm that CoTestFC goes by with these options, or none: then it goes
// by least squares. These it goes by where the kernel has few dimensions on the arms and nobody stated a
// norm, and where it has few of which all matter, as a linear one has: a norm would cost samples. Where
// only each task by itself has few, and nobody stated a norm, each agent goes by them alone. It is an
// error where a task has too many dimensions for least squares, and nothing bounds the norm.
func BoundOf(m *model.Model, opt engine.Options) (b Bound, bounded bool, err error) {
	if opt.Robust {
		return b, false, nil
	}
	stated := opt.Norm > 0 && opt.Norm <= mostDeviation/math.Sqrt(m.Diagonal) // or it says nothing
	most := model.MostLeastSquares
	if stated && m.Problem.N() > model.MostLeastSquares {
		most = fewLeastSquares
	}
	few, err := m.RankAtMost(most)
	if err != nil || few && !stated {
		return b, false, err
	}
	if few {
		// shown to a hundredth of the variance, or by a larger norm to what one pull tells
		shown := min(firstRest*m.Diagonal, 1/(opt.Norm*opt.Norm))
		coarse, err := m.Pivots(most, shown/m.Scale)
		if err != nil {
			return b, false, err
		}
		if sharp, err := m.RankAtMost(int(sharply * float64(len(coarse)))); sharp || err != nil {
			return b, false, err
		}
	}
	if !stated && m.Problem.N() <= model.MaxRank && m.Unrelated() { // each arm by itself, at any number of them
		return b, false, nil
	}
	if stated {
		return Bound{Bound: model.Bound{Norm: max(opt.Norm, 1/(mostDeviation*math.Sqrt(m.Diagonal))), Misfit: opt.Misfit / m.Unit}}, true, nil
	}
	if m.Problem.V() > 1 {
		if few, err := eachHasFew(m); few || err != nil {
			return b, false, err // each alone, see NewCoTestFC
		}
	}
	known, err := m.Bounded(opt, model.PriceOfWalks)
	if err != nil {
		return b, false, fmt.Errorf("the kernel tells more than %d directions of these %d arms apart, too many for least squares; give norm, a bound on the norm of the reward function (in units of the noise; reward_norm is the same in reward units), or choose CoBayesFC: %w", model.MostLeastSquares, m.Problem.N(), err)
	}
	return Bound{Bound: known, Known: true}, known.Norm > 0, nil
}

// eachHasFew reports whether least squares suit each task by itself.
func eachHasFew(m *model.Model) (bool, error) {
	alone, err := m.Alone()
	if err != nil {
		return false, err
	}
	for _, sub := range alone {
		if few, err := sub.RankAtMost(model.MostLeastSquares); !few || err != nil {
			return false, err
		}
	}
	return true, nil
}
