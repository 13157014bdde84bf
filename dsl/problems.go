package dsl

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/belief"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/plan"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A parameter and a range that several functions have.
var (
	problemParam  = Param{Name: "p", Types: []Type{Problem}, Doc: "the problem"}
	toleranceOnly = kernels.Range{Min: 1e-12, Max: 0.5}
)

// optional returns a parameter that may be left out.
// It returns a copy.
func optional(p Param) Param {
	p.Default = unset
	return p
}

// engineFunctions returns the problems, the theory and the runs.
// The order is the order of the documentation.
func engineFunctions() []Function {
	// The first of them, noise, stands further ahead in the signature than the others.
	noise := noiseParams(`estimated from the data when not given; else a number, "sd" (the column), "task" (pooled per task)`, problem.NoiseSD, problem.NoiseTask)
	return append([]Function{
		bestFunction(),
		bound(Function{
			Name: "problem", Section: SectionProblems, Synonyms: []string{"csv", "data", "load", "read"},
			Doc: "reads tasks and arms from a CSV file: task,arm,x_*,z_*,mean,sd,reps; or, with data=, from a table with a row for every " +
				"measurement and any names of columns; see docs/reference/data-format.md",
			Params: slices.Concat([]Param{
				{Name: "path", Synonyms: []string{"file"}, words: wordsData, Default: unset, Doc: "the file, relative to the script"},
				{Name: "kernel", Synonyms: []string{"k"}, Types: []Type{Joint, Text}, Choices: []string{kernelAuto}, Default: `"auto"`,
					Doc: `similarity of arms of tasks; "auto" finds one from the measurements of the table`},
			}, noise[:1], []Param{
				{Name: "rewards", Synonyms: []string{"raw"}, words: wordsData, Default: unset,
					Doc: "file of measured rewards task,arm,rep,reward to draw from"},
				{Name: "block", Synonyms: []string{"side_by_side", "paired"}, Default: unset,
					Doc: "column of rewards= that says what was measured side by side, such as a day or a plate: CoTestFC and CoBayesFC then measure " +
						"the open arms of a task in the same blocks and compare within blocks"},
				{Name: "name", Default: unset, Doc: "name in reports; the file's name when not given"},
			}, noise[1:], goalParams(), longParams(), []Param{textParam}),
			Result: Problem, Example: `problem("data/cn_coupling.csv", kernel=task(identity()) * arm(1000 + 50*linear()), noise="task")`,
		}, checkProblem, evalProblem),
		bound(Function{
			Name: "with_kernel", Section: SectionProblems, Synonyms: []string{"rekernel", "using", "change_kernel"},
			Doc:    "the same problem under another kernel, as one that was fitted: what else was stated of the data stays",
			Params: []Param{problemParam, {Name: "kernel", Synonyms: []string{"k"}, Doc: "similarity of arms of tasks"}},
			Result: Problem, Example: `with_kernel(paper(case=2), task(rbf(0.7)) * arm(linear()))`,
		}, nil, func(c *call, a struct {
			P      *problem.Problem
			Kernel kernels.Joint
		}) (any, error) {
			joint, p := a.Kernel, a.P.WithKernel(a.Kernel) // a copy, so the problem of the script stays as it is
			_, err := computed(c, func() (bool, error) {
				// What checks the kernel on many arms may take long, and ends with the context.
				if _, err := joint.Check(p.Tasks, p.Arms); err != nil {
					return false, err
				}
				// Notes of the old kernel are gone; the new one may have its own.
				p.NoteLengthscales()
				p.KernelNotes = append(p.KernelNotes, kernelNotes(c.e.ctx, p)...)
				return true, nil
			})
			if err != nil {
				return nil, &argumentError{param: "kernel", message: "the kernel does not fit the problem", err: err}
			}
			return p, nil
		}),
		bound(Function{
			Name: "paper", Section: SectionProblems,
			Doc: "an instance of [Du23, App. A]: 5 tasks, 6 arms each; one of the three cases, or one between them",
			Params: append([]Param{
				{Name: "case", Range: kernels.Range{Min: 1, Max: 3}, Default: unset, Doc: "1: all tasks alike, 2: two groups, 3: all different"},
				{Name: "gap", Synonyms: []string{"delta_min"}, Range: positive, Default: "0.1", Doc: "reward gap"},
				{Name: "lengthscale", Synonyms: []string{"ell", "length_scale"}, Types: []Type{Number, Text}, Choices: []string{infinite},
					Range: fromZero, Default: unset,
					Doc: `instead of case: the rewards of case 1 in five tasks that are alike as rbf(lengthscale) says, from 0 (as case 3) to 1e9 or "inf" (as case 1)`},
			}, noiseParams("a number (1 when not given)")...),
			Result: Problem, Example: "paper(case=2, gap=0.1)",
		}, checkPaper, evalPaper),
		bound(Function{
			Name: "classic", Section: SectionProblems,
			Doc: "collaborative best-arm identification without features: every agent has the same arms, unit noise",
			Params: []Param{
				{Name: "means", Synonyms: []string{"mean", "mu", "rewards"}, Types: []Type{List}, Doc: "expected reward of each arm"},
				{Name: "agents", Synonyms: []string{"tasks"}, Range: kernels.Range{Min: 1, Max: maxAgents}, Default: "5",
					Doc: "how many agents there are"},
				goalParam,
			},
			Result: Problem, Example: "classic(means=[0.9, 0.5, 0.1], agents=5)",
		}, checkClassic, evalClassic),
		{
			Name: "bounds", Section: SectionProblems, Doc: "the theory as numbers: Υ, d_eff, ranks, ρ*, ω, theorems, corollaries, lower bound",
			Params: []Param{problemParam, option("delta"), optional(option("epsilon")), option("budget"), option("xi"), option("norm"),
				option("gap"), option("unit"), rewardNorm},
			Result: typeOf[bounds.Report](), Example: "bounds(paper(case=2))", check: oneNorm, eval: evalBounds,
		},
		theory("spectrum", typeOf[bounds.Spectrum](), "eigenvalues of the kernels, for the effective dimension",
			[]Param{problemParam, option("xi"), option("norm"), option("gap")}, bounds.SpectrumOf),
		theory("hardness", typeOf[bounds.Hardness](), "gap and difficulty of each task",
			[]Param{problemParam}, func(ctx context.Context, p *problem.Problem, _ engine.Options) (bounds.Hardness, error) {
				return bounds.HardnessOf(ctx, p)
			}),
		bound(Function{
			Name: "design", Section: SectionProblems, Synonyms: []string{"allocation", "allocate"},
			Doc: "the allocation of the first round, with its certificate",
			Params: []Param{problemParam, option("xi"),
				{Name: "tol", Synonyms: []string{"tolerance"}, Range: toleranceOnly, Default: "1e-4",
					Doc: "relative gap between value and lower bound"}, option("norm"), option("gap")},
			Result: typeOf[bounds.Design](), Example: "design(paper(case=2))",
		}, nil, func(c *call, a struct {
			P   *problem.Problem
			Tol float64 `arg:"default"`
		}) (any, error) {
			opt := optionsOf(c)
			return given(computed(c, func() (bounds.Design, error) { return bounds.FirstRound(c.e.ctx, a.P, opt, a.Tol) }))
		}),
	}, slices.Concat(planningFunctions(), runFunctions())...)
}

// theory returns a function of a problem and options.
// The problem is cut to the arms with known means; see measuredProblem.
func theory[T any](name string, result Type, doc string, params []Param,
	compute func(context.Context, *problem.Problem, engine.Options) (T, error)) Function {
	return Function{
		Name: name, Section: SectionProblems, Doc: doc, Params: params, Result: result, Example: name + "(paper(case=2))",
		eval: func(c *call) (any, error) {
			p, opt := measuredProblem(c), optionsOf(c)
			return given(computed(c, func() (T, error) { return compute(c.e.ctx, p, opt) }))
		},
	}
}

// evalBounds computes in the session's memory: runs need some of its designs, and the next
// call all of them.
func evalBounds(c *call) (any, error) {
	p, opt := measuredProblem(c), optionsOf(c)
	return given(computed(c, func() (bounds.Report, error) {
		// The model is made here, and not in the engine, to share its memory.
		m, err := model.NewContext(c.e.ctx, p, opt.Unit)
		if err != nil {
			return bounds.Report{}, err
		}
		return bounds.Of(c.e.ctx, m.Share(&c.e.session.memory), opt)
	}))
}

// measuredProblem returns the problem of a call, of its measured arms where some are not: the theory goes
// by the means. Its name says so.
func measuredProblem(c *call) *problem.Problem { return c.arg("p").Data.(*problem.Problem).Measured() }

// given drops a value that comes with an error.
// So call.finish sees nil where an error comes without a part of the value.
func given[T any](v T, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return v, nil
}

// problemArgs are the arguments of problem.
type problemArgs struct {
	noiseArgs
	problem.Long
	Data, Where, Failed        string // with the fields of Long: a table with a row for each measurement
	Path, Rewards, Block, Name string // Path is a table with a row for each arm
	Kernel                     any    // a kernels.Joint, or the text "auto"; nil stands for "auto"
	Goal, Unmeasured           string // as texts; "" where not given
	Standardize                bool   // feature columns scaled to 0 to 1
	Text                       []string
}

// evalProblem loads a problem. What is wrong with a file is shown under its path or under the name of the
// column, what is wrong with the kernel on these points under the kernel.
// A table with a row for each arm comes by path, and one with a row for each measurement by data.
func evalProblem(c *call, a problemArgs) (any, error) {
	file := "path" // the parameter that names the table
	opt := problem.LoadOptions{
		Name: a.Name, Noise: a.model(), Read: c.e.read, Block: a.Block, // every file by e.read, so that a sweep reads each once
		Goal: goalOf(a.Goal), Standardize: a.Standardize, Drop: a.Unmeasured == unmeasuredDrop, Text: a.Text,
		Context: c.e.ctx,
	}
	// The recorded files of a campaign are read as text, and not as tables of the caller.
	if s := c.e.session.opt; s.readFile == nil { // which needs the text
		opt.Frame = s.Tables
	}
	if a.Data != "" {
		// What the columns mean, which rows to take, and how expressions on columns are computed.
		file, opt.Long, opt.Where, opt.Failed, opt.Compile = "data", &a.Long, a.Where, a.Failed, compileRows
	}
	if a.Rewards != "" {
		opt.Rewards = c.e.session.path(a.Rewards)
	}
	joint, stated := a.Kernel.(kernels.Joint)
	var found *belief.Belief
	// Reading, finding the kernel and checking it may take long. After an interrupt they go on in the background.
	// What they change then, such as the files that were read, belongs to an evaluation that has ended.
	p, err := computed(c, func() (*problem.Problem, error) {
		p, err := c.e.session.opt.Host.Load(c.e.session.path(c.text(file)), joint, opt)
		if err == nil && !stated {
			p, found, err = findKernel(c, p) // it needs the measurements, so it comes after reading
		}
		if err == nil {
			_, err = p.Kernel.Check(p.Tasks, p.Arms) // names of columns and points, and what Gram matrices need
		}
		if err == nil && stated { // of a kernel that was found, the belief says more
			p.KernelNotes = append(p.KernelNotes, kernelNotes(c.e.ctx, p)...)
		}
		return p, err
	})
	// A file that changed in a sweep is an error, like one that cannot be read.
	if err == nil {
		err = remember(c.e, p.Sources)
	}
	if err != nil {
		return nil, problemError(c, err, file, opt.Rewards)
	}
	if !stated {
		c.e.session.believed = found // best(p) need not compute it again
	}
	if c.e.st == c.e.own { // a sweep would tell the same once more for each combination
		c.e.session.note(slices.Concat(p.Notes, p.KernelNotes))
	}
	return p, nil
}

// problemError returns the error of loading under the argument that it is about; file is the parameter
// that names the table, rewards the path of raw rewards.
// Causes in their order: the noise, the file of raw rewards, the kernel on these points, the table.
func problemError(c *call, err error, file, rewards string) error {
	var noise *problem.NoiseError
	var data *problem.DataError
	switch path := fileOf(err); {
	case errors.As(err, &noise):
		return noiseError(c, err)
	case path != "" && path == rewards:
		file = "rewards"
	case path == "": // no file is named: the points and the kernel do not go together
		message := "the kernel does not fit the problem"
		if _, stated := c.arg("kernel").Data.(kernels.Joint); !stated {
			message = "the measurements do not say which kernel the problem has"
		}
		return &argumentError{param: "kernel", message: message, err: err}
	}
	// Under the table, unless the error is about a column that an argument names.
	a := &argumentError{param: file, message: fmt.Sprintf("cannot load %q", c.text(file)), err: err}
	if errors.As(err, &data) && data.Unknown != "" {
		if param := naming(c, data.Unknown); param != "" {
			a.param = param
		}
		// The usual mistakes with names of columns, the surest first.
		columns := lists.Map(strings.Split(data.Unknown, ","), strings.TrimSpace)
		if len(columns) > 1 && !slices.ContainsFunc(columns, func(s string) bool { return !slices.Contains(data.Known, s) }) {
			a.hint = fmt.Sprintf(`these are several columns, each named by itself: ["%s"]`, strings.Join(columns, `", "`))
		} else if nearest(data.Unknown, data.Known) != "" {
			a.hint = suggest(data.Unknown, data.Known)
		} else if whole := onlyWith(data.Unknown, data.Known); whole != "" {
			a.hint = fmt.Sprintf("did you mean %q?", whole)
		} else if file == "path" {
			a.hint = "a table with other columns is read by " + longExample + "; gonb-cope best " + data.Path + " lists them"
		}
	}
	if errors.Is(err, fs.ErrNotExist) {
		a.hint = suggestFile(c.e.session, c.text(file)) // a file that is not there
	}
	return a
}

// fileOf returns the path of the data file that an error is about, "" for none.
func fileOf(err error) string {
	if data := (*problem.DataError)(nil); errors.As(err, &data) {
		return data.Path
	}
	if read := (*problem.ReadError)(nil); errors.As(err, &read) {
		return read.Path
	}
	return ""
}

// taskSets reads tasks=: a number, a name, a list of names, or a list of such alternatives. It
// reports tasks that the problem does not have, and reports whether all is right.
// A list of names alone is one alternative; any other list has an alternative in each element.
// Without the argument there is none, which is right.
func taskSets(c *call, p *problem.Problem) ([]plan.Change, bool) {
	a := c.arg("tasks")
	if !a.known() {
		return nil, true
	}
	// A number, a name and a list of names are one alternative each.
	alternatives := []argument{a}
	if list, ok := a.Data.([]value); ok && !(len(list) > 0 && len(texts(a.value)) == len(list)) {
		alternatives = c.elements("tasks")
	}
	if len(alternatives) == 0 {
		c.refuse(a, "", "tasks is an empty list; at least one task must be left")
		return nil, false
	}
	out, err := lists.Try(len(alternatives), func(i int) (plan.Change, error) { return taskSet(c, p, alternatives[i]) })
	return out, err == nil
}

// taskSet reads one alternative. It is an error that there is none, which is reported.
// A number keeps the first tasks. What is wrong is reported here, and errReported tells the caller.
func taskSet(c *call, p *problem.Problem, a argument) (plan.Change, error) {
	switch data := a.Data.(type) {
	case float64:
		// How many of the first tasks, at least one and at most all.
		if k, ok := whole(data); ok && k >= 1 && k <= p.V() {
			return plan.Change{Vary: plan.VaryTasks, Tasks: indices.All(k), Name: fmt.Sprintf("the first %d of %d tasks", k, p.V())}, nil
		}
		c.refuse(a, "", "tasks is %s; how many to keep must be a whole number from 1 to %d", formatNumber(data), p.V())
	case string:
		return namedTasks(c, p, []argument{a})
	case []value:
		return namedTasks(c, p, lists.Make(len(data), func(i int) argument { return c.element(a, i) }))
	default:
		c.refuse(a, "write "+c.fn.Example, "tasks has %s in it; it must have numbers, names of tasks, or lists of names", a.Type.a())
	}
	return plan.Change{}, errReported
}

// errReported says that a mistake was reported.
// It is never shown.
var errReported = errors.New("reported")

// namedTasks keeps the tasks with these names.
// The order of names is kept. Each must be a name of the problem, once.
func namedTasks(c *call, p *problem.Problem, named []argument) (plan.Change, error) {
	change := plan.Change{Vary: plan.VaryTasks}
	for _, a := range named {
		// The first mistake ends the list.
		name, ok := a.Data.(string)
		v := p.TaskNamed(name)
		switch {
		case !ok:
			c.refuse(a, "a list of tasks has names only", "%s is not the name of a task", a.Type.a())
		case v < 0:
			c.refuse(a, suggest(name, p.Tasks.Names), "the problem has no task %q", name)
		case slices.Contains(change.Tasks, v):
			c.refuse(a, "", "task %q is named twice", name)
		default:
			change.Tasks = append(change.Tasks, v)
			continue
		}
		return change, errReported
	}
	if len(named) == 0 {
		c.refuse(c.arg("tasks"), "", "an alternative without tasks; at least one must be left")
		return change, errReported
	}
	// The name stands in the table of alternatives.
	change.Name = "only " + strings.Join(indices.Of(p.Tasks.Names, change.Tasks), ", ")
	return change, nil
}
