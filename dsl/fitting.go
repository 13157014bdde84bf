package dsl

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/fit"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// fittingFunctions returns the functions that fit hyperparameters of kernels to data.
func fittingFunctions() []Function {
	all := []Function{
		makeFunction(Function{
			Name: "fit", Section: SectionProblems, Synonyms: []string{"train", "optimize", "optimise", "learn", "check_fit"},
			Doc: "fits the free hyperparameters of the kernel to the mean rewards of a problem by maximum marginal likelihood. The result has " +
				"intervals, a test for lack of fit, cross-validation, and the benefit of sharing between tasks. " +
				"A kernel without free hyperparameters is only tested",
			Params: []Param{
				problemParam,
				{Name: "kernel", Synonyms: []string{"k"}, Types: []Type{Joint}, Default: unset,
					Doc: "the kernel to fit; the problem's kernel if not given"},
				{Name: "mean", Synonyms: []string{"level", "trend"}, Types: []Type{Text},
					Choices: []string{fit.MeanProblem, fit.MeanTask, fit.MeanNone}, Default: `"problem"`,
					Doc: "the constant mean that the kernel does not explain: one for the problem, one for each task, or none"},
				{Name: "noise", Synonyms: []string{"sigma", "sd"}, Types: []Type{Number, Free}, Range: positive, Default: unset,
					Doc: "standard deviation of one reward: a number or a free hyperparameter; the problem's noise if not given"},
				{Name: "starts", Synonyms: []string{"restarts", "n_restarts"}, Types: []Type{Number}, Whole: true,
					Range: kernels.Range{Min: 1, Max: 17}, Default: "4", Doc: "number of searches, each from another start"},
				{Name: "measure", Types: []Type{Number}, Whole: true, Range: kernels.Range{Min: 0, Max: 1000}, Default: "0",
					Doc: "number of simulated runs that measure the benefit of sharing: CoTestFC against IndTestFC, with the data's means as the truth"},
			},
			Result: typeOf[fit.Fit](), Example: `fit(problem("pilot.csv", kernel=task(rbf(free(1))) * arm(free(1)*rbf(free(1)))))`,
		}, nil, evalFit),
		makeFunction(Function{
			Name: "fitted", Section: SectionProblems, Doc: "returns the kernel of a fit, with its fitted numbers and its mean level as a " +
				"term, for with_kernel(p, fitted(f))",
			Params: []Param{{Name: "f", Types: []Type{typeOf[fit.Fit]()}, Doc: "the fit"}}, Result: Joint, Example: "fitted(f)",
		}, nil, func(_ *call, a struct{ F fit.Fit }) (any, error) { return a.F.Kernel, nil }),
	}
	return append(all, compareKernels(all[0].Params))
}

// searchArgs are the arguments that fit and compare_kernels share.
type searchArgs struct {
	Mean   string // the argument mean: the constant mean; "" if not given
	Noise  any    // a float64 or a kernels.Free; nil for the noise of the problem
	Starts int    `arg:"default"`
}

// evalFit evaluates fit(...). A campaign uses the fit that was recorded at its start.
func evalFit(c *call, a struct {
	searchArgs
	P       *problem.Problem
	Kernel  kernels.Joint
	Measure int
}) (any, error) {
	stored := c.e.session.opt.found
	if x, k, err := stored.take(c.e.ctx, "fit"); err != nil {
		return nil, err
	} else if x != nil {
		f := *x.Fit
		f.Kernel = k
		return f, nil
	}
	f, err := a.fit(c, a.P, a.Kernel, "kernel", 0, 1)
	// Record the fit now; later commands do not need the benefit of sharing, computed below.
	if err == nil {
		stored.keep(c.e.ctx, foundKernel{Function: "fit", Fit: &f}, f.Kernel)
	}
	if err == nil && a.Measure > 0 {
		err = measureSharing(c, a.P, &f, a.Measure)
		if c.e.ctx.Err() != nil { // an interrupt here does not affect the fit, which is complete
			f.Warnings = append(f.Warnings, engine.Warning{Kind: engine.WarnUnmeasured})
			return f, err
		}
	}
	return dropOnError(f, err)
}

// usualEvaluations is the approximate number of likelihood evaluations of a search, for progress reports.
const usualEvaluations = 40

// fit fits the hyperparameters of kernel j to problem p. If j has no terms, it uses the problem's kernel. Errors of the
// kernel are shown at the argument param. For progress, at is the index of this kernel among those to fit.
func (a searchArgs) fit(c *call, p *problem.Problem, j kernels.Joint, param string, at, of int) (fit.Fit, error) {
	opt := fit.Options{Mean: a.Mean, Starts: a.Starts}
	if c.e.teller != nil {
		// The number of evaluations is unknown, so the reported share approaches 1 and never reaches it.
		tell, usual := c.e.teller.update, float64(usualEvaluations*opt.Starts)
		opt.Progress = func(n int) {
			tell(Activity{Label: c.fn.Name, Done: at, Total: of, Share: float64(n) / (float64(n) + usual),
				Note: fmt.Sprintf("evaluation %d of the likelihood", n)})
		}
	}
	if noise, ok := freeHyperparameter(a.Noise); ok { // a plain number is a free hyperparameter whose limits are equal
		opt.Noise = &noise
	}
	// Check the kernel first, because an error in the search would be shown at the call.
	if len(j.Terms) > 0 {
		opt.Kernel = j
		if _, err := j.Check(p.Tasks, p.Arms); err != nil {
			return fit.Fit{}, &argumentError{param: param, message: "the kernel does not fit the problem", err: err}
		}
	}
	return awaitResult(c, func() (fit.Fit, error) { return fit.Of(c.e.ctx, p, opt) })
}

// The collaborative and the independent version of one algorithm, whose comparison measures the benefit of sharing.
const (
	together    = "CoTestFC"
	independent = "IndTestFC"
)

// longMeasure limits the pulls per arm in the runs that measure the benefit of sharing.
const longMeasure = 1e6

// measureSharing simulates how much sharing between tasks helps, and adds to the fit f the speedup, the samples with and
// without sharing, and the error rate. The means of the data are the true means, and the agents use the fitted kernel.
// Arms that the pilot data cannot distinguish count as equally good.
func measureSharing(c *call, p *problem.Problem, f *fit.Fit, runs int) (err error) {
	defer try.Caught(&err)
	if f.Sharing.Verdict == fit.SharingNone {
		return fmt.Errorf("fit: measure compares collaborative with independent agents, but the tasks of %s are unrelated under this kernel",
			p.Name)
	}
	q := *p.Measured().WithKernel(f.Kernel) // a copy without unmeasured arms
	// Draw normal rewards, even if the problem has raw rewards or another environment.
	q.Noise.Environment, q.Rewards = problem.EnvironmentGaussian, nil
	m := fit.Measured{Runs: runs, Epsilon: f.Sharing.Noise}
	sweep := sim.Sweep{Names: []string{"algorithm"}}
	for _, name := range []string{together, independent} {
		x := sim.Experiment{
			Problem: &q, Mode: engine.ModeFC, Algorithm: name, Runs: runs, Seed: 1, Workers: c.e.session.opt.Workers, Detail: true,
			Options: engine.Options{Epsilon: m.Epsilon, MaxSamples: longMeasure * q.N()},
		}
		if c.e.swept == nil { // inside a sweep, the sweep reports progress
			x.Progress = progressOf(c.e, c.fn.Name, name, runs)
		}
		r := try.Of(sim.Run(c.e.ctx, x))
		sweep.Rows = append(sweep.Rows, sim.SweepRow{Values: []any{name}, Result: r})
	}
	s := try.Of(sim.SpeedupOf(sweep, together, independent))
	shared, alone := sweep.Rows[0].Result, sweep.Rows[1].Result
	m.Delta = shared.Delta
	m.Speedup, m.Together, m.Alone = s.Rows[0].Beta, shared.SamplesPerAgent, alone.SamplesPerAgent
	m.Wrong, m.WrongAlone, m.Undecided = shared.Errors, alone.Errors, shared.Undecided.Count
	f.Sharing.Measured = &m
	f.Warnings = slices.Concat(f.Warnings, m.Warnings(f.Sharing.Speedup), engine.NoiseWarnings(&q))
	return nil
}

// compareKernels returns the function compare_kernels, which fits several kernels to one problem. fitted are the
// parameters of fit, which it shares.
func compareKernels(fitted []Param) Function {
	params := []Param{
		problemParam,
		{Name: "kernels", Synonyms: []string{"kernel", "k"}, Types: []Type{List},
			Doc: "a list of kernels; the table shows their names"},
	}
	params = append(params, lists.Where(fitted, func(p Param) bool { return p.Name == "mean" || p.Name == "noise" || p.Name == "starts" })...)
	return makeFunction(Function{
		Name: "compare_kernels", Section: SectionProblems, Synonyms: []string{"fit_all", "select_kernel", "model_selection"},
		Doc: "fits several kernels to the means of a problem, and compares their marginal likelihood, leave-one-out prediction and " +
			"test for lack of fit",
		Params: params, Result: Table,
		Example: "compare_kernels(paper(case=2), [task(identity()) * arm(linear()), arm(linear())])",
	}, func(c *call, _ compareArgs) { kernelList(c) }, func(c *call, a compareArgs) (any, error) {
		list := kernelList(c)
		var names []string
		var fits []fit.Fit
		for i, k := range list {
			f, err := a.fit(c, a.P, k.Data.(kernels.Joint), "kernels", i, len(list))
			if wrong := (*argumentError)(nil); errors.As(err, &wrong) { // an error of this kernel, and not of the data
				c.failWith(k.argument, wrong)
				return nil, nil
			}
			if err != nil {
				return nil, err
			}
			names, fits = append(names, fmt.Sprint(k.label)), append(fits, f)
		}
		return report.CompareFits(names, fits), nil
	})
}

// compareArgs are the arguments of compare_kernels, except the kernels.
type compareArgs struct {
	searchArgs
	P *problem.Problem
}

// kernelList returns the elements of the argument kernels as joint kernels with labels. It converts each element as if it
// were an argument of type joint kernel, and reports invalid elements.
func kernelList(c *call) []labelled {
	a := c.arg("kernels")
	list, known := c.labelled(a) // the labels become the names in the table
	if !known {
		return nil
	}
	if len(list) == 0 {
		c.refuse(a, "write [k1, k2]", "kernels is an empty list; it must be a list of kernels, at least one")
	}
	seen := map[any]bool{}
	for i := range list {
		switch x := &list[i]; {
		case !x.Type.isKernel() && x.Type != anything:
			c.refuse(x.argument, "", "kernels has %s; it must be a list of kernels", x.Type.a())
		case seen[x.label]: // two rows of the table would have equal names
			c.refuse(x.argument, "", "kernels has %v twice", x.label)
		default:
			seen[x.label] = true
			c.checkArgument(Param{Name: "kernels", Types: []Type{Joint}}, &x.argument)
		}
	}
	return list
}

// notedArms is the largest number of arms for which problem computes the rank of its kernel. The computation takes cubic
// time, some tens of milliseconds at this limit. Runs compute the rank for any number of arms.
const notedArms = 400

// kernelNotes returns a note if the kernel of p has full rank on the arms. Such a kernel excludes no reward function,
// so sharing cannot help a test. For more than notedArms arms, there is a note if the effective rank is very large; it
// is computed at a tenth of the rewards' standard deviation. There is no note for identity(), which has full rank on
// purpose, or for a kernel with free hyperparameters. Errors of the kernel give no note, because other functions
// report them.
func kernelNotes(ctx context.Context, p *problem.Problem) []problem.Note {
	if free, err := p.Kernel.Free(); err != nil || len(free) > 0 || isIdentity(p) {
		return nil
	}
	if p.N() > notedArms {
		// effective rank at a tenth of the standard deviation
		r, err := model.Resolve(ctx, p, model.Scatter(p)/10)
		if err != nil {
			return nil // the function that needs the model reports the error
		}
		return lists.Map(r.Warnings(), engine.Warning.Note)
	}
	// For few arms, compute how strongly each arm depends on the others.
	m, err := model.NewContext(ctx, p, 0)
	if err != nil {
		return nil
	}
	return lists.Map(m.Relations().KernelWarnings(), engine.Warning.Note)
}

// isIdentity reports whether the kernel of p is a multiple of identity(). If p has only one task, the task kernel does not
// matter.
func isIdentity(p *problem.Problem) bool {
	for _, t := range p.Kernel.Terms {
		_, task := t.Task.(kernels.Identity)
		if _, arm := t.Arm.(kernels.Identity); !arm || !task && p.V() > 1 {
			return false
		}
	}
	return true
}

// freeFunction returns the function free, which makes a number that a fit determines.
func freeFunction() Function {
	return makeFunction(Function{
		Name: "free", Section: SectionKernels, Synonyms: []string{"hyperparameter", "trainable", "tunable", "unknown"},
		Doc: "makes an unknown number for fit: a parameter of a kernel, a factor or summand of kernels, or a name in a formula; it " +
			"has its start value until it is fitted",
		Params: []Param{
			{Name: "value", Synonyms: []string{"start", "initial"}, Range: fromZero, Doc: "the start value of the search"},
			{Name: "min", Synonyms: []string{"lower", "low"}, Range: fromZero, Default: unset,
				Doc: "smallest value; by default a thousandth of the start value"},
			{Name: "max", Range: fromZero, Default: unset, Doc: "largest value; by default a thousand times the start value, or the " +
				"largest that the parameter allows"},
			{Name: "name", Default: unset, Doc: "name; free hyperparameters with the same name are one hyperparameter; by default the name " +
				"that it is bound to"},
		},
		Result: Free, Example: "free(0.5, min=0.1, max=10)", pure: true,
	}, nil, func(_ *call, a struct {
		Value    float64
		Min, Max *float64
		Name     string
	}) (any, error) {
		f := kernels.Free{Name: a.Name, Value: a.Value}
		// If the script gives only one limit, the other has its default.
		if a.Min != nil || a.Max != nil {
			f.Min, f.Max = f.Limits()
		}
		if a.Min != nil {
			f.Min = *a.Min
		}
		if a.Max != nil {
			f.Max = *a.Max
		}
		return dropOnError(f, f.Validate(0)) // Validate returns an error if the value is outside the limits
	})
}

// nameValue is called when a value is bound to a name, and returns the value with that name. A free hyperparameter keeps
// its first name, so that all its uses mean the same number. A protocol keeps its first name too. A result gets its latest
// name, for tables and figures of several results.
func nameValue(v value, name string) value {
	switch data := v.Data.(type) {
	case kernels.Free:
		data.Name = cmp.Or(data.Name, name)
		v.Data = data
	case engine.Result:
		data.Name = name
		v.Data = data
	case campaign.Protocol:
		data.Name = cmp.Or(data.Name, name)
		v.Data = data
	}
	return v
}

// freeKernel returns a free hyperparameter as a constant kernel. It returns other values unchanged.
func freeKernel(v value) value {
	if v.Type == Free {
		v.Type = Kernel
	}
	return v
}

// freeHyperparameters converts a list of free hyperparameters and numbers. It returns false if the list contains anything
// else.
func freeHyperparameters(list []any) ([]kernels.Free, bool) {
	out := make([]kernels.Free, len(list))
	for i, v := range list {
		var ok bool
		if out[i], ok = freeHyperparameter(v); !ok {
			return nil, false
		}
	}
	return out, true
}
