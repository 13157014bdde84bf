package dsl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/looks"
	"github.com/gonb-cope/gonb-cope/kernels"
)

var (
	problemParam  = Param{Name: "p", Types: []Type{Problem}, Doc: "the problem"}
	toleranceOnly = kernels.Range{Min: 1e-12, Max: 0.5}
)

// optional returns a copy of p that need not be given.
func optional(p Param) Param {
	p.Default = unset
	return p
}

// engineFunctions returns the functions for problems, theory and runs, in the order of the documentation.
func engineFunctions() []Function {
	// In signatures, noise comes first among the noise parameters.
	noise := noiseParams(`a number, "sd" (the column sd), "task" (pooled per task)`,
		"the column sd; with raw rewards, the deviation of each arm with at least ten, or of its task; otherwise unknown",
		problem.NoiseSD, problem.NoiseTask)
	return append([]Function{
		bestFunction(),
		makeFunction(Function{
			Name: "problem", Section: SectionProblems, Synonyms: []string{"csv", "data", "load", "read"},
			Doc: "reads tasks and arms from a CSV file with the columns task,arm,x_*,z_*,mean,sd,reps; with data=, from a table with a " +
				"row for every measurement and any column names; see docs/reference/data-format.md",
			Params: slices.Concat([]Param{
				{Name: "path", Synonyms: []string{"file"}, words: wordsData, Default: unset, Doc: "the path of the file, relative to the script"},
				{Name: "kernel", Synonyms: []string{"k"}, Types: []Type{Joint, Text}, Choices: []string{kernelAuto}, Default: `"auto"`,
					Doc: `the kernel: how similar arms and tasks are; "auto" finds one from the measurements`},
			}, noise[:1], []Param{
				{Name: "rewards", Synonyms: []string{"raw"}, words: wordsData, Default: unset,
					Doc: "file of measured rewards, with the columns task,arm,rep,reward, from which simulated rewards are drawn"},
				{Name: "block", Synonyms: []string{"side_by_side", "paired"}, Default: unset,
					Doc: "column of rewards= that names the block of a measurement, such as a day or a plate; CoTestFC and CoBayesFC then " +
						"compare arms within blocks"},
				{Name: "name", Default: unset, Doc: "name in reports; by default the file's name"},
			}, noise[1:], goalParams(), longParams(), []Param{textParam, similarParam}),
			Result: Problem, Example: `problem("data/cn_coupling.csv", kernel=task(identity()) * arm(1000 + 50*linear()), noise="task")`,
		}, checkProblem, evalProblem),
		makeFunction(Function{
			Name: "with_kernel", Section: SectionProblems, Synonyms: []string{"rekernel", "using", "change_kernel"},
			Doc:    "returns the problem with another kernel, such as a fitted one; everything else stays the same",
			Params: []Param{problemParam, {Name: "kernel", Synonyms: []string{"k"}, Doc: "the new kernel: how similar arms and tasks are"}},
			Result: Problem, Example: `with_kernel(paper(case=2), task(rbf(0.7)) * arm(linear()))`,
		}, nil, func(c *call, a struct {
			P      *problem.Problem
			Kernel kernels.Joint
		}) (any, error) {
			joint, p := a.Kernel, a.P.WithKernel(a.Kernel) // a copy, because values of a script must not change
			_, err := awaitResult(c, func() (bool, error) {
				// The check may take long for many arms; it stops when the context ends.
				if _, err := joint.Check(p.Tasks, p.Arms); err != nil {
					return false, err
				}
				// WithKernel removed the notes about the previous kernel. Add those about the new kernel.
				p.NoteLengthscales()
				p.KernelNotes = append(p.KernelNotes, kernelNotes(c.e.ctx, p)...)
				return true, nil
			})
			if err != nil {
				return nil, &argumentError{param: "kernel", message: "the kernel does not fit the problem", err: err}
			}
			return p, nil
		}),
		makeFunction(Function{
			Name: "paper", Section: SectionProblems,
			Doc: "makes the instance of [Du23, App. A]: 5 tasks with 6 arms each, in one of the three cases or between them",
			Params: append([]Param{
				{Name: "case", Range: kernels.Range{Min: 1, Max: 3}, Default: unset, Doc: "1: all tasks alike, 2: two groups, 3: all different"},
				{Name: "gap", Synonyms: []string{"delta_min"}, Range: positive, Default: "0.1", Doc: "gap between expected rewards"},
				{Name: "lengthscale", Synonyms: []string{"ell", "length_scale"}, Types: []Type{Number, Text}, Choices: []string{infinite},
					Range: fromZero, Default: unset,
					Doc: `instead of case: five tasks whose similarity is rbf(lengthscale), from 0 (like case 3) to "inf" (like case 1)`},
			}, noiseParams("a number", "1")...),
			Result: Problem, Example: "paper(case=2, gap=0.1)",
		}, checkPaper, evalPaper),
		makeFunction(Function{
			Name: "classic", Section: SectionProblems,
			Doc: "makes a problem of collaborative best-arm identification without features: all agents have the same arms, with noise 1",
			Params: []Param{
				{Name: "means", Synonyms: []string{"mean", "mu", "rewards"}, Types: []Type{List}, Doc: "expected reward of each arm"},
				{Name: "agents", Synonyms: []string{"tasks"}, Range: kernels.Range{Min: 1, Max: maxAgents}, Default: "5",
					Doc: "number of agents"},
				goalParam,
			},
			Result: Problem, Example: "classic(means=[0.9, 0.5, 0.1], agents=5)",
		}, checkClassic, evalClassic),
		makeFunction(Function{
			Name: "family", Section: SectionProblems,
			Doc: "makes a random linear problem to sweep over: tasks whose features span a rank, each with its own arms on the unit sphere",
			Params: append([]Param{
				{Name: "tasks", Synonyms: []string{"v", "agents"}, Range: kernels.Range{Min: 1, Max: maxAgents}, Default: "5",
					Doc: "number of tasks, V"},
				{Name: "dimension", Synonyms: []string{"d", "dim"}, Range: kernels.Range{Min: 1, Max: maxDimension}, Default: "4",
					Doc: "dimension of the arms, d"},
				{Name: "arms", Synonyms: []string{"n"}, Range: kernels.Range{Min: 2, Max: maxArms}, Default: "6",
					Doc: "number of arms of each task, n"},
				{Name: "rank", Synonyms: []string{"r"}, Range: wholeFrom(1), Default: "1",
					Doc: "rank of the task kernel, at most the smaller of tasks and dimension"},
				{Name: "gap", Synonyms: []string{"delta_min"}, Range: positive, Default: "0.1",
					Doc: "smallest gap between the best arm of a task and the second"},
				{Name: "seed", Whole: true, Range: wholeFrom(0), Default: "1", Doc: "seed of the features; more tasks keep the arms of the first ones"},
			}, noiseParams("a number", "1")...),
			Result: Problem, Example: "family(tasks=10, dimension=4, rank=2, gap=0.3)",
		}, checkFamily, evalFamily),
		makeFunction(Function{
			Name: "drawn", Section: SectionProblems, Synonyms: []string{"sample_rewards", "gp"},
			Doc: "returns the problem with expected rewards drawn from its kernel, as a Gaussian process; everything else stays the same",
			Params: []Param{problemParam,
				{Name: "seed", Whole: true, Range: wholeFrom(0), Default: "1", Doc: "seed of the rewards"}},
			Result: Problem, Example: `drawn(with_kernel(paper(case=2), task(rbf(0.7)) * arm(rbf(1))), seed=1)`,
		}, checkDrawn, evalDrawn),
		{
			Name: "bounds", Section: SectionProblems, Doc: "computes the quantities of the theory: Υ, d_eff, ranks, ρ*, ω, theorems, " +
				"corollaries, lower bound",
			Params: []Param{problemParam, option("delta"), optional(option("epsilon")), option("budget"), option("xi"), option("norm"),
				option("gap"), option("unit"), option("misfit"), rewardNorm},
			Result: typeOf[bounds.Report](), Example: "bounds(paper(case=2))", check: oneNorm, eval: evalBounds,
		},
		theory("spectrum", typeOf[bounds.Spectrum](), "shows the eigenvalues of the kernels, which determine the effective dimension",
			[]Param{problemParam, option("xi"), option("norm"), option("gap")}, bounds.SpectrumOf),
		theory("hardness", typeOf[bounds.Hardness](), "shows the gap and the difficulty of each task",
			[]Param{problemParam}, func(ctx context.Context, p *problem.Problem, _ engine.Options) (bounds.Hardness, error) {
				return bounds.HardnessOf(ctx, p)
			}),
		makeFunction(Function{
			Name: "design", Section: SectionProblems, Synonyms: []string{"allocation", "allocate"},
			Doc: "computes the allocation of the first round, with its certificate of optimality",
			Params: []Param{problemParam, option("xi"),
				{Name: "tol", Synonyms: []string{"tolerance"}, Range: toleranceOnly, Default: "1e-4",
					Doc: "relative gap between the value and its lower bound"}, option("norm"), option("gap")},
			Result: typeOf[bounds.Design](), Example: "design(paper(case=2))",
		}, nil, func(c *call, a struct {
			P   *problem.Problem
			Tol float64 `arg:"default"`
		}) (any, error) {
			opt := optionsOf(c)
			return dropOnError(awaitResult(c, func() (bounds.Design, error) { return bounds.FirstRound(c.e.ctx, a.P, opt, a.Tol) }))
		}),
	}, slices.Concat(planningFunctions(), runFunctions())...)
}

// theory returns a function that computes a theoretical quantity from a problem and options. It uses only arms with known
// means, see measuredProblem.
func theory[T any](name string, result Type, doc string, params []Param,
	compute func(context.Context, *problem.Problem, engine.Options) (T, error)) Function {
	return Function{
		Name: name, Section: SectionProblems, Doc: doc, Params: params, Result: result, Example: name + "(paper(case=2))",
		eval: func(c *call) (any, error) {
			p, opt := measuredProblem(c), optionsOf(c)
			return dropOnError(awaitResult(c, func() (T, error) { return compute(c.e.ctx, p, opt) }))
		},
	}
}

// evalBounds computes the bounds. It keeps the designs in the session's memory, so that later calls and runs need not
// compute them.
func evalBounds(c *call) (any, error) {
	p, opt := measuredProblem(c), optionsOf(c)
	return dropOnError(awaitResult(c, func() (bounds.Report, error) {
		// Make the model here and not in the engine, so that it uses the session's memory.
		m, err := model.NewContext(c.e.ctx, p, opt.Unit)
		if err != nil {
			return bounds.Report{}, err
		}
		return bounds.Of(c.e.ctx, m.Share(&c.e.session.memory), opt)
	}))
}

// measuredProblem returns the problem of call c without the arms whose means are unknown, because the theory needs means.
// The name of the returned problem says that arms are missing.
func measuredProblem(c *call) *problem.Problem { return c.arg("p").Data.(*problem.Problem).Measured() }

// dropOnError returns v, or nil if there is an error. call.finish needs nil after an error.
func dropOnError[T any](v T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// problemArgs are the arguments of problem.
type problemArgs struct {
	noiseArgs
	problem.Long
	// a table with one row per measurement; Where, Failed and the fields of Long describe its rows and columns
	Data, Where, Failed        string
	Path, Rewards, Block, Name string   // Path is a table with one row per arm
	Kernel                     any      // a kernels.Joint, or the text "auto"; nil means "auto"
	Reward, Goal               []string // names of reward columns, and for each "max" or "min"
	Require                    []string // limits on other measured columns
	Unmeasured                 string   // text of the argument unmeasured; "" if not given
	Standardize                bool     // scale feature columns to 0 .. 1
	Text, Similar              []string
}

// evalProblem reads a problem. The argument path is a table with one row per arm; the argument data is a table with one
// row per measurement. An error of a file is shown at the argument of its path or column, and an error of the kernel at
// the argument kernel.
func evalProblem(c *call, a problemArgs) (any, error) {
	file := "path" // parameter with the path of the table
	opt := problem.LoadOptions{
		// e.read reads each file only once, so that all combinations of a sweep use the same data.
		Name: a.Name, Noise: a.model(), Read: c.e.read, Block: a.Block,
		Goal: a.goal(0), Standardize: a.Standardize, Drop: a.Unmeasured == unmeasuredDrop, Text: a.Text,
		Context: c.e.ctx,
	}
	for _, text := range a.Similar {
		column, path := problem.CutSimilar(text)
		if path = c.e.session.path(path); column != "" {
			path = column + "=" + path
		}
		opt.Similar = append(opt.Similar, path)
	}
	// In a campaign, all tables are recorded files, so Options.Tables is not used.
	if s := c.e.session.opt; s.readFile == nil {
		opt.Frame = s.Tables
	}
	if a.Data != "" {
		// Set the columns, the selection of rows, and the compiler for row expressions.
		file, opt.Long, opt.Where, opt.Failed, opt.Compile = "data", &a.Long, a.Where, a.Failed, compileRows
	}
	if len(a.Reward) > 0 {
		a.Long.Reward = a.Reward[0]
	}
	if a.Rewards != "" {
		opt.Rewards = c.e.session.path(a.Rewards)
	}
	for k, text := range a.Candidates {
		if problem.CandidatesFile(text) {
			a.Candidates[k] = c.e.session.path(text)
		}
	}
	joint, stated := a.Kernel.(kernels.Joint)
	var found *belief.Belief
	// Reading data and choosing a kernel may take long. After an interrupt this function continues in the background; its
	// side effects are then harmless, because the evaluation has ended.
	p, err := awaitResult(c, func() (*problem.Problem, error) {
		p, err := c.e.session.opt.Host.Load(c.e.session.path(c.text(file)), joint, opt)
		if err == nil {
			p, err = belief.WithCosts(c.e.ctx, p)
		}
		if err == nil {
			p.Also, err = alsoMeasured(c, a, joint, opt)
		}
		if err == nil && !stated {
			p, found, err = findKernel(c, p) // the kernel is chosen after the measurements were read
		}
		// Add candidates between the candidates near the best arms. A campaign keeps the candidates of its start.
		for level := 1; err == nil && found != nil && p.Refinable() && c.e.session.opt.found == nil && level <= refinements; level++ {
			p, found, err = refine(c, a, found, level, joint, &opt)
		}
		if err == nil {
			_, err = p.Kernel.Check(p.Tasks, p.Arms) // unknown columns or names, or a Gram matrix of the wrong size
		}
		if err == nil && stated { // otherwise the posterior has more precise notes
			p.KernelNotes = append(p.KernelNotes, kernelNotes(c.e.ctx, p)...)
		}
		return p, err
	})
	// It is an error if a file changes during a sweep.
	if err == nil {
		err = remember(c.e, slices.Concat(p.Sources, lists.Map(p.Similar, func(s problem.Similar) problem.Source { return s.Source })))
	}
	if err != nil {
		return nil, problemError(c, err, file, opt.Rewards, opt.Similar)
	}
	if !stated {
		c.e.session.believed = found // used by best(p)
	}
	if c.e.st == c.e.own { // inside a sweep, each combination would repeat the notes
		c.e.session.note(slices.Concat(p.Notes, p.KernelNotes))
	}
	return p, nil
}

// goal returns whether high or low values of reward column k are good: problem.GoalMax or problem.GoalMin.
func (a problemArgs) goal(k int) string {
	if len(a.Goal) == 0 {
		return problem.GoalMax
	}
	return goalOf(a.Goal[min(k, len(a.Goal)-1)])
}

// alsoMeasured reads the table again for each further reward column and each requirement.
func alsoMeasured(c *call, a problemArgs, joint kernels.Joint, opt problem.LoadOptions) (out []problem.Also, err error) {
	add := func(column, goal string, r *problem.Requirement) error {
		long := problem.Long{Reward: column}
		long.Task, long.Arm, long.Blocks, long.Crossed = opt.Long.Task, opt.Long.Arm, opt.Long.Blocks, opt.Long.Crossed
		long.Random = opt.Long.Random
		long.TaskFeatures, long.ArmFeatures = opt.Long.TaskFeatures, opt.Long.ArmFeatures
		long.Log, long.Candidates = opt.Long.Log, opt.Long.Candidates
		opt := opt
		opt.Long, opt.Goal, opt.Drop, opt.Noise = &long, goal, false, problem.NoiseModel{}
		load := func() (*problem.Problem, error) {
			return c.e.session.opt.Host.Load(c.e.session.path(c.text("data")), joint, opt)
		}
		q, err := load()
		if r != nil && opt.Failed != "" {
			// a column of 0 and 1, such as ok, also has values for failed measurements of the reward
			opt.Failed = ""
			other := func(m problem.Row) bool { return m.Reward != 0 && m.Reward != 1 }
			if all, fault := load(); fault == nil && !slices.ContainsFunc(all.Rows, other) {
				q, err = all, nil
			}
		}
		out = append(out, problem.Also{Column: column, Problem: q, Require: r})
		return err
	}
	for k := 1; k < len(a.Reward); k++ {
		if err := add(a.Reward[k], a.goal(k), nil); err != nil {
			return nil, err
		}
	}
	for _, text := range a.Require {
		r, err := problem.ReadRequirement(text)
		if err == nil {
			err = add(r.Column, problem.GoalMax, &r)
		}
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

const (
	refinements    = 2 // number of times that the spacing of candidates is halved
	refinedPerTask = 8 // number of arms per task near which candidates are added
)

// refine reads the problem p again with additional candidates. It adds the candidates to opt. They lie, within the given
// ranges, near the arms that are most probably the best of their tasks. level is 1 for the first refinement.
func refine(c *call, a problemArgs, b *belief.Belief, level int, joint kernels.Joint, opt *problem.LoadOptions) (
	*problem.Problem, *belief.Belief, error) {
	name := fmt.Sprintf("refinement %d", level)
	finer, frames := b.Problem.Finer(b.Leaders(refinedPerTask), level), opt.Frame
	opt.Frame = func(path string) *problem.Frame {
		if path == name {
			return finer
		}
		if frames == nil {
			return nil
		}
		return frames(path)
	}
	long := *opt.Long
	long.Candidates = append(slices.Clone(long.Candidates), name)
	opt.Long = &long
	p, err := c.e.session.opt.Host.Load(c.e.session.path(c.text("data")), joint, *opt)
	if err == nil {
		p, err = belief.WithCosts(c.e.ctx, p)
	}
	if err == nil {
		p.Also, err = alsoMeasured(c, a, joint, *opt)
	}
	if err != nil {
		return nil, nil, err
	}
	return findKernel(c, p)
}

// problemError converts an error of loading a problem to an error at the argument that caused it. file is the
// parameter with the table's path; rewards is the path of raw rewards. It tests for errors of the noise, the file of
// raw rewards, the kernel, and the table, in this order. For unknown columns, it reports the mistakes itself and
// returns nil.
func problemError(c *call, err error, file, rewards string, similar []string) error {
	var noise *problem.NoiseError
	var data *problem.DataError
	switch path := fileOf(err); {
	case errors.As(err, &noise):
		return noiseError(c, err)
	case path != "" && path == rewards:
		file = "rewards"
	case slices.ContainsFunc(similar, func(text string) bool { return path != "" && isSimilar(text, path) }):
		a := &argumentError{param: similarParam.Name, message: "the matrix cannot be used", err: err}
		if errors.Is(err, fs.ErrNotExist) {
			a.hint = suggestFile(c.e.session, path)
		}
		return a
	case path == "": // not an error of a file: the kernel does not suit the points
		message := "the kernel does not fit the problem"
		if _, stated := c.arg("kernel").Data.(kernels.Joint); !stated {
			message = "no kernel can be found from the measurements"
		}
		return &argumentError{param: "kernel", message: message, err: err}
	}
	// Show the error at the table's argument, or at the argument with an unknown column.
	a := &argumentError{param: file, message: fmt.Sprintf("cannot load %q", c.text(file)), err: err}
	if errors.As(err, &data) && data.Unknown != "" {
		if param := paramNaming(c, data.Unknown); param != "" {
			a.param = param
		}
		// Test for common mistakes with column names; start with the most certain one.
		columns := lists.Map(strings.Split(data.Unknown, ","), strings.TrimSpace)
		if len(columns) > 1 && !slices.ContainsFunc(columns, func(s string) bool { return !slices.Contains(data.Known, s) }) {
			a.hint = fmt.Sprintf(`these are several columns; write a list: ["%s"]`, strings.Join(columns, `", "`))
		} else if lists.Nearest(data.Unknown, data.Known) != "" {
			a.hint = suggest(data.Unknown, data.Known)
		} else if whole := onlyWith(data.Unknown, data.Known); whole != "" {
			a.hint = fmt.Sprintf("did you mean %q?", whole)
		} else if file == "path" {
			a.hint = "a table with other columns is read by " + longExample + "; gonb-cope best " + data.Path + " lists them"
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		a.hint = suggestFile(c.e.session, c.text(file)) // the file does not exist; suggest one
	}
	if data != nil && data.Unknown != "" && data.Known != nil && file == "data" {
		c.failWith(c.arg(a.param), a)
		c.reportUnknownColumns(data)
		return nil
	}
	return a
}

// isSimilar reports whether an element of similar= is the file's path.
func isSimilar(text, path string) bool {
	_, named := problem.CutSimilar(text)
	return named == path
}

// plainName matches texts that can only be column names, not expressions.
var plainName = regexp.MustCompile(`^[\pL_][\pL\pN_ ]*$`)

// reportUnknownColumns reports every argument with a column that the table does not have, so that the user sees all of
// them at once.
func (c *call) reportUnknownColumns(data *problem.DataError) {
	for _, p := range append(slices.Clone(longDetails), textParam) {
		if p.words != wordsHeader {
			continue
		}
		for _, a := range c.elements(p.Name) {
			name, _ := a.Data.(string)
			same := func(column string) bool { return looks.Alike(column) == looks.Alike(name) }
			if name != data.Unknown && plainName.MatchString(name) && !slices.ContainsFunc(data.Known, same) {
				hint := ""
				if lists.Nearest(name, data.Known) != "" {
					hint = suggest(name, data.Known)
				}
				c.failWith(a, &argumentError{message: fmt.Sprintf("cannot load %q", c.text("data")),
					err: fmt.Errorf("%s: no column %q", data.Path, name), hint: hint})
			}
		}
	}
}

// fileOf returns the path of the data file that caused err; "" if err does not come from a file.
func fileOf(err error) string {
	if data := (*problem.DataError)(nil); errors.As(err, &data) {
		return data.Path
	}
	if read := (*problem.ReadError)(nil); errors.As(err, &read) {
		return read.Path
	}
	return ""
}
