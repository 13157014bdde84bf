package problem

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Column describes a column of a table: its type, values and possible roles.
type Column struct {
	Name      string
	Numbers   bool     // every cell that is not empty is a number, a limit such as <0.05, or one of Words
	Words     []string // texts among numbers, such as n. d. where a measurement failed, or a mistake; their cells count as empty
	Limits    int      // cells such as <0.05
	Limit     string   // the first of them
	Different int      // values
	Empty     int      // cells
	Least     float64
	Most      float64  // of numbers
	Examples  []string // the first different values, at most three
	dates     bool
	sizes     bool     // all are powers of two from 8 on, as sizes of batches are
	whole     bool     // all are whole numbers
	truths    bool     // all are true or false
	rows      int      // rows of the table
	gaps      string   // a text such as NA, if no cell is empty
	names     bool     // some cells are numbers and some are texts without digits, so that all are names
	failures  []string // values that state that something failed
	runs      bool     // the values are states of runs, of which some are finished
}

// Description describes the columns of a table, and guesses their roles.
type Description struct {
	Path    string
	Rows    int
	Columns []Column
	// guesses by names, kinds and counts of values: "" and none if no column suits
	Task   string
	Arm    []string
	Blocks []string // columns that state what was measured together, such as days
	Reward string
	// columns that may be one measurement in several tasks, if none is named as a reward
	Rewards []string
	SD      string   // the standard deviations of the means in Reward, "" without
	Count   string   // and how many measurements each is of
	Counts  []string // instead of Reward: columns of successes and of trials
	Text    []string // those of Arm whose cells are names, although some look like numbers
	Failed  string   // a condition on rows that failed, by a column such as status; "" without one
	Lower   bool     // whether the name of the reward states that lower is better, as a loss does
	Wide    bool     // whether it is a table with one row per arm: it has task, arm and mean
	Unused  []Unused // columns that have no part in the guesses
	Options int      // combinations of Task and Arm that have a reward
	Single  int      // those with one row
}

// Unused is a column that is left out, and why.
type Unused struct{ Name, Why string }

// perDifferent is the memory, in bytes, for each different value of a column while values are counted.
const perDifferent = 48

// rowsBetween is after how many rows a loop looks whether the reading was to end.
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

// headBytes is how much of a file is searched for its header.
const headBytes = 1 << 16

// describe states what a column looks like.
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
	// a column of measurements has more numbers than texts, few kinds of these, and a mistake in one of five cells at most
	c.Different = len(seen)
	if unfinished, are := unfinishedStates(seen); are && c.named(statusWords) {
		c.failures, c.runs = unfinished, true
	}
	c.Numbers = numbers > 0 && 4*wrong <= numbers && len(c.Words) <= mostFailWords && len(c.Words) < c.Different-len(c.Words)
	c.truths = c.truths && c.Different > 0
	if hollow {
		c.gaps = ""
	}
	mixed := numbers > 0 && len(c.Words) > 0
	if c.named(optionWords) && len(c.Words) > 0 { // names, of which some look like numbers
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

// unfinishedStates returns the texts that are states of unfinished runs, such as PRUNED. It also reports whether all texts are states
// of runs, finished or not, as trackers of experiments write them.
func unfinishedStates(texts map[string]bool) (unfinished []string, are bool) {
	for text := range texts {
		word := strings.TrimPrefix(strings.ToLower(text), "trialstate.")
		switch {
		case slices.Contains(finishedWords, word):
			are = true
		case slices.Contains(unfinishedWords, word):
			unfinished = append(unfinished, text)
		default:
			return nil, false
		}
	}
	slices.Sort(unfinished)
	return unfinished, are && unfinished != nil
}

// failUnfinished counts the rows of unfinished runs as failed, if no condition states which rows failed: the last value before a run was
// pruned or crashed is not its result.
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
		counts := make([]float64, len(c.failures))
		t.failed = make([]bool, len(t.lines))
		for r := range t.lines {
			if k := slices.Index(c.failures, t.textOf(r, name)); k >= 0 {
				t.failed[r] = true
				counts[k]++
			}
		}
		t.read = append(t.read, name)
		f.notes = append(f.notes, Note{Kind: NoteUnfinished, Path: t.path, Names: append([]string{name}, c.failures...), Numbers: counts})
		return
	}
}

// looksLike returns a cell's number, if it has one, and reports whether it is a limit of one, as <0.05 is.
func (t *table) looksLike(r int, column, text string) (v float64, number, isLimit bool) {
	if t.isNumber(t.ungrouped(text, column)) {
		v, err := t.tried(r, column)
		return v, err == nil, false
	}
	parts := limit.FindStringSubmatch(text)
	return 0, false, parts != nil && t.isNumber(parts[2])
}

// mostFailWords is how many different texts may be among numbers, each for a kind of failure.
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
