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

// countsHint says how rewards of 0 and 1 are stated.
const countsHint = "rewards of 0 and 1 are recognised by best(p); successes= and trials= read counts of them; bounded=[0, " +
	"1] states them for tests"

// noiseParams returns the parameters about noise. kinds are the texts that noise takes besides
// those for unknown scales.
// Functions with rewards of their own have all of them; problem shows the first one before its other parameters.
func noiseParams(doc string, kinds ...string) []Param {
	var environments, strengths []string
	// The strengths of environments that have one are explained in the text of strength=.
	for _, e := range problem.Environments() {
		environments = append(environments, e.Name)
		if e.Strength > 0 {
			strengths = append(strengths, e.Name+": "+e.Means)
		}
	}
	return []Param{
		{Name: "noise", Synonyms: []string{"sigma", "sd"}, Types: []Type{Number, Text}, Range: positive, Default: unset,
			elsewhere: map[string]string{"bernoulli": countsHint, "binary": countsHint, "binomial": countsHint,
				"auto": "leave noise out: best(p) finds it, and tests estimate it"},
			Choices: append(kinds, noiseUnknown, noiseUnknown+" "+problem.UnknownTask, noiseUnknown+" "+problem.UnknownArm),
			Doc:     "noise scale of rewards: " + doc + `, "unknown" (one for all), "unknown task" or "unknown arm" (one for each)`},
		{Name: "noise_guess", Types: []Type{Number}, Range: positive, Default: unset,
			Doc: "with unknown noise, the guess by which the first round is planned; no guarantee depends on it; 1 when not given"},
		{Name: "bounded", Synonyms: []string{"bounds", "range", "limits"}, Types: []Type{List}, Default: unset,
			Doc: "in place of noise, the two numbers between which every reward lies, whatever its law"},
		{Name: "environment", Synonyms: []string{"env"}, Types: []Type{Text}, Choices: environments, Default: unset,
			Doc: "how simulated rewards are drawn: gaussian; with data= posterior, with rewards= resampled, with bounded= bernoulli; see " +
				"docs/explanation/robustness.md for those that break the guarantee's conditions"},
		{Name: "strength", Types: []Type{Number}, Range: positive, Default: unset, Doc: "how far the environment departs from normal noise (" +
			strings.Join(strengths, ", ") + ")"},
	}
}

// noiseUnknown is the text for a noise scale that is unknown; by what its factors are, if not one
// for all, follows it.
const noiseUnknown = "unknown"

// unknownBy returns NoiseModel.UnknownBy of a text for unknown noise, "" for other texts.
// The texts are "unknown", "unknown task" and "unknown arm".
func unknownBy(text string) string {
	// "unknown" alone is one scale for all arms.
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
	Noise       any       // a float64 or a text; nil where not given
	NoiseGuess  *float64  // with unknown noise; nil where not given
	Bounded     []float64 // two numbers, the lower one first; nil where not given
	Environment string    // "" for the usual one
	Strength    float64   // 0 for the usual one
}

// checkNoise reports arguments of noise that do not fit together.
// The parameters say which numbers are allowed. Whether the noise suits the data is found when these are there.
func checkNoise(c *call, a noiseArgs) {
	if guess := c.arg("noise_guess"); a.NoiseGuess != nil { // a guess of a scale that is known, or found, has no use
		if kind, text := a.Noise.(string); !text || unknownBy(kind) == "" {
			c.refuse(guess, `write noise="unknown", or noise=`+formatNumber(*a.NoiseGuess), "noise_guess is for noise that is unknown")
			return
		}
	}
	if bounded := c.arg("bounded"); bounded.known() && (len(a.Bounded) != 2 || !(a.Bounded[0] < a.Bounded[1])) {
		c.refuse(bounded, "write bounded=[0, 1]", "bounded must be a list of two numbers, the lower one first")
	}
}

// model returns what the arguments state, which are checked.
// A number is the scale of all arms. Of an unknown noise the guess is in the place of the scale.
func (a noiseArgs) model() problem.NoiseModel {
	m := problem.NoiseModel{Environment: a.Environment, Strength: a.Strength}
	switch noise := a.Noise.(type) {
	case float64:
		m.Scales = []float64{noise}
	case string:
		if m.UnknownBy = unknownBy(noise); m.UnknownBy == "" { // what the data say: a column, or pooled
			m.Known = noise
		}
		if a.NoiseGuess != nil {
			m.Scales = []float64{*a.NoiseGuess}
		}
	}
	if a.Bounded != nil {
		m.Bounds = &[2]float64{a.Bounded[0], a.Bounded[1]} // two, as the check saw
	}
	return m
}

// noiseError returns the error of a noise model that cannot be, under the argument that it is
// about.
// It is nil without an error, and under environment where nothing says what is wrong.
func noiseError(c *call, err error) error {
	if err == nil {
		return nil
	}
	about := "environment"
	if wrong := (*problem.NoiseError)(nil); errors.As(err, &wrong) {
		// The field of the noise model that is wrong, as the parameter that states it.
		about = map[string]string{"Scales": "noise", "Known": "noise", "Bounds": "bounded", "Environment": "environment",
			"Strength": "strength"}[wrong.Field]
	}
	return &argumentError{param: about, message: c.fn.Name + ": the noise cannot be as stated", err: err}
}

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
			Doc: "true (or 1): scale every feature column of numbers to the range 0 to 1, so that length scales are shares of its range; " +
				"otherwise they are in the units of the data"},
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

// longDetails are the parameters of longParams that say what the columns mean.
var longDetails = longParams()[1:]

// isTable reports whether a value is the path of a table that the caller has in place of a file: a DataFrame of Python.
func (s *Session) isTable(v value) bool {
	path, is := v.Data.(string)
	return is && v.Type == Text && s.opt.Tables != nil && s.opt.Tables(s.path(path)) != nil
}

// tableExample is how a table of the caller is read, which has a name in the script, or is an argument of a call.
func tableExample(e *evaluator, n ast.Node) string {
	name := "df"
	if id, is := n.(*ast.IdentifierNode); is {
		name = id.Value
	}
	return fmt.Sprintf("problem(%s, task=…, arm=…, reward=…)", name)
}

const longExample = `problem(data="runs.csv", task=…, arm=…, reward=…)`

// textParam names columns of names, of any table.
var textParam = Param{
	Name: "text", Synonyms: []string{"names", "strings", "categories"}, Types: []Type{Text, List}, words: wordsHeader, Default: unset,
	Doc: "the column or columns whose values are names although they look like numbers, such as versions: 12.1 and 12.10 are then two, " +
		"and only an empty cell is no value (NA is a name)",
}

// longParams lists the parameters by which problem reads a table with a row for every measurement.
// A column may be named by a text, several by a list; what is wrong is told by checkNames.
func longParams() []Param {
	// A parameter that takes one column or several.
	columns := func(name, doc string, synonyms ...string) Param {
		return Param{Name: name, Synonyms: synonyms, Types: []Type{Text, List}, words: wordsHeader, Default: unset, Doc: doc}
	}
	return []Param{
		{Name: "data", Synonyms: []string{"long", "table", "frame", "df", "csv", "dataframe"}, Types: []Type{Text}, words: wordsData,
			Default: unset, Doc: "in place of path, a table with a row for every measurement; task, arm and reward say what its columns " +
				"mean, and others are ignored; with arm and reward the first argument is such a table, too"},
		columns("task", "with data, the column that names the task, or a list of columns whose combinations are the tasks; one task "+
			"for all rows when not given", "tasks", "group", "agent"),
		columns("arm", "with data, the column or columns whose distinct values are the arms, and their features", "arms", "option",
			"options", "setting", "treatment", "x", "features", "params"),
		{Name: "reward", Synonyms: []string{"y", "response", "value", "outcome", "target", "objective", "metric", "score"}, Types: []Type{Text},
			words: wordsHeader, Default: unset, Doc: "with data, the column of measurements, or of their means with sd= and count="},
		{Name: "sd", Synonyms: []string{"std", "stddev"}, Types: []Type{Text}, words: wordsHeader, Default: unset,
			Doc: "with data whose rows are means, the column of their standard deviations: of one measurement, not of the mean; a noise " +
				"scale for all is noise="},
		{Name: "count", Synonyms: []string{"n", "reps", "replicates"}, Types: []Type{Text}, words: wordsHeader, Default: unset,
			Doc: "with data whose rows are means, the column that counts the measurements behind each; 1 each when not given"},
		{Name: "successes", Synonyms: []string{"wins", "hits", "events"}, Types: []Type{Text}, words: wordsHeader, Default: unset,
			Doc: "with data, in place of reward: the column of how many of trials were 1, the others being 0"},
		{Name: "trials", Synonyms: []string{"attempts", "size"}, Types: []Type{Text}, words: wordsHeader, Default: unset,
			Doc: "with successes, the column of how many there were"},
		columns("blocks", "with data, the column or columns that say what was measured together, such as a day or a plate; best takes "+
			"its effect out", "block", "batch", "plate"),
		columns("log", "with data, columns of arms whose decimal logarithm is the feature", "log_scale", "logarithmic"),
		{Name: "where", Synonyms: []string{"filter", "query", "subset"}, Types: []Type{Text}, Default: unset, Doc: `with data, the rows to take: a condition on columns, such as "site == 'Gent' and dose > 2"; a name with blanks is col('Temp °C')`},
		{Name: "failed", Synonyms: []string{"failure", "failures", "crashed"}, Types: []Type{Text}, Default: unset, Doc: `with data, a condition on rows where a measurement was tried and gave no value, such as "status != 'ok'"; in the column reward, texts without digits, NaN and inf count as failed too, and <0.05 and >9 as limits`},
		columns("task_features", "with data, the column or columns of features that tasks have", "z", "context"),
		columns("arm_features", "with data, the features of arms; the columns of arm when not given"),
	}
}

// checkProblem reports arguments of problem that do not fit together.
func checkProblem(c *call, a problemArgs) {
	// A first argument without a name is path. With arm= and reward= it is the table of measurements, so it is moved to
	// data.
	if c.has("path") && !c.has("data") && c.has("arm") && (c.has("reward") || c.has("successes")) { // the columns say which it is
		i, j := c.fn.param("path"), c.fn.param("data")
		c.args[i], c.args[j] = argument{}, c.args[i]
	}
	given, missing := longGiven(c)
	// The cases in their order; the first that fits is told alone.
	switch path, data := c.has("path"), c.has("data"); {
	case path && data:
		c.fail(c.arg("path"), "problem: path and data both name the table", "write data= for a row per measurement, path for a row per arm")
	case !path && !data:
		c.fail(argument{}, "problem needs path or data", `write problem("arms.csv") for a table with a row per arm, `+longExample+
			" for one with a row per measurement")
	case !data && len(given) > 0:
		is := map[bool]string{true: "are", false: "is"}[len(given) > 1]
		c.fail(c.arg(given[0]), fmt.Sprintf("problem: %s %s for a table with a row for every measurement", andList(given), is),
			"write data= in place of path")
	case data && len(missing) > 0:
		c.fail(argument{}, "problem: data needs "+andList(missing), "as in "+longExample)
	case slices.ContainsFunc(given, func(name string) bool { return !checkNames(c, c.arg(name)) }): // reported
	case data && c.has("rewards"):
		c.fail(c.arg("rewards"), "problem: data holds the rewards itself", "leave rewards out; reward= names their column")
	case !checkNames(c, c.arg(textParam.Name)): // reported
	case c.has("block") && !c.has("rewards"):
		c.fail(c.arg("block"), "problem: block names a column of rewards=, which is not given",
			"give rewards=, a file of measured rewards with that column; for tables with data= write blocks=")
	default:
		checkNoise(c, a.noiseArgs)
	}
}

// longGiven returns the names of the longDetails that are given, and of the ones that data needs and are not.
// Data needs arm, and reward unless successes are given. The table itself is not among the details.
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
// What is no list passes: the parameter takes a text.
func checkNames(c *call, a argument) bool {
	list, ok := a.Data.([]value)
	if !ok {
		return true // a text
	}
	names := texts(a.value)
	if len(list) == 0 || len(names) < len(list) {
		c.refuse(a, fmt.Sprintf(`write %s="temp", or %s=["temp", "speed"]`, a.Name, a.Name),
			"%s must be the name of a column, or a list of names", a.Name)
		return false
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			c.refuse(c.element(a, i), "", "%s has %q twice", a.Name, name)
			return false
		}
	}
	return true
}

// naming returns the parameter of a long table whose argument names a column, "" for none.
// An argument may be a text or a list of texts.
func naming(c *call, column string) string {
	p, _ := lists.First(append(slices.Clone(longDetails), textParam), func(p Param) bool {
		a := c.arg(p.Name)
		return slices.Contains(append(texts(a.value), fmt.Sprint(a.Data)), column)
	})
	return p.Name
}
