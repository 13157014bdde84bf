package fit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// defaultStarts is the number of searches: from the start values, and from the best of a few points
// spread over the limits.
const defaultStarts = 4

// MaxArms is the most arms that Of takes. Up to DenseArms the covariance is factored as it is, O(n³),
// several hundred times; beyond that along inducing arms (see inducing.go), where n of them with m
// inducing take O(n m²).
const MaxArms = 20_000

// Of fits the free numbers of the kernel to the mean rewards of the problem and their counts, and
// looks at the fitted kernel. The likelihood is never below the one at the start values. Arms that
// are not measured (problem.Problem.Partial) are left out. It reports problems without mean
// rewards, kernels that do not fit the points, and more arms than MaxArms.
func Of(ctx context.Context, p *problem.Problem, opt Options) (Fit, error) {
	whole := p
	p = p.Measured()
	if opt.Mean == "" {
		opt.Mean = MeanProblem
	}
	if opt.Starts == 0 {
		opt.Starts = defaultStarts
	}
	if len(opt.Kernel.Terms) == 0 {
		opt.Kernel = p.Kernel
	}
	if p.N() > MaxArms {
		return Fit{}, fmt.Errorf("problem %q has %d arms; a kernel is fitted to at most %d: fit it to a problem with a part of the "+
			"table, and take it over with with_kernel(…, fitted(…))", p.Name, p.N(), MaxArms)
	}
	if _, err := opt.Kernel.Check(p.Tasks, p.Arms); err != nil {
		return Fit{}, err
	}
	if opt.Noise == nil && p.Noise.UnknownBy != "" { // the problem has guesses only
		opt.Noise = &kernels.Free{Name: "noise", Value: p.LargestNoise()}
	}
	d, err := dataOf(p, opt.Mean)
	if err != nil {
		return Fit{}, err
	}
	s, err := newSurface(ctx, d, opt.Kernel, opt.Noise)
	if err != nil {
		return Fit{}, err
	}
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
	for _, n := range d.count {
		f.Measurements += n
	}
	if low := best.process.low; low != nil {
		f.Inducing = len(low.arms)
		if f.Lost, err = s.lost(best.process, best.values); err != nil {
			return Fit{}, err
		}
	}
	if err := f.describe(s, best); err != nil {
		return Fit{}, err
	}
	if err := f.usable(whole, s, best); err != nil {
		return Fit{}, err
	}
	f.CrossValidation, f.Misfit.Residuals = best.process.crossValidate()
	if err := f.misfit(s, best, opt); err != nil {
		return Fit{}, err
	}
	if err := f.sharing(s, best, opt); err != nil {
		return Fit{}, err
	}
	f.Evaluations = s.evaluations.count
	f.warn()
	return f, nil
}

// describe reports the optimum: numbers, intervals, gradient and condition.
func (f *Fit) describe(s *surface, best optimum) error {
	slope, err := s.scaled(best.process, best.values)
	if err != nil {
		return err
	}
	limits := make([]string, len(best.values))
	for i, p := range s.free {
		if limits[i] = atLimit(p.Free, best.values[i]); limits[i] == "" {
			f.GradientNorm = max(f.GradientNorm, math.Abs(slope[i]))
		}
	}
	errors, err := s.standardErrors(best.values, limits)
	if err != nil {
		return err
	}
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
	f.Condition = g.condition()
	f.Effective = float64(len(s.d.y))
	inverse := g.inverseDiagonal()
	for i, v := range g.variance {
		f.Effective -= v * inverse[i]
	}
	for _, level := range g.beta {
		f.Levels = append(f.Levels, s.d.p.Turned(level))
	}
	return nil
}

// normal95 is the 97.5 % quantile of the standard normal distribution.
const normal95 = 1.959963984540054

// usable makes the kernel that problems take.
func (f *Fit) usable(p *problem.Problem, s *surface, best optimum) error {
	k, err := s.at(best.values)
	if err == nil {
		k, err = k.Settled()
	}
	if err != nil {
		return err
	}
	f.Expression = k.String()
	square := 0.0
	for _, b := range f.Levels {
		square += b * b / float64(len(f.Levels))
	}
	if square = round(square); square > 0 {
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

func short(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }

// stopped tells the end of the context from other mistakes.
func stopped(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}
