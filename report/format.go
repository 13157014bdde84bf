package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/report/internal/wording"
)

// absent is the text for a value that is unknown or does not exist.
const absent = wording.Absent

// cell returns the text of a cell. Terminals, Markdown, HTML and LaTeX all use it. digits is the number of significant
// digits; 0 means the default.
func cell(v any, digits int) string {
	switch v := v.(type) {
	case nil:
		return absent
	case string:
		return v
	case bool:
		if v {
			return "yes"
		}
		return "no"
	case int:
		return wording.Group(strconv.Itoa(v))
	case uint64: // a seed: an identifier, so without separators
		return strconv.FormatUint(v, 10)
	case float64:
		return decimal(v, digits)
	case []string:
		return strings.Join(v, ", ")
	case engine.Interval:
		return interval(v.Mean, v.CI95[0], v.CI95[1])
	case engine.Rate:
		if v.Runs == 0 {
			return absent
		}
		return fmt.Sprintf("%s of %s: %s", cell(v.Count, 0), cell(v.Runs, 0), interval(v.Rate, v.CI95[0], v.CI95[1]))
	case bounds.Certified:
		return decimal(v.Value, digits)
	case MeanError:
		return meanError(v)
	case Share:
		return share(v)
	case Chance:
		return chance(v)
	case Rounded:
		return wording.ToStep(v.Value, v.Step)
	}
	return fmt.Sprint(v)
}

// interval returns a text such as "12.3 [11.9, 12.7]", with the number of decimals that the width of the interval
// supports. It returns the mean alone if the interval is unknown, or only as wide as rounding errors.
func interval(mean, lo, hi float64) string {
	width := (hi - lo) / 2
	if !(width > 1e-9*math.Abs(mean)) || math.IsInf(width, 1) || math.Abs(mean) >= 1e9 {
		return decimal(mean, 0)
	}
	width = max(width, 1e-4*math.Abs(mean)) // do not show more than about four digits
	return fmt.Sprintf("%s [%s, %s]", wording.ToStep(mean, width), wording.ToStep(lo, width), wording.ToStep(hi, width))
}

// meanError returns a text such as "0.012 ± 0.003".
func meanError(s MeanError) string {
	if !(s.StandardError > 0) || math.IsInf(s.StandardError, 1) {
		return decimal(s.Mean, 0)
	}
	return wording.ToStep(s.Mean, s.StandardError) + " ± " + wording.ToStep(s.StandardError, s.StandardError)
}

// share returns a text such as "██░░░░ 43 %", with spaces that prevent line breaks. It shows 100 % only for 1, and an
// empty bar only for 0.
func share(s Share) string {
	if !isFinite(float64(s)) {
		return absent
	}
	x := min(max(float64(s), 0), 1)
	if x > 0 && x < 0.01 {
		return bar(x) + "\u00a0<\u00a01\u00a0%"
	}
	return bar(x) + fmt.Sprintf("\u00a0%d\u00a0%%", int(100*x))
}

// chance returns a text like share. It never shows 0 % or 100 %, because the probability is estimated from draws.
func chance(p Chance) string {
	if !isFinite(float64(p)) {
		return absent
	}
	return bar(float64(p)) + "\u00a0" + percent(float64(p))
}

// bar returns a bar for the fraction x.
func bar(x float64) string {
	const length = 6
	full := int(float64(int(100*x)) / 100 * length) // shares with equal percentages have equal bars
	if x > 0 {
		full = max(full, 1)
	}
	return strings.Repeat("█", full) + strings.Repeat("░", length-full)
}

// Short names for functions of package wording.

// were returns "was" or "were", for n things.
func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

func decimal(x float64, digits int) string { return wording.Decimal(x, digits) }
func plural(n int, noun string) string     { return wording.Plural(n, noun) }
func join(words []string, most int) string { return wording.Join(words, most) }
func isFinite(x float64) bool              { return wording.IsFinite(x) }
func upper(s string) string                { return sentence.Upper(s) }
func inlineLaTeX(s string) string          { return wording.LaTeX(s) }

// A reference (algorithms.RoleReference) uses information that no real algorithm has, or does not count all its samples.
// Text always adds referenceMark to its name. Files have the plain name and a column reference.

// referenceMark is the text after the name of a reference.
const referenceMark = " (reference)"

// isReference reports whether the named algorithm is a reference. References have the same name in both modes.
func isReference(algorithm string) bool {
	e, there := entryOf(algorithm)
	return there && e.Role == algorithms.RoleReference
}

// entryOf returns the named algorithm of the catalogue; false if there is none.
func entryOf(algorithm string) (algorithms.Entry, bool) {
	return lists.First(algorithms.All(), func(e algorithms.Entry) bool { return e.Name == algorithm })
}

// markedName returns the name of an algorithm as documents show it: with referenceMark if it is a reference.
func markedName(algorithm string) string {
	if isReference(algorithm) {
		return algorithm + referenceMark
	}
	return algorithm
}

// marked returns a swept value as documents show it. name is the swept name; names of algorithms get referenceMark.
func marked(name string, v any) any {
	v = plain(v)
	if s, ok := v.(string); ok && name == "algorithm" {
		return markedName(s)
	}
	return v
}

// markedAll returns swept values as documents show them, see marked.
func markedAll(names []string, values []any) []any {
	return lists.Make(len(values), func(j int) any { return marked(names[j], values[j]) })
}
