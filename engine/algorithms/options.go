package algorithms

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/internal/bayes"
	"github.com/gonb-cope/gonb-cope/engine/internal/cotest"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Takes reports whether the algorithm uses the option with this name in engine.AllOptions.
func (e Entry) Takes(option string) bool {
	tests := e.Mode == engine.ModeFC && e.Backing == BackingNormal
	return map[engine.Methods]bool{
		engine.MethodsAll:         true,
		engine.MethodsSchedules:   e.Scheduled,
		engine.MethodsRidge:       e.Regression == RegressionRidge || e.Prior,
		engine.MethodsPlanBudgets: e.Mode == engine.ModeFB && e.Prior,
		engine.MethodsPlannedGap:  e.Mode == engine.ModeFC && e.Regression == RegressionRidge,
		engine.MethodsNorm:        e.Regression == RegressionRidge || e.Regression == RegressionLeastSquares && !e.OneByOne,
		engine.MethodsTests:       tests,
		engine.MethodsMisfit:      tests && e.Regression == RegressionLeastSquares,
		engine.MethodsOneByOne:    e.OneByOne,
		engine.MethodsThresholds:  e.OneByOne && e.Mode == engine.ModeFC,
		engine.MethodsPosterior:   e.Believes(engine.Options{Ridge: engine.Ridge{Kind: engine.RidgeGP}}),
	}[engine.OptionNamed(option).Of]
}

// Arranges returns an error if arms are measured in blocks and the algorithm cannot compare arms within blocks.
func (e Entry) Arranges(p *problem.Problem) error {
	switch {
	case p.Block == nil || e.tests():
		return nil
	case e.Mode == engine.ModeFC && e.Backing == BackingPosterior:
		return bayes.CheckBlocks(p)
	}
	return fmt.Errorf("arms are measured in blocks (block=%q), but %s does not use blocks. Choose algorithm=\"CoTestFC\" or \"CoBayesFC\", "+
		"or leave block= out", p.Block.Name, e.Name)
}

// Having returns the names of the algorithms of a mode for which has is true, in the order of All.
func Having(mode string, has func(Entry) bool) []string {
	return lists.Map(lists.Where(algorithms, func(e Entry) bool { return e.Mode == mode && has(e) }), func(e Entry) string { return e.Name })
}

// Asked returns a result that describes only the question, before any run. Its kernel, noise and options distinguish it
// from other results with the same algorithm and problem name.
func Asked(e Entry, p *problem.Problem, opt engine.Options, runs int) engine.Result {
	r := engine.Result{
		Mode: e.Mode, Algorithm: e.Name, Problem: p.Name, Status: engine.StatusInterrupted, Asked: runs,
		Tasks: p.V(), Arms: p.N(), Goal: p.Goal, Words: p.Words(), Delta: opt.Delta, Epsilon: opt.Epsilon, Budget: opt.Budget,
	}
	Describe(&r, p, opt)
	r.Delta = cmp.Or(r.Delta, engine.DefaultDelta)
	if e.Scheduled {
		r.Schedule = opt.Schedule
		r.Schedule = cmp.Or(r.Schedule, engine.ScheduleTuned)
	}
	return r
}

// Describe sets Kernel, Noise and Stated of a result.
func Describe(r *engine.Result, p *problem.Problem, opt engine.Options) {
	r.Kernel, r.Noise, r.Stated = abridged(p.Kernel.String()), p.Noise.Text(), opt.Stated()
}

// longestKernel is the largest number of bytes of a kernel's text that is not shortened. A table of a hundred tasks has
// ten thousand numbers, and a sweep has thousands of results.
const longestKernel = 500

// abridged shortens a long text and appends a checksum of the whole text, so that different texts stay different.
func abridged(s string) string {
	if len(s) <= longestKernel {
		return s
	}
	sum := sha256.Sum256([]byte(s))
	cut := longestKernel
	for s[cut]&0xc0 == 0x80 { // not within a UTF-8 character
		cut--
	}
	return s[:cut] + "… #" + hex.EncodeToString(sum[:4])
}

// Measured returns the result of one run on measured rewards (problem.EnvironmentMeasured), finished or not. m must be the
// present model of the run's algorithm. The truth is unknown, so errors, regret and the lower bound are empty, and the
// guarantee states its assumptions. It returns an error for another environment.
func Measured(e Entry, m *model.Model, s *engine.Steps) (engine.Result, error) {
	p := m.Problem
	if p.Noise.Environment != problem.EnvironmentMeasured {
		return engine.Result{}, fmt.Errorf("problem %q: a result of measured rewards needs the environment %q, got %q", p.Name,
			problem.EnvironmentMeasured, p.Noise.Environment)
	}
	opt, out := s.Options(), s.Outcome()
	r := Asked(e, p, opt, 1)
	r.Status, r.Unspent = out.Status, out.Unspent
	if out.Status != engine.StatusInterrupted {
		r.Runs = 1
	}
	each := float64(out.Samples) / float64(p.V())
	r.SamplesPerAgent = engine.Interval{Mean: each, CI95: [2]float64{each, each}}
	r.SamplesTotal, r.Rounds, r.MaxRounds = float64(out.Samples), float64(len(out.Rounds)), len(out.Rounds)
	r.Answers, r.Trace, r.Eliminations = out.Answers, out.Rounds, out.Eliminations
	for v := range r.Answers {
		if r.Answers[v].Decided {
			r.DecidedTasks++
		} else {
			r.Undecided.Count = 1
		}
	}
	r.Undecided.Runs, r.Undecided.Rate, r.Undecided.CI95 = 1, float64(r.Undecided.Count), [2]float64{0, 1}
	r.Progress, r.Remaining = engine.ProgressOf(s.Algorithm())
	if e.Regularised() {
		if ridge, err := m.Designs().RidgeOf(e.Mode, opt); err == nil {
			r.Ridge = ridge
		}
	}
	r.Warnings = append(out.Warnings, e.UnusedWarnings(p, opt)...)
	if out.LackOfFit != nil {
		r.Warnings = append(r.Warnings, engine.Warning{Kind: engine.WarnLackOfFit, Numbers: []float64{1, 1}, LackOfFit: out.LackOfFit})
	}
	if out.Noise != nil {
		r.Warnings = append(r.Warnings, *out.Noise)
	}
	data := model.NewReplicates(p.N())
	for b := range s.Learned() {
		data.Add(b)
	}
	basis := Basis{Model: m, Options: opt, Algorithm: e, Result: r, Rejected: out.LackOfFit != nil, Data: &data}
	r.Standing, r.Guarantee = basis.Guarantee()
	r.Regime = basis.Regime()
	return r, nil
}

// Believes reports whether, with these options, answers use a posterior with prior mean Options.Level and signal variance
// Options.Scale.
func (e Entry) Believes(opt engine.Options) bool {
	switch kind := opt.Ridge.Kind; {
	case e.Regression == RegressionPosterior:
		return true
	case e.Prior:
		return kind == engine.RidgeGP || kind == ""
	default:
		return e.Mode == engine.ModeFB && e.Regression == RegressionRidge && kind == engine.RidgeGP
	}
}

// TakesPrior returns an error if Options.Level or Options.Scale is stated and the algorithm does not use it.
func (e Entry) TakesPrior(opt engine.Options) error {
	if !opt.Level.Known && opt.Scale == 0 || e.Believes(opt) {
		return nil
	}
	name := "level"
	if !opt.Level.Known {
		name = "scale"
	}
	gp := opt
	gp.Ridge = engine.Ridge{Kind: engine.RidgeGP}
	if e.Believes(gp) {
		return fmt.Errorf(`%s uses %s only with xi="gp"`, e.Name, name)
	}
	able := Having(e.Mode, func(other Entry) bool { return other.Role != RoleReference && !other.OneByOne && other.Believes(gp) })
	with := ""
	if e.Mode == engine.ModeFB {
		with = ` with xi="gp"`
	}
	return fmt.Errorf("%s has no parameter %s. Methods with a posterior have it: %s%s", e.Name, name, strings.Join(able, ", "), with)
}

// UnusedWarnings returns warnings about facts of the problem that the algorithm does not use: costs that do not influence
// its pulls, and noise that is stated together with bounds. Tests that plan by cost, but cannot do so under a bound on the
// norm, have their own warning.
func (e Entry) UnusedWarnings(p *problem.Problem, opt engine.Options) (out []engine.Warning) {
	if n := p.Noise; n.Scatter > 0 && !(e.Name == "CoBayesFB" && opt.LearnsKernel(p)) {
		b := p.TurnedBounds(n.Bounds)
		out = append(out, engine.Warning{Kind: engine.WarnNoiseBounded, Names: []string{e.Name}, Numbers: []float64{n.Scatter, b[0], b[1]}})
	}
	switch {
	case e.Priced || p.RelativeCost() == nil:
		return out
	case e.Mode == engine.ModeFB:
		return append(out, engine.Warning{Kind: engine.WarnCostBudget})
	}
	return append(out, engine.Warning{Kind: engine.WarnCostPulls, Names: []string{e.Name}})
}

// Regime returns the form of the computation on the problem, one of the Regime constants of package model. It returns ""
// for algorithms outside the catalogue.
func (b Basis) Regime() string {
	e, m := b.Algorithm, b.Model
	if _, err := Named(e.Mode, e.Name); err != nil {
		return ""
	}
	_, bounded := e.BoundOf(m, b.terms())
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

// formOfPosterior is Regime for algorithms that compute a posterior.
func (b Basis) formOfPosterior() string {
	m := b.Model
	pulled := m.Designs().Dual() || b.Algorithm.Default || b.untested() || b.Algorithm.Mode == engine.ModeFC && m.Relations().InGroups()
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

// formOfTest is Regime for tests. If agents test independently, it is followed by the forms of their tests.
func (b Basis) formOfTest() string {
	regime := cotest.RegimeOf(b.Model, b.terms())
	if b.Algorithm.Shares && regime != model.RegimeAlone {
		return regime
	}
	alone, err := b.Model.TaskModels()
	if err != nil || regime == model.RegimeBlocks {
		return regime
	}
	var forms []string
	for _, m := range alone {
		form := strings.Replace(cotest.RegimeOf(m, b.terms()), model.RegimeTogether, "least squares", 1)
		forms = lists.Add(forms, form)
	}
	return model.RegimeAlone + ": " + strings.Join(forms, " or ")
}
