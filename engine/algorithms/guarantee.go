package algorithms

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// Basis is all that the guarantee of a result goes by.
type Basis struct {
	Model     *model.Model
	Options   engine.Options
	Algorithm Entry
	Result    engine.Result // with its mode, schedule, delta, epsilon, numbers of tasks and trace
	// whether the data of the runs speak against the kernel, in more of them than chance explains
	Rejected bool
	Truth    *Truth // nil for real measurements, whose truth nobody knows
	// of one run with real measurements: its data; nil where they are not at hand
	Data *model.Replicates
}

// terms returns the options on the model and on its parts, which have its unit. A run was made with them.
func (b Basis) terms() model.Terms {
	t, _ := b.Model.Terms(b.Algorithm.Mode, b.Options)
	return t
}

// Truth holds what only a simulation knows: that the expected rewards are Problem.Mean, where it
// has them.
type Truth struct {
	// rewards are drawn as Problem.Noise says; rewards of a reward function may have any law
	Drawn bool
}

// drawn reports whether it is known how rewards are drawn.
func (b Basis) drawn() bool { return b.Truth != nil && b.Truth.Drawn }

// Guarantee says what backs the answers: in a word, and in a sentence that begins with it.
func (b Basis) Guarantee() (standing, sentence string) {
	r := b.Result
	why := b.unbacked()
	if why == "" || b.Algorithm.Role != RoleReference && b.Algorithm.Proven() && !b.untested() {
		why = cmp.Or(b.contradicted(), why)
	}
	if why != "" {
		return engine.StandingNone, engine.StandingNone + ": " + why
	}
	if b.Algorithm.Backing == BackingPosterior {
		return engine.StandingHeuristic, engine.StandingHeuristic + ": " + posterior(r, b.Options, b.Model.Problem.Block)
	}
	var s string
	delta := b.delta()
	switch {
	case r.Mode == engine.ModeFB:
		s = "each decided answer is the best arm with probability at least " + atLeast(r.Delta) + " for all tasks together"
	case r.Epsilon > 0:
		s = fmt.Sprintf("all decided answers are within %.6g of their best arm with probability at least %s", r.Epsilon, atLeast(delta))
	default:
		s = "all decided answers are best arms with probability at least " + atLeast(delta)
	}
	if delta > r.Delta {
		s += fmt.Sprintf(", in place of %s since the expected rewards, as they were rounded, are only near to a function of that norm",
			atLeast(r.Delta))
	}
	if given := b.given(); given != "" {
		s += ", given " + given
	}
	if assumed := b.assumed(); assumed != "" {
		s += ", if " + assumed
	}
	if doubts := b.doubts(); len(doubts) > 0 {
		return engine.StandingHeuristic, engine.StandingHeuristic + ": " + strings.Join(doubts, "; ") + "; apart from that, " + s
	}
	return engine.StandingProven, engine.StandingProven + ": " + s + b.overstated()
}

// unbacked says why nothing backs the answers, "" where something does.
func (b Basis) unbacked() string {
	switch {
	case b.Algorithm.DividedByV:
		return "a reference to compare with, not an algorithm: it counts the samples of agents that share nothing as if " +
			"sharing had cut them to 1/V"
	case b.Algorithm.Role == RoleReference:
		return "a reference to compare with, not an algorithm: it knows the expected rewards"
	case b.untested() && b.Options.LearnsKernel(b.Model.Problem):
		return "no answer is decided: the kernel is learned in the run, answers are the largest posterior means, and nothing is tested"
	case b.untested():
		return "no answer is decided: the rank of the kernel on these arms is above " + strconv.Itoa(model.MostTested) +
			", where answers are the largest posterior means and nothing is tested"
	case b.Algorithm.Backing == BackingNone:
		return "a baseline without guarantee; an answer counts as decided only where the data separate it at level " + percent(b.Result.Delta)
	case b.Result.Runs > 0 && b.Result.DecidedTasks == 0:
		return "nothing was decided"
	case b.uncovered():
		return "xi is too large for the theorem behind the literal schedule, see the warning (the tuned schedule holds for every xi)"
	}
	return ""
}

// untested reports whether the algorithm had a form that tests nothing.
func (b Basis) untested() bool {
	if b.Algorithm.Untested == nil {
		return false
	}
	untested, err := b.Algorithm.Untested(b.Model, b.terms())
	return err == nil && untested
}

// uncovered reports whether ξ is above what the theorem behind the literal schedule allows.
func (b Basis) uncovered() bool {
	if b.Algorithm.Regression != RegressionRidge || b.Result.Schedule != engine.SchedulePaper {
		return false
	}
	return slices.ContainsFunc(b.relied(), func(m *model.Model) bool {
		ridge, err := m.Designs().Ridge(engine.ModeFC, b.terms())
		if err != nil {
			return false
		}
		left, right, err := m.Designs().RidgeCondition(engine.ModeFC, b.terms(), ridge)
		return err == nil && left > right*(1+model.RidgeSlack)
	})
}

// doubts returns the conditions of the guarantee that hold approximately, or that were taken from
// the data which they should be known before. What a reward function does cannot be checked.
func (b Basis) doubts() []string {
	p := b.Model.Problem
	var out []string
	if _, err := Named(b.Algorithm.Mode, b.Algorithm.Name); err != nil {
		out = append(out, fmt.Sprintf("that the answers of %s are backed is what its author says, and nobody checked it here", b.Algorithm.Name))
	}
	if p.KernelFittedHere() {
		out = append(out, "the kernel was fitted on these data, which no bound allows for")
	}
	if b.Options.Robust {
		out = append(out, "how far rewards are from what the kernel can represent was estimated from the data of the run")
	}
	if p.Noise.Estimated() && !b.sideBySide() {
		out = append(out, "the noise scales were estimated from the data")
	}
	if w := b.blurred(); w != "" {
		out = append(out, w)
	}
	if !b.drawn() {
		if b.Rejected {
			out = append(out, "the data speak against the kernel, see the warning")
		}
		if w := b.copiesApart(); w != "" {
			out = append(out, w)
		}
		if slices.ContainsFunc(b.Result.Warnings, engine.Warning.OfNoise) {
			out = append(out, "the data speak against what is assumed of the noise, see the warning")
		}
		return out
	}
	normal := b.Algorithm.Backing == BackingNormal && b.Options.LawFor(p) == engine.LawNormal
	switch {
	case !problem.Independent(p.Noise.Environment):
		out = append(out, fmt.Sprintf("rewards are not independent (environment %s)", p.Noise.Environment))
	case normal && p.Noise.Environment != problem.EnvironmentGaussian && p.Noise.Environment != "":
		out = append(out, "the test is for normal rewards, which these are not")
	case b.Options.Law == engine.LawSymmetric:
		if p.Noise.Environment == problem.EnvironmentResampled || p.Noise.Environment == problem.EnvironmentBernoulli {
			out = append(out, "the test is for differences within blocks that are symmetric; differences of these rewards need not be")
		}
	case b.sideBySide():
		if normal && p.Noise.UnknownBy != problem.UnknownArm && !oneScale(p) {
			out = append(out, "the arms of a task do not scatter alike within blocks, as the test takes it (noise=\"unknown arm\" allows for any)")
		}
	case p.Noise.UnknownBy == "" && !p.Noise.Estimated() && !subGaussian(p):
		out = append(out, "the noise scales that are stated do not cover these rewards")
	case !proportional(p):
		out = append(out, fmt.Sprintf("the noise scales are not guesses times one factor for each %s, as was stated (noise=%q allows for any)",
			p.Noise.UnknownBy, "unknown arm"))
	}
	return out
}

// sideBySide reports whether the algorithm compares the arms of a task within blocks.
func (b Basis) sideBySide() bool { return b.Model.Problem.Block != nil && b.Algorithm.tests() }

// oneScale reports whether simulated noise has one scale for the arms of each task.
func oneScale(p *problem.Problem) bool {
	sd := p.Noise.Deviations()
	for i, v := range p.TaskOf {
		if first, _ := p.ArmsOf(v); math.Abs(sd[i]-sd[first]) > 1e-9*sd[first] {
			return false
		}
	}
	return true
}

// proportional reports whether the scales of simulated noise are what is stated of unknown ones: the
// guesses, times one factor for all arms or for each task's arms.
func proportional(p *problem.Problem) bool {
	sd, scales := p.Noise.Deviations(), p.Noise.Scales
	groups := p.Noise.Groups(p.TaskOf)
	for i, g := range groups {
		first := slices.Index(groups, g)
		if math.Abs(sd[i]*scales[first]-sd[first]*scales[i]) > 1e-9*sd[i]*scales[first] {
			return false
		}
	}
	return true
}

// subGaussian reports whether simulated rewards are as sub-Gaussian as the noise scales say:
// normal ones of no larger standard deviation, or those that lie in a range of twice the scale
// [Hoeffding63].
func subGaussian(p *problem.Problem) bool {
	for i, scale := range p.Noise.Scales {
		needed := math.Inf(1)
		switch p.Noise.Environment {
		case problem.EnvironmentGaussian, "":
			needed = p.Noise.Deviations()[i]
		case problem.EnvironmentBernoulli:
			needed = 0.5
			if p.Noise.Bounds != nil {
				needed = (p.Noise.Bounds[1] - p.Noise.Bounds[0]) / 2
			}
		case problem.EnvironmentResampled:
			needed = (slices.Max(p.Rewards[i]) - slices.Min(p.Rewards[i])) / 2
		}
		if needed > scale*(1+1e-9) {
			return false
		}
	}
	return true
}

// posterior says what answers mean that are backed by a posterior only.
func posterior(r engine.Result, opt engine.Options, block *problem.Block) string {
	what := "best arms"
	if r.Epsilon > 0 {
		what = fmt.Sprintf("within %.6g of their best arms", r.Epsilon)
	}
	prior, sizes := "the kernel", ""
	if opt.Scale == 0 {
		prior = "the kernel times a scale and a part of each arm by itself"
		sizes = ", averaged over both sizes by how well they fit the data of the run"
	} else if opt.Scale != 1 {
		prior = fmt.Sprintf("%g times the kernel", opt.Scale)
	}
	level := "an unknown level"
	if opt.Level.Known {
		level = fmt.Sprintf("the level %g", opt.Level.Value)
	}
	if block != nil && r.Mode == engine.ModeFC {
		level = fmt.Sprintf("a level of each block (%s) that may be any", block.Name)
	}
	return fmt.Sprintf("under a prior of %s around %s%s, all decided answers are %s with posterior probability at least %s; "+
		"so many runs are right where rewards are drawn from that prior; how many are on real rewards no theorem says, and "+
		"docs/explanation/robustness.md has what was measured%s",
		prior, level, sizes, what, atLeast(r.Delta), disbelieved(r))
}

// disbelieved says by which warnings fewer answers may be right than a posterior says.
func disbelieved(r engine.Result) (out string) {
	since := "; fewer may be, since "
	for _, kind := range []engine.WarningKind{
		engine.WarnPriorLevel, engine.WarnPriorScale, engine.WarnPriorKernel, engine.WarnUnexplained, engine.WarnNoiseDiffers,
		engine.WarnFewOutcomes,
	} {
		of := slices.DeleteFunc(slices.Clone(r.Warnings), func(w engine.Warning) bool { return w.Kind != kind })
		if len(of) == 0 {
			continue
		}
		if out, since = out+since, "; and since "; r.Runs > 1 && !of[0].OfPrior() { // which says in how many
			out += "in some runs "
		}
		out += engine.WarningText(of...)
	}
	return out
}

func percent(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }

// atLeast writes the probability 1 - delta in per cent, with as many digits as tell it from one.
func atLeast(delta float64) string {
	if delta < 1e-12 {
		return fmt.Sprintf("1 - %g", delta)
	}
	digits := max(4, 3-int(math.Floor(math.Log10(delta))))
	return fmt.Sprintf("%.*g %%", digits, 100*(1-delta))
}

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
	return m.Truth().Witness(b.terms(), samples)
}

// smooth reports whether the algorithm, without a stated norm, goes by a function that is near to the
// expected rewards, and allows for its distance.
func (b Basis) smooth(m *model.Model) bool {
	if _, bounded := b.Algorithm.BoundOf(m, b.terms()); !bounded || b.Result.Schedule == engine.SchedulePaper {
		return false
	}
	price := model.PriceOfWidths
	if b.Algorithm.tests() {
		price = model.PriceOfWalks
	}
	_, found, err := m.Truth().Smooth(b.terms(), price)
	return err == nil && found
}

// tests reports whether the algorithm is CoTestFC or one of its kind, with or without a bound on the norm.
func (e Entry) tests() bool {
	return e.Mode == engine.ModeFC && e.Backing == BackingNormal && e.Regression == RegressionLeastSquares
}

// BoundOf returns the bound on the norm by which the algorithm goes on a model, if it goes by one: CoTestFC
// where one is stated or its kernel has too many dimensions for least squares, eliminations among very
// many arms. An error in place of it counts as a bound, since the kernel is not used without.
func (e Entry) BoundOf(m *model.Model, opt model.Terms) (b model.Bound, bounded bool) {
	switch {
	case e.tests():
		of, is, err := cotest.BoundOf(m, opt)
		return of.Bound, is || err != nil
	case e.Regression == RegressionRidge && m.Many():
		b, _ = m.Truth().Bounded(opt, model.PriceOfWidths)
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
