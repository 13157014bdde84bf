package dsl

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// countsHint is a hint on how to declare rewards that are 0 or 1.
const countsHint = "best(p) recognises rewards of 0 and 1; successes= and trials= read their counts; bounded=[0, 1] declares " +
	"them for tests"

// noiseParams returns the parameters about noise. kinds are further texts that the parameter noise accepts; doc describes
// them, and usual describes the default.
func noiseParams(doc, usual string, kinds ...string) []Param {
	environments := lists.Map(problem.Environments(), func(e problem.EnvironmentEntry) string { return e.Name })
	return []Param{
		{Name: "noise", Synonyms: []string{"sigma", "sd"}, Types: []Type{Number, Text}, Range: positive, Default: unset,
			elsewhere: map[string]string{"bernoulli": countsHint, "binary": countsHint, "binomial": countsHint,
				"auto": "leave noise out: best(p) and the tests estimate it"},
			Choices: append(kinds, noiseUnknown, noiseUnknown+" "+problem.UnknownTask, noiseUnknown+" "+problem.UnknownArm,
				noiseUnknown+" "+problem.UnknownTested),
			Doc: "standard deviation of the noise: " + doc + `, "unknown" (one for all), "unknown task", "unknown arm" (one for each) or ` +
				`"unknown tested" (one for all, until a test finds differences); ` +
				"by default " + usual},
		{Name: "noise_guess", Types: []Type{Number}, Range: positive, Default: unset,
			Doc: "with unknown noise: a guess of its standard deviation, which only plans the first round; by default 1"},
		{Name: "bounded", Synonyms: []string{"bounds", "range", "limits"}, Types: []Type{List}, Default: unset,
			Doc: "the lower and the upper limit of every reward, for any noise distribution"},
		{Name: "environment", Synonyms: []string{"env"}, Types: []Type{Text}, Choices: environments, Default: unset,
			Doc: "how simulated rewards are drawn; by default gaussian, with data= posterior, with rewards= resampled, with bounded= " +
				"bernoulli"},
	}
}

// noiseUnknown is the text for a noise scale that is estimated. "unknown task" and "unknown arm" mean one scale per task
// or per arm; with "unknown tested" the rewards show which of these holds.
const noiseUnknown = "unknown"

// unknownBy returns the value of NoiseModel.UnknownBy for "unknown", "unknown task", "unknown arm" and
// "unknown tested". It returns "" for other texts.
func unknownBy(text string) string {
	// "unknown" alone means one scale for all arms.
	by, unknown := strings.CutPrefix(text, noiseUnknown)
	switch {
	case !unknown:
		return ""
	case by == "":
		return problem.UnknownProblem
	}
	return strings.TrimPrefix(by, " ")
}

// noiseArgs are the arguments of noise.
type noiseArgs struct {
	Noise       any       // a float64 or a text; nil if not given
	NoiseGuess  *float64  // first guess of an unknown noise scale; nil if not given
	Bounded     []float64 // lower and upper limit of the rewards; nil if not given
	Environment string    // "" for the default
}

// checkNoise reports arguments about noise that conflict. Loading the data checks whether the noise suits them.
func checkNoise(c *call, a noiseArgs) {
	if guess := c.arg("noise_guess"); a.NoiseGuess != nil { // a guess has no effect if the scale is given
		if kind, text := a.Noise.(string); !text || unknownBy(kind) == "" {
			c.refuse(guess, `write noise="unknown", or noise=`+formatNumber(*a.NoiseGuess), "noise_guess needs noise=\"unknown\"")
			return
		}
	}
	if bounded := c.arg("bounded"); bounded.known() && (len(a.Bounded) != 2 || !(a.Bounded[0] < a.Bounded[1])) {
		c.refuse(bounded, "write bounded=[0, 1]", "bounded must be a list of two numbers, the lower one first")
	}
}

// model returns the noise model that the arguments describe. They must have passed checkNoise. If noise is a number, it is
// the scale of all arms; if noise is unknown, the guess is.
func (a noiseArgs) model() problem.NoiseModel {
	m := problem.NoiseModel{Environment: a.Environment}
	switch noise := a.Noise.(type) {
	case float64:
		m.Scales = []float64{noise}
	case string:
		if m.UnknownBy = unknownBy(noise); m.UnknownBy == "" { // the data have the scales: in a column, or pooled over tasks
			m.Known = noise
		}
		if a.NoiseGuess != nil {
			m.Scales = []float64{*a.NoiseGuess}
		}
	}
	if a.Bounded != nil {
		m.Bounds = &[2]float64{a.Bounded[0], a.Bounded[1]} // checkNoise has checked that there are two
	}
	return m
}

// noiseError returns an error of the noise model, so that it is shown at the argument that caused it, or else at the
// argument environment. It returns nil if err is nil.
func noiseError(c *call, err error) error {
	if err == nil {
		return nil
	}
	about := "environment"
	if wrong := (*problem.NoiseError)(nil); errors.As(err, &wrong) {
		// Find the parameter for the wrong field of the noise model.
		about = map[string]string{"Scales": "noise", "Known": "noise", "Bounds": "bounded", "Environment": "environment"}[wrong.Field]
	}
	return &argumentError{param: about, message: c.fn.Name + ": the noise model is not valid", err: err}
}

// unmeasuredDrop is the value of unmeasured= that removes arms without measurements.
const unmeasuredDrop = "drop"

// goalParam is the parameter goal, which says whether high or low rewards are good.
var goalParam = Param{
	Name: "goal", Synonyms: []string{"direction", "sense"}, Types: []Type{Text}, Choices: []string{"max", problem.GoalMin}, Default: `"max"`,
	Doc: `"max" if the best arm has the highest expected reward, "min" if the lowest`,
}

// goalParams returns the parameters of problem that apply to both kinds of tables.
func goalParams() []Param {
	goal := goalParam
	goal.Types = []Type{Text, List}
	goal.Doc += "; with several reward columns, a list such as [\"max\", \"min\"]"
	return []Param{
		goal,
		{Name: "standardize", Synonyms: []string{"standardise", "normalize", "normalise"}, Default: "0",
			Doc: "true (or 1): scale every numeric feature column to the range 0 to 1, so that length scales are fractions of the column's range"},
		{Name: "unmeasured", Synonyms: []string{"missing", "dropna", "na"}, Types: []Type{Text},
			Choices: []string{"keep", unmeasuredDrop}, Default: `"keep"`, Doc: `whether arms without measurements stay in the problem`},
	}
}

// goalOf converts the argument goal to the form of package problem, in which "" means that high rewards are good.
func goalOf(text string) string {
	if text == problem.GoalMin {
		return problem.GoalMin
	}
	return problem.GoalMax
}

// longDetails are the parameters that describe the columns of a table with one row per measurement.
var longDetails = longParams()[1:]

// isTable reports whether a value is the path of a table in the caller's memory, such as a Python DataFrame.
func (s *Session) isTable(v value) bool {
	path, is := v.Data.(string)
	return is && v.Type == Text && s.opt.Tables != nil && s.opt.Tables(s.path(path)) != nil
}

// tableExample returns an example call that reads a table of the caller. It uses the table's name in the script, if n is a
// name.
func tableExample(e *evaluator, n ast.Node) string {
	name := "df"
	if id, is := n.(*ast.IdentifierNode); is {
		name = id.Value
	}
	return fmt.Sprintf("problem(%s, task=…, arm=…, reward=…)", name)
}

const longExample = `problem(data="runs.csv", task=…, arm=…, reward=…)`

// textParam is the parameter that lists columns whose numbers are names.
var textParam = Param{
	Name: "text", Synonyms: []string{"names", "strings", "categories"}, Types: []Type{Text, List}, words: wordsHeader, Default: unset,
	Doc: "the column or columns whose values are names although they look like numbers, such as versions: 12.1 and 12.10 then " +
		"differ, NA is a name, and only an empty cell is a missing value",
}

// similarParam is the parameter that lists files with matrices of similarity between arms.
var similarParam = Param{
	Name: "similar", Synonyms: []string{"relatives", "relationship", "pedigree", "kinship", "grm", "relmat"}, Types: []Type{Text, List},
	words: wordsData, Default: unset,
	Doc: `a file with a square matrix of how alike the options are, such as a pedigree or genomic relationship, with their names in the ` +
		`first row and column; best averages over how much of the differences it explains; for one of several arm columns write ` +
		`"variety=G.csv"`,
}

// longParams returns the parameters of problem for a table with one row per measurement. A parameter for columns accepts
// one name, or a list of names; checkNames reports mistakes.
func longParams() []Param {
	// columns returns a parameter that accepts one or several names of columns.
	columns := func(name, doc string, synonyms ...string) Param {
		return Param{Name: name, Synonyms: synonyms, Types: []Type{Text, List}, words: wordsHeader, Default: unset, Doc: doc}
	}
	return []Param{
		{Name: "data", Synonyms: []string{"long", "table", "frame", "df", "csv", "dataframe"}, Types: []Type{Text}, words: wordsData,
			Default: unset, Doc: "instead of path: a table with a row for every measurement; task, arm and reward name its columns; " +
				"with arm and reward, the first argument is such a table too"},
		columns("task", "with data: the column that names the task, or a list of columns whose combinations are the tasks; if not "+
			"given, all rows belong to one task", "tasks", "group", "agent"),
		columns("arm", "with data: the column or columns whose distinct values are the arms and their features", "arms", "option",
			"options", "setting", "treatment", "x", "features", "params"),
		columns("reward", "with data: the column of measurements (or of means, with sd= and count=); with several columns, best "+
			"lists the options that may be the best trade-off", "y", "response", "value", "outcome", "target", "objective", "metric", "score"),
		{Name: "require", Synonyms: []string{"constraint", "constraints", "subject_to"}, Types: []Type{Text, List}, Default: unset,
			Doc: `with data: a limit of another measured column, such as "impurity < 0.5", or a list of limits; best then weighs how probable ` +
				`it is that an option meets them`},
		{Name: "sd", Synonyms: []string{"std", "stddev"}, Types: []Type{Text}, words: wordsHeader, Default: unset,
			Doc: "with data whose rows are means: the column of standard deviations of one measurement, not of the mean; for one value " +
				"for all rows, use noise="},
		{Name: "count", Synonyms: []string{"n", "reps", "replicates"}, Types: []Type{Text}, words: wordsHeader, Default: unset,
			Doc: "with data whose rows are means: the column with the number of measurements in each mean; by default 1"},
		{Name: "successes", Synonyms: []string{"wins", "hits", "events"}, Types: []Type{Text}, words: wordsHeader, Default: unset,
			Doc: "with data, instead of reward: the column with the number of successes among the trials"},
		{Name: "trials", Synonyms: []string{"attempts", "size"}, Types: []Type{Text}, words: wordsHeader, Default: unset,
			Doc: "with successes: the column with the number of trials"},
		columns("blocks", "with data: the column or columns that name what was measured together, such as a day or a plate; best "+
			"removes their effect", "block", "batch", "plate"),
		columns("crossed", "with data: columns of blocks in which a label means the same block in all tasks; in blocks=, a label means another "+
			"block in each task", "across"),
		columns("random", "with data: columns whose values are a sample of many, such as years or operators; best then recommends what is "+
			"best on average over all of them", "random_effects", "random_effect"),
		{Name: "cost", Synonyms: []string{"price", "costs", "time"}, Types: []Type{Text}, words: wordsHeader, Default: unset,
			Doc: "with data: the column with the cost of each measurement, such as hours; best then proposes what gains most per unit of cost"},
		{Name: "weights", Synonyms: []string{"weight", "importance"}, Types: []Type{Text}, words: wordsHeader, Default: unset,
			Doc: "with data: the column with the weight of the task, for best(p, overall=true); by default all tasks count the same"},
		columns("log", "with data: columns of arms whose decimal logarithm is used as the feature", "log_scale", "logarithmic"),
		{Name: "candidates", Synonyms: []string{"space", "search_space", "grid"}, Types: []Type{Text, List}, words: wordsData, Default: unset,
			Doc: `with data: the options to consider besides those in the table: "all" for every combination of the values of the arm ` +
				`columns, a range of a column such as "lr=1e-5..1e-1 log" or "layers=2..8 step 1", or the path of a table of options; ` +
				`ranges without a step are refined where the best options may be`},
		{Name: "where", Synonyms: []string{"filter", "query", "subset"}, Types: []Type{Text}, Default: unset,
			Doc: `with data: a condition that selects rows, such as "site == 'Gent' and dose > 2"; a column name with blanks is written col('Temp °C')`},
		{Name: "failed", Synonyms: []string{"failure", "failures", "crashed"}, Types: []Type{Text}, Default: unset,
			Doc: `with data: a condition on rows whose measurement failed, such as "status != 'ok'"; in the column reward, ` +
				`texts without digits, NaN and inf also mean failed, and <0.05 or >9 mean limits`},
		columns("task_features", "with data: the column or columns of features of the tasks", "z", "context"),
		columns("arm_features", "with data: the column or columns of features of the arms; by default the columns of arm"),
	}
}

// checkProblem reports arguments of problem that conflict.
func checkProblem(c *call, a problemArgs) {
	// A first argument without a name is path. If the call has arm and reward, it is a table of measurements, so it must
	// be data.
	if c.has("path") && !c.has("data") && c.has("arm") && (c.has("reward") || c.has("successes")) {
		i, j := c.fn.param("path"), c.fn.param("data")
		c.args[i], c.args[j] = argument{}, c.args[i]
	}
	given, missing := longGiven(c)
	// Report only the first mistake.
	switch path, data := c.has("path"), c.has("data"); {
	case path && data:
		c.fail(c.arg("path"), "problem: path and data both name a table", "write data= for a table with a row per measurement, "+
			"path= for one with a row per arm")
	case !path && !data:
		c.fail(argument{}, "problem needs path or data", `write problem("arms.csv") for a table with a row per arm, `+longExample+
			" for one with a row per measurement")
	case !data && len(given) > 0:
		is := map[bool]string{true: "are", false: "is"}[len(given) > 1]
		c.fail(c.arg(given[0]), fmt.Sprintf("problem: %s %s only for a table with a row for every measurement", andList(given), is),
			"name the table by data=, with arm= and reward=, as in "+longExample)
	case data && len(missing) > 0:
		c.fail(argument{}, "problem: data needs "+andList(missing), "as in "+longExample)
	case slices.ContainsFunc(given, func(name string) bool { return !checkNames(c, c.arg(name)) }): // checkNames has reported a mistake
	case data && c.has("rewards"):
		c.fail(c.arg("rewards"), "problem: data already contains the rewards", "leave rewards out; reward= names the column of data")
	case !checkNames(c, c.arg(textParam.Name)) || !checkSeveral(c, a): // checkNames or checkSeveral has reported a mistake
	case c.has("block") && !c.has("rewards"):
		c.fail(c.arg("block"), "problem: block names a column of rewards=, which is not given",
			"give rewards=, a file of measured rewards with that column; for tables with data= write blocks=")
	default:
		checkNoise(c, a.noiseArgs)
	}
}

// checkSeveral reports goals that do not match the reward columns, and wrong requirements. It returns false after a
// mistake.
func checkSeveral(c *call, a problemArgs) bool {
	for _, g := range a.Goal {
		if g != "max" && g != problem.GoalMin {
			c.refuse(c.arg("goal"), "", `goal is %q; it must be "max" or "min"`, g)
			return false
		}
	}
	if len(a.Goal) > 1 && len(a.Goal) != len(a.Reward) {
		c.refuse(c.arg("goal"), `write one goal for each column of reward, such as ["max", "min"]`, "goal has %d elements, reward has %d",
			len(a.Goal), len(a.Reward))
		return false
	}
	for _, text := range a.Require {
		if _, err := problem.ReadRequirement(text); err != nil {
			c.refuse(c.arg("require"), "", "require: %v", err)
			return false
		}
	}
	return true
}

// longGiven returns which of longDetails the call gives, and which required ones are missing. Required are arm, and reward
// unless successes is given.
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

// checkNames reports a list that does not consist of different column names, and then returns false. It returns true for a
// single text.
func checkNames(c *call, a argument) bool {
	list, ok := a.Data.([]value)
	if !ok {
		return true // a single text
	}
	names := texts(a.value)
	if len(list) == 0 || len(names) < len(list) {
		c.refuse(a, fmt.Sprintf(`write %s="temp", or %s=["temp", "speed"]`, a.Name, a.Name),
			"%s must be the name of a column, or a list of names", a.Name)
		return false
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			c.refuse(c.element(a, i), "write it once", "%s names the column %q twice", a.Name, name)
			return false
		}
	}
	return true
}

// paramNaming returns the parameter whose argument names the given column; "" if there is none.
func paramNaming(c *call, column string) string {
	p, _ := lists.First(append(slices.Clone(longDetails), textParam), func(p Param) bool {
		a := c.arg(p.Name)
		return slices.Contains(append(texts(a.value), fmt.Sprint(a.Data)), column) ||
			p.Name == "require" && strings.Contains(fmt.Sprint(a.Data), column)
	})
	return p.Name
}
