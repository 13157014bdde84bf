package main

import (
	"regexp"
	"slices"
	"strings"
)

// negative is a number that begins with a hyphen, with a decimal point or comma.
var negative = regexp.MustCompile(`^-[0-9.,][0-9.,eE+-]*$`)

// minus is the sign that negative numbers have between the command line and valueOf: a hyphen begins a flag.
const minus = "\u2212"

// negatives returns the arguments of the command line with negative values of campaign tell and correct as
// values, not as flags.
func negatives(args []string) []string {
	if len(args) < 2 || args[0] != "campaign" || args[1] != "tell" && args[1] != "correct" {
		return args
	}
	out := slices.Clone(args)
	for i, a := range out {
		if a == "--" {
			break
		}
		if negative.MatchString(a) {
			out[i] = minus + strings.TrimPrefix(a, "-")
		}
	}
	return out
}
