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
