package report

import (
	"regexp"
	"strconv"
	"strings"
)

// numbers are those in a text, as this package writes them.
var numbers = regexp.MustCompile(`[0-9][0-9,]*(\.[0-9]+)?(e[+-]?[0-9]+)?`)

// skeleton is a text without its numbers: texts that say the same of different numbers
// have one skeleton.
func skeleton(text string) string { return numbers.ReplaceAllString(text, "#") }

// merged is one text for several of the same skeleton, with the range of each number:
// "1.06 to 1.15 times as many".
func merged(texts []string) string {
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
