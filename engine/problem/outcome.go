package problem

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// Outcome is the contents of a cell of rewards. The zero value is a reward of 0.
type Outcome struct {
	Reward   float64
	Censored int8   // as Row.Censored, but with the sign of the data: -1 for "<0.05", with Reward 0.05
	Failed   string // reason why a measurement gave no value, such as "crash"; "" if it did not fail
	Missing  bool   // the cell states that nothing was measured
}

// measured reports whether there is a value, or a limit such as <0.05.
func (o Outcome) measured() bool { return o.Failed == "" && !o.Missing }

// Outcome returns the contents of a cell of rewards, or a *DataError.
func (r SheetRow) Outcome(column string) (Outcome, error) { return r.table.outcome(r.row, column) }

// byCondition is the reason of failures in rows that LoadOptions.Failed selects.
const byCondition = "failed="

// limit is a value that is only known to be below or above a number, such as <0.05 or ≥ 9.
var limit = regexp.MustCompile(`^(<=?|=<|≤|⩽|>=?|=>|≥|⩾)\s*([^<=>\s].*)?$`)

// outcome reads a cell of rewards. A text without digits is the reason of a failure.
func (t *table) outcome(r int, column string) (Outcome, error) {
	k := t.column[column]
	switch numbers := t.cells[k].numbers; {
	case t.failed != nil && t.failed[r]:
		return Outcome{Failed: byCondition}, nil
	case t.pending != nil && t.pending[r]:
		return Outcome{Missing: true}, nil
	case numbers != nil && math.Abs(numbers[r]) <= kernels.Largest: // the number is used directly, without a text
		return Outcome{Reward: numbers[r]}, nil
	}
	c := t.cell(r, k)
	if notMeasured(c.text) {
		reason := t.reasons[r]
		return Outcome{Failed: reason, Missing: reason == ""}, nil
	}
	reward, err := t.tried(r, column)
	if err == nil {
		return Outcome{Reward: reward}, nil
	}
	if truth, is := truths[strings.ToLower(c.text)]; is && t.zeroOrOne(column) {
		return Outcome{Reward: truth}, nil
	}
	if parts := limit.FindStringSubmatch(c.text); parts != nil {
		o := Outcome{Censored: 1}
		if strings.ContainsAny(parts[1], "<≤⩽") {
			o.Censored = -1
		}
		if parts[2] == "" || !strings.ContainsFunc(parts[2], unicode.IsDigit) {
			return Outcome{}, t.at(c, "column %q: %q says on which side of a limit the value is, and has no number; write the limit, as in %s0.05",
				column, c.text, parts[1]).Err
		}
		c.text = parts[2]
		o.Reward, err = t.numberIn(c, column)
		return o, err
	}
	if failure(c.text) {
		return Outcome{Failed: c.text}, t.needLimit(c, column)
	}
	var e *DataError
	if errors.As(err, &e) && !t.isNumber(c.text) && !decimalComma(c.text) {
		condition := conditionOf(column, "==", c.text)
		e.Message += ". " + advice(c.text)
		if t.filled {
			e.Message += "If the measurement failed, write a text without digits, such as failed"
		} else {
			e.Message += fmt.Sprintf("If the measurement failed, write failed=%[1]q (--failed %[1]q)", condition)
		}
	}
	return Outcome{}, err
}

// Texts that have several numbers.
var (
	withDeviation = regexp.MustCompile(`\d\s*(±|\+/-|\+-)\s*\d`)
	ofTrials      = regexp.MustCompile(`^\d+\s*(/|of|von|sur)\s*\d+$`)
	duration      = regexp.MustCompile(`^(\d+ days? )?\d+:\d\d(:\d\d)?(\.\d+)?$`)
)

// advice returns a sentence: how to write a text with digits as a measurement.
func advice(text string) string {
	switch {
	case withDeviation.MatchString(text):
		return "Write the mean and the standard deviation in two columns, and name the second by sd= (--sd). "
	case ofTrials.MatchString(text):
		return "If these are successes of trials, write them in two columns, and name these by successes= and trials= (--successes, --trials). "
	case duration.MatchString(text):
		return "If it is a duration, write it as one number, such as seconds. "
	}
	return "Write only the number, without unit or thousands separators. "
}

// Texts, by their letters, for values below or above a limit that is not given, as laboratories and instruments write
// them.
var (
	belowLimit = regexp.MustCompile(`^(n[dnq]|u|udl|bdl|bld|b?lo[dq]|b?l?loq|bql|blq|[mpr]?[dq]l|rl|tr|traces?|spuren?|nwg|below.*|` +
		`under(range|flow|limit)?|lessthan.*|(not?|non|un|nicht|b)(detect|quantif|nachweis).*)$`)
	aboveLimit = regexp.MustCompile(`^(ol|ovld?|sat|satur.*|ovr?flw|[au]lo?q|tntc|toonumerous.*|over(range|flow|load|limit|scale)?|above.*|` +
		`exceed.*|morethan.*|offscale)$`)
)

// better returns the pattern of texts for values beyond a limit on the better side, the word for this side, and an
// example.
func (t *table) better() (beyond *regexp.Regexp, side, example string) {
	if t.goal == GoalMin {
		return belowLimit, "below", "<0.05"
	}
	return aboveLimit, "above", ">9"
}

// needLimit returns an error for a text such as BDL (below the detection limit) if lower is better. Such a value may be
// the best, so it must not count as a failure.
func (t *table) needLimit(c cell, column string) error {
	beyond, side, example := t.better()
	is := func(text string) bool {
		return beyond.MatchString(strings.Map(func(r rune) rune {
			if !unicode.IsLetter(r) {
				return -1
			}
			return unicode.ToLower(r)
		}, text))
	}
	if t.unbound != nil || !is(c.text) {
		return t.unbound
	}
	var found failures
	for r := range t.lines {
		if text := t.textOf(r, column); is(text) {
			found.add(text)
		}
	}
	t.unbound = t.at(c, "column %q has values %s an unknown limit: %s. Such values may be the best. Write the limit (%s), an empty cell if "+
		"it was not tried, or failed=%[5]q (--failed %[5]q)", column, side,
		found.note("", column).failedWords(), example, conditionOf(column, "==", c.text)).Err
	return t.unbound
}

// zeroOrOne reports whether all numbers of a column are 0 or 1. Only then TRUE is a reward of 1.
func (t *table) zeroOrOne(column string) bool {
	known, there := t.binary[column]
	if !there {
		known = !slices.ContainsFunc(indices.All(len(t.lines)), func(r int) bool {
			v, err := strconv.ParseFloat(strings.Replace(t.textOf(r, column), ",", ".", 1), 64)
			return err == nil && v != 0 && v != 1 && v == v
		})
		if t.binary == nil {
			t.binary = map[string]bool{}
		}
		t.binary[column] = known
	}
	return known
}

// notMeasured reports whether a cell of rewards states that nothing was measured. NaN does not state this: programs
// write NaN for a number that they failed to compute.
func notMeasured(text string) bool {
	if gap(text) {
		return !strings.EqualFold(text, "nan")
	}
	if len(text) > len("#n/a n/a") {
		return false
	}
	switch strings.ToLower(text) {
	case "none", "<na>", "#na", "#n/a n/a":
		return true
	}
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.In(r, unicode.Pd, unicode.Po) }) // for example "-" and "."
}

// failure reports whether a text explains why there is no number: it has no digits, or it is how a
// program writes infinity or an error, such as #DIV/0! and 1.#IND.
func failure(text string) bool {
	return !strings.ContainsFunc(text, unicode.IsNumber) || strings.HasPrefix(text, "#") && strings.HasSuffix(text, "!") ||
		strings.Contains(text, ".#")
}

// failures counts the measurements that gave no value, by reason.
type failures struct {
	counts map[string]int
	order  []string // reasons in the order of their first rows
}

func (f *failures) add(reason string) {
	if f.counts == nil {
		f.counts = map[string]int{}
	}
	if f.counts[reason]++; f.counts[reason] == 1 {
		f.order = append(f.order, reason)
	}
}

// note counts the failures by reason, the most frequent first.
func (f *failures) note(path, column string) Note {
	reasons := slices.Clone(f.order)
	slices.SortStableFunc(reasons, func(a, b string) int { return cmp.Compare(f.counts[b], f.counts[a]) })
	n := Note{Kind: NoteFailed, Path: path, Names: append([]string{column}, reasons...)}
	all := 0
	for _, count := range f.counts {
		all += count
	}
	n.Numbers = append([]float64{float64(all)}, lists.Map(reasons, func(reason string) float64 { return float64(f.counts[reason]) })...)
	return n
}

// needNumber panics with the first text of a column if none says that the column has no number. Probably the user named
// the wrong column. rest ends the message: it is empty, or a format whose verb gets the condition that counts the text as
// failed.
func (f *failures) needNumber(t *table, column string, none bool, rest string) {
	texts := f.texts()
	if !none || len(texts) == 0 || t.reasons != nil {
		return
	}
	first := slices.IndexFunc(indices.All(len(t.lines)), func(r int) bool { return t.textOf(r, column) == texts[0] })
	if rest != "" {
		rest = fmt.Sprintf(rest, conditionOf(column, "==", texts[0]))
	}
	panic(t.at(t.cellOf(first, column), "column %q has no number, only texts such as %s. Name a column of measurements%s", column,
		strings.Join(lists.Map(texts[:min(len(texts), 3)], strconv.Quote), ", "), rest))
}

// texts returns the reasons that are texts of the column, without numbers and conditions.
func (f *failures) texts() []string {
	return lists.Where(f.order, func(reason string) bool {
		return reason != byCondition && !slices.Contains([]string{"inf", "infinity", "nan"}, strings.ToLower(strings.TrimLeft(reason, "+-")))
	})
}

// limitsNote returns a note with the number of lower and of upper limits.
func limitsNote(path, column string, limits []Row) Note {
	below := lists.Count(limits, func(m Row) bool { return m.Censored < 0 })
	return Note{Kind: NoteLimits, Path: path, Names: []string{column}, Numbers: []float64{float64(below), float64(len(limits) - below)}}
}

// limitWords states how many values are upper limits, and how many are lower limits.
func (n Note) limitWords() string {
	var words []string
	for k, side := range []string{"below", "above"} {
		if count := n.number(k); count > 0 {
			words = append(words, fmt.Sprintf("%.0f %s", count, side))
		}
	}
	return strings.Join(words, ", ")
}

// failedSentence returns how many measurements failed, why, and what that means, for example: 5 measurements count as
// failed (3 "crash", 2 "n.d."). A single reason has no count of its own.
func (n Note) failedSentence() string {
	reasons, noun := n.failedWords(), "measurements count"
	if n.number(0) == 1 {
		noun = "measurement counts"
	}
	if len(n.Names) == 2 {
		_, reasons, _ = strings.Cut(reasons, " ")
	}
	because := ""
	if n.Kind == NoteFailedStates {
		because = ", because another column says so"
	}
	return fmt.Sprintf("%.0f %s as failed (%s)%s. The estimates do not use failures. "+
		"An option that only failed is not recommended without retry=true (--retry)", n.number(0), noun, reasons, because)
}

// failedWords lists the counts and reasons of a note on failures, for example: 3 "crash", 2 "n.d.", 1 by the condition failed=.
func (n Note) failedWords() string {
	var words []string
	for k := 1; k < len(n.Names); k++ {
		word := fmt.Sprintf("%.0f %q", n.number(k), n.name(k))
		if n.name(k) == byCondition {
			word = fmt.Sprintf("%.0f by the condition %s", n.number(k), byCondition)
		}
		words = append(words, word)
	}
	return listed(words)
}
