// Package looks says what a name looks like to a person, so that two names which nobody can tell apart are found.
package looks

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
	"golang.org/x/text/width"
)

// Of returns a text as a person sees it: two texts look the same if Of of them is equal. Accents have one form, all blanks
// are one blank, letters of other alphabets that look Latin are Latin, and what cannot be seen is left out.
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

// Alike returns what two texts have in common that differ only in capital letters, in blanks, in the kind of a dash or a quote,
// or in the width of letters, besides what Of leaves out.
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

// Unseen returns the first character of a text that cannot be seen, or looks like a blank and is not one.
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

// Difference names the first character in which two texts differ, by their codes.
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

// plain reports whether a text has ASCII characters alone, which all can be seen but controls.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// invisible reports whether nothing is seen of a character: it has no width, orders or joins others, or controls a terminal.
func invisible(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) ||
		unicode.Is(unicode.Variation_Selector, r) || unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
}

// doubles are characters that look like another one in common fonts: Cyrillic and Greek letters like Latin ones, the sign micro
// like the letter mu, and hyphens.
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
