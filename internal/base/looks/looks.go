// Package looks compares names as people see them, to find two names that look the same.
package looks

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Of returns the appearance of a text: two texts look the same if their results are equal. It unifies accents and blanks, replaces
// letters of other alphabets that look Latin, and drops invisible characters.
func Of(text string) string {
	if plain(text) {
		return text
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case invisible(r):
			return -1
		case unicode.Is(unicode.Zs, r) || r == '\u2800': // the empty pattern of Braille
			return ' '
		}
		if same, is := doubles[r]; is {
			return same
		}
		return r
	}, norm.NFC.String(text)))
}

// Alike returns Of without differences in capital letters, blanks, kinds of dashes and quotes, and width of letters.
func Alike(text string) string {
	text = Of(text)
	if !plain(text) {
		text = width.Fold.String(text)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return -1
		case unicode.Is(unicode.Pd, r) || r == '\u2212': // minus
			return '-'
		case strings.ContainsRune("\u2018\u2019\u02bc\u00b4`", r):
			return '\''
		case strings.ContainsRune("\u201c\u201d\u201e", r):
			return '"'
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, text)
}

// Unseen returns the first character of a text that is invisible, or looks like a blank without being one.
func Unseen(text string) (r rune, found bool) {
	if plain(text) {
		return 0, false
	}
	before := rune(0)
	for _, r := range text {
		switch {
		case (r == '\u200c' || r == '\u200d') && before > unicode.MaxLatin1: // they shape letters of other scripts, and emoji
		case unicode.Is(unicode.Variation_Selector, r) && before > unicode.MaxLatin1:
		case invisible(r), r != ' ' && unicode.Is(unicode.Zs, r), r == '\u2800':
			return r, true
		}
		before = r
	}
	return 0, false
}

// Difference returns the codes of the first characters in which two texts differ.
func Difference(a, b string) (ofA, ofB string) {
	x, y := []rune(a), []rune(b)
	k := 0
	for k < len(x) && k < len(y) && x[k] == y[k] {
		k++
	}
	code := func(text []rune) string {
		if k < len(text) {
			return fmt.Sprintf("%U", text[k])
		}
		return "none"
	}
	return code(x), code(y)
}

// plain reports whether a text has only visible ASCII characters.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// invisible reports whether a character is invisible: it has no width, orders or joins others, or controls a terminal.
func invisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// doubles maps characters to others that look the same in common fonts: Cyrillic and Greek to Latin letters, the micro sign to mu,
// and hyphens.
var doubles = pairs(
	"АВЕЅІЈКМНОРСТУХаеіјорсухѕԁһԛԝ", "ABESIJKMHOPCTYXaeijopcyxsdhqw",
	"ΑΒΕΖΗΙΚΜΝΟΡΤΥΧονϲ", "ABEZHIKMNOPTYXovc",
	"µ\u2010\u2011", "μ--",
)

func pairs(lists ...string) map[rune]rune {
	out := map[rune]rune{}
	for k := 0; k < len(lists); k += 2 {
		to := []rune(lists[k+1])
		for i, r := range []rune(lists[k]) {
			out[r] = to[i]
		}
	}
	return out
}
