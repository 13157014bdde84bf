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
	Known       bool // whether it comes from known expected rewards; false for a stated norm
}

// fewLeastSquares replaces model.MostLeastSquares if a norm is stated and there are many arms. Counting more dimensions
// would take longer than a round.
const fewLeastSquares = 64

// mostDeviation limits the standard deviation of rewards under the norm, S √k(x, x) over the reward unit, to
// [1/mostDeviation, mostDeviation]. Squares of values in this range cannot overflow.
const mostDeviation = 1e60

// sharply is the largest ratio of a kernel's rank to its relevant dimensions at which its spectrum ends sharply. The
// relevant dimensions leave at most a hundredth of the kernel's variance unexplained on every arm. A norm saves little
// with such a kernel.
const sharply = 1.25

// BoundOf returns the bound on the norm that CoTestFC uses with these options; bounded is false if it uses none.
func BoundOf(m *model.Model, opt model.Terms) (b Bound, bounded bool, err error) {
	f, b, err := formOf(m, opt)
	return b, f == formNorm, err
}

// RegimeOf returns the name of the form that CoTestFC uses on a model; "" if formOf returns an error.
func RegimeOf(m *model.Model, opt model.Terms) string {
	f, _, err := formOf(m, opt)
	if err != nil {
		return ""
	}
	return modes[f].regime
}

// ByMeans reports whether CoTestFC compares arms by their own means, without the kernel.
func ByMeans(m *model.Model, opt model.Terms) bool {
	f, _, err := formOf(m, opt)
	return err == nil && f == formMeans
}

// TestsAlone reports whether each agent tests alone because all tasks together have too many dimensions for least squares.
func TestsAlone(m *model.Model, opt model.Terms) bool {
	f, _, err := formOf(m, opt)
	return err == nil && f == formAloneMany
}

// formOf chooses the form of CoTestFC. For formNorm it also returns the bound.
//
// A stated norm is used unless it saves little: the kernel has few dimensions that all matter, as a linear kernel has, or
// see idleNorm.
//
// Without a norm it uses least squares if the kernel has few dimensions. Each agent then tests alone if the ranks of the
// tasks add up and the tasks share no unknown noise scale. If there are many arms with nearly as many dimensions, it uses
// the arms' own means.
//
// For a higher rank see manyForm.
func formOf(m *model.Model, opt model.Terms) (f form, b Bound, err error) {
	defer try.Caught(&err)
	if m.Problem.Block != nil {
		return formBlocks, b, nil
	}
	stated := opt.Norm > 0 && opt.Norm <= mostDeviation/math.Sqrt(m.Diagonal) // other values give no information
	if stated && !endsSharply(m, opt) {
		if f, idle := idleNorm(m, opt); idle {
			return f, b, nil
		}
		return formNorm, Bound{Bound: model.Bound{Norm: max(opt.Norm, 1/(mostDeviation*math.Sqrt(m.Diagonal))), Misfit: opt.Misfit}}, nil
	}
	several := m.Problem.V() > 1
	few := stated // a stated norm is ignored only if the kernel has few dimensions
	if !stated && (m.Problem.N() <= model.MostLeastSquares || model.OwnPart(m) == 0) {
		few = try.Of(m.Relations().RankAtMost(model.MostLeastSquares))
	}
	shared := m.Problem.Noise.UnknownBy == problem.UnknownProblem // noise scale
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

// nearlyApart reports whether the kernel has nearly as many dimensions as arms and distinguishes all arms. Least squares
// then save almost nothing compared with the arms' own means, and designs with so many dimensions take long.
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

// endsSharply reports whether the kernel has few dimensions and nearly all of them matter under the stated norm.
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

// shownBy returns the residual variance, relative to the kernel's scale, at which pivots describe the arms accurately
// enough. It is a hundredth of the kernel's variance or, for a larger norm, the variance that one pull resolves.
func shownBy(m *model.Model, opt model.Terms) float64 {
	return min(firstRest*m.Diagonal, 1/(opt.Norm*opt.Norm)) / m.Scale
}

// mostIdle is the largest number of arms for which idleNorm counts dimensions. With more arms it only checks whether the
// kernel's terms make every arm matter by itself.
const mostIdle = 1000

// idleNorm reports whether a stated norm saves little with a kernel of many dimensions, and returns the form to use
// instead. This is so if nearly as many dimensions matter under the norm as the tasks have separately, or as there are
// arms.
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

// manyForm chooses the form if the kernel has too many dimensions for least squares and no norm is stated. It uses the
// norm of known expected rewards if that saves pulls, and otherwise tests by task or by arm. Arms that the kernel treats
// as equal are an error if no norm is known.
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
	if i, _ := m.Relations().Merged(); err != nil && i >= 0 { // the means of arms with equal rewards would be compared for ever
		try.To(fmt.Errorf("the kernel has an effective rank above %d on these %d arms, too many for least squares. "+
			"It also treats some arms as equal, so their own means cannot be compared. State norm, a bound on the norm of the reward "+
			"function in units of the noise (reward_norm: in reward units), or choose CoBayesFC: %w", model.MostLeastSquares,
			m.Problem.N(), err))
	}
	try.To(m.Context().Err())
	return formMeans, none
}

// eachSuits reports whether every task alone can be tested by least squares, or by the arms' own means because its arms
// are unrelated.
func eachSuits(m *model.Model) bool {
	return !slices.ContainsFunc(try.Of(m.TaskModels()), func(sub *model.Model) bool {
		return !sub.Relations().Unrelated() && !try.Of(sub.Relations().RankAtMost(model.MostLeastSquares))
	})
}

// NewIndTestFC returns CoTestFC for each agent alone on its own task, at level δ/V: best-arm identification task by task.
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

// newAlone returns one CoTestFC per task with the warning why. It is used if the rank of the kernel is the sum of its
// ranks on the tasks: the data of one agent then exclude nothing about the arms of another. It is also used if all tasks
// together have too many dimensions to test.
func newAlone(m *model.Model, opt model.Terms, why engine.Warning) (engine.Algorithm, error) {
	set, err := newIndTest(m, opt)
	if err != nil { // let newCoTest state the error for all tasks, with the whole delta
		return newCoTest(m, opt, minimaxPlanner{})
	}
	return set.Because(why), nil
}
