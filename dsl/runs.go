package dsl

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/model"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// runFunctions returns the simulations.
func runFunctions() []Function {
	runs := Param{Name: "runs", Synonyms: []string{"repetitions", "n", "trials"}, Types: []Type{Number}, Whole: true, Range: kernels.Range{Min: 1, Max: 100_000}, Default: "1", Doc: "independent runs"}
	seed := Param{Name: "seed", Types: []Type{Number}, Whole: true, Range: wholeFrom(0), Default: "1", Doc: "the random rewards follow from it; the same seed gives the same numbers"}
	rewards := Param{Name: "rewards", Synonyms: []string{"reward", "environment"}, Types: []Type{Rewards}, Default: unset, Doc: "a Go func that draws rewards, bound by session.Put in a Go cell, in place of the problem's own"}
	confidence := deltaParam
	confidence.Doc = "level at which an answer counts as supported"
	return []Function{
		{
			Name: "fc", Section: SectionRuns, Synonyms: []string{"fixed_confidence"}, Doc: "fixed confidence: samples until every task's best arm is known",
			Params: ofSome(engine.ModeFC, []Param{problemParam, deltaParam, epsilonParam, algorithmParam(engine.ModeFC),
				scheduleParam, lawParam, ridgeParam, levelParam, scaleParam, runs, seed,
				{Name: "max_rounds", Types: []Type{Number}, Whole: true, Range: wholeFrom(1), Default: unset, Doc: "stop after this many rounds; 30 when not given"},
				{Name: "max_samples", Types: []Type{Number}, Whole: true, Range: wholeFrom(1), Default: unset, Doc: "stop before more samples than this, all agents together"},
				normParam, gapParam, unitParam, misfitParam, robustParam, rewards, rewardNorm}),
			Result: Result, Example: `fc(paper(case=2), delta=0.05, runs=10)`,
			check: func(c *call) { c.checkOptions(); c.oneNorm() }, eval: func(c *call) (any, error) { return c.run(engine.ModeFC) },
		},
		{
			Name: "fb", Section: SectionRuns, Synonyms: []string{"fixed_budget"}, Doc: "fixed budget: the best answers from a given number of pulls",
			Params: ofSome(engine.ModeFB, []Param{problemParam, budgetParam, algorithmParam(engine.ModeFB), posterior(ridgeParam), levelParam, scaleParam, runs, seed, confidence, epsilonParam, normParam, unitParam, rewards, rewardNorm}),
			Result: Result, Example: `fb(paper(case=2), budget=7000, runs=10)`,
			check: func(c *call) { c.checkOptions(); c.oneNorm() }, eval: func(c *call) (any, error) { return c.run(engine.ModeFB) },
		},
		{
			Name: "sweep", Section: SectionRuns, Synonyms: []string{"grid", "vary"}, Doc: "runs a result again for every combination of values; evaluates again what depends on them",
			Params: []Param{
				{Name: "r", Types: []Type{Result}, Doc: "the name of a result of fc or fb"},
				{Name: "rows", Synonyms: []string{"per"}, Types: []Type{Text}, Choices: []string{sim.PerCell, sim.PerRun}, Default: `"cell"`, Doc: "what a row of the table is: a combination of the values, or a single run of one"},
				{Name: "store", Synonyms: []string{"resume", "cache"}, Types: []Type{Text}, words: wordsStore, Default: unset, Doc: "a file, .jsonl, that keeps the finished combinations: what it has is not run again"},
			},
			Named:  "a name that r depends on, or an argument of a call that it depends on, with the list of values to try",
			Result: Sweep, Example: `sweep(r, gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndKernelFC"])`,
			check: (*call).checkSweep, eval: (*call).sweep,
		},
	}
}

// The words for a level and a scale that are learned from the data.
const (
	levelUnknown = "unknown"
	scaleFit     = "fit"
)

// algorithmParam lists the algorithms of a mode.
func algorithmParam(mode string) Param {
	p := Param{Name: "algorithm", Synonyms: []string{"method", "algo"}, Types: []Type{Text}, Doc: "which algorithm runs"}
	for _, a := range algorithms.All() {
		if a.Mode == mode {
			p.Choices = append(p.Choices, a.Name)
		}
	}
	p.Default = `"` + algorithms.Default(mode).Name + `"`
	return p
}

// algorithm returns the one that was named, or the default.
func (c *call) algorithm(mode string) string {
	if name := c.text("algorithm"); name != "" {
		return name
	}
	return algorithms.Default(mode).Name
}

// oneNorm reports a bound on the norm that is given in both units, and whether there is none.
func (c *call) oneNorm() bool {
	if !c.has("norm") || !c.has("reward_norm") {
		return true
	}
	given := c.arg("reward_norm")
	c.fail(&given, "reward_norm and norm are both given: each bounds the norm of the reward function, one in reward units and the other in units of the noise", "leave one of them out")
	return false
}

// run evaluates fc and fb. An interrupted run keeps what was finished.
func (c *call) run(mode string) (any, error) {
	if !c.checkOptions() || !c.oneNorm() {
		return nil, nil // reported
	}
	x := sim.Experiment{
		Problem: c.arg("p").Data.(*problem.Problem), Mode: mode, Options: c.options(),
		Algorithm: c.algorithm(mode), Runs: 1, Seed: 1, Workers: c.e.session.opt.Workers,
	}
	if c.arg("runs").known() {
		x.Runs = c.whole("runs")
	}
	if c.arg("seed").known() {
		x.Seed = uint64(c.number("seed"))
	}
	if draw, ok := c.arg("rewards").Data.(sim.RewardFunc); ok {
		x.Draw = sim.Func(x.Problem, draw)
	}
	result, err := c.perform(x)
	if err != nil && result.Runs == 0 && len(result.Trace) == 0 {
		return nil, err
	}
	if err != nil && c.e.ctx.Err() != nil {
		result.Status = engine.StatusInterrupted
	}
	return result, err
}

// options reads the arguments that are fields of engine.Options.
func (c *call) options() engine.Options {
	number := func(name string) float64 {
		if c.fn.param(name) < 0 {
			return 0
		}
		return c.number(name)
	}
	opt := engine.Options{
		Delta: number("delta"), Epsilon: number("epsilon"), Budget: int(number("budget")),
		Norm: number("norm"), Gap: number("gap"), Unit: number("unit"),
		Misfit: number("misfit"), Robust: number("robust") > 0,
		MaxRounds: int(number("max_rounds")), MaxSamples: int(number("max_samples")),
	}
	if p, ok := c.arg("p").Data.(*problem.Problem); ok && c.fn.param("reward_norm") >= 0 && c.has("reward_norm") {
		opt.Norm = number("reward_norm") / model.UnitOf(p, opt.Unit)
	}
	if c.fn.param("level") >= 0 {
		opt.Level.Value, opt.Level.Known = c.arg("level").Data.(float64)
		if p, ok := c.arg("p").Data.(*problem.Problem); ok && opt.Level.Known { // stated in the direction of the data
			opt.Level.Value = p.Turned(opt.Level.Value)
		}
	}
	if c.fn.param("scale") >= 0 {
		opt.Scale, _ = c.arg("scale").Data.(float64)
	}
	if c.fn.param("law") >= 0 {
		opt.Law = c.text("law")
	}
	if c.fn.param("schedule") >= 0 {
		opt.Schedule = c.text("schedule")
	}
	if c.fn.param("xi") >= 0 {
		switch xi := c.arg("xi").Data.(type) {
		case float64:
			opt.Ridge = engine.Ridge{Kind: engine.RidgeValue, Value: xi}
		case string:
			opt.Ridge = engine.Ridge{Kind: xi}
		}
	}
	return opt
}
