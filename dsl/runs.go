package dsl

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// rewardNorm is the parameter reward_norm: the same bound as the option norm, but in reward units.
var rewardNorm = Param{Name: "reward_norm", Types: []Type{Number}, Range: positive, Default: unset,
	Doc: "the bound `norm` in reward units, without division by the noise; " +
		"give only one of the two"}

// option returns the parameter for the named option of algorithms. The field of engine.Options determines its type, range
// and choices. Thus every option of the engine becomes a parameter of the language.
func option(name string) Param {
	x := engine.OptionNamed(name)
	p := Param{Name: name, Synonyms: x.Synonyms, Choices: x.Choices, Range: x.Range, Default: cmp.Or(x.Default, unset), Doc: x.Doc,
		of: func(e algorithms.Entry) bool { return e.Takes(name) }}
	switch x.At(new(engine.Options)).(type) { // only the field's type matters
	case *bool:
		p.Whole, p.Range, p.Default = true, kernels.Range{Min: 0, Max: 1}, "0"
	case *int:
		p.Whole = true
	}
	if p.Range != (kernels.Range{}) { // an option without a range accepts no numbers
		p.Types = append(p.Types, Number)
	}
	if p.Choices != nil {
		p.Types = append(p.Types, Text)
	}
	if x.Planned != "" { // "gp" needs pulls that are fixed in advance, so omit it; the function posterior adds it
		p.Choices, p.elsewhere = []string{engine.RidgeAuto}, map[string]string{engine.RidgeGP: x.Planned}
	}
	return p
}

// runParams returns the parameters of a function that runs algorithms of a mode. The string names lists the first
// parameters in order; the mode's other options follow. If own has a parameter of that name, it replaces the option. An
// option without a description is omitted.
func runParams(mode, names string, own ...Param) (out []Param) {
	listed := strings.Fields(names)
	// Add the options of this mode, or of both modes, that names does not list.
	for x := range engine.AllOptions() {
		if x.Doc != "" && (x.Mode == "" || x.Mode == mode) && !slices.Contains(listed, x.Name) {
			listed = append(listed, x.Name)
		}
	}
	out = make([]Param, 0, len(listed))
	for _, name := range listed {
		if i := slices.IndexFunc(own, func(p Param) bool { return p.Name == name }); i >= 0 {
			out = append(out, own[i]) // use the description in own
		} else {
			out = append(out, option(name))
		}
	}
	return ofSome(mode, out)
}

// posterior returns a copy of the parameter xi that also accepts "gp", for functions whose pulls are fixed in advance.
func posterior(p Param) Param {
	p.Choices, p.elsewhere, p.Default = []string{engine.RidgeAuto, engine.RidgeGP}, nil, unset
	p.wordsOnly = func(e algorithms.Entry) bool { return e.Prior }
	p.Doc = `regularisation ξ: a number; "auto", the largest that the theorems allow (for CoBayesFB, least squares); or "gp", ` +
		`the posterior of a Gaussian process with the kernel as prior; by default "gp" for CoBayesFB and "auto" for others`
	return p
}

// runFunctions returns the functions that simulate algorithms.
func runFunctions() []Function {
	runs := Param{Name: "runs", Synonyms: []string{"repetitions", "n", "trials"}, Types: []Type{Number}, Whole: true,
		Range: kernels.Range{Min: 1, Max: 100_000}, Default: "1", Doc: "number of independent runs"}
	seed := Param{Name: "seed", Types: []Type{Number}, Whole: true, Range: wholeFrom(0), Default: "1",
		Doc: "seed of the random rewards; the same seed gives the same results"}
	rewards := Param{Name: "rewards", Synonyms: []string{"reward", "environment"}, Types: []Type{Rewards}, Default: unset,
		Doc: "a function that draws rewards instead of the problem: a Go func bound by session.Put, or a Python " +
			"function f(task, arm, count) that returns the mean of count rewards"}
	// With a fixed budget, delta does not stop the run. It only decides which recommendations count as supported.
	confidence := option("delta")
	confidence.Doc = "error probability below which an answer counts as supported"
	return []Function{
		makeFunction(Function{
			Name: "fc", Section: SectionRuns, Synonyms: []string{"fixed_confidence"},
			Doc: "simulates a fixed-confidence algorithm, which samples until it has the required confidence in the best arm of every task",
			Params: runParams(engine.ModeFC,
				"p delta epsilon algorithm schedule law xi level scale runs seed max_rounds max_samples norm gap unit misfit "+
					"rewards reward_norm", problemParam, runnable(algorithmParam(engine.ModeFC)), runs, seed, rewards, rewardNorm),
			Result: Result, Example: `fc(paper(case=2), delta=0.05, runs=10)`,
		}, checkRun, evalRun),
		makeFunction(Function{
			Name: "fb", Section: SectionRuns, Synonyms: []string{"fixed_budget"}, Doc: "simulates a fixed-budget algorithm, which finds " +
				"the best arms with a given number of samples",
			Params: runParams(engine.ModeFB,
				"p budget algorithm xi level scale kernel_is runs seed delta epsilon norm unit rewards reward_norm total rounds",
				problemParam, runnable(algorithmParam(engine.ModeFB)), posterior(option("xi")), runs, seed, confidence, rewards, rewardNorm),
			Result: Result, Example: `fb(paper(case=2), budget=7000, runs=10)`,
		}, checkRun, evalRun),
		{
			Name: "sweep", Section: SectionRuns, Synonyms: []string{"grid", "vary"},
			Doc: "repeats the runs of a result for every combination of values",
			Params: []Param{
				{Name: "r", Types: []Type{Result}, Doc: "the name of a result of fc or fb"},
				{Name: "rows", Synonyms: []string{"per"}, Types: []Type{Text}, Choices: []string{sim.PerCell, sim.PerRun}, Default: `"cell"`,
					Doc: `rows of the table: "cell" for a row per combination, "run" for a row per run`},
				{Name: "store", Synonyms: []string{"resume", "cache"}, Types: []Type{Text}, words: wordsStore, Default: unset,
					Doc: "the path of a .jsonl file that stores finished combinations; stored combinations are not run again"},
			},
			Named:  "a name or an argument that r depends on, with the list of values to try",
			Result: Sweep, Example: `sweep(r, gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndKernelFC"])`,
			early: checkSweep, eval: evalSweep,
		},
	}
}

// modes maps each mode to a phrase about the function that runs its algorithms. The phrase follows "is for".
var modes = map[string]string{engine.ModeFC: "fc, which stops at the required confidence", engine.ModeFB: "fb, which has a fixed budget"}

// algorithmParam returns the parameter algorithm, whose choices are the algorithms of a mode.
func algorithmParam(mode string) Param {
	p := Param{Name: "algorithm", Synonyms: []string{"method", "algo"}, Types: []Type{Text}, Doc: "the algorithm to run",
		elsewhere: map[string]string{}}
	for m, function := range modes {
		names := algorithms.Having(m, func(algorithms.Entry) bool { return true })
		if m == mode {
			p.Choices = names
			continue
		}
		// For an algorithm of the other mode, the message names the function that runs it.
		for _, name := range names {
			p.elsewhere[name] = name + " is for " + function
		}
	}
	p.Default = `"` + algorithms.Default(mode).Name + `"`
	return p
}

// runnable returns a copy of p that also accepts a user-defined algorithm.
func runnable(p Param) Param {
	p.Types = append(p.Types, Algorithm)
	return p
}

// ownOf returns the user-defined algorithm that call c runs; nil if c runs an algorithm of the catalogue.
func ownOf(c *call) *algorithms.Entry {
	own, _ := c.arg("algorithm").Data.(*algorithms.Entry)
	return own
}

// algorithmOf returns the name of the algorithm that call c runs: the argument, or else the default of the mode.
func algorithmOf(c *call, mode string) string {
	if own := ownOf(c); own != nil {
		return own.Name
	}
	return cmp.Or(c.text("algorithm"), algorithms.Default(mode).Name)
}

// oneNorm reports a call that gives both norm and reward_norm.
func oneNorm(c *call) {
	if c.has("norm") && c.has("reward_norm") {
		c.fail(c.arg("reward_norm"), "reward_norm and norm are both given: both bound the norm of the reward function, in reward "+
			"units and in units of the noise", "leave one of them out")
	}
}

// oneBudget reports a call that gives neither budget nor total, or both.
func oneBudget(c *call) {
	switch {
	case c.has("budget") != c.has("total"): // exactly one of them
	case c.has("total"):
		c.refuse(c.arg("total"), "leave one of them out", "budget counts the samples of one agent, total the samples of all agents")
	default:
		c.e.fail(c.node, c.fn.Result, c.fn.Name+" needs budget, the samples per agent, or total, the samples of all agents",
			fmt.Sprintf("write %s(p, budget=200)", c.fn.Name))
	}
}

// runArgs are the arguments of fc and fb; optionsOf reads the options of the algorithm.
type runArgs struct {
	P       *problem.Problem // the problem to run on
	Runs    int              `arg:"default"` // at least 1
	Seed    uint64           `arg:"default"` // seed of the first run, which determines the seeds of the others
	Rewards any              // a sim.RewardFunc or sim.RoundFunc from a Go cell; nil to draw rewards from the problem
}

// checkRun reports options that conflict, and options that the algorithm does not have. In a sweep, only algorithms that
// have an option receive it, see checkOptions.
func checkRun(c *call, _ runArgs) {
	checkOptions(c)
	oneNorm(c)
	if c.fn.Name == engine.ModeFB {
		oneBudget(c)
	}
}

// evalRun evaluates fc and fb. After an interrupt it returns the result of the finished part.
func evalRun(c *call, a runArgs) (any, error) {
	mode := c.fn.Name
	x := sim.Experiment{
		Problem: a.P, Mode: mode, Options: optionsOf(c), Own: ownOf(c),
		Algorithm: algorithmOf(c, mode), Runs: a.Runs, Seed: a.Seed, Workers: c.e.session.opt.Workers,
	}
	// A Go function may draw the rewards, either of one arm or of all arms of a round.
	switch draw := a.Rewards.(type) {
	case sim.RewardFunc:
		x.Draw = sim.Func(x.Problem, draw)
	case sim.RoundFunc:
		x.Draw, x.Rounds = sim.Rounds(x.Problem, draw)
	}
	divided, own := c.e.divided.takes(c.e.own)
	if !own {
		return nil, nil
	}
	warnOfLength(c, x) // warn before the first sample, since computing designs may take minutes
	result, err := perform(c, x)
	if divided && err == nil {
		return nil, nil // another part of the script makes the run, so return no result
	}
	if err != nil && result.Runs == 0 && len(result.Trace) == 0 { // no run has finished and no round is recorded
		return nil, err
	}
	if err != nil && c.e.ctx.Err() != nil { // the result contains the finished part and says that it is incomplete
		result.Status = engine.StatusInterrupted
	}
	return result, err
}

// warnOfLength warns about runs with at least warnedSamples expected samples and at least warnedArms arms.
const (
	warnedArms    = 200
	warnedSamples = 1e8
)

// warnOfLength gives a warning before a run that will take very many samples on many arms. Computing its designs takes
// minutes, and no real experiment can take that many samples.
func warnOfLength(c *call, x sim.Experiment) {
	if x.Problem.N() < warnedArms || c.e.st != c.e.own || c.e.dry { // inside a sweep, each combination would repeat the warning
		return
	}
	x.Memory = &c.e.session.memory // keeps the designs for the run that follows
	if n, err := x.Expected(c.e.ctx); err == nil && n >= warnedSamples {
		many := fmt.Sprintf("about %.0e samples per agent", n)
		if math.IsInf(n, 1) {
			many = "the maximum number of samples"
		}
		c.e.session.notice(fmt.Sprintf("%s is expected to need %s here. Its rounds grow fourfold until they resolve the smallest gap or "+
			"epsilon. The default, CoTestFC, adapts to the data and needs far fewer samples", x.Algorithm, many))
	}
}

// optionsOf returns the algorithm options that call c gives: the arguments whose names match fields of engine.Options.
// Other fields stay zero, and the engine sets their defaults. Runs, forecasts, theory and protocols all use it.
func optionsOf(c *call) engine.Options {
	opt := readArguments[engine.Options](c)
	a := readArguments[struct {
		P          *problem.Problem
		RewardNorm float64
		Level, Xi  any
	}](c)
	if a.P != nil && a.RewardNorm > 0 { // convert the norm from reward units to units of the noise, as the engine expects
		opt.Norm = a.RewardNorm / model.UnitOf(a.P, opt.Unit)
	}
	// The user states the level in the direction of the data.
	if opt.Level.Value, opt.Level.Known = a.Level.(float64); opt.Level.Known && a.P != nil {
		opt.Level.Value = a.P.Turned(opt.Level.Value)
	}
	// xi is a number, "auto" or "gp". If it is not given, the engine decides.
	switch xi := a.Xi.(type) {
	case float64:
		opt.Ridge = engine.Ridge{Kind: engine.RidgeValue, Value: xi}
	case string:
		opt.Ridge = engine.Ridge{Kind: xi}
	}
	return opt
}
