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

// rewardNorm states the option norm in reward units.
var rewardNorm = Param{Name: "reward_norm", Types: []Type{Number}, Range: positive, Default: unset,
	Doc: "the bound that `norm` is, in reward units: of the expected rewards as they are; not beside `norm`"}

// option returns the parameter of an option of algorithms.
// Type, range and choices follow from the engine, so that an option of the engine is an option of the language.
func option(name string) Param {
	x := engine.OptionNamed(name)
	p := Param{Name: name, Synonyms: x.Synonyms, Choices: x.Choices, Range: x.Range, Default: cmp.Or(x.Default, unset), Doc: x.Doc,
		of: func(e algorithms.Entry) bool { return e.Takes(name) }}
	switch x.At(new(engine.Options)).(type) { // a new value, only to see which type the field has
	case *bool:
		p.Whole, p.Range, p.Default = true, kernels.Range{Min: 0, Max: 1}, "0"
	case *int:
		p.Whole = true
	}
	if p.Range != (kernels.Range{}) { // an option without a range takes no numbers
		p.Types = append(p.Types, Number)
	}
	if p.Choices != nil {
		p.Types = append(p.Types, Text)
	}
	if x.Planned != "" { // where pulls are not fixed beforehand; posterior takes this back
		p.Choices, p.elsewhere = []string{engine.RidgeAuto}, map[string]string{engine.RidgeGP: x.Planned}
	}
	return p
}

// runParams returns the parameters of a function that runs algorithms of a mode: its own and options in the order of names, and
// behind them the options of the mode that names leave out.
// A new option of the engine thus appears by itself, as the last parameter; one without a description stays hidden.
func runParams(mode, names string, own ...Param) (out []Param) {
	listed := strings.Fields(names)
	// Options that names leave out, of this mode or of both.
	for x := range engine.AllOptions() {
		if x.Doc != "" && (x.Mode == "" || x.Mode == mode) && !slices.Contains(listed, x.Name) {
			listed = append(listed, x.Name)
		}
	}
	out = make([]Param, 0, len(listed))
	for _, name := range listed {
		if i := slices.IndexFunc(own, func(p Param) bool { return p.Name == name }); i >= 0 {
			out = append(out, own[i]) // with a description of its own
		} else {
			out = append(out, option(name))
		}
	}
	return ofSome(mode, out)
}

// posterior returns the regularisation parameter of functions whose pulls are fixed beforehand.
// Pulls that are fixed beforehand allow "gp" as well, which option leaves out.
func posterior(p Param) Param {
	p.Choices, p.elsewhere, p.Default = []string{engine.RidgeAuto, engine.RidgeGP}, nil, unset
	p.wordsOnly = func(e algorithms.Entry) bool { return e.Prior }
	p.Doc = `regularisation ξ: a number; "auto", the largest that the theorems allow, which for CoBayesFB is least squares; or "gp", ` +
		`the posterior of a Gaussian process that has the kernel for its prior; when not given, "gp" for CoBayesFB and "auto" for others`
	return p
}

// runFunctions returns the simulations.
func runFunctions() []Function {
	runs := Param{Name: "runs", Synonyms: []string{"repetitions", "n", "trials"}, Types: []Type{Number}, Whole: true,
		Range: kernels.Range{Min: 1, Max: 100_000}, Default: "1", Doc: "independent runs"}
	seed := Param{Name: "seed", Types: []Type{Number}, Whole: true, Range: wholeFrom(0), Default: "1",
		Doc: "the random rewards follow from it; the same seed gives the same numbers"}
	rewards := Param{Name: "rewards", Synonyms: []string{"reward", "environment"}, Types: []Type{Rewards}, Default: unset,
		Doc: "a Go func that draws rewards, bound by session.Put in a Go cell, or a function f(task, arm, count) of Python that returns " +
			"their mean, in place of the problem's own"}
	// A fixed budget needs no level to stop; there it only says which answers count as supported.
	confidence := option("delta")
	confidence.Doc = "level at which an answer counts as supported"
	return []Function{
		bound(Function{
			Name: "fc", Section: SectionRuns, Synonyms: []string{"fixed_confidence"},
			Doc: "fixed confidence: samples until every task's best arm is known",
			Params: runParams(engine.ModeFC,
				"p delta epsilon algorithm schedule law xi level scale runs seed max_rounds max_samples norm gap unit misfit robust "+
					"rewards reward_norm", problemParam, algorithmParam(engine.ModeFC), runs, seed, rewards, rewardNorm),
			Result: Result, Example: `fc(paper(case=2), delta=0.05, runs=10)`,
		}, checkRun, evalRun),
		bound(Function{
			Name: "fb", Section: SectionRuns, Synonyms: []string{"fixed_budget"}, Doc: "fixed budget: the best answers from a given number of pulls",
			Params: runParams(engine.ModeFB,
				"p budget algorithm xi level scale kernel_is runs seed delta epsilon norm unit rewards reward_norm total rounds",
				problemParam, algorithmParam(engine.ModeFB), posterior(option("xi")), runs, seed, confidence, rewards, rewardNorm),
			Result: Result, Example: `fb(paper(case=2), budget=7000, runs=10)`,
		}, checkRun, evalRun),
		{
			Name: "sweep", Section: SectionRuns, Synonyms: []string{"grid", "vary"},
			Doc: "runs a result again for every combination of values; evaluates again what depends on them",
			Params: []Param{
				{Name: "r", Types: []Type{Result}, Doc: "the name of a result of fc or fb"},
				{Name: "rows", Synonyms: []string{"per"}, Types: []Type{Text}, Choices: []string{sim.PerCell, sim.PerRun}, Default: `"cell"`, Doc: "what a row of the table is: a combination of the values, or a single run of one"},
				{Name: "store", Synonyms: []string{"resume", "cache"}, Types: []Type{Text}, words: wordsStore, Default: unset,
					Doc: "a file, .jsonl, that keeps the finished combinations: what it has is not run again"},
			},
			Named:  "a name that r depends on, or an argument of a call that it depends on, with the list of values to try",
			Result: Sweep, Example: `sweep(r, gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndKernelFC"])`,
			early: checkSweep, eval: evalSweep,
		},
	}
}

// modes says which function runs an algorithm.
// It completes the sentence that begins with the name of the algorithm.
var modes = map[string]string{engine.ModeFC: "fc, which stops when all is decided", engine.ModeFB: "fb, which has a budget"}

// algorithmParam lists the algorithms of a mode.
func algorithmParam(mode string) Param {
	p := Param{Name: "algorithm", Synonyms: []string{"method", "algo"}, Types: []Type{Text}, Doc: "which algorithm runs",
		elsewhere: map[string]string{}}
	for m, function := range modes {
		// All algorithms of a mode, in the order of the catalogue.
		names := algorithms.Having(m, func(algorithms.Entry) bool { return true })
		if m == mode {
			p.Choices = names
			continue
		}
		// The algorithms of other modes are refused with the function that runs them.
		for _, name := range names {
			p.elsewhere[name] = name + " is for " + function
		}
	}
	p.Default = `"` + algorithms.Default(mode).Name + `"`
	return p
}

// algorithmOf returns the one that was named, or the default.
// The argument was compared with the choices before.
func algorithmOf(c *call, mode string) string {
	return cmp.Or(c.text("algorithm"), algorithms.Default(mode).Name)
}

// oneNorm reports a bound on the norm that is given in both units.
func oneNorm(c *call) {
	if c.has("norm") && c.has("reward_norm") {
		c.fail(c.arg("reward_norm"), "reward_norm and norm are both given: each bounds the norm of the reward function, one in reward units "+
			"and the other in units of the noise", "leave one of them out")
	}
}

// oneBudget reports a function of a budget that is given none, or two.
func oneBudget(c *call) {
	switch {
	case c.has("budget") != c.has("total"): // exactly one of them
	case c.has("total"):
		c.refuse(c.arg("total"), "leave one of them out", "budget is of each agent, and total is of all agents together")
	default:
		c.e.fail(c.node, c.fn.Result, c.fn.Name+" needs budget, the pulls of each agent, or total, the pulls of all together",
			"write "+c.fn.Signature())
	}
}

// runArgs are the arguments of fc and fb that are not options of the algorithm.
// Options are read by optionsOf, from the same arguments.
type runArgs struct {
	P       *problem.Problem // as the script has it
	Runs    int              `arg:"default"` // at least 1
	Seed    uint64           `arg:"default"` // of the first run; the others follow from it
	Rewards any              // a sim.RewardFunc or sim.RoundFunc of a Go cell; nil where the problem draws
}

// checkRun reports options that the algorithm does not have or that do not go together.
// In a sweep an option goes to the algorithms that have it, see hasOptions.
func checkRun(c *call, _ runArgs) {
	hasOptions(c)
	oneNorm(c)
	if c.fn.Name == engine.ModeFB {
		oneBudget(c)
	}
}

// evalRun evaluates fc and fb. An interrupted run keeps what was finished.
func evalRun(c *call, a runArgs) (any, error) {
	mode := c.fn.Name
	x := sim.Experiment{
		Problem: a.P, Mode: mode, Options: optionsOf(c),
		Algorithm: algorithmOf(c, mode), Runs: a.Runs, Seed: a.Seed, Workers: c.e.session.opt.Workers,
	}
	// A function that is asked for one arm, or for all arms of a round, in place of the problem's own rewards.
	switch draw := a.Rewards.(type) {
	case sim.RewardFunc:
		x.Draw = sim.Func(x.Problem, draw)
	case sim.RoundFunc:
		x.Draw, x.Rounds = sim.Rounds(x.Problem, draw)
	}
	warnOfLength(c, x) // before the first sample, since it may take minutes
	result, err := perform(c, x)
	if err != nil && result.Runs == 0 && len(result.Trace) == 0 { // nothing to keep
		return nil, err
	}
	if err != nil && c.e.ctx.Err() != nil { // the result has what was finished, and says that it is not all
		result.Status = engine.StatusInterrupted
	}
	return result, err
}

// From warnedArms on a run is said beforehand to take warnedSamples or more.
const (
	warnedArms    = 200
	warnedSamples = 1e8
)

// warnOfLength says before sampling that a schedule takes very many samples on many arms: designs for them take minutes,
// and no experiment can have them.
func warnOfLength(c *call, x sim.Experiment) {
	if x.Problem.N() < warnedArms || c.e.st != c.e.own || c.e.dry { // in a sweep the same would be told for each combination
		return
	}
	x.Memory = &c.e.session.memory // a copy: the designs that this needs are there when the run begins
	if n, err := x.Expected(c.e.ctx); err == nil && n >= warnedSamples {
		many := fmt.Sprintf("about %.0e samples per agent", n)
		if math.IsInf(n, 1) {
			many = "as many samples as it may"
		}
		c.e.session.notice(fmt.Sprintf("%s is expected to take %s here, as its rounds grow fourfold until they tell the smallest gap "+
			"apart, or epsilon; CoTestFC, the default, goes by the data and takes far fewer", x.Algorithm, many))
	}
}

// optionsOf reads the arguments that are options: those with the name of a field of engine.Options, as far as the function has
// them. What is not stated is left to the engine.
// It serves every function that has options: runs, forecasts, theory and protocols.
func optionsOf(c *call) engine.Options {
	opt := stated[engine.Options](c)
	a := stated[struct {
		P          *problem.Problem
		RewardNorm float64
		Level, Xi  any
	}](c)
	if a.P != nil && a.RewardNorm > 0 { // the engine's norm is in units of the noise
		opt.Norm = a.RewardNorm / model.UnitOf(a.P, opt.Unit)
	}
	if opt.Level.Value, opt.Level.Known = a.Level.(float64); opt.Level.Known && a.P != nil { // stated in the direction of the data
		opt.Level.Value = a.P.Turned(opt.Level.Value)
	}
	// A number, "auto" or "gp"; without the argument the engine decides.
	switch xi := a.Xi.(type) {
	case float64:
		opt.Ridge = engine.Ridge{Kind: engine.RidgeValue, Value: xi}
	case string:
		opt.Ridge = engine.Ridge{Kind: xi}
	}
	return opt
}
