package dsl

import (
	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
)

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
	}, nil, evalExplain)}
}

// evalExplain evaluates explain(...).
func evalExplain(c *call, a struct {
	R    any
	Task string
}) (any, error) {
	if r, ok := a.R.(engine.Result); ok {
		return explained(c, r)
	}
	return inCampaign(c, "r", func(k *folder.Campaign) (any, error) {
		st, err := k.Status(c.e.ctx)
		if err != nil {
			return nil, err
		}
		return explained(c, *st.Result)
	})
}

// explained explains a result, or one of its tasks.
func explained(c *call, r engine.Result) (any, error) {
	x, err := engine.Explain(r, c.text("task"))
	if err != nil {
		param := "r"
		if c.has("task") {
			param = "task"
		}
		return nil, &argumentError{param: param, message: "the run cannot be explained", err: err}
	}
	return x, nil
}
