package dsl

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// fittingFunctions returns the functions that find the numbers of kernels from data.
func fittingFunctions() []Function {
	all := []Function{
		bound(Function{
			Name: "fit", Section: SectionProblems, Synonyms: []string{"train", "optimize", "optimise", "learn", "check_fit"},
			Doc: "the free numbers of the kernel by maximum marginal likelihood on the mean rewards of a problem, with intervals, a test for lack of fit, cross-validation, and what sharing between tasks is worth; a kernel without free numbers is tested as it is",
			Params: []Param{
				problemParam,
				{Name: "kernel", Synonyms: []string{"k"}, Types: []Type{Joint}, Default: unset, Doc: "the kernel to fit; the problem's own when not given"},
				{Name: "mean", Synonyms: []string{"level", "trend"}, Types: []Type{Text}, Choices: []string{fit.MeanProblem, fit.MeanTask, fit.MeanNone}, Default: `"problem"`, Doc: "a constant level that the kernel need not explain: of the problem, of each task, or none"},
				{Name: "noise", Synonyms: []string{"sigma", "sd"}, Types: []Type{Number, Free}, Range: positive, Default: unset, Doc: "standard deviation of one reward: a number, or a free one; the problem's own when not given"},
				{Name: "starts", Synonyms: []string{"restarts", "n_restarts"}, Types: []Type{Number}, Whole: true, Range: kernels.Range{Min: 1, Max: 17}, Default: "4", Doc: "how many searches"},
				{Name: "measure", Types: []Type{Number}, Whole: true, Range: kernels.Range{Min: 0, Max: 1000}, Default: "0", Doc: "how many simulated runs measure what sharing between tasks is worth: CoTestFC under the fitted kernel against IndTestFC, with the data's means for expected rewards"},
			},
			Result: typeOf[fit.Fit](), Example: `fit(problem("pilot.csv", kernel=task(rbf(free(1))) * arm(free(1)*rbf(free(1)))))`,
		}, nil, evalFit),
		bound(Function{
			Name: "fitted", Section: SectionProblems, Doc: "the kernel of a fit, with plain numbers and with the level as a term of its own, for with_kernel(p, fitted(f))",
			Params: []Param{{Name: "f", Types: []Type{typeOf[fit.Fit]()}, Doc: "the fit"}}, Result: Joint, Example: "fitted(f)",
		}, nil, func(_ *call, a struct{ F fit.Fit }) (any, error) { return a.F.Kernel, nil }),
	}
	return append(all, compareKernels(all[0].Params))
}

// searchArgs are the arguments that fit and compare_kernels have in common.
type searchArgs struct {
	Mean   string
	Noise  any
	Starts int `arg:"default"`
}

// evalFit evaluates fit(...).
func evalFit(c *call, a struct {
	searchArgs
	P       *problem.Problem
	Kernel  kernels.Joint
	Measure int
}) (any, error) {
	kept := c.e.session.opt.found
	if x, k, err := kept.take(c.e.ctx, "fit"); err != nil {
		return nil, err
	} else if x != nil {
		f := *x.Fit
		f.Kernel = k
		return f, nil
	}
	f, err := a.fit(c, a.P, a.Kernel, "kernel", 0, 1)
	if err == nil {
		kept.keep(c.e.ctx, foundKernel{Function: "fit", Fit: &f}, f.Kernel)
	}
	if err == nil && a.Measure > 0 {
		err = measureSharing(c, a.P, &f, a.Measure)
		if c.e.ctx.Err() != nil { // the fit itself is finished
			f.Warnings = append(f.Warnings, engine.Warning{Kind: engine.WarnUnmeasured})
			return f, err
		}
	}
	return given(f, err)
}

// usualEvaluations is how often a search evaluates the likelihood, about, for the bar of progress.
const usualEvaluations = 40

// fit fits a kernel that the parameter of this name gives, without terms the problem's own: the one at a place of so many.
// What is wrong with it on the problem's points is shown there.
func (a searchArgs) fit(c *call, p *problem.Problem, j kernels.Joint, param string, at, of int) (fit.Fit, error) {
	opt := fit.Options{Mean: a.Mean, Starts: a.Starts}
	if c.e.teller != nil {
		tell, usual := c.e.teller.update, float64(usualEvaluations*opt.Starts)
		opt.Progress = func(n int) {
			tell(Activity{Label: c.fn.Name, Done: at, Total: of, Share: float64(n) / (float64(n) + usual), Note: fmt.Sprintf("evaluation %d of the likelihood", n)})
		}
	}
	switch noise := a.Noise.(type) {
	case float64:
		opt.Noise = &kernels.Free{Value: noise, Min: noise, Max: noise}
	case kernels.Free:
		opt.Noise = &noise
	}
	if len(j.Terms) > 0 {
		opt.Kernel = j
		if _, err := j.Check(p.Tasks, p.Arms); err != nil {
			return fit.Fit{}, &argumentError{param: param, message: "the kernel does not fit the problem", err: err}
		}
	}
	return computed(c, func() (fit.Fit, error) { return fit.Of(c.e.ctx, p, opt) })
}

// The algorithms by which sharing is measured: the same test by all agents together and by each
// alone.
const (
	together = "CoTestFC"
	apart    = "IndTestFC"
)

// longMeasure is the most pulls of a run in which sharing is measured, for each arm.
const longMeasure = 1e6

// measureSharing simulates what sharing is worth where the data's means are the truth and agents go by
// the fitted kernel. Arms closer than the pilot tells apart count as equally good.
func measureSharing(c *call, p *problem.Problem, f *fit.Fit, runs int) error {
	if f.Sharing.Verdict == fit.SharingNone {
		return fmt.Errorf("fit: measure compares agents that share with agents alone, and in %s there is nothing to share", p.Name)
	}
	q := *p.Measured().WithKernel(f.Kernel)
	q.Noise.Environment, q.Rewards = problem.EnvironmentGaussian, nil
	m := fit.Measured{Runs: runs, Epsilon: f.Sharing.Noise}
	sweep := sim.Sweep{Names: []string{"algorithm"}}
	for _, name := range []string{together, apart} {
		x := sim.Experiment{
			Problem: &q, Mode: engine.ModeFC, Algorithm: name, Runs: runs, Seed: 1, Workers: c.e.session.opt.Workers, Detail: true,
			Options: engine.Options{Epsilon: m.Epsilon, MaxSamples: longMeasure * q.N()},
		}
		if c.e.swept == nil {
			x.Progress = progressOf(c.e, c.fn.Name, name, runs)
		}
		r, err := sim.Run(c.e.ctx, x)
		if err != nil {
			return err
		}
		sweep.Rows = append(sweep.Rows, sim.SweepRow{Values: []any{name}, Result: r})
	}
	s, err := sim.SpeedupOf(sweep, together, apart)
	if err != nil {
		return err
	}
	shared, alone := sweep.Rows[0].Result, sweep.Rows[1].Result
	m.Delta = shared.Delta
	m.Speedup, m.Together, m.Alone = s.Rows[0].Beta, shared.SamplesPerAgent, alone.SamplesPerAgent
	m.Wrong, m.WrongAlone, m.Undecided = shared.Errors, alone.Errors, shared.Undecided.Count
	f.Sharing.Measured = &m
	f.Warnings = slices.Concat(f.Warnings, m.Warnings(f.Sharing.Speedup), engine.NoiseWarnings(&q))
	return nil
}
