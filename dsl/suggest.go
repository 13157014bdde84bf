package dsl

import (
	"fmt"
	"slices"
	"strings"
)

// suggest proposes the nearest of the known words, or lists them.
func suggest(word string, known []string) string {
	if best := nearest(word, known); best != "" {
		return fmt.Sprintf("did you mean %q?", best)
	}
	if len(known) == 0 {
		return ""
	}
	return "known: " + listed(known)
}

// listed joins words for a hint, of many the first.
func listed(words []string) string {
	const most = 60
	if more := len(words) - most; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(words[:most], ", "), more)
	}
	return strings.Join(words, ", ")
}

// maxWord is the length of the longest word that is compared with the known ones.
const maxWord = 200

// nearest returns the known word at the smallest distance, when that is at most
// 1 + a third and no more than half of the word, or "".
func nearest(word string, known []string) string {
	best, least := "", 2+len([]rune(word))/3
	if len(word) > maxWord {
		return ""
	}
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d < least && 2*d <= len([]rune(word)) {
			best, least = k, d
		}
	}
	return best
}

// onlyWith returns the one name that has a word of three letters or more in it, whatever their case; ""
// where none or several have.
func onlyWith(word string, known []string) string {
	found := ""
	for _, k := range known {
		if len([]rune(word)) < 3 || !strings.Contains(strings.ToLower(k), strings.ToLower(word)) {
			continue
		}
		if found != "" {
			return ""
		}
		found = k
	}
	return found
}

// distance returns the optimal string alignment distance: insertions, deletions, replacements and
// exchanges of neighbours that turn a into b.
func distance(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, last, row := make([]int, len(t)+1), make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range row {
		last[j] = j
	}
	for i := range s {
		row[0] = i + 1
		for j := range t {
			cost := 1
			if s[i] == t[j] {
				cost = 0
			}
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+cost)
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(t)]
}

// suggestFunction proposes what says the same as a word of other tools, else a function.
func suggestFunction(e *evaluator, word string) string {
	if hint := foreignWord(word); hint != "" {
		return hint
	}
	var known []string
	for _, f := range functions {
		if slices.Contains(f.Synonyms, strings.ToLower(word)) {
			return fmt.Sprintf("did you mean %q?", f.Name)
		}
		known = append(known, f.Name)
	}
	return suggest(word, known)
}

// suggestName proposes a bound name, or a function written without brackets.
func suggestName(e *evaluator, word string) string {
	for _, st := range e.all {
		if st.Name == word && st == e.st {
			return "a name cannot stand in its own definition"
		}
		if st.Name == word {
			line, _ := st.Source.Position(st.NameAt.From)
			return fmt.Sprintf("it is bound in line %d; a name is used after it is bound", line)
		}
	}
	if hint := foreignWord(word); hint != "" && index[word] == nil {
		return hint
	}
	names := e.scope.names()
	if best := nearest(word, names); best != "" {
		return suggest(word, names)
	}
	var known []string
	for _, f := range functions {
		if f.Name == word || slices.Contains(f.Synonyms, strings.ToLower(word)) {
			return "did you mean " + f.Signature() + "?"
		}
		known = append(known, f.Name)
	}
	if best := nearest(word, known); best != "" {
		return "did you mean " + index[best].Signature() + "?"
	}
	if len(names) == 0 {
		return "no name is bound yet; texts stand in quotes"
	}
	return "bound names: " + listed(names) + "; texts stand in quotes"
}
