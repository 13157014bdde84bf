package problem

import (
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Column says what a column of a table looks like.
type Column struct {
	Name      string
	Numbers   bool   // every cell that is not empty is a number, or Word
	Word      string // the only text among numbers, such as n. d.; its cells count as empty
	Different int    // values
	Empty     int    // cells
	Least     float64
	Most      float64  // of numbers
	Examples  []string // the first different values, at most three
	dates     bool
	sizes     bool // all are powers of two from 8 on, as sizes of batches are
}

// Description is what the columns of a table look like, and what they may mean.
type Description struct {
	Path    string
	Rows    int
	Columns []Column
	// guesses by names, kinds and counts of values: "" and none where nothing suggests itself
	Task   string
	Arm    []string
	Blocks []string // columns that say what was measured together, such as days
	Reward string
	// columns that may be one measurement in several tasks, where none is named as a reward
	Rewards []string
	Counts  []string // in place of Reward: columns of successes and of trials
	Lower   bool     // whether the name of the reward says that lower is better, as a loss does
	Wide    bool     // whether it is a table with one row per arm: it has task, arm and mean
}

// words by which people name the columns of tasks, of blocks, of rewards, and of none of them, in lower case.
var (
	taskWords = []string{"task", "site", "machine", "maschine", "agent", "group", "standort", "location", "model",
		"dataset", "environment", "env",
		"farm", "country", "center", "centre", "substrate", "reaction", "subject", "campaign"}
	blockWords = []string{"block", "blocks", "batch", "day", "date", "week", "plate", "session", "shift", "lot", "tag", "datum", "woche",
		"charge", "schicht"}
	rewardWords = []string{"reward", "yield", "score", "value", "response", "outcome", "result", "throughput", "accuracy", "acc", "loss",
		"error", "ertrag", "y", "target", "measure", "mean", "cured", "success", "conversion", "performance", "gain", "profit", "revenue",
		"durchsatz", "ausbeute", "titre", "titer", "rate"}
	otherWords = []string{"seed", "rep", "reps", "replicate", "id", "plot", "patient", "time", "operator", "bearbeiter",
		"technician", "person", "user", "comment", "note", "bemerkung", "count", "sd", "std", "status"}
)

// words by which people name the columns of successes and of trials.
var (
	successWords = []string{"successes", "success", "wins", "hits", "cured", "conversions", "converted", "responders", "survived", "erfolge",
		"clicks", "purchases", "signups", "orders", "germinated"}
	trialWords = []string{"trials", "n", "attempts", "total", "patients", "visitors", "shots", "versuche", "users", "impressions", "views",
		"participants", "seeds", "sown"}
)

// lowerWords are names of rewards where less is better.
var lowerWords = []string{"loss", "losses", "error", "errors", "err", "cost", "costs", "kosten", "rmse", "mse", "mae", "nll",
	"regret", "perplexity",
	"latency", "runtime", "duration", "delay", "wer", "bpb", "fehler", "impurity", "waste", "risk", "mortality", "defects", "price"}

// perDifferent is what a value of a column takes while they are counted, in bytes.
const perDifferent = 48

// rowsBetween is after how many rows a loop looks whether the reading was to end.
const rowsBetween = 1 << 12

// Describe reads a table and says what its columns look like. Of opt it uses Read and Decode.
func Describe(path string, opt LoadOptions) (_ Description, err error) {
	defer try.Caught(&err)
	t := readTable(path, opt)
	d := Description{Path: path, Rows: len(t.lines)}
	for k, name := range t.header {
		c := Column{Name: name, Numbers: true, sizes: true, Least: math.Inf(1), Most: math.Inf(-1), Word: onlyWord(t, k)}
		seen := map[string]bool{}
		for r := range t.lines {
			if r%rowsBetween == 0 {
				t.make(0)
			}
			text := t.cells[k].text(r)
			if gap(text) || text == c.Word {
				c.Empty++
				continue
			}
			if !seen[text] {
				t.make(perDifferent)
				seen[text] = true
				if len(c.Examples) < 3 {
					c.Examples = append(c.Examples, text)
				}
			}
			if c.Numbers = c.Numbers && t.isNumber(text); c.Numbers {
				if v, err := t.tried(r, name); err == nil {
					c.Least, c.Most = min(c.Least, v), max(c.Most, v)
					part, _ := math.Frexp(v)
					c.sizes = c.sizes && part == 0.5 && v >= 8
				}
			}
		}
		c.Different = len(seen)
		c.Numbers = c.Numbers && len(seen) > 0
		c.dates = len(c.Examples) > 0 && isDate(c.Examples[0])
		d.Columns = append(d.Columns, c)
	}
	d.guess(t)
	return d, nil
}

// onlyWord returns the text that stands among the numbers of a column where there is one, in a fifth of the cells at most.
func onlyWord(t *table, column int) (word string) {
	words, cells := 0, 0
	for r := range t.lines {
		text := t.cells[column].text(r)
		switch {
		case gap(text):
			continue
		case t.isNumber(text):
		case word != "" && text != word:
			return ""
		default:
			word = text
			words++
		}
		cells++
	}
	if 5*words > cells {
		return ""
	}
	return word
}

// named reports whether one of the words is the name of a column or one of its words.
func (c Column) named(words []string) bool {
	parts := strings.FieldsFunc(strings.ToLower(c.Name), func(r rune) bool { return !('a' <= r && r <= 'z' || r > 127) })
	return slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(words, p) })
}

// block reports whether the name says what was measured together; a batch of 8, 16 or 32 and a plate size say how many are.
func (c Column) block() bool {
	return c.named(blockWords) && !c.named([]string{"size"}) && !(c.Numbers && c.sizes && c.named([]string{"batch"}))
}

// ofTask reports whether a column has one value in every task.
func (d *Description) ofTask(t *table, name string) bool {
	value := map[string]string{}
	for r := range t.lines {
		task, v := t.textOf(r, d.Task), t.textOf(r, name)
		if before, known := value[task]; known && before != v {
			return false
		}
		value[task] = v
	}
	return d.Task != ""
}

// varies reports whether a column has several values in rows that have a reward: how a run ended, such as failed, is no option.
func (d *Description) varies(t *table, name string) bool {
	rows := indices.Where(len(t.lines), func(r int) bool { return d.Reward == "" || !gap(t.textOf(r, d.Reward)) })
	return slices.ContainsFunc(rows, func(r int) bool { return t.textOf(r, name) != t.textOf(rows[0], name) })
}

// counts returns the columns of successes and of trials, where no row has more successes than trials; none without.
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
		k, err := t.tried(r, won)
		n, err2 := t.tried(r, of)
		if err != nil || err2 != nil || k != math.Trunc(k) || n != math.Trunc(n) || k > n {
			return nil
		}
	}
	return []string{won, of}
}

// isDate reports whether a text is made of numbers and dots, dashes, slashes, colons or blanks, such as 14.07.2025.
func isDate(text string) bool {
	marks := strings.Count(text, ".") + strings.Count(text, "-") + strings.Count(text, "/")
	return marks >= 2 && strings.Trim(text, "0123456789.-/: TZ") == ""
}

// guess suggests the reward: a column of numbers by its name, else the last one with most different values; the task: a
// column by its name, else the first of text, that has few values; the blocks: columns by their names; and the arms:
// other columns of few values.
func (d *Description) guess(t *table) {
	d.Wide = !slices.ContainsFunc([]string{"task", "arm", "mean"}, func(name string) bool {
		return !slices.ContainsFunc(d.Columns, func(c Column) bool { return strings.EqualFold(c.Name, name) })
	})
	few := func(c Column) bool { return c.Different >= 2 && 2*c.Different <= d.Rows && c.Empty == 0 }
	named := func(words []string) int {
		return slices.IndexFunc(d.Columns, func(c Column) bool {
			return c.Numbers && c.Different >= 2 && c.named(words) && !c.named(otherWords) && !c.block()
		})
	}
	most := named(rewardWords)
	if most < 0 {
		most = named(lowerWords)
	}
	isNamed := most >= 0
	for k, c := range d.Columns {
		if !isNamed && c.Numbers && c.Different >= 2 && (most < 0 || c.Different >= d.Columns[most].Different) {
			most = k
		}
	}
	if d.Counts = d.counts(t); d.Counts != nil {
		most = -1
	} else if most >= 0 {
		d.Reward, d.Lower = d.Columns[most].Name, d.Columns[most].named(lowerWords)
	}
	for _, c := range d.Columns {
		if !isNamed && d.Counts == nil && c.Numbers && !few(c) && !c.named(otherWords) && !c.named(blockWords) {
			d.Rewards = append(d.Rewards, c.Name)
		}
	}
	if len(d.Rewards) < 2 {
		d.Rewards = nil
	}
	// an option of tasks, arms or blocks: few values, and nothing that was measured
	option := func(k int, c Column) bool { return k != most && few(c) && !slices.Contains(d.Counts, c.Name) }
	for _, byName := range []bool{true, false} {
		for k, c := range d.Columns {
			if d.Task == "" && option(k, c) && !c.block() && (byName && c.named(taskWords) || !byName && !c.Numbers && c.Different <= 50) {
				d.Task = c.Name
			}
		}
	}
	for k, c := range d.Columns {
		switch {
		case c.Name == d.Task || !option(k, c):
		case c.block():
			d.Blocks = append(d.Blocks, c.Name)
		case c.Different <= 200 && !c.dates && !c.named(otherWords) && !d.ofTask(t, c.Name) && d.varies(t, c.Name):
			d.Arm = append(d.Arm, c.Name)
		}
	}
	if len(d.Arm) == 0 && d.Task != "" && !(Column{Name: d.Task}).named(taskWords) {
		d.Task, d.Arm = "", []string{d.Task} // one task: its options are what the column names
	}
}
