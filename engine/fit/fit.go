package fit

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// defaultStarts is the number of searches if Options.Starts is 0. One starts at the start values, the others at the best
// of a few points spread over the limits.
const defaultStarts = 4

// MostArms is the largest number of arms that a fit uses. It factors their covariance several hundred times, in O(n³) each.
const MostArms = 600

// Of fits the free hyperparameters of the kernel to the mean rewards of the problem and their counts, and checks the
// fitted kernel. The likelihood of the fit is never below that of the start values. Arms without measurements
// (problem.Problem.Partial) are left out, and a problem with more than MostArms arms is represented by a sample of them. Of
// returns an error for a problem without mean rewards, for a kernel that does not fit the points, and if the context ends.
func Of(ctx context.Context, p *problem.Problem, opt Options) (_ Fit, err error) {
	defer try.Caught(&err)
	whole := p
	p = sampled(p.Measured())
	opt.Mean = cmp.Or(opt.Mean, MeanProblem)
	opt.Starts = cmp.Or(opt.Starts, defaultStarts)
	if len(opt.Kernel.Terms) == 0 {
		opt.Kernel = p.Kernel
	}
	try.Of(opt.Kernel.Check(p.Tasks, p.Arms))
	if opt.Noise == nil && p.Noise.UnknownBy != "" { // then the problem has only guesses
		opt.Noise = &kernels.Free{Name: "noise", Value: p.LargestNoise()}
	}
	d := try.Of(dataOf(p, opt.Mean))
	s := try.Of(newSurface(ctx, d, opt.Kernel, opt.Noise))
	s.evaluations.tell = opt.Progress
	best := try.Of(s.search(opt.Starts))
	f := Fit{
		Problem: p.Name, Goal: p.Goal, Words: p.Words(), Tasks: p.V(), Arms: p.N(), Replicates: d.freedom, Start: opt.Kernel.String(),
		Mean:  opt.Mean,
		Noise: noiseWords(p, opt.Noise), LogLikelihoodStart: best.begin, LogLikelihood: best.likelihood,
	}
	f.Measurements = lists.Total(d.count)
	if all := whole.Measured().N(); all > p.N() {
		f.SampledFrom = all
	}
	f.CrossValidation, f.Misfit.Residuals = best.process.crossValidate()
	for _, part := range []func() error{
		func() error { return f.describe(s, best) },
		func() error { return f.usable(whole, s, best) },
		func() error { return f.misfit(s, best, opt) },
		func() error { return f.sharing(s, best, opt) },
	} {
		try.To(part())
	}
	f.Evaluations = s.evaluations.count
	f.warn()
	return f, nil
}

// sampled returns the problem with at most MostArms arms, except for rounding: a sample of tasks and arms that is random but
// the same in every call, with at least two arms per task.
func sampled(p *problem.Problem) *problem.Problem {
	if p.N() <= MostArms {
		return p
	}
	rng := rand.New(rand.NewPCG(0, 0))
	p = p.Only(slices.Sorted(slices.Values(rng.Perm(p.V())[:min(p.V(), MostArms/2)]))...)
	arms := lists.Flat(p.Groups(), func(set []int) []int {
		return indices.Of(set, rng.Perm(len(set))[:min(len(set), max(2, len(set)*MostArms/p.N()))])
	})
	slices.Sort(arms)
	return p.Some(arms)
}

// describe sets the parameters with their intervals, the gradient norm, the condition number and the levels.
func (f *Fit) describe(s *surface, best optimum) (err error) {
	defer try.Caught(&err)
	slope := try.Of(s.scaled(best.process, best.values))
	limits := s.limits(best.values)
	for i, at := range limits {
		if at == "" {
			f.GradientNorm = max(f.GradientNorm, math.Abs(slope[i]))
		}
	}
	errors := try.Of(s.standardErrors(best.values, limits))
	for i, p := range s.free {
		least, most := p.Limits()
		made := Parameter{
			Name: p.Label(), Start: p.Value, Value: best.values[i], Min: least, Max: most,
			Logarithmic: p.Logarithmic(), Limit: limits[i], StandardError: errors[i],
		}
		if e := normal95 * errors[i]; e > 0 {
			low, high := made.Value-e, made.Value+e
			if made.Logarithmic {
				low, high = made.Value*math.Exp(-e), made.Value*math.Exp(e)
			}
			made.CI95 = [2]float64{max(low, least), min(high, most)}
		}
		f.Parameters = append(f.Parameters, made)
	}
	g := best.process
	f.Condition = g.Cond()
	f.Effective = float64(len(s.d.y))
	inverse := g.InverseDiagonal()
	for i, v := range g.variance {
		f.Effective -= v * inverse[i]
	}
	f.Levels = append(f.Levels, lists.Map(g.Coefficients, s.d.p.Turned)...)
	return nil
}

// normal95 is the 97.5 % quantile of the standard normal distribution.
const normal95 = 1.959963984540054

// usable sets the kernel for use in problems: the fitted kernel, with the level as a further term.
func (f *Fit) usable(p *problem.Problem, s *surface, best optimum) error {
	k, err := s.settled(best.values)
	if err != nil {
		return err
	}
	f.Expression = k.String()
	square := round(lists.Sum(f.Levels, func(b float64) float64 { return b * b / float64(len(f.Levels)) }))
	if square > 0 {
		level := kernels.Joint{Terms: []kernels.Term{{Scale: square}}}
		if f.Mean == MeanTask {
			level.Terms[0].Task = kernels.Identity{}
		}
		k = kernels.AddJoint(k, level)
	}
	k.Fitted = append(slices.Clone(k.Fitted), p.Digests()...)
	f.Kernel, f.Usable = k, k.String()
	return nil
}

// round returns v rounded to five significant digits, as fitted numbers are shown.
func round(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 5, 64), 64)
	return r
}

func noiseWords(p *problem.Problem, noise *kernels.Free) string {
	switch {
	case noise == nil && p.Noise.Estimated():
		return "standard deviations of the replicates"
	case noise == nil:
		return "as the problem states it"
	case noise.Fixed():
		return "given"
	}
	return "fitted"
}

// warn sets the warnings about the fit.
func (f *Fit) warn() {
	say := func(kind engine.WarningKind, names []string, numbers ...float64) {
		f.Warnings = append(f.Warnings, engine.Warning{Kind: kind, Names: names, Numbers: numbers})
	}
	for _, p := range f.Parameters {
		switch {
		case p.Limit != "":
			say(engine.WarnFitLimit, []string{p.Name, p.Limit}, p.Value)
		case p.StandardError == 0:
			say(engine.WarnFitUndetermined, []string{p.Name})
		case p.Logarithmic && p.StandardError > 1.5:
			say(engine.WarnFitLoose, []string{p.Name}, p.CI95[0], p.CI95[1])
		}
	}
	if m := f.Misfit; m.Remedy != "" {
		say(engine.WarnFitMisfit, []string{strings.TrimPrefix(m.Remedy, "+ "), m.Mended}, m.rejects())
	}
	const computed = 1e-12 // means that were computed from the kernel, as those of paper(), have no noise
	if m := f.Misfit; m.Test != "" && m.Exact && m.PValue > 1-tooGood && m.Statistic > computed {
		say(engine.WarnFitTooGood, nil, m.Statistic, m.PValue)
	}
	switch s := f.Sharing; s.Verdict {
	case SharingHurts:
		say(engine.WarnPoolHurts, nil, -s.Support)
	case SharingUnclear:
		say(engine.WarnPoolUnclear, nil, s.Support)
	case SharingHelps:
		if s.Speedup < littleUse {
			say(engine.WarnPoolWeak, nil, s.Speedup)
		}
	}
	if c := f.CrossValidation; c.Arms > 0 && c.Error > c.Without {
		say(engine.WarnFitWorse, nil, c.Error, c.Without)
	}
	if float64(f.Arms) < 5*float64(len(f.Parameters)) {
		say(engine.WarnFitFewArms, nil, float64(f.Arms), float64(len(f.Parameters)))
	}
}

// tooGood is the level of the test for a fit that is better than the noise allows.
const tooGood = 1e-3

// stopped reports whether an error is the end of a context.
func stopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// The values of Options.Mean: which constant levels of rewards are estimated beside the kernel.
const (
	MeanProblem = "problem" // one level for all arms; the default
	MeanTask    = "task"    // one level for each task
	MeanNone    = "none"    // no level: rewards vary around 0, as the algorithms assume
)

// Options are the options of Of. The zero value fits with the problem's own noise and one level.
type Options struct {
	Kernel kernels.Joint // the kernel to fit; without terms, that of the problem
	Mean   string        // "" means MeanProblem
	// scale σ of one reward, reward units: known if it is Fixed, and fitted otherwise; nil means the problem's scales
	Noise  *kernels.Free
	Starts int // number of searches; 0 means 4
	// called after each evaluation of the likelihood, with the number of evaluations so far; may be nil
	Progress func(evaluations int)
}

// Fit is a kernel with its fitted hyperparameters and diagnostics.
type Fit struct {
	// Kernel has numbers instead of free hyperparameters, and problems can use it unchanged. Since algorithms have no
	// level, Kernel has the fitted level as a further term: a constant, or c*task(identity()).
	Kernel kernels.Joint `json:"-"`

	Problem string `json:"problem"`
	Goal    string `json:"goal,omitempty"` // "min" where lower rewards are better
	// the names of tasks, arms and rewards in the problem's table
	Words problem.Words `json:"columns,omitzero"`
	Tasks int           `json:"tasks"`
	Arms  int           `json:"arms"` // n, number of arms in the fit, all tasks together
	// number of measured arms if the fit uses a sample of them; otherwise 0
	SampledFrom  int     `json:"sampled_from,omitempty"`
	Measurements float64 `json:"measurements"` // Σ n_i
	// degrees of freedom of replicates within arms; 0 if there are none
	Replicates float64 `json:"replicates"`

	Start      string `json:"start"`      // the given kernel
	Expression string `json:"expression"` // the fitted kernel, without the level
	Usable     string `json:"usable"`     // the text of Kernel

	Mean   string    `json:"mean"`
	Levels []float64 `json:"levels,omitempty"` // reward units
	Noise  string    `json:"noise"`            // where the noise scale comes from, in words

	LogLikelihoodStart float64 `json:"log_likelihood_start"` // nats
	LogLikelihood      float64 `json:"log_likelihood"`       // never below that at the start
	// largest absolute derivative of the log likelihood by a number on its scale, nats; without numbers at a limit
	GradientNorm float64 `json:"gradient_norm"`
	Condition    float64 `json:"condition"` // condition number of the covariance of the data
	// tr K(K+N)⁻¹: the effective number of parameters
	Effective   float64 `json:"effective_parameters"`
	Evaluations int     `json:"evaluations"`

	Parameters []Parameter `json:"parameters"`

	CrossValidation CrossValidation  `json:"cross_validation"`
	Misfit          Misfit           `json:"misfit"`
	Sharing         Sharing          `json:"sharing"`
	Warnings        []engine.Warning `json:"warnings,omitempty"`
}

// Parameter is a free hyperparameter with its fitted value.
type Parameter struct {
	Name  string  `json:"name"` // its name, or its position in the kernel
	Start float64 `json:"start"`
	Value float64 `json:"value"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// 95 % confidence interval from the curvature of the log likelihood on the number's scale. Both ends are 0 if there is
	// none: for a number at a limit, or one that the data do not determine.
	CI95          [2]float64 `json:"ci95"`
	StandardError float64    `json:"standard_error"` // on the number's scale: relative for a logarithmic number
	Logarithmic   bool       `json:"logarithmic"`
	Limit         string     `json:"limit,omitempty"` // "min" or "max" if the value is at that limit
}

// CrossValidation has the errors of predicting each arm from all others, with the hyperparameters fixed.
type CrossValidation struct {
	Arms  int     `json:"arms"`  // number of predicted arms; the only arm of a level cannot be predicted
	Error float64 `json:"error"` // root mean squared error, reward units
	// the same error if an arm is predicted by the mean of the task's other arms
	Without    float64 `json:"without"`
	LogDensity float64 `json:"log_density"` // mean log predictive density, nats
	Coverage   float64 `json:"coverage"`    // fraction of arms within their 95 % interval
}

// Misfit is the test for lack of fit. It compares the means with the kernel in those directions in which the kernel's
// variance is at most that of the noise.
type Misfit struct {
	Test   string `json:"test"`             // "F", "chi-square" or "" without a test
	Reason string `json:"reason,omitempty"` // why there is no test
	// mean square in these directions divided by that of the pure error; its mean is 1 if the kernel is right
	Statistic float64    `json:"statistic"`
	Freedom   [2]float64 `json:"freedom"` // degrees of freedom; the second is 0 for chi-square
	PValue    float64    `json:"p_value"` // probability of a statistic at least this large
	// whether the p-value is exact for a kernel and variance ratios that were known before the data
	Exact bool `json:"exact"`
	// g of a term g*identity() with the largest likelihood, squared reward units
	Nugget float64 `json:"nugget"`
	// increase of the log likelihood by this term, with all other numbers fitted again
	Gain float64 `json:"gain"`
	// probability of a gain at least this large if g = 0: half of the χ²_1 tail at twice the gain
	GainP float64 `json:"gain_p_value"`
	// "+ g*identity()" if one of the two p-values is below 5 %
	Remedy    string     `json:"remedy,omitempty"`
	Mended    string     `json:"mended,omitempty"`    // the fitted kernel with that term
	Residuals []Residual `json:"residuals,omitempty"` // largest first
}

// Residual is the difference of an arm's mean from its prediction by all other arms.
type Residual struct {
	Task         string  `json:"task"`
	Arm          string  `json:"arm"`
	Mean         float64 `json:"mean"`         // measured, reward units
	Predicted    float64 `json:"predicted"`    // from all other arms
	Standardised float64 `json:"standardised"` // difference divided by its standard deviation
}

// The values of Sharing.Verdict.
const (
	SharingHelps   = "helps"
	SharingHurts   = "hurts"
	SharingUnclear = "unclear"
	SharingNone    = "" // one task, or no differences between arms under the kernel
)

// Sharing states how similar the tasks are under the fitted kernel, and how many measurements sharing saves.
type Sharing struct {
	Names []string `json:"names,omitempty"`
	// V × V: correlation between tasks of the arms' effects, which are rewards without the task's level
	Alike [][]float64 `json:"alike,omitempty"`

	// standard deviation of an arm's effect within a task, reward units
	Signal  float64 `json:"signal"`
	Noise   float64 `json:"noise"`   // standard deviation of an arm's mean in the data, reward units
	Speedup float64 `json:"speedup"` // predicted, between 1 and V
	Rank    float64 `json:"rank"`    // V / Speedup
	// predicted speedup for single measurements, not for the data's means
	Single float64 `json:"single"`

	// a kernel under which tasks share nothing, fitted to the same data
	Separate           string  `json:"separate"`
	SeparateLikelihood float64 `json:"separate_likelihood"` // nats
	// the value of a kernel is its log likelihood minus its number of free hyperparameters. Support is this kernel's value
	// minus that of Separate, which is half the difference of AIC
	Support float64 `json:"support"`
	Verdict string  `json:"verdict"`

	Measured *Measured `json:"measured,omitempty"` // nil unless requested
}
