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

// rewardNorm is the parameter reward_norm: the option norm, in reward units.
var rewardNorm = Param{Name: "reward_norm", Types: []Type{Number}, Range: positive, Default: unset,
	Doc: "the bound `norm` in reward units, without division by the noise; " +
		"give only one of the two"}

// option returns the parameter for an option of algorithms. Its type, range and choices follow from the engine, so that every
// option of the engine is a parameter of the language.
func option(name string) Param {
	x := engine.OptionNamed(name)
	p := Param{Name: name, Synonyms: x.Synonyms, Choices: x.Choices, Range: x.Range, Default: cmp.Or(x.Default, unset), Doc: x.Doc,
		of: func(e algorithms.Entry) bool { return e.Takes(name) }}
	switch x.At(new(engine.Options)).(type) { // a new Options value, needed only for the type of the field
	case *bool:
		p.Whole, p.Range, p.Default = true, kernels.Range{Min: 0, Max: 1}, "0"
	case *int:
		p.Whole = true
	}
	if p.Range != (kernels.Range{}) { // an option without a range does not accept numbers
		p.Types = append(p.Types, Number)
	}
	if p.Choices != nil {
		p.Types = append(p.Types, Text)
	}
	if x.Planned != "" { // "gp" needs pulls that are fixed in advance; the function posterior allows it
		p.Choices, p.elsewhere = []string{engine.RidgeAuto}, map[string]string{engine.RidgeGP: x.Planned}
	}
	return p
}

// runParams returns the parameters of a function that runs algorithms of a mode: first those in names, in that order, then the
// other options of the mode. A new option of the engine is added at the end. An option without a description is left out.
func runParams(mode, names string, own ...Param) (out []Param) {
	listed := strings.Fields(names)
	// Add the options that names omits, for this mode or for both.
	for x := range engine.AllOptions() {
		if x.Doc != "" && (x.Mode == "" || x.Mode == mode) && !slices.Contains(listed, x.Name) {
			listed = append(listed, x.Name)
		}
	}
	out = make([]Param, 0, len(listed))
	for _, name := range listed {
		if i := slices.IndexFunc(own, func(p Param) bool { return p.Name == name }); i >= 0 {
			out = append(out, own[i]) // own has another description of the option
		} else {
			out = append(out, option(name))
		}
	}
	return ofSome(mode, out)
}

// posterior returns the parameter xi for functions whose pulls are fixed in advance. It also accepts "gp".
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
	// A run with a fixed budget does not stop at an error level. Here delta decides only which answers count as supported.
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

// modes describes the function that runs algorithms of each mode, to follow "is for".
var modes = map[string]string{engine.ModeFC: "fc, which stops at the required confidence", engine.ModeFB: "fb, which has a fixed budget"}

// algorithmParam returns the parameter that lists the algorithms of a mode.
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

// runnable returns the parameter for functions that also run a user-defined algorithm.
func runnable(p Param) Param {
	p.Types = append(p.Types, Algorithm)
	return p
}

// ownOf returns the user-defined algorithm that a call runs; nil if the algorithm is one of the catalogue.
func ownOf(c *call) *algorithms.Entry {
	own, _ := c.arg("algorithm").Data.(*algorithms.Entry)
	return own
}

// algorithmOf returns the name of the given algorithm, or of the default. The name was checked before.
func algorithmOf(c *call, mode string) string {
	if own := ownOf(c); own != nil {
		return own.Name
	}
	return cmp.Or(c.text("algorithm"), algorithms.Default(mode).Name)
}

// oneNorm reports a norm that is given in both units.
func oneNorm(c *call) {
	if c.has("norm") && c.has("reward_norm") {
		c.fail(c.arg("reward_norm"), "reward_norm and norm are both given: both bound the norm of the reward function, in reward "+
			"units and in units of the noise", "leave one of them out")
	}
}

// oneBudget reports a missing budget, or two budgets.
func oneBudget(c *call) {
	switch {
	case c.has("budget") != c.has("total"): // exactly one of them
	case c.has("total"):
		c.refuse(c.arg("total"), "leave one of them out", "budget counts the samples of one agent, total the samples of all agents")
	default:
		c.e.fail(c.node, c.fn.Result, c.fn.Name+" needs budget, the samples per agent, or total, the samples of all agents",
			"write "+c.fn.Signature())
	}
}

// runArgs are the arguments of fc and fb; optionsOf reads the options of the algorithm.
type runArgs struct {
	P       *problem.Problem // from the script
	Runs    int              `arg:"default"` // at least 1
	Seed    uint64           `arg:"default"` // seed of the first run, from which the seeds of the others follow
	Rewards any              // a sim.RewardFunc or sim.RoundFunc of a Go cell; nil to draw from the problem
}

// checkRun reports options that conflict, or that the algorithm lacks. A sweep passes an option only to algorithms that have it,
// see checkOptions.
func checkRun(c *call, _ runArgs) {
	checkOptions(c)
	oneNorm(c)
	if c.fn.Name == engine.ModeFB {
		oneBudget(c)
	}
}

// evalRun evaluates fc and fb. After an interrupt it returns the finished part.
func evalRun(c *call, a runArgs) (any, error) {
	mode := c.fn.Name
	x := sim.Experiment{
		Problem: a.P, Mode: mode, Options: optionsOf(c), Own: ownOf(c),
		Algorithm: algorithmOf(c, mode), Runs: a.Runs, Seed: a.Seed, Workers: c.e.session.opt.Workers,
	}
	// A Go function draws the rewards, for one arm or for all arms of a round.
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
	warnOfLength(c, x) // warn before the first sample, since planning may take minutes
	result, err := perform(c, x)
	if divided && err == nil {
		return nil, nil // other parts do not have the result, so nothing is computed from it
	}
	if err != nil && result.Runs == 0 && len(result.Trace) == 0 { // nothing was finished
		return nil, err
	}
	if err != nil && c.e.ctx.Err() != nil { // the result holds the finished part, and states that it is incomplete
		result.Status = engine.StatusInterrupted
	}
	return result, err
}

// evalRun warns about runs of at least warnedSamples expected samples on at least warnedArms arms.
const (
	warnedArms    = 200
	warnedSamples = 1e8
)

// warnOfLength warns, before sampling, of a schedule with very many samples on many arms. Its designs take minutes, and no real
// experiment can take so many samples.
func warnOfLength(c *call, x sim.Experiment) {
	if x.Problem.N() < warnedArms || c.e.st != c.e.own || c.e.dry { // inside a sweep, the warning would be repeated for each combination
		return
	}
	x.Memory = &c.e.session.memory // x is a copy; the run finds these designs in the session's memory
	if n, err := x.Expected(c.e.ctx); err == nil && n >= warnedSamples {
		many := fmt.Sprintf("about %.0e samples per agent", n)
		if math.IsInf(n, 1) {
			many = "the maximum number of samples"
		}
		c.e.session.notice(fmt.Sprintf("%s is expected to need %s here. Its rounds grow fourfold until they resolve the smallest gap or "+
			"epsilon. The default, CoTestFC, adapts to the data and needs far fewer samples", x.Algorithm, many))
	}
}

// optionsOf reads the arguments that are options: those with the name of a field of engine.Options. It leaves defaults to the
// engine. Runs, forecasts, theory and protocols call it.
func optionsOf(c *call) engine.Options {
	opt := readArguments[engine.Options](c)
	a := readArguments[struct {
		P          *problem.Problem
		RewardNorm float64
		Level, Xi  any
	}](c)
	if a.P != nil && a.RewardNorm > 0 { // convert reward units to the engine's norm, which is in units of the noise
		opt.Norm = a.RewardNorm / model.UnitOf(a.P, opt.Unit)
	}
	// the level is stated in the direction of the data
	if opt.Level.Value, opt.Level.Known = a.Level.(float64); opt.Level.Known && a.P != nil {
		opt.Level.Value = a.P.Turned(opt.Level.Value)
	}
	// xi is a number, "auto" or "gp"; without it, the engine decides.
	switch xi := a.Xi.(type) {
	case float64:
		opt.Ridge = engine.Ridge{Kind: engine.RidgeValue, Value: xi}
	case string:
		opt.Ridge = engine.Ridge{Kind: xi}
	}
	return opt
}
