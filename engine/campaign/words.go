package campaign

import "fmt"

// pulls returns a number of pulls in words.
func pulls(n int) string {
	if n == 1 {
		return "1 pull"
	}
	return fmt.Sprintf("%d pulls", n)
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
