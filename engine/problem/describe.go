package problem

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Column describes a column of a table: its type, values and possible roles.
type Column struct {
	Name      string
	Numbers   bool     // every cell is empty, a number, a limit such as <0.05, or one of Words
	Words     []string // texts in a column of numbers, such as n. d. for a failed measurement, or a typing error; their cells have no value
	Limits    int      // number of cells such as <0.05
	Limit     string   // the first cell such as <0.05
	Different int      // number of different values
	Empty     int      // number of cells without a value: empty, NA or the like, and texts in Words
	Least     float64
	Most      float64  // the largest number
	Examples  []string // the first three different values
	dates     bool
	sizes     bool     // all numbers are powers of two and at least 8, as batch sizes are
	whole     bool     // all numbers are whole
	truths    bool     // all values are true or false
	rows      int      // number of rows of the table
	gaps      string   // a text such as NA that means no value, if no cell is empty
	names     bool     // the cells are names: some look like numbers, others have no digits
	failures  []string // values which state that a measurement failed
	runs      bool     // the values are states of runs, at least one of them finished
	pending   []string // of states of runs: those of runs that may still finish
}

// Description lists the columns of a table and a guess of the role of each.
type Description struct {
	Path    string
	Rows    int
	Columns []Column
	Notes   []Note // columns that have the name of an earlier column
	// guessed column of tasks; "" if no column suits. Guesses use names, types and counts of values.
	Task   string
	Arm    []string
	Blocks []string // columns of labels such as the day; measurements with the same label share an effect
	Reward string
	// columns that may be the same measurement in several tasks; nil if one column is the reward
	Rewards []string
	SD      string   // column of the standard deviation of the measurements behind each mean in Reward; "" for none
	Count   string   // column of the number of measurements behind each mean in Reward; "" for none
	Counts  []string // columns of successes and of trials, used instead of Reward
	Text    []string // columns of Arm whose cells are names although some look like numbers
	Failed  string   // condition that selects rows of failed measurements, by a column such as status; "" for none
	Lower   bool     // the name of the reward states that lower is better, such as loss
	Wide    bool     // the table has one row per arm, with the columns task, arm and mean
	Unused  []Unused // columns without a role
	Options int      // number of combinations of Task and Arm with a reward
	Single  int      // number of combinations with a single row
}

// Units returns the guessed columns of tasks and of arms, whose combinations are measured.
func (d Description) Units() []string {
	return lists.Where(append([]string{d.Task}, d.Arm...), func(name string) bool { return name != "" })
}

// MeasuredOnce returns a sentence if nearly all combinations of Units have a single row; "" otherwise, and if a column has the standard
// deviation or the number of measurements.
func (d Description) MeasuredOnce() string {
	if d.Options < 2 || 10*d.Single < 9*d.Options || d.SD != "" || d.Count != "" {
		return ""
	}
	columns := strings.Join(d.Units(), ", ")
	if d.Single < d.Options {
		return fmt.Sprintf("Most combinations of %s (%d of %d) were measured only once", columns, d.Single, d.Options)
	}
	return fmt.Sprintf("Each combination of %s was measured only once", columns)
}

// Unused is a column without a role, with the reason.
type Unused struct{ Name, Why string }

// perDifferent is the memory in bytes that each different value needs while the values of a column are counted.
const perDifferent = 48

// rowsBetween is the number of rows that a loop reads before it checks again whether the reading was cancelled.
const rowsBetween = 1 << 12

// Describe reads a table and describes its columns. It uses only the options of opt that concern reading the file. Lines above the
// header are skipped.
func Describe(path string, opt LoadOptions) (_ Description, err error) {
	defer try.Caught(&err)
	t := describedTable(path, opt)
	d := Description{Path: path, Rows: len(t.lines)}
	for k, name := range t.header {
		d.Columns = append(d.Columns, t.describe(k, name))
	}
	for _, name := range t.header {
		if second := t.twice[name]; second != "" {
			d.Notes = append(d.Notes, Note{Kind: NoteTwice, Names: []string{name, second}})
		}
	}
	d.guess(t)
	return d, nil
}

// describedTable reads a table whose header may be below other lines.
func describedTable(path string, opt LoadOptions) *table {
	if opt.frame(path) != nil {
		return readTable(path, opt)
	}
	data, err := opt.read(path)
	if err != nil {
		panic(try.Failure{Err: &ReadError{path, err}})
	}
	opt.Read = func(string) ([]byte, error) { return data, nil }
	head := data[:min(len(data), headBytes)]
	first, _ := skipComments(bytes.TrimPrefix(inUTF8(head), byteOrderMark))
	if header := Columns(head); len(header) > len(Header(first)) {
		return readTable(path, opt, header...)
	}
	return readTable(path, opt)
}

// headBytes is the number of bytes at the beginning of a file in which the header is searched.
const headBytes = 1 << 16

// describe returns the type, the values and other properties of column k.
func (t *table) describe(k int, name string) Column {
	c := Column{Name: name, rows: len(t.lines), Numbers: true, sizes: true, whole: true, truths: true, Least: math.Inf(1), Most: math.Inf(-1)}
	seen, numbers, wrong, hollow := map[string]bool{}, 0, 0, false
	for r := range t.lines {
		if r%rowsBetween == 0 {
			t.make(0)
		}
		text := t.cells[k].text(r)
		if notMeasured(text) {
			c.Empty++
			if hollow = hollow || text == ""; !hollow {
				c.gaps = text
			}
			continue
		}
		switch v, number, isLimit := t.looksLike(r, name, text); {
		case number:
			numbers++
			c.Least, c.Most = min(c.Least, v), max(c.Most, v)
			part, _ := math.Frexp(v)
			c.sizes, c.whole = c.sizes && part == 0.5 && v >= 8, c.whole && v == math.Trunc(v)
		case isLimit:
			c.Limits, c.Limit = c.Limits+1, cmp.Or(c.Limit, text)
		case failure(text):
			if len(c.Words) <= mostFailWords {
				c.Words = lists.Add(c.Words, text)
			}
		case !t.isNumber(text):
			if wrong++; len(c.Words) <= mostFailWords {
				c.Words = lists.Add(c.Words, text)
			}
		}
		_, truth := truths[strings.ToLower(text)]
		c.truths = c.truths && truth
		if !seen[text] {
			t.make(perDifferent)
			seen[text] = true
			if len(c.Examples) < 3 {
				c.Examples = append(c.Examples, shortened40(text))
			}
			if slices.Contains(failWords, strings.ToLower(text)) {
				c.failures = append(c.failures, text)
			}
		}
	}
	// a column of measurements has more numbers than texts, few different texts, and at most one typing error in five
	// cells
	c.Different = len(seen)
	c.states(seen)
	c.Numbers = numbers > 0 && 4*wrong <= numbers && len(c.Words) <= mostFailWords && len(c.Words) < c.Different-len(c.Words)
	c.truths = c.truths && c.Different > 0
	if hollow {
		c.gaps = ""
	}
	mixed := numbers > 0 && len(c.Words) > 0
	if c.named(optionWords) && len(c.Words) > 0 { // all cells are names, although some look like numbers
		c.Numbers = false
	}
	if c.Numbers {
		for r := range t.lines {
			if slices.Contains(c.Words, t.cells[k].text(r)) {
				c.Empty++
			}
		}
		c.Different -= len(c.Words)
	} else {
		c.Words, c.Limits, c.names = nil, 0, mixed
	}
	c.dates = len(c.Examples) > 0 && isDate(c.Examples[0])
	return c
}

// states sets runs, failures and pending if all texts are states of runs, finished or not, as trackers of experiments write
// them. At least one is finished, and one is not.
func (c *Column) states(texts map[string]bool) {
	if !c.named(statusWords) {
		return
	}
	finished, failures, pending := false, []string(nil), []string(nil)
	for text := range texts {
		word := strings.TrimPrefix(strings.ToLower(text), "trialstate.")
		switch truth := c.truths && c.named(doneWords); {
		case truth && truths[word] == 1, slices.Contains(finishedWords, word):
			finished = true
		case truth, slices.Contains(pendingWords, word):
			pending = append(pending, text)
		case slices.Contains(stoppedWords, word):
			failures = append(failures, text)
		default:
			return
		}
	}
	if c.runs = finished && len(failures)+len(pending) > 0; c.runs {
		slices.Sort(failures)
		slices.Sort(pending)
		c.failures, c.pending = failures, pending
	}
}

// failUnfinished counts the rows of failed runs as failed, and those of runs that may still finish as not measured, unless
// a condition states which rows failed. The last value before a run was pruned or crashed is not a result of the run.
func (f *found) failUnfinished(t *table, l Long) {
	if t.failed != nil {
		return
	}
	for _, name := range ignoredColumns(t, l) {
		if !(Column{Name: name}).named(statusWords) {
			continue
		}
		c := t.describe(t.column[name], name)
		if !c.runs {
			continue
		}
		mark := func(kind NoteKind, states []string) (rows []bool) {
			counts := make([]float64, len(states))
			rows = make([]bool, len(t.lines))
			for r := range t.lines {
				if k := slices.Index(states, t.textOf(r, name)); k >= 0 {
					rows[r] = true
					counts[k]++
				}
			}
			if len(states) > 0 {
				f.notes = append(f.notes, Note{Kind: kind, Path: t.path, Names: append([]string{name}, states...), Numbers: counts})
			}
			return rows
		}
		t.failed, t.pending = mark(NoteUnfinished, c.failures), mark(NotePending, c.pending)
		t.read = append(t.read, name)
		return
	}
}

// failWithoutValue counts rows without a value as failed if an unused column states so, as "OOM" in a column status. Such an option was
// tried, unlike an option that waits for a measurement.
func failWithoutValue(t *table, l Long) {
	if t.failed != nil {
		return
	}
	reward := l.measured()[0]
	for _, name := range ignoredColumns(t, l) {
		if !(Column{Name: name}).named(statusWords) && !(Column{Name: name}).named(errorWords) {
			continue
		}
		c := t.describe(t.column[name], name)
		if c.failed() == "" {
			continue
		}
		reasons, values := map[int]string{}, false
		for r := range t.lines {
			switch text := t.textOf(r, name); {
			case !c.statesFailure(text):
			case notMeasured(t.textOf(r, reward)):
				reasons[r] = shortened40(text)
			default:
				values = true
			}
		}
		if len(reasons) == 0 {
			continue
		}
		if t.reasons = reasons; !values { // otherwise a note names the column
			t.read = append(t.read, name)
		}
		return
	}
}

// looksLike returns the number in a cell, if there is one. It reports whether the cell is a limit, such as <0.05.
func (t *table) looksLike(r int, column, text string) (v float64, number, isLimit bool) {
	if t.isNumber(t.ungrouped(text, column)) {
		v, err := t.tried(r, column)
		return v, err == nil, false
	}
	parts := limit.FindStringSubmatch(text)
	return 0, false, parts != nil && t.isNumber(parts[2])
}

// mostFailWords is the largest number of different texts, each a kind of failure, in a column of numbers.
const mostFailWords = 5

// shortened40 returns a text in one line of at most 40 characters.
func shortened40(text string) string {
	if runes := []rune(oneLine(text)); len(runes) > 40 {
		return string(runes[:39]) + "…"
	}
	return oneLine(text)
}

// isDate reports whether a text consists only of digits, dots, dashes, slashes, colons and blanks, such as 14.07.2025.
func isDate(text string) bool {
	marks := strings.Count(text, ".") + strings.Count(text, "-") + strings.Count(text, "/")
	return marks >= 2 && strings.Trim(text, "0123456789.-/: TZ") == ""
}
