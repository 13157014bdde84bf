// Package sentence writes facts as sentences: one fact, or several of one kind with a range for
// each number in which they differ.
package sentence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Write fills in a format of package fmt: first the names, then the numbers. Each element of numbers belongs to one fact, and there
// is at least one fact. A number that differs between facts becomes a range, as in "1.06 to 1.15 times the scale".
func Write(format string, names []string, numbers ...[]float64) string {
	var args []any
	for _, name := range names {
		args = append(args, name)
	}
	for i := range numbers[0] {
		var all values
		for _, n := range numbers {
			if i < len(n) {
				all = append(all, n[i])
			}
		}
		args = append(args, all)
	}
	return fmt.Sprintf(format, args...)
}

// Count returns a number with a noun: "1 round", "3 rounds".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Upper begins a text with a capital letter.
func Upper(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// List joins words; of a long list it shows the first ones and the number of others.
func List(words []string, most int) string {
	if more := len(words) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), more)
	}
	return strings.Join(words, ", ")
}

// values are the values of one number of a sentence in several facts.
type values []float64

// Format writes the smallest and the largest value with the verb, or one of them if both look the same.
func (v values) Format(s fmt.State, verb rune) {
	text := func(x float64) string {
		if verb == 'd' {
			return strconv.FormatFloat(x, 'f', 0, 64)
		}
		return fmt.Sprintf(fmt.FormatString(s, verb), x)
	}
	low, high := text(slices.Min(v)), text(slices.Max(v))
	if low != high {
		low += " to " + high
	}
	fmt.Fprint(s, low)
}

// Brief returns a user's text shortened for a sentence: the first characters of a long text, and its length.
func Brief(text string) string { return BriefAt(text, 80) }

// BriefAt is Brief with another maximum length.
func BriefAt(text string, most int) string {
	if len(text) <= most { // in bytes, at least the number of characters
		return text
	}
	n := 0
	for i := range text {
		if n++; n > most {
			return fmt.Sprintf("%s… (%d characters)", text[:i], utf8.RuneCountInString(text))
		}
	}
	return text
}
