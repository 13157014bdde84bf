package problem

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// words by which people name columns, in lower case.
var (
	taskWords = []string{"task", "site", "machine", "maschine", "agent", "group", "standort", "location", "loc", "model",
		"dataset", "environment", "env", "county", "region", "city", "state", "station", "clinic", "school", "store", "customer",
		"farm", "country", "benchmark", "workload", "center", "centre", "substrate", "reaction", "subject", "campaign", "halide", "electrophile"}
	optionWords = []string{"arm", "option", "tool", "method", "algorithm", "library", "optimizer", "solver", "engine", "framework", "variant",
		"treatment", "trt", "behandlung", "traitement", "tratamiento",
		"variety", "gen", "genotype", "cultivar", "hybrid", "sorte", "variété", "variedad", "feed", "diet", "spray", "drug", "catalyst", "ligand",
		"solvent", "base", "additive", "reagent", "smiles", "fertilizer", "recipe", "rezept", "setting", "stock", "spacing"}
	numberOptions = []string{"dose", "conc", "concentration", "equiv", "temp", "temperature", "lr", "learning", "dropout", "flow", "nitro",
		"nitrogen",
		"depth", "layers", "decay", "momentum"}
	sizeWords  = []string{"n", "size", "rows", "samples", "records"} // for tasks that are sizes of problems
	blockWords = []string{"block", "blocks", "batch", "day", "days", "date", "week", "plate", "session", "shift", "lot", "tag", "datum",
		"woche",
		"charge", "schicht", "bench", "tray", "rack", "incubator", "greenhouse", "wiederholung"}
	yearWords   = []string{"year", "years", "jahr", "season", "month", "monat"}
	rewardWords = []string{"reward", "yield", "score", "value", "response", "outcome", "result", "throughput", "accuracy", "acc", "loss",
		"error", "ertrag", "y", "target", "measure", "mean", "cured", "success", "conversion", "performance", "gain", "profit", "revenue",
		"durchsatz", "ausbeute", "rendement", "rendimiento", "titre", "titer", "rate", "germ", "objective", "uptake"}
	lesserRewards = []string{"auc", "f1", "height", "biomass", "purity", "signal", "fluorescence", "absorbance", "od"}
	spreadWords   = []string{"sd", "std", "stderr", "sem", "rank", "count", "n", "reps"}                // beside a measurement
	timeWords     = []string{"time", "seconds", "secs", "sec", "ms", "ns", "µs", "μs", "us", "runtime"} // lower is better
	personWords   = []string{"operator", "bearbeiter", "technician", "person", "user", "worker", "patient", "by",
		"chemist", "analyst", "chemiker", "laborant", "laborantin", "scientist", "researcher", "experimenter", "rater", "nurse", "observer"}
	noteWords   = []string{"comment", "comments", "note", "notes", "bemerkung", "remark", "tags", "host", "hostname", "commit"}
	statusWords = []string{"status", "state", "outcome", "result", "exit", "statut", "estado", "zustand",
		"done", "finished", "completed", "converged"}
	errorWords = []string{"error", "errors", "err", "errmsg", "exception", "traceback", "failure", "failed", "fehler", "erreur"}
	failWords  = []string{"fail", "failed", "failure", "crash", "crashed", "killed", "error", "errored", "err", "timeout", "aborted",
		"false", "cancelled", "canceled", "diverged", "oom", "nok", "fehler", "fehlgeschlagen", "abgebrochen", "erreur", "échec", "échoué",
		"fallo",
		"fallido", "mislukt", "fallito"}
	// states in which trackers of experiments list a run: W&B, MLflow, Optuna, Ray Tune, Keras Tuner
	finishedWords = []string{"complete", "completed", "finished", "terminated"}
	stoppedWords  = []string{"fail", "failed", "failure", "crashed", "killed", "pruned", "stopped", "error", "errored", "invalid"}
	pendingWords  = []string{"running", "waiting", "scheduled", "pending", "queued", "paused", "preempted", "preempting", "idle"}
	doneWords     = []string{"done", "finished", "completed"} // columns of true and false, as in Ray Tune
	// names of columns that say which quantity was measured, or in which unit
	quantityWords = []string{"unit", "units", "uom", "einheit", "variable", "metric", "parameter", "analyte", "quantity"}
	costWords     = []string{"cost", "costs", "kosten", "coût", "coûts", "costo", "expense", "expenses", "eur", "euro", "usd",
		"€", "£", "gpu", "gpus"}
	codeWords = []string{"trt", "treatment", "combination", "combo"} // a code for the combination of other columns
)

// words by which people name the columns of successes and of trials.
var (
	successWords = []string{"successes", "success", "wins", "hits", "cured", "conversions", "converted", "responders", "survived", "erfolge",
		"clicks", "purchases", "signups", "orders", "germinated", "germ", "won", "positive", "passed", "opened",
		"hatched", "recovered"}
	trialWords = []string{"trials", "n", "attempts", "total", "patients", "visitors", "shots", "versuche", "users", "impressions", "views",
		"participants", "seeds", "sown", "shown", "sent", "tested", "exposed", "games"}
)

// lowerWords are names of rewards where less is better.
var lowerWords = []string{"loss", "losses", "error", "errors", "err", "cost", "costs", "kosten", "rmse", "mse", "mae", "nll",
	"regret", "perplexity", "runtime",
	"latency", "duration", "delay", "wer", "bpb", "fehler", "impurity", "waste", "risk", "mortality", "defects", "price"}

// Words in names of columns that state where or when a row was measured. A column matches if its last word is in
// layoutWords, or its whole name is in layoutNames.
var (
	layoutWords = []string{"row", "col", "column", "pos", "position", "plot", "plotid", "id", "eid", "uid", "uuid", "seed", "timestamp",
		"datetime",
		"rownames", "well", "parzelle", "parcelle", "parcela",
		"rep", "reps", "repl", "replicate", "replication", "rowpos", "colpos", "fold", "epoch", "bed",
		"subplot", "mainplot", "wholeplot", "plotrow", "quadrat", "lat", "lon", "long", "latitude", "longitude", "northing", "easting", "elev"}
	layoutNames = []string{"index", "idx", "x", "time", "step", "iteration", "iter", "run", "trial", "entry", "number", "no", "nr", "line",
		"order",
		"range", "period", "visit", "name", "created", "end time", "start time", "datetime start", "datetime complete"}
)

// parameter matches names of settings in exports of experiment trackers, such as params_lr and config.lr. metric matches
// their names of measurements.
var (
	parameter = regexp.MustCompile(`(?i)^(params?|config|hparams?|hyperparameters?)[._/ -]`)
	metric    = regexp.MustCompile(`(?i)^(metrics?|objectives?|values?)[._/ -]`)
	tracked   = regexp.MustCompile(`(?i)^(user_attrs?|system_attrs?|tags?)[._/ -]|^_`)
)

// parts returns the words of a column's name in lower case.
func (c Column) parts() []string {
	var b strings.Builder
	lower := false
	for _, r := range c.Name {
		if unicode.IsUpper(r) && lower { // plotId
			b.WriteByte(' ')
		}
		lower = unicode.IsLower(r)
		b.WriteRune(unicode.ToLower(r))
	}
	return strings.FieldsFunc(b.String(), func(r rune) bool { return !('a' <= r && r <= 'z' || r > 127) })
}

// named reports whether the column's name, or a word in the name, is in a list.
func (c Column) named(words []string) bool {
	return slices.ContainsFunc(append(c.parts(), strings.ToLower(c.Name)), func(p string) bool { return slices.Contains(words, p) })
}

// few reports whether a value occurs in two or more rows on average.
func (c Column) few() bool { return 2*c.Different <= c.rows }

// option reports whether the name states that a column is a setting. Numbers that mostly differ may be chosen at random.
func (c Column) option() bool {
	return parameter.MatchString(c.Name) && !c.named([]string{"seed"}) || c.named(numberOptions) ||
		c.named(optionWords) && (!c.Numbers || c.few())
}

// block reports whether a column's name suggests a block, such as batch. A column batch with the numbers 8, 16 and 32 has
// sizes, not blocks.
func (c Column) block() bool {
	return c.named(blockWords) && !c.named([]string{"size"}) && !(c.Numbers && c.sizes && c.named([]string{"batch"}))
}

// cost reports whether the values may be what the measurements cost. Such values mostly differ, or the option decides them.
func (c Column) cost() bool { return c.Numbers && c.Least > 0 && c.named(costWords) && !c.option() }

const costReason = "if a measurement costs this, give the column the role cost (--cost)"

// person reports whether the values are the people who measured.
func (c Column) person() bool { return c.named(personWords) && c.Empty == 0 && c.few() }

// replicates reports whether a column's name is a name of replicates.
func (c Column) replicates() bool {
	return c.named([]string{"rep", "reps", "repl", "replicate", "replication"})
}

// quantity reports whether a column states the measured quantity, or its unit.
func (c Column) quantity() bool {
	return !c.Numbers && slices.Contains(quantityWords, strings.ToLower(c.Name))
}

// decimal matches a cell that begins with a decimal number, possibly after a currency sign or a parenthesis.
var decimal = regexp.MustCompile(`^[^0-9A-Za-z]?[-+\x{2212}]?[0-9]+[.,][0-9]`)

// withUnit matches a number with a unit, such as 45 mg and 45%.
var withUnit = regexp.MustCompile(`^[-+]?[0-9]+([.,][0-9]+)?( ?%| +\pL)`)

// dressed reports whether the texts of a column are numbers with a unit or another mark. Such a column probably has
// measurements.
func (c Column) dressed() bool {
	return !c.Numbers && !c.few() && !c.dates && !c.option() && len(c.Examples) > 0 &&
		!slices.ContainsFunc(c.Examples, func(text string) bool { return !decimal.MatchString(text) })
}

// layout reports whether a column's name states where or when a row was measured, or is a row number.
func (c Column) layout() bool {
	parts := c.parts()
	if strings.HasPrefix(c.Name, "Unnamed: ") || slices.Contains(layoutNames, strings.Join(parts, " ")) && !strings.ContainsAny(c.Name, "([") {
		return true
	}
	return len(parts) > 0 && slices.Contains(layoutWords, parts[len(parts)-1]) && !c.option()
}

// unusedFor returns the reason why a column cannot have a role, from this column alone; "" if it can have one.
func (d *Description) unusedFor(t *table, c Column) string {
	switch rows := d.Rows; {
	case c.Different == 0:
		return "it is empty"
	case c.Different == 1 && c.Empty == 0:
		return "it has one value"
	case parameter.MatchString(c.Name) && c.Empty == 0:
		return ""
	case tracked.MatchString(c.Name) || c.named(noteWords):
		return "it is about the run"
	case c.quantity() && c.Empty == 0:
		return fmt.Sprintf("it states what was measured, or in which unit. Choose one with --where %q", conditionOf(c.Name, "==", c.Examples[0]))
	case c.dressed(), c.Different == rows && !c.Numbers && lists.Count(c.Examples, withUnit.MatchString) == len(c.Examples):
		return fmt.Sprintf("its cells have more than a number, such as %q. Write only the numbers", c.Examples[0])
	case c.replicates() && !c.Numbers && c.Empty == 0:
		return "" // labels such as R1 are blocks
	case strings.HasPrefix(c.Name, "Unnamed: "):
		return "it has no name in the file"
	case c.replicates() && c.Numbers && !c.whole && c.Empty == 0:
		return "it looks like a replicate. Write a row for each measurement, with one column for all of them"
	case c.layout():
		return "its name suggests a place, a time or a row number"
	case c.person():
		return "it names the person who measured. If that matters, add it with --blocks"
	case c.runs || c.failed() != "" || c.named([]string{"status"}):
		return "it states how a run ended"
	case c.cost() && 2*c.Different > rows-c.Empty:
		return costReason
	case c.Numbers && !c.counts() && c.Different > 1 && 2*c.Different > rows-c.Empty && !c.option():
		return "its numbers rarely repeat, so it looks measured. If it was, name it with --reward"
	case c.Empty > 0 && len(c.Words) > 0 && (c.Empty > 1 || d.Rows < 3 || t.textOf(0, c.Name) != c.Words[0]):
		return fmt.Sprintf("it has numbers and texts such as %q", c.Words[0])
	case c.Empty > 0 && len(c.Words) > 0: // units below the header; messages say that this row has no number
		return ""
	case c.Empty > 0 && c.gaps != "":
		return fmt.Sprintf("it has the text %q, which means no value. If it is a name, add --text with the column", c.gaps)
	case c.Empty > 0 && (c.Numbers || !c.few() || !d.trailing(t, c.Name)):
		return "it has empty cells"
	case c.dates && !c.block():
		return "it has dates"
	case c.counts() || c.Different == rows && rows > 2 && !c.Numbers && !c.option():
		return "it differs in every row"
	case c.option():
		return ""
	case !c.Numbers && !c.few() && rows > fewRows:
		return "its texts rarely repeat"
	}
	return ""
}

// trailing reports whether all cells of a column below its last text are empty, as in rows of totals. If such a column has
// no role, a total would count as an option; with a role, reading the row fails with a message.
func (d *Description) trailing(t *table, name string) bool {
	rows := indices.Where(len(t.lines), func(r int) bool { return !notMeasured(t.textOf(r, name)) })
	return len(rows) > 0 && rows[len(rows)-1] == len(rows)-1
}

// counts reports whether the numbers of a column only count the rows.
func (c Column) counts() bool {
	return c.whole && c.Different == c.rows && c.rows > 2 && c.Most-c.Least == float64(c.Different-1)
}

// fewRows is the size of a table in which a text that is in one row may be an option.
const fewRows = 20

// measured returns how well a column's name suits a measured value: 0 is best, -1 impossible.
func (c Column) measured() int {
	time := c.named(timeWords)
	switch {
	case !c.Numbers && !c.truths || c.block() || c.option() || c.named(yearWords) || parameter.MatchString(c.Name) ||
		tracked.MatchString(c.Name):
		return -1
	case metric.MatchString(c.Name) && c.Numbers:
		return 0
	case c.named(rewardWords) && !c.named(spreadWords) && !time && !c.layout():
		return indices.Indicator(c.named([]string{"train", "training"})) // validation is better
	case c.named(lowerWords) && !c.named(spreadWords) && !time && !c.layout(), c.named(lesserRewards):
		return 1
	case strings.EqualFold(c.Name, "time") && c.Numbers && !c.few():
		return 1
	case c.truths && !c.layout():
		return 4
	case !c.Numbers || c.layout() || c.counts() || c.dates || c.Different < 2:
		// a column with one value cannot be the reward, for example the number of the first plate
		return -1
	case c.named(spreadWords) || time && c.few():
		return 3
	}
	return 2
}

// reward returns the index of the measured column, or -1: the column of best rank (Column.measured). Among columns of the
// same rank it is the first if their names suggest a measurement, otherwise the last one with the most different numbers.
func (d *Description) reward() (at int, byName bool) {
	best := 5
	at = -1
	for k, c := range d.Columns {
		switch rank := c.measured(); {
		case rank < 0 || rank > best:
		case rank < best || rank >= 2 && c.Different >= d.Columns[at].Different:
			best, at = rank, k
		}
	}
	return at, best < 2
}

// guess suggests what the columns are.
func (d *Description) guess(t *table) {
	d.Wide = !slices.ContainsFunc([]string{"task", "arm", "mean"}, func(name string) bool {
		return !slices.ContainsFunc(d.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
	})
	at, byName := d.reward()
	if d.Counts = d.counts(t); d.Counts != nil {
		at = -1
	} else if at >= 0 {
		d.Reward, d.Lower = d.Columns[at].Name, d.Columns[at].named(lowerWords) || d.Columns[at].named(timeWords)
		d.SD = d.beside(at, []string{"sd", "std", "stdev", "stddev", "stdabw"})
		if d.SD != "" || d.Columns[at].named(meanWords) {
			d.Count = d.beside(at, []string{"n", "count", "reps", "nobs", "size"})
		}
	}
	roles := &guesses{Description: d, t: t}
	for k, c := range d.Columns {
		if k == at || slices.Contains(d.Counts, c.Name) || slices.Contains([]string{d.SD, d.Count}, c.Name) {
			continue
		}
		why := d.unusedFor(t, c)
		if at >= 0 && d.replicate(c, d.Columns[at]) {
			why = fmt.Sprintf("it looks like a replicate of %s. Write a row for each measurement, with one column for all of them", d.Reward)
		}
		if why == "" && !d.varies(t, c.Name) {
			why = "it has one value in all rows with a measurement"
		}
		if why == "" {
			roles.open = append(roles.open, c)
		} else {
			d.leave(c.Name, why)
		}
		if !byName && d.Counts == nil && c.Numbers && c.measured() == 2 && 2*c.Different > d.Rows {
			d.Rewards = append(d.Rewards, c.Name)
		}
		d.Failed = cmp.Or(d.Failed, c.failed())
	}
	if len(d.Rewards) > 0 && at >= 0 {
		d.Rewards = slices.Insert(d.Rewards, min(len(d.Rewards), slices.IndexFunc(append(d.Rewards, ""), func(name string) bool {
			return name == "" || t.column[name] > at
		})), d.Reward)
	}
	roles.assign()
}

// failed returns the condition that selects the rows of failed runs; "" if the column does not state failures. A column
// states them if it is named like status and has few different texts, some such as crashed, or if it is named like error
// and has texts in some cells only.
func (c Column) failed() string {
	switch {
	case c.runs: // failUnfinished reads the column
	case c.failures != nil && c.named(statusWords) && c.Different <= 10:
		return strings.Join(lists.Map(c.failures, func(text string) string { return conditionOf(c.Name, "==", text) }), " or ")
	case !c.Numbers && c.Different > 0 && c.Empty > 0 && c.named(errorWords):
		return strings.TrimSuffix(conditionOf(c.Name, "!=", ""), "''") + "nil"
	}
	return ""
}

// statesFailure reports whether a text of the column states that a run failed.
func (c Column) statesFailure(text string) bool {
	return !notMeasured(text) && (!c.named(statusWords) || slices.Contains(c.failures, text))
}

// replicate reports whether a column of numbers has the name of the reward with another number, as yield_2 beside yield_1.
func (d *Description) replicate(c, reward Column) bool {
	ends := func(name string) bool { return strings.TrimRight(name, "0123456789") != name }
	return c.Numbers && reward.Numbers && ends(c.Name) && ends(reward.Name) && len(c.parts()) > 0 && slices.Equal(c.parts(), reward.parts())
}

// meanWords name means of several measurements.
var meanWords = []string{"mean", "avg", "average", "mittel", "mittelwert"}

// beside returns the column that accompanies the reward, such as its standard deviation: the reward's name with one of these words
// instead of a word for means, or such a word alone. Its numbers are at least 0. It returns "" if there is none.
func (d *Description) beside(reward int, words []string) string {
	rest := func(c Column, without []string) []string {
		return lists.Where(c.parts(), func(p string) bool { return !slices.Contains(without, p) })
	}
	name := rest(d.Columns[reward], meanWords)
	at := slices.IndexFunc(d.Columns, func(c Column) bool {
		left := rest(c, words)
		return c.Numbers && c.Empty == 0 && c.Least >= 0 && len(left) < len(c.parts()) && (len(left) == 0 || slices.Equal(left, name))
	})
	if at < 0 || at == reward {
		return ""
	}
	return d.Columns[at].Name
}

// leave records a column that has no role, with the reason.
func (d *Description) leave(name, why string) { d.Unused = append(d.Unused, Unused{name, why}) }

// guesses has the columns of a description that have no role yet.
type guesses struct {
	*Description
	t    *table
	open []Column
}

// take removes and returns the columns for which so is true.
func (g *guesses) take(so func(c Column) bool) (taken []Column) {
	taken = lists.Where(g.open, so)
	g.open = lists.Where(g.open, func(c Column) bool { return !so(c) })
	return taken
}

// assign gives roles to the remaining columns: task, blocks, and arms.
func (g *guesses) assign() {
	blocks := g.take(func(c Column) bool {
		return (c.block() || c.named(yearWords) || c.replicates() || c.roman()) && !c.option()
	})
	for _, c := range g.take(func(c Column) bool {
		others := lists.Where(g.open, func(x Column) bool { return x.Name != c.Name })
		return c.cost() && len(others) > 0 && g.decides(lists.Map(others, func(x Column) string { return x.Name }), c.Name)
	}) {
		g.leave(c.Name, costReason)
	}
	g.alike()
	g.codes()
	g.units()
	g.task()
	for _, c := range g.take(func(c Column) bool { return g.Task != "" && g.decides([]string{g.Task}, c.Name) }) {
		g.leave(c.Name, "it has one value in each "+g.Task)
	}
	g.nested()
	g.covariates(lists.Map(blocks, func(c Column) string { return c.Name }))
	for _, c := range g.take(func(c Column) bool { return c.Different > 200 && !c.option() }) {
		g.leave(c.Name, fmt.Sprintf("it has %d values", c.Different))
	}
	g.Arm = lists.Map(g.open, func(c Column) string { return c.Name })
	switch at := slices.IndexFunc(g.Unused, func(u Unused) bool { return g.Columns[g.t.column[u.Name]].person() }); {
	case len(g.Arm) > 0:
	case g.Task != "":
		g.Task, g.Arm = "", []string{g.Task} // one task: the values of this column are its options
	case at >= 0:
		g.Arm = []string{g.Unused[at].Name}
		g.Unused = slices.Delete(g.Unused, at, at+1)
	default:
		g.rowEach()
	}
	for _, c := range blocks {
		g.block(c)
	}
	g.Text = lists.Where(g.Arm, func(name string) bool { return g.Columns[g.t.column[name]].names })
	units := g.rowsOf(append(lists.Where([]string{g.Task}, func(name string) bool { return name != "" }), g.Arm...))
	g.Options, g.Single = len(units), lists.Count(units, func(n int) bool { return n == 1 })
}

// rowEach makes a column of names the options if the names differ in every row, and no other column can have this role. A
// summary has one row per option.
func (g *guesses) rowEach() {
	at := slices.IndexFunc(g.Unused, func(u Unused) bool {
		c := g.Columns[g.t.column[u.Name]]
		return !c.Numbers && !c.dates && c.Empty == 0 && c.Different == g.Rows && g.Rows <= mostSummary &&
			(!c.layout() || strings.EqualFold(c.Name, "name")) && !c.named(noteWords) && !tracked.MatchString(c.Name)
	})
	if at >= 0 && (g.Reward != "" || g.Counts != nil) {
		g.Arm = []string{g.Unused[at].Name}
		g.Unused = slices.Delete(g.Unused, at, at+1)
	}
}

// mostSummary is the largest number of rows of a table with one row per option.
const mostSummary = 200

// alike removes columns with the same information as an earlier column.
func (g *guesses) alike() {
	for k := 0; k < len(g.open); k++ {
		for _, before := range g.open[:k] {
			if g.open[k].Different == before.Different && g.decides([]string{before.Name}, g.open[k].Name) && 2*before.Different <= g.Rows {
				g.leave(g.open[k].Name, "it has the same information as "+before.Name)
				g.open = slices.Delete(g.open, k, k+1)
				k--
				break
			}
		}
	}
}

// task finds the task column. It tries, in this order: a column with a name of tasks; problem sizes beside a named option column; the
// only text column left, or one of two, preferably one without a name of options.
func (g *guesses) task() {
	few := func(c Column) bool { return c.Different >= 2 && c.few() && !parameter.MatchString(c.Name) }
	options := lists.Count(g.open, func(c Column) bool { return c.option() || !c.Numbers })
	texts := lists.Count(g.open, func(c Column) bool { return !c.Numbers })
	text := func(c Column) bool { return few(c) && !c.Numbers && c.Different <= 50 }
	for _, is := range []func(c Column) bool{
		func(c Column) bool { return few(c) && c.named(taskWords) },
		func(c Column) bool {
			return few(c) && c.Numbers && c.named(sizeWords) && c.Least > 0 && c.Most >= 10*c.Least && options > 0
		},
		func(c Column) bool { return text(c) && !c.option() && (texts == 1 || len(g.open) == 2) },
		func(c Column) bool { return text(c) && len(g.open) == 2 },
	} {
		if at := slices.IndexFunc(g.open, is); at >= 0 {
			g.Task = g.open[at].Name
			g.open = slices.Delete(g.open, at, at+1)
			return
		}
	}
	for k, u := range g.Unused { // samples that have numbers
		if c := g.Columns[g.t.column[u.Name]]; few(c) && !c.Numbers && c.Empty == 0 && len(c.parts()) > 1 && c.layout() && len(g.open) > 0 {
			g.Task, g.Unused = c.Name, slices.Delete(g.Unused, k, k+1)
			return
		}
	}
}

// units removes columns of numbered units, such as animals, if each unit has one value of a column that is known as an
// option.
func (g *guesses) units() {
	for _, unit := range g.take(func(c Column) bool {
		return c.Numbers && !c.option() && slices.ContainsFunc(g.open, func(x Column) bool {
			return x.option() && x.Different < c.Different && g.decides([]string{c.Name}, x.Name)
		})
	}) {
		g.leave(unit.Name, "it numbers units, each with one option")
	}
}

// nested removes one of two columns if each value of the first belongs to one value of the second, as each chick has one
// diet and each variety one type. It removes the first one if its name is not that of an option, and either the name of
// the second one is, or the first one has numbers. Otherwise it removes the second one.
func (g *guesses) nested() {
	for k := 0; k < len(g.open); k++ {
		fine := g.open[k]
		if 2*fine.Different > g.Rows {
			continue
		}
		at := slices.IndexFunc(g.open, func(c Column) bool {
			return c.Name != fine.Name && c.Different < fine.Different && g.decides([]string{fine.Name}, c.Name)
		})
		if at < 0 {
			continue
		}
		coarse := g.open[at]
		if !fine.option() && (coarse.option() || fine.Numbers) {
			g.leave(fine.Name, "each of its values has one value of "+coarse.Name)
			g.open = slices.Delete(g.open, k, k+1)
		} else {
			g.leave(coarse.Name, "it has one value for each "+fine.Name)
			g.open = slices.Delete(g.open, at, at+1)
		}
		k = -1
	}
}

// codes removes a treatment column whose values are the combinations of two or more other columns.
func (g *guesses) codes() {
	for k, c := range g.open {
		if !c.named(codeWords) {
			continue
		}
		parts := lists.Where(g.open, func(x Column) bool { return x.Name != c.Name && g.decides([]string{c.Name}, x.Name) })
		names := lists.Map(parts, func(x Column) string { return x.Name })
		if len(parts) > 1 && g.decides(names, c.Name) {
			g.open = slices.Delete(g.open, k, k+1)
			g.leave(c.Name, "it combines other columns: "+strings.Join(names, ", "))
			return
		}
	}
}

// roman reports whether the values are I, II, III and so on, as for blocks.
func (c Column) roman() bool {
	return !c.Numbers && len(c.Examples) == 3 && !slices.ContainsFunc(c.Examples, func(text string) bool {
		return strings.Trim(text, "IVX") != ""
	})
}

// covariates removes columns of numbers that were measured and not set, if some other option columns have text or a known
// name. The values of such a column have unequal frequencies, or the task and the blocks determine them.
func (g *guesses) covariates(blocks []string) {
	set := func(c Column) bool { return c.option() || !c.Numbers }
	task := Column{Name: g.Task}
	if g.Task == "" || task.named(taskWords) {
		if !slices.ContainsFunc(g.open, set) {
			return
		}
	}
	for _, c := range g.take(func(c Column) bool {
		return !set(c) && g.Task != "" && g.decides(append([]string{g.Task}, blocks...), c.Name)
	}) {
		g.leave(c.Name, "it has one value in each "+strings.Join(append([]string{g.Task}, blocks...), " and "))
	}
	for _, c := range g.take(func(c Column) bool { return !set(c) && !g.even(c.Name) }) {
		g.leave(c.Name, "it looks measured, not set, because its values are not evenly frequent")
	}
}

// even reports whether the most frequent value of a column occurs at most four times as often as the least frequent one.
func (g *guesses) even(name string) bool {
	counts := g.rowsOf([]string{name})
	return slices.Max(counts) <= 4*slices.Min(counts)
}

// block makes a column a block if several options were measured in each of its blocks. Otherwise options cannot be
// compared within a block.
func (g *guesses) block(c Column) {
	task := lists.Where([]string{g.Task}, func(name string) bool { return name != "" })
	names := append(slices.Concat(task, g.Blocks), c.Name)
	within := g.rowsOf(names)
	switch {
	case c.Empty > 0:
		g.leave(c.Name, "it has empty cells")
	case g.Task != "" && g.decides([]string{g.Task}, c.Name):
		g.leave(c.Name, "it has one value in each "+g.Task)
	case len(within)*2 > g.Rows || len(g.rowsOf(append(names, g.Arm...))) == len(within):
		g.leave(c.Name, "it cannot be a block, because its values have one option each")
	default:
		g.Blocks = append(g.Blocks, c.Name)
	}
}

// keyOf returns the values of some columns in a row as one text.
func (g *guesses) keyOf(names []string, r int) string {
	return strings.Join(lists.Map(names, func(name string) string { return strconv.Quote(g.t.textOf(r, name)) }), ",")
}

// decides reports whether the values of some columns determine the value of another one.
func (g *guesses) decides(names []string, other string) bool {
	value := map[string]string{}
	for r := range g.t.lines {
		key, v := g.keyOf(names, r), g.t.textOf(r, other)
		if before, known := value[key]; known && before != v {
			return false
		}
		value[key] = v
	}
	return true
}

// rowsOf counts the rows with a reward of each combination of some columns.
func (g *guesses) rowsOf(names []string) []int {
	place, counts := map[string]int{}, []int(nil)
	for _, r := range g.rewarded(g.t) {
		key := g.keyOf(names, r)
		k, known := place[key]
		if !known {
			k = len(counts)
			place[key], counts = k, append(counts, 0)
		}
		counts[k]++
	}
	return counts
}

// rewarded lists the rows that have a reward.
func (d *Description) rewarded(t *table) []int {
	return indices.Where(len(t.lines), func(r int) bool { return d.Reward == "" || !notMeasured(t.textOf(r, d.Reward)) })
}

// varies reports whether a column has several values in the rows with a reward. A column that states how a run ended, such
// as failed, is not an option.
func (d *Description) varies(t *table, name string) bool {
	rows := d.rewarded(t)
	return slices.ContainsFunc(rows, func(r int) bool { return t.textOf(r, name) != t.textOf(rows[0], name) })
}

// counts returns the columns of successes and of trials, if no row has more successes than trials; otherwise none.
func (d *Description) counts(t *table) []string {
	find := func(words []string) string {
		at := slices.IndexFunc(d.Columns, func(c Column) bool { return c.Numbers && c.Least >= 0 && c.named(words) })
		if at < 0 {
			return ""
		}
		return d.Columns[at].Name
	}
	won, of := find(successWords), find(trialWords)
	if won == "" || of == "" || won == of {
		return nil
	}
	for r := range t.lines {
		if t.missing(r, won) || t.missing(r, of) {
			continue
		}
		k, err := t.tried(r, won)
		n, err2 := t.tried(r, of)
		if err != nil || err2 != nil || k != math.Trunc(k) || n != math.Trunc(n) || k > n {
			return nil
		}
	}
	return []string{won, of}
}

// Long returns the columns of a long table, with the guessed parts.
func (d *Description) Long() Long {
	l := Long{Arm: d.Arm, Reward: d.Reward, SD: d.SD, Count: d.Count, Blocks: d.Blocks}
	if d.Task != "" {
		l.Task = []string{d.Task}
	}
	if d.Counts != nil {
		l.Successes, l.Trials = d.Counts[0], d.Counts[1]
	}
	return l
}
