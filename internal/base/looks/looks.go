// Package looks compares the appearance of names, to find two names that look the same to people.
package looks

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Of returns the appearance of a text: two texts look the same if Of returns equal results. It unifies accents and blanks,
// replaces letters of other alphabets that look Latin, and removes invisible characters.
func Of(text string) string {
	if plain(text) {
		return text
	}
	return norm.NFC.String(strings.Map(func(r rune) rune {
		switch {
		case invisible(r):
			return -1
		case unicode.Is(unicode.Zs, r) || r == '\u2800': // U+2800 is the empty Braille pattern
			return ' '
		}
		if same, is := doubles[r]; is {
			return same
		}
		return r
	}, norm.NFC.String(text)))
}

// Alike returns Of(text) and also ignores letter case, blanks, types of dashes and quotes, and letter widths.
func Alike(text string) string {
	text = Of(text)
	if !plain(text) {
		text = width.Fold.String(text)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return -1
		case unicode.Is(unicode.Pd, r) || r == '\u2212': // U+2212 is the minus sign
			return '-'
		case strings.ContainsRune("\u2018\u2019\u02bc\u00b4`", r):
			return '\''
		case strings.ContainsRune("\u201c\u201d\u201e", r):
			return '"'
		}
		return unicode.ToLower(unicode.ToUpper(r))
	}, text)
}

// Unseen returns the first character of a text that is invisible or looks like a blank, and whether there is one. The
// normal blank does not count.
func Unseen(text string) (r rune, found bool) {
	if plain(text) {
		return 0, false
	}
	before := rune(0)
	for _, r := range text {
		switch {
		case (r == '\u200c' || r == '\u200d') && before > unicode.MaxLatin1: // these shape letters of other scripts and emoji
		case unicode.Is(unicode.Variation_Selector, r) && before > unicode.MaxLatin1:
		case invisible(r), r != ' ' && unicode.Is(unicode.Zs, r), r == '\u2800':
			return r, true
		}
		before = r
	}
	return 0, false
}

// Difference returns the code points, such as U+0041, at the first position where two texts differ. At the end of a text
// it returns "none".
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

// plain reports whether a text contains only printable ASCII characters.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// invisible reports whether a character is invisible: it has no width, or controls other characters or a terminal.
func invisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// doubles maps characters to others that look the same in common fonts: Cyrillic and Greek letters to Latin ones, the
// micro sign to the Greek mu, and the hyphens U+2010 and U+2011 each to the ASCII hyphen.
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
