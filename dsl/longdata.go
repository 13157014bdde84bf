package dsl

import (
	"fmt"
	"slices"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// longDetails are the parameters of longParams that say what the columns mean.
var longDetails = longParams()[1:]

const longExample = `problem(data="runs.csv", task=…, arm=…, reward=…)`

// longParams lists the parameters by which problem reads a table with a row for every measurement.
func longParams() []Param {
	columns := func(name, doc string, synonyms ...string) Param {
		return Param{Name: name, Synonyms: synonyms, Types: []Type{Text, List}, words: wordsHeader, Default: unset, Doc: doc}
	}
	return []Param{
		{Name: "data", Synonyms: []string{"long", "table", "frame", "df", "csv", "dataframe"}, Types: []Type{Text}, words: wordsData, Default: unset, Doc: "in place of path, a table with a row for every measurement; task, arm and reward say what its columns mean, and others are ignored; with arm and reward the first argument is such a table, too"},
		columns("task", "with data, the column that names the task, or a list of columns whose combinations are the tasks; one task for all rows when not given", "tasks", "group", "agent"),
		columns("arm", "with data, the column or columns whose distinct values are the arms, and their features", "arms", "option", "options", "setting", "treatment", "x", "features", "params"),
		{Name: "reward", Synonyms: []string{"y", "response", "value", "outcome", "target", "objective", "metric", "score"}, Types: []Type{Text}, words: wordsHeader, Default: unset, Doc: "with data, the column of measurements, or of their means with sd= and count="},
		{Name: "sd", Synonyms: []string{"std", "stddev"}, Types: []Type{Text}, words: wordsHeader, Default: unset, Doc: "with data whose rows are means, the column of their standard deviations: of one measurement, not of the mean; a noise scale for all is noise="},
		{Name: "count", Synonyms: []string{"n", "reps", "replicates"}, Types: []Type{Text}, words: wordsHeader, Default: unset, Doc: "with data whose rows are means, the column that counts the measurements behind each; 1 each when not given"},
		{Name: "successes", Synonyms: []string{"wins", "hits", "events"}, Types: []Type{Text}, words: wordsHeader, Default: unset, Doc: "with data, in place of reward: the column of how many of trials were 1, the others being 0"},
		{Name: "trials", Synonyms: []string{"attempts", "size"}, Types: []Type{Text}, words: wordsHeader, Default: unset, Doc: "with successes, the column of how many there were"},
		columns("blocks", "with data, the column or columns that say what was measured together, such as a day or a plate; best takes its effect out", "block", "batch", "plate"),
		columns("log", "with data, columns of arms whose decimal logarithm is the feature", "log_scale", "logarithmic"),
		{Name: "where", Synonyms: []string{"filter", "query", "subset"}, Types: []Type{Text}, Default: unset, Doc: `with data, the rows to take: a condition on columns, such as "site == 'Gent' and dose > 2"; a name with blanks is col('Temp °C')`},
		columns("task_features", "with data, the column or columns of features that tasks have", "z", "context"),
		columns("arm_features", "with data, the features of arms; the columns of arm when not given"),
	}
}

// longArgs are the arguments of longParams.
type longArgs struct {
	Data                                 string
	Task, Arm, Blocks, Log               []string
	Reward, SD, Count, Successes, Trials string
	Where                                string
	TaskFeatures, ArmFeatures            []string
}

// columns returns the columns of a long table, which are checked.
func (a longArgs) columns() *problem.Long {
	return &problem.Long{
		Task: a.Task, Arm: a.Arm, Reward: a.Reward, SD: a.SD, Count: a.Count, Successes: a.Successes, Trials: a.Trials,
		Blocks: a.Blocks, Log: a.Log, TaskFeatures: a.TaskFeatures, ArmFeatures: a.ArmFeatures,
	}
}

// checkProblem reports arguments of problem that do not fit together.
func checkProblem(c *call, a problemArgs) {
	if c.has("path") && !c.has("data") && c.has("arm") && (c.has("reward") || c.has("successes")) { // the columns say which it is
		c.move("path", "data")
	}
	switch path := c.arg("path"); {
	case c.has("path") && c.has("data"):
		c.fail(&path, "problem: path and data both name the table", "write data= for a row per measurement, path for a row per arm")
		return
	case !c.has("path") && !c.has("data"):
		c.e.fail(c.node, c.fn.Result, "problem needs path or data", `write problem("arms.csv") for a table with a row per arm, `+longExample+" for one with a row per measurement")
		return
	}
	given, missing := longGiven(c)
	switch {
	case !c.has("data") && len(given) > 0:
		first, is := c.arg(given[0]), "is"
		if len(given) > 1 {
			is = "are"
		}
		c.fail(&first, fmt.Sprintf("problem: %s %s for a table with a row for every measurement", andList(given), is), "write data= in place of path")
		return
	case c.has("data") && len(missing) > 0:
		c.e.fail(c.node, c.fn.Result, "problem: data needs "+andList(missing), "as in "+longExample)
		return
	}
	for _, name := range given {
		if !checkNames(c, c.arg(name)) {
			return
		}
	}
	if rewards := c.arg("rewards"); c.has("rewards") && c.has("data") {
		c.fail(&rewards, "problem: data holds the rewards itself", "leave rewards out; reward= names their column")
		return
	}
	if block := c.arg("block"); c.has("block") && !c.has("rewards") {
		c.fail(&block, "problem: block names a column of rewards=, which is not given", "give rewards=, a file of measured rewards with that column; for tables with data= write blocks=")
		return
	}
	checkNoise(c, a.noiseArgs)
}

// longGiven returns the names of the longDetails that are given, and of the ones that data needs and are not.
func longGiven(c *call) (given, missing []string) {
	for _, p := range longDetails {
		switch {
		case c.has(p.Name):
			given = append(given, p.Name)
		case p.Name == "arm" || p.Name == "reward" && !c.has("successes"):
			missing = append(missing, p.Name)
		}
	}
	return given, missing
}

// checkNames reports a list that does not hold names of columns alone, each once.
func checkNames(c *call, a argument) bool {
	list, ok := a.Data.([]value)
	if !ok {
		return true
	}
	names := texts(a.value)
	if len(list) == 0 || len(names) < len(list) {
		c.fail(&a, fmt.Sprintf("%s: %s must be the name of a column, or a list of names", c.fn.Name, a.Name), fmt.Sprintf(`write %s="temp", or %s=["temp", "speed"]`, a.Name, a.Name))
		return false
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			at := c.element(a, i)
			c.fail(&at, fmt.Sprintf("%s: %s has %q twice", c.fn.Name, a.Name, name), "")
			return false
		}
	}
	return true
}

// naming returns the parameter of a long table whose argument names a column, "" for none.
func naming(c *call, column string) string {
	for _, p := range longDetails {
		a := c.arg(p.Name)
		if slices.Contains(append(texts(a.value), fmt.Sprint(a.Data)), column) {
			return p.Name
		}
	}
	return ""
}
