package dsl

import "github.com/gonb-cope/gonb-cope/engine/problem"

// unmeasuredDrop is the text by which arms that are not measured are left out.
const unmeasuredDrop = "drop"

// goalParam says which rewards are good.
var goalParam = Param{
	Name: "goal", Synonyms: []string{"direction", "sense"}, Types: []Type{Text}, Choices: []string{"max", problem.GoalMin}, Default: `"max"`,
	Doc: "whether the best arm has the highest expected reward or the lowest; all that is shown has the sign and the units of the data",
}

// goalParams lists the parameters of problem that may go with any table.
func goalParams() []Param {
	return []Param{
		goalParam,
		{Name: "standardize", Synonyms: []string{"standardise", "normalize", "normalise"}, Default: "0",
			Doc: "true (or 1): scale every feature column of numbers to the range 0 to 1, so that length scales are shares of its range; otherwise they are in the units of the data"},
		{Name: "unmeasured", Synonyms: []string{"missing", "dropna", "na"}, Types: []Type{Text}, Choices: []string{"keep", unmeasuredDrop}, Default: `"keep"`, Doc: "arms that have no mean yet: kept, which fit, bounds and runs that draw expected rewards allow for, or left out"},
	}
}

// goalOf returns a goal as problems have it.
func goalOf(text string) string {
	if text == problem.GoalMin {
		return problem.GoalMin
	}
	return problem.GoalMax
}
