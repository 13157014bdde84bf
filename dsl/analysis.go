package dsl

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// analysisFunctions returns the functions that compare the results of sweeps with each other and
// with the paper.
// Their sweeps are known in outline before they run, so a missing algorithm is told at once.
func analysisFunctions() []Function {
	sweep := Param{Name: "s", Types: []Type{Sweep}, Doc: "a sweep over algorithm, and over other names if you like"}
	algorithm := func(name, doc, usual string, modes ...string) Param { // usual is the default, "" where the argument must be given
		p := Param{Name: name, Types: []Type{Text}, Doc: doc, Default: usual}
		for _, mode := range modes {
			for _, name := range algorithmParam(mode).Choices {
				p.Choices = lists.Add(p.Choices, name) // an Oracle is in both modes
			}
		}
		return p
	}
	return []Function{
		bound(Function{
			Name: "paired", Section: SectionRuns, Synonyms: []string{"versus_reference", "difference"},
			Doc: "every algorithm of a sweep beside a reference: difference and ratio with 95 % intervals, run by run where seeds are shared",
			Params: []Param{sweep,
				algorithm("reference", "the algorithm that the others are compared with", "", engine.ModeFC, engine.ModeFB),
				{Name: "y", Synonyms: []string{"measure"}, Choices: []string{"samples", "error", "rounds", "regret"}, Default: `"samples"`, Doc: "what is compared"}},
			Result: typeOf[sim.Comparisons](), Example: `paired(s, reference="IndKernelFC")`,
			early: func(c *call) { algorithmIn(c, c.arg("s"), c.arg("reference"), c.text("reference")) },
		}, nil, func(_ *call, a struct {
			S         sim.Sweep
			Reference string
			Y         string `arg:"default"`
		}) (any, error) {
			return given(sim.Compare(a.S, a.Reference, a.Y))
		}),
		bound(Function{
			Name: "speedup", Section: SectionRuns, Synonyms: []string{"beta", "acceleration"},
			Doc: "the speedup β of [Du23, eq. (4)], measured, beside V and what the rank of the task kernel predicts",
			Params: []Param{sweep,
				algorithm("algorithm", "the algorithm of agents that share", `"CoKernelFC"`, engine.ModeFC),
				algorithm("alone", "the algorithm of agents that share nothing", `"IndRAGE"`, engine.ModeFC)},
			Result: typeOf[sim.Speedup](), Example: `speedup(s, algorithm="CoKernelFC", alone="IndKernelFC")`,
			// Both algorithms must be in the sweep; the first one that is not is told.
			early: func(c *call) {
				a := stated[speedupArgs](c)
				if algorithmIn(c, c.arg("s"), c.arg("algorithm"), a.Algorithm) {
					algorithmIn(c, c.arg("s"), c.arg("alone"), a.Alone)
				}
			},
		}, nil, func(_ *call, a speedupArgs) (any, error) { return given(sim.SpeedupOf(a.S, a.Algorithm, a.Alone)) }),
		bound(Function{
			Name: "claims", Section: SectionRuns, Synonyms: []string{"verdicts", "check_paper"},
			Doc: "what the paper says of its experiments, each statement beside what was measured, with a verdict",
			Params: []Param{
				{Name: "fc", Doc: "a sweep of fc over case, gap and algorithm"},
				{Name: "fb", Default: unset, Doc: "a sweep of fb over case, budget and algorithm"}},
			Result: typeOf[sim.Claims](), Example: `claims(sweep(r, case=1..3, gap=[0.1, 0.2], algorithm=["CoKernelFC", "IndRAGE", "IndRAGE/V"]))`,
			early: checkClaims,
		}, nil, func(_ *call, a struct{ FC, FB sim.Sweep }) (any, error) { return given(sim.ClaimsOf(a.FC, a.FB)) }),
	}
}

// speedupArgs are the arguments of speedup.
type speedupArgs struct {
	S                sim.Sweep // the sweep
	Algorithm, Alone string    `arg:"default"` // with their defaults
}

// algorithmIn reports an algorithm that a sweep does not have, under the argument that names it;
// under the call where that is not given. It reports whether it is there, as far as that can be
// said.
// Without an outline, and without a list of algorithms that is known, nothing is reported.
func algorithmIn(c *call, s, named argument, algorithm string) bool {
	o := s.sweepOutline() // nil where nothing is known of the sweep
	if o == nil || algorithm == "" {
		return true
	}
	known, swept := o.of("algorithm")
	// A sweep of one algorithm has no two to compare.
	if !swept {
		c.refuse(s, "sweep algorithm=[…] too", "the sweep has one algorithm only")
		return false
	}
	if known == nil || slices.Contains(known, algorithm) {
		return true
	}
	c.refuse(named, "it has "+andList(known), "the sweep has no runs of %s", algorithm)
	return false
}

// checkClaims finds sweeps that say nothing about the paper's claims.
// Each sweep must have the mode of its parameter, and go over the names that the statements of the paper are about.
func checkClaims(c *call) {
	for _, want := range []struct{ param, second string }{{engine.ModeFC, "gap"}, {engine.ModeFB, "budget"}} {
		a := c.arg(want.param)
		o := a.sweepOutline() // nil where nothing is known of the sweep
		if o == nil {
			continue // not given, or known only when it runs
		}
		// The sweeps are easily given the wrong way round.
		if o.mode != "" && o.mode != want.param {
			c.fail(a, fmt.Sprintf("claims: %s is a sweep of %s; it must be one of %s", want.param, o.mode, want.param), "write "+c.fn.Signature())
			continue
		}
		for _, name := range []string{"case", want.second, "algorithm"} {
			if _, swept := o.of(name); !swept {
				c.fail(a, fmt.Sprintf("claims: %s does not sweep %s", want.param, name),
					fmt.Sprintf("write sweep(r, case=1..3, %s=[…], algorithm=[…])", want.second))
				break // one mistake for each sweep is enough
			}
		}
	}
}

// explainFunctions returns the functions about single runs.
func explainFunctions() []Function {
	return []Function{bound(Function{
		Name: "explain", Section: SectionRuns, Synonyms: []string{"progress", "why", "story"},
		Doc: "how far each task of a run is: what separates its leader from the next arm, the samples still needed, and what decided the " +
			"other arms. Of several runs it explains the first; the run may have been interrupted or stopped by a limit",
		Params: []Param{
			{Name: "r", Types: []Type{Result, typeOf[campaign.Status](), Text}, Doc: "a result of fc or fb, or a campaign or its folder"},
			{Name: "task", words: wordsTasks, Default: unset, Doc: "the task to explain; all when not given"}},
		Result: typeOf[engine.Explanation](), Example: `explain(fc(paper(case=2), algorithm="CoTestFC", max_rounds=4))`,
	}, nil, func(c *call, a struct {
		R    any
		Task string
	}) (any, error) {
		if r, ok := a.R.(engine.Result); ok { // a result that a script has
			return explained(c, r)
		}
		// A campaign is explained as far as it is now.
		return inCampaign(c, "r", func(k *folder.Campaign) (any, error) {
			st, err := k.Status(c.e.ctx)
			if err != nil {
				return nil, err
			}
			return explained(c, st.SoFar())
		})
	})}
}

// explained explains a result, or one of its tasks.
func explained(c *call, r engine.Result) (any, error) {
	x, err := engine.Explain(r, c.text("task"))
	// A task that is not there is the mistake of that argument.
	if err != nil {
		param := "r" // without task= the result itself cannot be explained
		if c.has("task") {
			param = "task"
		}
		return nil, &argumentError{param: param, message: "the run cannot be explained", err: err}
	}
	return x, nil
}
