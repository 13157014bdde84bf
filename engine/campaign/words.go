package campaign

import (
	"fmt"
	"strings"
	"unicode"
)

// pulls returns a number of pulls in words.
func pulls(n int) string {
	if n == 1 {
		return "1 pull"
	}
	return fmt.Sprintf("%d pulls", n)
}

// Plain returns a text of somebody without what terminals obey and what turns writing round: white space of any
// kind becomes a blank, and the rest stands out.
func Plain(text string) string {
	return strings.ToValidUTF8(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r >= '\u202a' && r <= '\u202e', r >= '\u2066' && r <= '\u2069':
			return '\ufffd'
		}
		return r
	}, text), "\ufffd")
}

// joined lists the first of some words, and how many more there are.
func joined(words []string, most int) string {
	out := ""
	for i, w := range words {
		if i == most {
			return out + fmt.Sprintf(" and %d more", len(words)-most)
		}
		if i > 0 {
			out += ", "
		}
		out += w
	}
	return out
}

// agreed returns the form that agrees with a number.
func agreed(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// changes says how many arms came and went.
func changes(added, withdrawn int) string {
	arms := func(n int, what string) string {
		return fmt.Sprintf("%d %s %s", n, agreed(n, "arm was", "arms were"), what)
	}
	switch {
	case added == 0:
		return arms(withdrawn, "withdrawn")
	case withdrawn == 0:
		return arms(added, "added")
	}
	return arms(withdrawn, "withdrawn") + " and " + arms(added, "added")
}
