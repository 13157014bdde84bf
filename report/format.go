package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/engine/bounds"
)

// absent stands for a value that is not known or does not exist.
const absent = "—"

// cell turns any cell value into what a reader sees. It is the only place where
// numbers become text for terminals, Markdown, HTML and LaTeX.
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
		return group(strconv.Itoa(v))
	case uint64: // seeds: identifiers, not amounts
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
	case Spread:
		return spread(v)
	case Share:
		return share(v)
	}
	return fmt.Sprint(v)
}

// decimal prints x with the given significant digits (0: 4). From 1,000 on it
// prints whole numbers in groups of three; very large and very small ones in
// scientific notation; what is not finite as a word.
func decimal(x float64, digits int) string {
	if digits == 0 {
		digits = 4
	}
	a := math.Abs(x)
	switch {
	case math.IsNaN(x):
		return absent
	case math.IsInf(x, 1):
		return "infinite"
	case math.IsInf(x, -1):
		return "-infinite"
	case x == 0:
		return "0"
	case a >= 1e9 || a < 1e-4:
		return scientific(x, digits)
	case a >= 999.5:
		return group(strconv.FormatFloat(x, 'f', 0, 64))
	}
	// Round first: 9.9996 has one digit before the point, but prints as 10.
	s := strconv.FormatFloat(x, 'e', digits-1, 64)
	e, _ := strconv.Atoi(s[strings.IndexByte(s, 'e')+1:])
	return trimZeros(strconv.FormatFloat(x, 'f', max(0, digits-1-e), 64))
}

// scientific prints 1.23e-5 rather than 1.230e-05.
func scientific(x float64, digits int) string {
	s := strconv.FormatFloat(x, 'e', digits-1, 64)
	mantissa, exponent, _ := strings.Cut(s, "e")
	e, _ := strconv.Atoi(exponent)
	return trimZeros(mantissa) + "e" + strconv.Itoa(e)
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// group puts a comma between groups of three digits.
func group(s string) string {
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// interval prints "12.3 [11.9, 12.7]", all three with the decimals that the
// interval's width supports; one that is unknown, or no wider than rounding, prints
// the mean alone.
func interval(mean, lo, hi float64) string {
	width := (hi - lo) / 2
	if !(width > 1e-9*math.Abs(mean)) || math.IsInf(width, 1) || math.Abs(mean) >= 1e9 {
		return decimal(mean, 0)
	}
	width = max(width, 1e-4*math.Abs(mean)) // more digits nobody reads
	return fmt.Sprintf("%s [%s, %s]", toUncertainty(mean, width), toUncertainty(lo, width), toUncertainty(hi, width))
}

// spread prints "0.012 ± 0.003".
func spread(s Spread) string {
	if !(s.StandardError > 0) || math.IsInf(s.StandardError, 1) {
		return decimal(s.Mean, 0)
	}
	return toUncertainty(s.Mean, s.StandardError) + " ± " + toUncertainty(s.StandardError, s.StandardError)
}

// share prints "██░░░░ 43 %" with spaces that no line breaks at; what is less than all never prints as 100 %, what is
// more than nothing never as all empty.
func share(s Share) string {
	const length = 6
	if !isFinite(float64(s)) {
		return absent
	}
	x := min(max(float64(s), 0), 1)
	full := int(x * length)
	if x > 0 {
		full = max(full, 1)
	}
	return strings.Repeat("█", full) + strings.Repeat("░", length-full) + fmt.Sprintf("\u00a0%d\u00a0%%", int(100*x))
}

// toUncertainty prints x with two significant digits of the uncertainty u > 0.
func toUncertainty(x, u float64) string {
	if x == 0 {
		return "0"
	}
	places := max(0, 1-int(math.Floor(math.Log10(u))))
	if places > 8 {
		return scientific(x, 3)
	}
	s := strconv.FormatFloat(x, 'f', places, 64)
	if whole, fraction, found := strings.Cut(s, "."); found {
		return group(whole) + "." + fraction
	}
	return group(s)
}

// plural is "1 task", "5 tasks".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return group(strconv.Itoa(n)) + " " + noun + "s"
}

// were returns the verb of n things in the past.
func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}

// join lists words: "a", "a and b", "a, b and c"; beyond most it counts the rest.
func join(words []string, most int) string {
	rest := ""
	if len(words) > most+1 {
		rest = fmt.Sprintf("%d more", len(words)-most)
		words = append(append([]string{}, words[:most]...), rest)
	}
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

func isFinite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
