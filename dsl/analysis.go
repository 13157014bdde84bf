package dsl

import (
	"slices"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// analysisFunctions returns the functions that compare results of a sweep with each other and with the paper. If a sweep
// lacks a needed algorithm, these functions report it before the sweep runs, because the outline lists its algorithms.
func analysisFunctions() []Function {
	sweep := Param{Name: "s", Types: []Type{Sweep}, Doc: "a sweep over algorithm; it may vary other names too"}
	algorithm := func(name, doc, usual string, modes ...string) Param { // usual is the default; "" makes the argument required
		p := Param{Name: name, Types: []Type{Text}, Doc: doc, Default: usual}
		for _, mode := range modes {
			for _, name := range algorithmParam(mode).Choices {
				p.Choices = lists.Add(p.Choices, name) // both modes have the algorithm Oracle; list it once
			}
		}
		return p
	}
	return []Function{
		makeFunction(Function{
			Name: "paired", Section: SectionRuns, Synonyms: []string{"versus_reference", "difference"},
			Doc: "compares every algorithm of a sweep with a reference: difference and ratio with 95 % intervals, from paired runs if " +
				"the seeds are equal",
			Params: []Param{sweep,
				algorithm("reference", "the algorithm that the others are compared with", "", engine.ModeFC, engine.ModeFB),
				{Name: "y", Synonyms: []string{"measure"}, Choices: []string{"samples", "error", "rounds", "regret"}, Default: `"samples"`, Doc: "the quantity to compare"}},
			Result: typeOf[sim.Comparisons](), Example: `paired(s, reference="IndKernelFC")`,
			early: func(c *call) { algorithmIn(c, c.arg("s"), c.arg("reference"), c.text("reference")) },
		}, nil, func(_ *call, a struct {
			S         sim.Sweep
			Reference string
			Y         string `arg:"default"`
		}) (any, error) {
			return dropOnError(sim.Compare(a.S, a.Reference, a.Y))
		}),
		makeFunction(Function{
			Name: "speedup", Section: SectionRuns, Synonyms: []string{"beta", "acceleration"},
			Doc: "measures the speedup β of [Du23, eq. (4)], and compares it with V and the prediction from the rank of the task kernel",
			Params: []Param{sweep,
				algorithm("algorithm", "the collaborative algorithm", `"CoKernelFC"`, engine.ModeFC),
				algorithm("alone", "the independent algorithm", `"IndRAGE"`, engine.ModeFC)},
			Result: typeOf[sim.Speedup](), Example: `speedup(s, algorithm="CoKernelFC", alone="IndKernelFC")`,
			// If both algorithms are missing, report only the first.
			early: func(c *call) {
				a := readArguments[speedupArgs](c)
				if algorithmIn(c, c.arg("s"), c.arg("algorithm"), a.Algorithm) {
					algorithmIn(c, c.arg("s"), c.arg("alone"), a.Alone)
				}
			},
		}, nil, func(_ *call, a speedupArgs) (any, error) {
			return dropOnError(sim.SpeedupOf(a.S, a.Algorithm, a.Alone))
		}),
	}
}

// speedupArgs are the arguments of speedup.
type speedupArgs struct {
	S                sim.Sweep // the sweep
	Algorithm, Alone string    `arg:"default"` // Algorithm is compared with Alone
}

// algorithmIn reports a mistake if a sweep does not have the given algorithm. The mistake is shown at the argument named,
// or at the call if the algorithm is a default. It returns false only if the algorithm is certainly missing.
func algorithmIn(c *call, s, named argument, algorithm string) bool {
	o := s.sweepOutline() // nil if the sweep's values are not known yet
	if o == nil || algorithm == "" {
		return true
	}
	known, swept := o.of("algorithm")
	// A comparison needs a sweep over algorithms.
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

// explainFunctions returns the functions that explain single runs.
func explainFunctions() []Function {
	return []Function{makeFunction(Function{
		Name: "explain", Section: SectionRuns, Synonyms: []string{"progress", "why", "story"},
		Doc: "explains the state of each task of a run: the lead of its best arm over the next, the samples still needed, and the " +
			"comparisons that eliminated the other arms. It explains the first of several runs",
		Params: []Param{
			{Name: "r", Types: []Type{Result, typeOf[campaign.Status](), Text}, Doc: "a result of fc or fb, or a campaign or its folder"},
			{Name: "task", words: wordsTasks, Default: unset, Doc: "the task to explain; all tasks if not given"}},
		Result: typeOf[engine.Explanation](), Example: `explain(fc(paper(case=2), algorithm="CoTestFC", max_rounds=4))`,
	}, nil, func(c *call, a struct {
		R    any
		Task string
	}) (any, error) {
		if r, ok := a.R.(engine.Result); ok {
			return explainResult(c, r)
		}
		// For a campaign, explain its present state and not the state when c was bound.
		return inCampaign(c, "r", func(k campaign.Kept) (any, error) {
			st, err := k.Status(c.e.ctx)
			if err != nil {
				return nil, err
			}
			return explainResult(c, st.SoFar())
		})
	})}
}

// explainResult returns the explanation of a result, or of one task of it if the call has task=.
func explainResult(c *call, r engine.Result) (any, error) {
	x, err := engine.Explain(r, c.text("task"))
	// An unknown task is an error of the argument task.
	if err != nil {
		param := "r" // without task=, the error concerns the result
		if c.has("task") {
			param = "task"
		}
		return nil, &argumentError{param: param, message: "the run cannot be explained", err: err}
	}
	return x, nil
}
