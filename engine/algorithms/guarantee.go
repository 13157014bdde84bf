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
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
)

// Basis is what the guarantee of a result depends on.
type Basis struct {
	Model     *model.Model
	Options   engine.Options
	Algorithm Entry
	Result    engine.Result // its mode, schedule, delta, epsilon, numbers of tasks and trace must be set
	// whether the data reject the kernel in more runs than chance explains
	Rejected bool
	Truth    *Truth // nil for measurements, because their truth is unknown
	// data of a run with measurements; nil if not available
	Data *model.Replicates
}

// terms returns the options in the units of the model. The error is nil, because the run used these options.
func (b Basis) terms() model.Terms {
	t, _ := b.Model.Terms(b.Algorithm.Mode, b.Options)
	return t
}

// Truth has facts that only a simulation knows. If Truth is set, the expected rewards are Problem.Mean, unless that is
// nil.
type Truth struct {
	// whether rewards are drawn as in Problem.Noise; rewards of a reward function may have any distribution
	Drawn bool
}

// drawn reports whether the distribution of the rewards is known, because they are simulated from Problem.Noise.
func (b Basis) drawn() bool { return b.Truth != nil && b.Truth.Drawn }

// Guarantee returns the type of guarantee, one of the Standing constants, and a sentence that begins with it.
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
		s = "each decided answer is the best of its task with probability at least " + atLeast(r.Delta) + " for all tasks together"
	case r.Epsilon > 0:
		s = fmt.Sprintf("all decided answers are within %.6g of the best with probability at least %s", r.Epsilon, atLeast(delta))
	default:
		s = "all decided answers are the best of their tasks with probability at least " + atLeast(delta)
	}
	if delta > r.Delta {
		s += fmt.Sprintf(", and not %s as asked, because a function of that norm is only near the rounded expected rewards", atLeast(r.Delta))
	}
	if given := b.given(); given != "" {
		s += ". The guarantee uses " + given
	}
	if assumed := b.assumed(); assumed != "" {
		s += ". This holds if " + assumed
	}
	if doubts := b.doubts(); len(doubts) > 0 {
		return engine.StandingHeuristic, Approximate(s, doubts)
	}
	return engine.StandingProven, engine.StandingProven + ": " + s
}

// Approximate returns the sentence of a heuristic guarantee: the claim, followed by each reason why it is not proven.
func Approximate(claim string, reasons []string) string {
	const weaker = ". This is approximate, not proven"
	if !strings.Contains(claim, weaker) {
		claim += weaker
	}
	for _, reason := range reasons {
		claim += ". " + sentence.Upper(reason)
	}
	return engine.StandingHeuristic + ": " + claim
}

// unbacked returns the reason why the answers have no guarantee; "" if they have one.
func (b Basis) unbacked() string {
	switch {
	case b.Algorithm.DividedByV:
		return "this is a reference, not an algorithm. It divides the samples of independent agents by V"
	case b.Algorithm.Role == RoleReference:
		return "this is a reference, not an algorithm. It knows the expected rewards"
	case b.untested() && b.Options.LearnsKernel(b.Model.Problem):
		return "there is no test if the kernel is learned from the data. Each recommendation is the arm with the largest posterior mean"
	case b.untested():
		return "there is no test if the rank of the kernel on these arms is above " + strconv.Itoa(model.MostTested) +
			". Each recommendation is the arm with the largest posterior mean"
	case b.Algorithm.Backing == BackingNone && !b.Algorithm.listed():
		return fmt.Sprintf("the algorithm %s is your own, and its own rule decides its answers. This program cannot check that rule",
			b.Algorithm.Name)
	case b.Algorithm.Backing == BackingNone:
		return "this baseline has no guarantee. An answer counts as decided only if the data separate it at level " +
			percent(b.Result.Delta)
	case b.Result.Runs > 0 && b.Result.DecidedTasks == 0:
		return "no answer was decided"
	case b.uncovered():
		return "the value of xi is too large for the theorem of the literal schedule (see the warning). The tuned schedule is valid for every xi"
	}
	return ""
}

// untested reports whether the algorithm ran in a form without tests.
func (b Basis) untested() bool {
	if b.Algorithm.Untested == nil {
		return false
	}
	untested, err := b.Algorithm.Untested(b.Model, b.terms())
	return err == nil && untested
}

// uncovered reports whether ξ exceeds the limit of Theorem 1, in the literal schedule.
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

// doubts returns the conditions of the guarantee that hold only approximately, or that were estimated from the same data.
// For measured rewards and reward functions, it can only check them against the data.
func (b Basis) doubts() []string {
	p := b.Model.Problem
	normal := b.Algorithm.Backing == BackingNormal && b.Options.LawFor(p) == engine.LawNormal
	var out []string
	if !b.Algorithm.listed() {
		out = append(out, fmt.Sprintf("the guarantee of %s is its author's claim and was not checked", b.Algorithm.Name))
	}
	if b.Algorithm.OneByOne && b.Options.Threshold == engine.ThresholdHeuristic {
		out = append(out, "the threshold log((1 + log t)/δ) of the test has no proof; threshold=\"mixture\" has one")
	}
	if p.KernelFittedHere() {
		out = append(out, "the kernel was fitted to these data, and the error bound does not allow for this")
	}
	if p.Noise.Estimated() && !b.sideBySide() {
		out = append(out, "the noise scales were estimated from the data")
	}
	if w := b.blurred(); w != "" {
		out = append(out, w)
	}
	if !b.drawn() {
		if b.Rejected {
			out = append(out, "the data contradict the kernel (see the warning)")
		}
		if w := b.copiesApart(); w != "" {
			out = append(out, w)
		}
		if slices.ContainsFunc(b.Result.Warnings, engine.Warning.OfNoise) {
			out = append(out, "the data contradict the assumed noise (see the warning)")
		}
		if normal && p.Noise.UnknownBy == problem.UnknownTested && !b.scaledByArm() {
			out = append(out, "noise scales were not stated to be equal, and rounds use one scale until the rewards show different "+
				"ones. noise=\"unknown\" states that they are equal; noise=\"unknown arm\" needs no statement")
		}
		return out
	}
	switch {
	case normal && p.Noise.Environment != problem.EnvironmentGaussian && p.Noise.Environment != "":
		out = append(out, "these rewards are not normal")
	case b.Options.Law == engine.LawSymmetric:
		if p.Noise.Environment == problem.EnvironmentResampled || p.Noise.Environment == problem.EnvironmentBernoulli {
			out = append(out, "the test assumes symmetric differences within blocks, but the differences of these rewards may be asymmetric")
		}
	case b.sideBySide():
		if normal && p.Noise.UnknownBy != problem.UnknownArm && !oneScale(p) {
			out = append(out, "within blocks the test assumes equal noise of a task's arms, but the noise differs. "+
				"noise=\"unknown arm\" allows for that")
		}
	case p.Noise.UnknownBy == "" && !p.Noise.Estimated() && !subGaussian(p):
		out = append(out, "the stated noise scales are too small for these rewards")
	case b.overstated():
		out = append(out, "the noise of some arms is smaller than stated, and no proof covers that. law=\"subgaussian\" needs only "+
			"upper bounds")
	case p.Noise.UnknownBy == problem.UnknownTested && !proportional(p):
		out = append(out, "noise scales differ, and rounds use one scale until the rewards show that. "+
			"noise=\"unknown arm\" allows for any scales from the first round")
	case !proportional(p):
		out = append(out, fmt.Sprintf("the noise scales are not the guesses times one factor for each %s, as stated. "+
			"noise=%q allows for any scales", p.Noise.UnknownBy, "unknown arm"))
	}
	return out
}

// sideBySide reports whether the algorithm compares the arms of a task within blocks.
func (b Basis) sideBySide() bool { return b.Model.Problem.Block != nil && b.Algorithm.tests() }

// scaledByArm reports whether every round was tested with a noise scale for each arm, although the data chose that. The test
// is then the one of noise="unknown arm".
func (b Basis) scaledByArm() bool {
	kinds := lists.Map(b.Result.Warnings, func(w engine.Warning) engine.WarningKind { return w.Kind })
	coarse := func(k engine.WarningKind) bool {
		return k != engine.WarnScalesByArm && slices.Contains(engine.GroupKinds[:], k)
	}
	return slices.Contains(kinds, engine.WarnScalesByArm) && !slices.ContainsFunc(kinds, coarse)
}

// oneScale reports whether the simulated noise is equal for all arms of each task.
func oneScale(p *problem.Problem) bool {
	sd := p.Noise.Deviations()
	for i, v := range p.TaskOf {
		if first, _ := p.ArmsOf(v); math.Abs(sd[i]-sd[first]) > 1e-9*sd[first] {
			return false
		}
	}
	return true
}

// proportional reports whether the simulated noise scales have the form that the problem states: the guesses times one
// unknown factor, common to all arms or to each task.
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

// subGaussian reports whether simulated rewards are sub-Gaussian with the stated noise scales. Normal rewards are if their
// standard deviation is at most the scale, and bounded rewards if their range is at most twice the scale [Hoeffding63].
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

// posterior returns the guarantee of answers that rest only on a posterior, without its first word.
func posterior(r engine.Result, opt engine.Options, block *problem.Block) string {
	what := "the best of their tasks"
	if r.Epsilon > 0 {
		what = fmt.Sprintf("within %.6g of the best", r.Epsilon)
	}
	covariance := ". Its covariance is the kernel"
	if opt.Scale == 0 {
		covariance = ". It averages over the signal variance, and over a nugget: an effect of each arm that the kernel does not explain"
	} else if opt.Scale != 1 {
		covariance = fmt.Sprintf(". Its covariance is %g times the kernel", opt.Scale)
	}
	level := "estimates the mean reward from the data"
	if opt.Level.Known {
		level = fmt.Sprintf("has the mean %g", opt.Level.Value)
	}
	if block != nil && r.Mode == engine.ModeFC {
		level = fmt.Sprintf("allows any mean of each block (%s)", block.Name)
	}
	s := fmt.Sprintf("all decided answers are %s with posterior probability at least %s. This is approximate, not proven: it is right only "+
		"if the model fits. Measured error rates: docs/explanation/robustness.md. The model, a Gaussian process, %s%s",
		what, atLeast(r.Delta), level, covariance)
	if slices.ContainsFunc(r.Warnings, func(w engine.Warning) bool { return slices.Contains(contradictory, w.Kind) }) {
		s += ". The error rate may be higher: see the warnings"
	}
	return s
}

// contradictory lists the warnings after which fewer answers may be right than the posterior probability states.
var contradictory = []engine.WarningKind{
	engine.WarnPriorLevel, engine.WarnPriorScale, engine.WarnPriorKernel, engine.WarnUnexplained, engine.WarnNoiseDiffers,
	engine.WarnFewOutcomes,
}

func percent(x float64) string { return fmt.Sprintf("%.4g %%", 100*x) }

// atLeast formats the probability 1 - delta in per cent, with enough digits to distinguish it from 100 %.
func atLeast(delta float64) string {
	if delta < 1e-12 {
		return fmt.Sprintf("1 - %g", delta)
	}
	digits := max(4, 3-int(math.Floor(math.Log10(delta))))
	return fmt.Sprintf("%.*g %%", digits, 100*(1-delta))
}

// hasWitness reports whether a guarantee under a bound on the norm also holds for expected rewards that the kernel cannot
// represent. It holds if a function within that norm is close enough to them for the number of samples
// (model.Truth.Witness). It also holds if the bound comes from such a function and allows for its distance.
func (b Basis) hasWitness(m *model.Model) bool {
	_, found := b.witness(m)
	return found
}

// witness reports the same as hasWitness. It also returns the cost: the increase of the error probability δ by the distance of that
// function.
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

// smooth reports whether no norm is stated and the algorithm uses the norm of a function near the expected rewards, with
// an allowance for its distance.
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

// tests reports whether the algorithm is CoTestFC or IndTestFC.
func (e Entry) tests() bool {
	return e.Mode == engine.ModeFC && e.Backing == BackingNormal && e.Regression == RegressionLeastSquares
}

// BoundOf returns the bound on the norm that the algorithm uses on a model, and whether it uses one. CoTestFC uses one if
// it is stated, or if the kernel has too many dimensions for least squares. Eliminations use one if there are very many
// arms. If the bound cannot be computed, bounded is true.
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

// ForecastNorm returns about how many samples in total CoTestFC needs with the stated norm on known expected rewards. used
// is false if the algorithm would ignore the norm, or if no forecast is possible.
func (e Entry) ForecastNorm(m *model.Model, opt model.Terms) (samples float64, used bool) {
	if !e.tests() {
		return 0, false
	}
	samples, used, err := cotest.ForecastNorm(m, opt)
	return samples, used && err == nil
}

// delta returns the proven error probability: δ plus the cost of expected rewards that are only close to a function within
// the stated norm.
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
