package report

import (
	"regexp"
	"strconv"
	"strings"
)

// numbers are those in a text, as this package writes them.
var numbers = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?(e[+-]?[0-9]+)?`)

// skeleton is a text without its numbers: texts that say the same of different numbers
// have one skeleton. Of a text with names in quotes it is what stands before the first,
// because what follows tells of those names.
func skeleton(text string) string {
	before, _, _ := strings.Cut(text, `"`)
	return numbers.ReplaceAllString(before, "#")
}

// ofNames tells whether a text speaks of names, whose numbers are not those of other names:
// such texts are not merged, the first stands for all.
func ofNames(text string) bool { return strings.Contains(text, `"`) }

// merged is one text for several of the same skeleton, with the range of each number:
// "1.06 to 1.15 times as many". Of texts with names it is the first.
func merged(texts []string) string {
	if ofNames(texts[0]) {
		return texts[0]
	}
	words := numbers.Split(texts[0], -1)
	out := words[0]
	for i, word := range words[1:] {
		var low, high string
		for k, t := range texts {
			n := numbers.FindAllString(t, -1)[i]
			if k == 0 || asNumber(n) < asNumber(low) {
				low = n
			}
			if k == 0 || asNumber(n) > asNumber(high) {
				high = n
			}
		}
		if low != high {
			low += " to " + high
		}
		out += low + word
	}
	return out
}

// asNumber is the value of a number that was written with thousands separators.
func asNumber(number string) float64 {
	v, _ := strconv.ParseFloat(strings.ReplaceAll(number, ",", ""), 64)
	return v
}

// bySkeleton groups texts of one skeleton, by first appearance.
func bySkeleton(texts []string) [][]string {
	var out [][]string
	at := map[string]int{}
	for _, t := range texts {
		kind := skeleton(t)
		k, known := at[kind]
		if !known {
			k = len(out)
			at[kind], out = k, append(out, nil)
		}
		out[k] = append(out[k], t)
	}
	return out
}
