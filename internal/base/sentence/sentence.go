// Package sentence writes numbers as sentences. One sentence can cover several facts of the same kind; each number that
// differs is then written as a range.
package sentence

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Write formats a sentence with a format of package fmt, whose arguments are first the names and then the numbers. Each
// element of numbers belongs to one fact; there must be at least one. A number that differs between facts becomes a range,
// such as "1.06 to 1.15 times the scale".
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

// Count returns a number with its noun in singular or plural: "1 round", "3 rounds".
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Upper returns a text with its first byte as a capital letter.
func Upper(text string) string {
	if text == "" {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// List joins words with commas, or with semicolons if a word contains a comma itself. It shows at most the first most words
// and the number of the others.
func List(words []string, most int) string {
	between := ", "
	if slices.ContainsFunc(words, hasComma) {
		between = "; "
	}
	if more := len(words) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], between), more)
	}
	return strings.Join(words, between)
}

func hasComma(word string) bool { return strings.Contains(word, ", ") }

// Name returns a name for use inside a sentence: in quotation marks if it contains a comma.
func Name(name string) string {
	if hasComma(name) {
		return `"` + name + `"`
	}
	return name
}

// values are the values that one number of a sentence has in several facts.
type values []float64

// Format implements fmt.Formatter. It writes "smallest to largest" with the verb, or only one value if both look the same.
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

// Brief shortens a long text of the user for a sentence: it returns the first 80 characters and the text's length.
func Brief(text string) string { return BriefAt(text, 80) }

// BriefAt is Brief with at most most characters.
func BriefAt(text string, most int) string {
	if len(text) <= most { // the number of bytes is at least the number of characters
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
