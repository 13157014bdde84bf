package dsl

import (
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
)

// scope is the names bound.
type scope map[string]*binding

// binding is a name with the statement that defines it. A name is defined once
// (or again in a notebook), so a value is a function of what its statement uses:
// sweep and Stale rely on it.
type binding struct {
	name  string
	st    *front.Statement
	value value
	time  int            // when it was bound, by the session's clock
	uses  map[string]int // names its statement read, with the time of what was read
	put   bool           // bound to a Go value by Put; the statement only stands for it
}

// names returns the names in the order in which they were bound.
func (s scope) names() []string {
	var all []*binding
	for _, b := range s {
		all = append(all, b)
	}
	slices.SortFunc(all, func(a, b *binding) int { return a.time - b.time })
	names := make([]string, len(all))
	for i, b := range all {
		names[i] = b.name
	}
	return names
}

// Stale returns the names whose definition uses, at once or through others, a name
// that was bound again since, oldest first.
func (s *Session) Stale() []string {
	var stale []string
	for _, name := range s.scope.names() {
		if len(s.StaleBecause(name)) > 0 {
			stale = append(stale, name)
		}
	}
	return stale
}

// StaleBecause returns the names that were bound again since a definition used them,
// at once or through others, each with the time of that; none for a name that is not
// stale.
func (s *Session) StaleBecause(name string) map[string]int {
	causes := map[string]int{}
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] || s.scope[name] == nil {
			return
		}
		seen[name] = true
		for used, time := range s.scope[name].uses {
			if s.scope[used].time != time {
				causes[used] = s.scope[used].time
			}
			visit(used)
		}
	}
	visit(name)
	return causes
}

// reaches reports whether the definitions of some names use a name.
func (e *evaluator) reaches(uses map[string]int, name string, seen map[string]bool) bool {
	for used := range uses {
		if used == name {
			return true
		}
		if seen[used] || e.scope[used] == nil {
			continue
		}
		seen[used] = true
		if e.reaches(e.scope[used].uses, name, seen) {
			return true
		}
	}
	return false
}

// Closure returns the statements that the definitions of some names need, their own
// included, in an order in which a fresh session can evaluate them, one a line; and
// the names among them that have no source: those bound by Put, and those not bound
// at all. It is the text of the definitions as they are now, so a stale name (see
// Stale) would get its new value. Paths are as written, relative to Options.Folder.
func (s *Session) Closure(names ...string) (src string, missing []string) {
	var b strings.Builder
	seen := map[string]bool{}
	var visit func(name string)
	visit = func(name string) {
		if seen[name] {
			return
		}
		seen[name] = true
		bound := s.scope[name]
		if bound == nil || bound.put {
			missing = append(missing, name)
			return
		}
		for _, used := range s.scope.sorted(bound.uses) {
			visit(used)
		}
		text, _ := s.Definition(name)
		b.WriteString(text + "\n")
	}
	for _, name := range names {
		visit(name)
	}
	return b.String(), missing
}

// sorted lists the names of a set, those bound first first.
func (s scope) sorted(set map[string]int) []string {
	return slices.DeleteFunc(s.names(), func(name string) bool { _, in := set[name]; return !in })
}
