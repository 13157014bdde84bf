package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// defaultStarts is the number of searches: from the start values, and from the best of a few points
// spread over the limits.
const defaultStarts = 4

// MaxArms is the largest number of arms Of takes. Up to DenseArms the whole covariance is factored, O(n³),
// several hundred times; beyond that along inducing arms (see inducing.go), where n of them with m inducing
// take O(n m²).
const MaxArms = 20_000

// Of fits the free hyperparameters of the kernel to the mean rewards of the problem and their counts, and
// looks at the fitted kernel. The likelihood is never below the one at the start values. Arms that
// are not measured (problem.Problem.Partial) are left out. The error is of the context, or names a problem without mean
// rewards, a kernel that does not fit the points, or more arms than MaxArms.
func Of(ctx context.Context, p *problem.Problem, opt Options) (_ Fit, err error) {
	defer try.Caught(&err)
	whole := p
	p = p.Measured()
	opt.Mean = cmp.Or(opt.Mean, MeanProblem)
	opt.Starts = cmp.Or(opt.Starts, defaultStarts)
	if len(opt.Kernel.Terms) == 0 {
		opt.Kernel = p.Kernel
	}
	if p.N() > MaxArms {
		return Fit{}, fmt.Errorf("problem %q has %d arms, but a kernel is fitted to at most %d. Fit it to a part of the table, and use it "+
			"here by with_kernel(…, fitted(…))", p.Name, p.N(), MaxArms)
	}
	if _, err := opt.Kernel.Check(p.Tasks, p.Arms); err != nil {
		return Fit{}, err
	}
	if opt.Noise == nil && p.Noise.UnknownBy != "" { // the problem has guesses only
		opt.Noise = &kernels.Free{Name: "noise", Value: p.LargestNoise()}
	}
	d := try.Of(dataOf(p, opt.Mean))
	s := try.Of(newSurface(ctx, d, opt.Kernel, opt.Noise))
	s.evaluations.tell = opt.Progress
	best, err := s.search(opt.Starts)
	if err == nil && !s.dense {
		err = s.refine(&best)
	}
	if err != nil {
		return Fit{}, err
	}
	f := Fit{
		Problem: p.Name, Goal: p.Goal, Words: p.Words(), Tasks: p.V(), Arms: p.N(), Replicates: d.freedom, Start: opt.Kernel.String(),
		Mean:  opt.Mean,
		Noise: noiseWords(p, opt.Noise), LogLikelihoodStart: best.begin, LogLikelihood: best.likelihood,
	}
	f.Measurements = lists.Total(d.count)
	if low := best.process.low; low != nil {
		f.Inducing = len(low.arms)
		f.Lost = try.Of(s.lost(best.process, best.values))
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

// describe reports the optimum: numbers, intervals, gradient and condition.
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

// usable makes the kernel that problems take.
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

// round keeps the five digits that a fitted number is worth showing.
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

// warn collects what one should know before using the fit.
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
	if m := f.Misfit; m.Test != "" && m.Exact && m.PValue > 1-tooGood {
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

// tooGood is the level at which a fit better than noise allows is reported.
const tooGood = 1e-3

// stopped reports whether an error is the end of the context.
func stopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// The scope of a constant level of rewards, which the kernel need not explain.
const (
	MeanProblem = "problem" // one level for all arms; the default
	MeanTask    = "task"    // one level for each task
	MeanNone    = "none"    // rewards are around 0 except for the kernel, as the algorithms take them
)

// Options of Of; the zero value fits with the problem's own noise and one level.
type Options struct {
	Kernel kernels.Joint // no terms: the problem's
	Mean   string        // "" means MeanProblem
	// scale σ of one reward, reward units: known when Fixed, else fitted; nil: the problem's scales
	Noise  *kernels.Free
	Starts int // how many searches; 0 means 4
	// receives the number of evaluations of the likelihood so far, after each; may be nil
	Progress func(evaluations int)
}

// Fit is a kernel with its fitted numbers and their diagnostics.
type Fit struct {
	// Kernel has plain numbers, and the level as a separate term, since algorithms have none: a
	// constant, or c*task(identity()). Problems take it unchanged.
	Kernel kernels.Joint `json:"-"`

	Problem string `json:"problem"`
	Goal    string `json:"goal,omitempty"` // "min" where lower rewards are better
	// what the table of the problem calls tasks, arms and rewards
	Words        problem.Words `json:"columns,omitzero"`
	Tasks        int           `json:"tasks"`
	Arms         int           `json:"arms"`         // n, arms of all tasks together: what is fitted to
	Measurements float64       `json:"measurements"` // Σ n_i
	// degrees of freedom within arms; 0 if the data have none
	Replicates float64 `json:"replicates"`

	Start      string `json:"start"`      // the given kernel
	Expression string `json:"expression"` // the kernel fitted, without the level
	Usable     string `json:"usable"`     // Kernel

	Mean   string    `json:"mean"`
	Levels []float64 `json:"levels,omitempty"` // reward units
	Noise  string    `json:"noise"`            // where the noise is from, in words

	LogLikelihoodStart float64 `json:"log_likelihood_start"` // nats
	LogLikelihood      float64 `json:"log_likelihood"`       // never below that at the start
	// arms along which the covariance of many was factored, and how much larger the log likelihood may
	// be than the one stated, which is a lower bound then, nats; both 0 if the whole covariance was
	// factored
	Inducing int     `json:"inducing_arms,omitempty"`
	Lost     float64 `json:"log_likelihood_lost,omitempty"`
	// largest derivative by a number on its scale, nats; numbers at a limit are left out
	GradientNorm float64 `json:"gradient_norm"`
	Condition    float64 `json:"condition"` // of the covariance of the data
	// tr K(K+N)⁻¹: how many arms' worth the kernel adapts to
	Effective   float64 `json:"effective_parameters"`
	Evaluations int     `json:"evaluations"`

	Parameters []Parameter `json:"parameters"`

	CrossValidation CrossValidation  `json:"cross_validation"`
	Misfit          Misfit           `json:"misfit"`
	Sharing         Sharing          `json:"sharing"`
	Warnings        []engine.Warning `json:"warnings,omitempty"`
}

// Parameter is a number that was free.
type Parameter struct {
	Name  string  `json:"name"` // its name, or its place in the kernel
	Start float64 `json:"start"`
	Value float64 `json:"value"`
	Min   float64 `json:"min"`
	Max   float64 `json:"max"`
	// CI95 follows from the curvature of the likelihood on the number's scale; both ends are 0
	// without one: at a limit, and where the data do not determine the number.
	CI95          [2]float64 `json:"ci95"`
	StandardError float64    `json:"standard_error"` // on its scale: relative for a logarithmic one
	Logarithmic   bool       `json:"logarithmic"`
	Limit         string     `json:"limit,omitempty"` // "min" or "max" if it ended there
}

// CrossValidation states how well each arm is predicted from all others, with the kernel fixed.
type CrossValidation struct {
	Arms  int     `json:"arms"`  // predicted; the only arm of a level is not
	Error float64 `json:"error"` // root mean square, reward units
	// the same when predicting by the mean of the task's other arms
	Without    float64 `json:"without"`
	LogDensity float64 `json:"log_density"` // mean log predictive density, nats
	Coverage   float64 `json:"coverage"`    // share of arms within their 95 % interval
}

// Misfit is the test for lack of fit: the means against the kernel, in the directions about which
// it says less than noise does.
type Misfit struct {
	Test   string `json:"test"`             // "F", "chi-square" or "" without a test
	Reason string `json:"reason,omitempty"` // why no test was made
	// mean square of the directions over pure error's, 1 on average when the kernel fits
	Statistic float64    `json:"statistic"`
	Freedom   [2]float64 `json:"freedom"` // degrees; the second is 0 for chi-square
	PValue    float64    `json:"p_value"` // of a statistic at least this large
	// exact for a kernel and variance ratios known beforehand
	Exact bool `json:"exact"`
	// g of + g*identity() with the largest likelihood, reward units squared
	Nugget float64 `json:"nugget"`
	// log likelihood that it adds, the other numbers fitted again
	Gain float64 `json:"gain"`
	// of a gain at least this large where g = 0: half of a χ²_1 tail at twice the gain
	GainP float64 `json:"gain_p_value"`
	// "+ g*identity()" where one of the two p-values is below 5 %
	Remedy    string     `json:"remedy,omitempty"`
	Mended    string     `json:"mended,omitempty"`    // the kernel with that term, fitted
	Residuals []Residual `json:"residuals,omitempty"` // largest first
}

// Residual measures how far an arm is from what the others predict.
type Residual struct {
	Task         string  `json:"task"`
	Arm          string  `json:"arm"`
	Mean         float64 `json:"mean"`         // measured, reward units
	Predicted    float64 `json:"predicted"`    // from all other arms
	Standardised float64 `json:"standardised"` // difference over its standard deviation
}

// Verdicts on sharing.
const (
	SharingHelps   = "helps"
	SharingHurts   = "hurts"
	SharingUnclear = "unclear"
	SharingNone    = "" // one task, or a kernel without differences between arms
)

// Sharing states how alike the tasks are under the fitted kernel, and what that is worth.
type Sharing struct {
	Names []string `json:"names,omitempty"`
	// V × V: correlation of the arms' effects, the tasks' levels taken off
	Alike [][]float64 `json:"alike,omitempty"`

	// standard deviation of an arm's effect in a task, reward units
	Signal  float64 `json:"signal"`
	Noise   float64 `json:"noise"`   // standard deviation of a mean of the pilot, reward units
	Speedup float64 `json:"speedup"` // predicted, between 1 and V
	Rank    float64 `json:"rank"`    // V / Speedup
	// the speedup predicted for single measurements instead of the pilot's means
	Single float64 `json:"single"`

	// the kernel under which tasks share nothing, fitted to the same data
	Separate           string  `json:"separate"`
	SeparateLikelihood float64 `json:"separate_likelihood"` // nats
	// difference of log likelihoods less the difference in free hyperparameters (half the difference of
	// AIC)
	Support float64 `json:"support"`
	Verdict string  `json:"verdict"`

	Measured *Measured `json:"measured,omitempty"` // nil unless asked for
}
