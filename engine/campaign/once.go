package campaign

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// WithSlashes returns arms by task and arm, where each was written as task/arm and parted at the first slash:
// a name may have slashes of its own. What names no arm stays as it is.
func (p Protocol) WithSlashes(arms [][2]string) [][2]string {
	out := slices.Clone(arms)
	for k, w := range arms {
		text := w[0] + "/" + w[1]
		for i := range p.Problem.TaskOf {
			if names := p.Problem.NamesOf(i); strings.Join(names[:2], "/") == text && !slices.Contains(p.Problem.Tasks.Names, w[0]) {
				out[k] = [2]string(names)
			}
		}
	}
	return out
}

// Amended reports whether the same change was recorded before: the same values, arms and rows for the
// same reason. A cell of a notebook that is run again makes no second change; one that is meant
// to be a second has a reason of its own.
func (s *State) Amended(b AmendBody) bool {
	return slices.ContainsFunc(s.amends, func(a amendment) bool {
		return a.Reason == b.Reason && equal(a.Epsilon, b.Epsilon) && equal(a.Delta, b.Delta) && equal(a.Capacity, b.Capacity) &&
			slices.Equal(a.Withdraw, b.Withdraw) && (a.Add == nil) == (b.Add == nil) && (a.Add == nil || a.Add.SHA256 == b.Add.SHA256)
	})
}

// equal reports whether two values are the same, or both are not stated.
func equal[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// Ended reports whether a round is over, so that closing it changes nothing. It is an error where the
// round was not planned yet.
func (s *State) Ended(round int) (bool, error) {
	if round < 1 || round > len(s.rounds) {
		return false, fmt.Errorf("there is no round %d yet: %d were planned", round, len(s.rounds))
	}
	r := s.open()
	return r == nil || r.plan.Round != round, nil
}

// Untouched reports whether nothing of the open round was handed out or measured, so that whoever
// closes it may mean the one before.
func (s *State) Untouched() bool {
	r := s.open()
	if r == nil || len(r.filled) > 0 {
		return false
	}
	for _, it := range s.items {
		if it.round == r.plan.Round {
			return false
		}
	}
	return true
}

// decimalComma is a comma between two digits, as in the name "temp=72,5" of somebody whose table has
// decimal commas; names that are made of numbers have points.
var decimalComma = regexp.MustCompile(`(\d),(\d)`)

// armNamed returns which of the arms of task v has a name, from 0, or -1. Where the table has decimal
// commas, so may the name.
func (p Protocol) armNamed(v int, name string) int {
	lo, hi := p.Problem.ArmsOf(v)
	k := slices.Index(p.Problem.Arms.Names[lo:hi], name)
	if k < 0 && p.Problem.DialectOf().DecimalCommas {
		k = slices.Index(p.Problem.Arms.Names[lo:hi], decimalComma.ReplaceAllString(name, "$1.$2"))
	}
	return k
}
