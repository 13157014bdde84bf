package cotest

import (
	"fmt"
	"math"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/individual"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Bound is a bound on the norm of the reward function.
type Bound struct {
	model.Bound      // S > 0, and η
	Known       bool // whether it comes from known expected rewards instead of a stated norm
}

// fewLeastSquares is model.MostLeastSquares for many arms with a norm, where counting more takes longer than a round.
const fewLeastSquares = 64

// mostDeviation is the largest standard deviation of rewards under the norm, over unit, that squares are
// computed of, and one over the smallest.
const mostDeviation = 1e60

// sharply is the largest ratio of the rank to the dimensions that show all arms to a hundredth of the kernel's variance, for a kernel
// whose spectrum ends sharply: then a norm adds little to the rank.
const sharply = 1.25

// BoundOf returns the bound on the norm that CoTestFC uses with these options, or none.
func BoundOf(m *model.Model, opt model.Terms) (b Bound, bounded bool, err error) {
	f, b, err := formOf(m, opt)
	return b, f == formNorm, err
}

// RegimeOf returns the name of the form of CoTestFC on a model, "" if it has none.
func RegimeOf(m *model.Model, opt model.Terms) string {
	f, _, err := formOf(m, opt)
	if err != nil {
		return ""
	}
	return modes[f].regime
}

// ByMeans reports whether CoTestFC compares arms by their own means and uses nothing of the kernel.
func ByMeans(m *model.Model, opt model.Terms) bool {
	f, _, err := formOf(m, opt)
	return err == nil && f == formMeans
}

// TestsAlone reports whether each agent runs by itself because all tasks together have too many directions.
func TestsAlone(m *model.Model, opt model.Terms) bool {
	f, _, err := formOf(m, opt)
	return err == nil && f == formAloneMany
}

// formOf returns the form, and of formNorm the bound. A norm that is stated it uses, but where the kernel has few
// dimensions that all matter, as a linear one has: it would cost samples there. Without one it uses least squares
// where the kernel has few dimensions on all arms, by each agent alone if the ranks of tasks add up and they share no
// unknown scale, or few on the arms of each task; but the arms' own means where there are nearly as many dimensions as arms.
// If the rank is higher, it uses the norm of known rewards if that saves pulls, and otherwise the arms' own means.
func formOf(m *model.Model, opt model.Terms) (f form, b Bound, err error) {
	defer try.Caught(&err)
	if m.Problem.Block != nil {
		return formBlocks, b, nil
	}
	stated := opt.Norm > 0 && opt.Norm <= mostDeviation/math.Sqrt(m.Diagonal) // or it says nothing
	if stated && !endsSharply(m, opt) {
		if f, idle := idleNorm(m, opt); idle {
			return f, b, nil
		}
		return formNorm, Bound{Bound: model.Bound{Norm: max(opt.Norm, 1/(mostDeviation*math.Sqrt(m.Diagonal))), Misfit: opt.Misfit}}, nil
	}
	several := m.Problem.V() > 1
	few := stated // a stated norm is passed over where there are few
	if !stated && (m.Problem.N() <= model.MostLeastSquares || model.OwnPart(m) == 0) {
		few = try.Of(m.Relations().RankAtMost(model.MostLeastSquares))
	}
	shared := m.Problem.Noise.UnknownBy == problem.UnknownProblem // a scale
	switch {
	case few && several && !opt.Together && !shared && try.Of(m.Relations().RanksAdd()):
		return formAlone, b, nil
	case few && (m.Problem.N() <= model.MostDesigned || !nearlyApart(m)):
		return formTogether, b, nil
	case few:
		return formMeans, b, nil
	}
	f, b = manyForm(m, opt)
	return f, b, nil
}

// nearlyApart reports whether the kernel has nearly as many dimensions as there are arms, which it tells apart. Least squares then
// save next to nothing against the arms' own means, and designs of so many dimensions take long.
func nearlyApart(m *model.Model) bool {
	n := m.Problem.N()
	if model.EachApart(m) {
		return true
	}
	if i, _ := m.Relations().Merged(); i >= 0 || float64(n) > sharply*model.MostLeastSquares {
		return false
	}
	return !try.Of(m.Relations().RankAtMost(int(math.Ceil(float64(n)/sharply)) - 1))
}

// endsSharply reports whether the kernel has few dimensions, and nearly all of them matter under the stated norm.
func endsSharply(m *model.Model, opt model.Terms) bool {
	most := model.MostLeastSquares
	if m.Problem.N() > model.MostLeastSquares {
		most = fewLeastSquares
	}
	if !try.Of(m.Relations().RankAtMost(most)) {
		return false
	}
	coarse := try.Of(m.Pivots(most, shownBy(m, opt)))
	return try.Of(m.Relations().RankAtMost(int(sharply * float64(len(coarse)))))
}

// shownBy returns the part of a variance, over the scale, to which pivots have to show the arms that a norm is of use for: a
// hundredth, or for a larger norm the variance that one pull resolves.
func shownBy(m *model.Model, opt model.Terms) float64 {
	return min(firstRest*m.Diagonal, 1/(opt.Norm*opt.Norm)) / m.Scale
}

// mostIdle is the most arms for which it is worked out whether a stated norm says anything, unless the kernel's terms show that each arm
// matters by itself.
const mostIdle = 1000

// idleNorm reports whether a stated norm says little where the kernel has many dimensions: whether nearly as many of them matter as
// there are in the tasks by themselves, or as there are arms, and which form then takes its place.
func idleNorm(m *model.Model, opt model.Terms) (f form, idle bool) {
	whole := model.OwnPart(m)/m.Scale > shownBy(m, opt) // every arm matters by itself
	if m.Problem.N() > mostIdle && !whole {
		return formNorm, false
	}
	f, total := formMeans, m.Problem.N()
	if m.Problem.V() > 1 && m.Problem.Noise.UnknownBy != problem.UnknownProblem && eachSuits(m) {
		f, total = formAloneMany, lists.Sum(try.Of(m.TaskModels()), (*model.Model).Rank)
	}
	if whole {
		return f, true
	}
	enough := int(math.Ceil(float64(total) / sharply))
	coarse := try.Of(m.Pivots(enough, shownBy(m, opt)))
	return f, len(coarse) >= enough && (f == formAloneMany || model.EachApart(m))
}

// manyForm is formOf if the kernel has too many dimensions for least squares and no norm is stated.
func manyForm(m *model.Model, opt model.Terms) (form, Bound) {
	none := Bound{}
	switch {
	case m.Problem.V() > 1 && eachSuits(m):
		if m.Problem.Noise.UnknownBy == problem.UnknownProblem && model.EachApart(m) {
			return formMeans, none // the common scale is estimated together
		}
		return formAloneMany, none
	case m.Relations().Unrelated():
		return formMeans, none
	}
	known, err := m.Truth().Bounded(opt, model.PriceOfWalks)
	if err == nil && known.Norm > 0 {
		var rough bool
		if rough, err = model.Rough(m, known, opt); err == nil && !rough {
			return formNorm, Bound{Bound: known, Known: true}
		}
	}
	if i, _ := m.Relations().Merged(); err != nil && i >= 0 { // arms that are one to the kernel would be compared for ever
		try.To(fmt.Errorf("the kernel has an effective rank above %d on these %d arms, too many for least squares. "+
			"It also treats some arms as equal, so their own means cannot be compared. State norm, a bound on the norm of the reward "+
			"function in units of the noise (reward_norm: in reward units), or choose CoBayesFC: %w", model.MostLeastSquares,
			m.Problem.N(), err))
	}
	try.To(m.Context().Err())
	return formMeans, none
}

// eachSuits reports whether each task by itself can be tested by least squares, or by the means of arms that say nothing
// of each other.
func eachSuits(m *model.Model) bool {
	return !slices.ContainsFunc(try.Of(m.TaskModels()), func(sub *model.Model) bool {
		return !sub.Relations().Unrelated() && !try.Of(sub.Relations().RankAtMost(model.MostLeastSquares))
	})
}

// NewIndTestFC returns CoTestFC by each agent alone on its own task at δ/V: best-arm identification
// task by task.
func NewIndTestFC(m *model.Model, opt model.Terms) (engine.Algorithm, error) {
	if m.Problem.Block != nil {
		return newSideBySide(m, opt)
	}
	return newIndTest(m, opt)
}

func newIndTest(m *model.Model, opt model.Terms) (*individual.Set, error) {
	opt.Delta /= float64(m.Problem.V())
	return individual.New(m, opt, NewCoTestFC)
}

// newAlone returns CoTestFC as a set of one-task tests, under a kernel whose rank is the sum of its ranks on the tasks: no agent's data
// exclude anything about the arms of another. The same holds under a kernel with too many dimensions to test all tasks together.
func newAlone(m *model.Model, opt model.Terms, why engine.Warning) (engine.Algorithm, error) {
	set, err := newIndTest(m, opt)
	if err != nil { // said of all tasks, not of one with its part of delta
		return newCoTest(m, opt, minimaxPlanner{})
	}
	return set.Because(why), nil
}
