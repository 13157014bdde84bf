package dsl

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
)

// unfinished returns the hint about a name that an interrupted statement should have bound: whether it has a partial value, its
// old value, or none. It returns "" if the statement binds no name.
func (e *evaluator) unfinished(st *front.Statement) string {
	b := e.scope[st.Name]
	switch {
	case st.Name == "":
		return ""
	case b == nil:
		return st.Name + " has no value, because nothing was finished"
	case b.st != st:
		return st.Name + " keeps its earlier value, because nothing was finished"
	}
	return st.Name + " has the finished part, shown above. Run it again to complete it"
}

// checkName reports a name that cannot be bound here. own has the statements of this script that bind names. Only a check calls
// it, before the statement binds its name, so that the scope has only earlier names.
func (e *evaluator) checkName(st *front.Statement, own map[string]*front.Statement) {
	if st.Name == "" {
		return
	}
	first := own[st.Name]
	own[st.Name] = st // recorded even after a mistake, so that a third binding is reported too
	_, bound := e.scope[st.Name]
	switch {
	case isReserved(st.Name):
		e.failAt(st.NameAt, fmt.Sprintf("%s is a name of the language and cannot be redefined", st.Name), "choose another name")
	case first != nil:
		line, _ := first.Source.Position(first.NameAt.From)
		e.failAt(st.NameAt, fmt.Sprintf("%s is defined twice, first in line %d", st.Name, line),
			"choose another name: a name has one value")
	case bound && !e.session.opt.Rebind:
		e.failAt(st.NameAt, fmt.Sprintf("%s is already defined", st.Name), "choose another name: a name has one value")
	}
}

// isReserved reports whether the language defines a name. true and false are reserved because the parser reads them as values.
func isReserved(name string) bool {
	_, constant := constants[name]
	return index[name] != nil || constant || name == "true" || name == "false"
}

// statement evaluates one statement, binds its name, and returns the value. It returns the value even if the name cannot be
// bound, because Eval displays partial results.
func (e *evaluator) statement(st *front.Statement) value {
	e.st, e.own, e.uses = st, st, map[string]bool{} // lookups record in uses the names that they read
	v := e.define(st)
	if v.Type == Nothing && st.Name != "" {
		return e.fail(st.Node, Nothing, "this call returns no value for a name", "write it without "+st.Name+" =")
	}
	if st.Name == "" {
		return v
	}
	v = nameValue(v, st.Name)
	b := &binding{name: st.Name, st: st, value: v, uses: map[string]int{}}
	// Record only bound names, not constants and functions.
	for name := range e.uses {
		if used, ok := e.scope[name]; ok {
			b.uses[name] = used.time
		}
	}
	// Only binding a name again can cause a cycle.
	if cyclic(e, st.Name, b.uses) {
		e.failAt(st.NameAt, fmt.Sprintf("the definition of %s would depend on %[1]s itself", st.Name), "choose another name: a name "+
			"cannot depend on itself")
		return v
	}
	// A check binds unknown values too, so that the statements below are checked by type, and so does a part of a script, which has
	// only some results. Otherwise an unknown value is a mistake at run time, and the name keeps its old value.
	if v.known() || e.dry || e.divided != nil {
		e.session.clock++
		b.time = e.session.clock
		e.scope[st.Name] = b
		if !e.dry {
			e.session.changed[st.Name] = true
		}
		renumber(e, st.Name, b.uses)
	}
	return v
}

// define evaluates the right-hand side of a statement. A sweep calls it again with other values of the names that the statement
// reads.
func (e *evaluator) define(st *front.Statement) value {
	if st.Params != nil {
		return evalFormula(e, st)
	}
	return e.eval(st.Node)
}

// scope maps names to their bindings.
type scope map[string]*binding // in a check, a copy of the session's scope

// binding is a name with the statement that defines it and its value. A name is bound once (or again in a notebook), so the value
// is a function of the values that the statement reads; sweep and Stale rely on this.
type binding struct {
	name  string           // the name, also its key in the scope
	st    *front.Statement // evaluated again by a sweep; a placeholder that reads nothing for Put
	value value            // latest value; in a check it may have only a type
	time  int              // time of binding, on the session's clock
	uses  map[string]int   // names that the statement read, with their times of binding
	put   bool             // whether Put bound it to a Go value

	unwanted bool // whether to unbind it once no other definition uses it, see Forget; a new binding clears this
}

// names returns the names in the order in which they were bound.
func (s scope) names() []string {
	return slices.SortedFunc(maps.Keys(s), func(a, b string) int { return s[a].time - s[b].time })
}

// Stale returns the outdated names, oldest first: those whose definition uses, directly or indirectly, a name that was bound
// again since. It returns nil if there are none.
func (s *Session) Stale() []string {
	because := s.StaleBecause()
	if len(because) == 0 {
		return nil
	}
	return slices.DeleteFunc(s.scope.names(), func(name string) bool { return len(because[name]) == 0 })
}

// StaleBecause returns, for each outdated name, the causes: the names it uses, directly or indirectly, that were bound again
// since, with the time of their new binding.
func (s *Session) StaleBecause() map[string]map[string]int {
	all := map[string]map[string]int{} // causes of all names visited so far; empty for names that are up to date
	var visit func(name string) map[string]int
	visit = func(name string) map[string]int {
		causes, seen := all[name]
		if seen || s.scope[name] == nil {
			return causes
		}
		all[name] = nil // stops the recursion at a cycle, which cyclic prevents
		for used, time := range s.scope[name].uses {
			causes = union(causes, visit(used))
			if bound := s.scope[used].time; bound != time {
				causes = union(causes, map[string]int{used: bound})
			}
		}
		all[name] = causes
		return causes
	}
	for name := range s.scope {
		visit(name)
	}
	maps.DeleteFunc(all, func(_ string, causes map[string]int) bool { return len(causes) == 0 }) // keep only outdated names
	return all
}

// union returns a map with the entries of both maps, which stay unchanged. If one map has all entries, as is usual, that map
// itself is returned.
func union(a, b map[string]int) map[string]int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := a
	for name, time := range b {
		if _, in := out[name]; in {
			continue
		}
		// Before adding the first entry, copy a.
		if len(out) == len(a) {
			out = maps.Clone(a)
		}
		if out == nil { // both were nil
			out = map[string]int{}
		}
		out[name] = time
	}
	return out
}

// order assigns each name a number that is larger than the numbers of the names in its definition.
type order map[string]int

// newOrder numbers all names of a scope.
func newOrder(s scope) order {
	o := order{}
	for name := range s {
		o.number(s, name)
	}
	return o
}

// number returns the number of a name: one more than the largest number of the names in its definition; 0 for an unbound name.
func (o order) number(s scope, name string) int {
	if s[name] == nil {
		return 0
	}
	if n, known := o[name]; known {
		return n
	}
	o[name] = 0 // while the recursion visits the name
	n := 1
	for used := range s[name].uses {
		n = max(n, 1+o.number(s, used))
	}
	o[name] = n
	return n
}

// cyclic reports whether name would depend on itself if its definition used these names. Only names with a number above that of
// name can depend on it, so the search skips others. It builds the order when a name is first bound again; renumber keeps it up
// to date.
func cyclic(e *evaluator, name string, uses map[string]int) bool {
	if e.scope[name] == nil { // nothing can use an unbound name
		return false
	}
	if e.order == nil {
		e.order = newOrder(e.scope)
	}
	seen := map[string]bool{}
	var reaches func(uses map[string]int) bool
	reaches = func(uses map[string]int) bool {
		for used := range uses {
			if used == name {
				return true
			}
			if seen[used] || e.order[used] < e.order[name] { // a lower number cannot depend on name
				continue
			}
			seen[used] = true
			if bound := e.scope[used]; bound != nil && reaches(bound.uses) {
				return true
			}
		}
		return false
	}
	return reaches(uses)
}

// renumber updates the order when a name is bound. A number that is too large only slows down cyclic; one that is too small would
// make it wrong.
func renumber(e *evaluator, name string, uses map[string]int) {
	if e.order == nil {
		return
	}
	n := 1
	for used := range uses {
		n = max(n, 1+e.order[used])
	}
	switch old, bound := e.order[name]; {
	case !bound:
		e.order[name] = n
	case n > old: // names that use it need new numbers, which are computed when the order is next needed
		e.order = nil
	}
}

// withdrawal describes a name that scripts cannot read: the caller no longer has its value, or has one that cannot be
// bound.
type withdrawal struct {
	now     string   // what happened, for example "is None in Python now", "was deleted in Python"
	before  string   // its former value, for the message
	binding *binding // the invalid binding; nil if the name was not bound
}

// Withdraw declares which names the caller no longer has, or has with a value that cannot be bound. Each name maps to a phrase
// for messages that follows the name. A script that reads such a name fails, unless it binds the name first. Earlier definitions
// that used it stay valid. Each call replaces the names of the previous call.
func (s *Session) Withdraw(names map[string]string) {
	s.withdrawn = map[string]withdrawal{}
	for name, now := range names {
		w := withdrawal{now: now, binding: s.scope[name]}
		if w.binding != nil {
			w.before = s.describeValue(w.binding)
		}
		s.withdrawn[name] = w
	}
}

func (w withdrawal) message(name string) string {
	text := name + " " + w.now
	if w.binding != nil {
		text += fmt.Sprintf("; its earlier value, %s, is no longer used", w.before)
	}
	return text
}

// describeValue describes a former value: a number, a text or a list as written, possibly shortened; otherwise its type.
func (s *Session) describeValue(b *binding) string {
	switch {
	case s.isTable(b.value):
		return "a table"
	case b.put || b.value.Type != Number && b.value.Type != Text && b.value.Type != List:
		return b.value.Type.a()
	}
	text := b.st.Source.Slice(b.st.Span(b.st.Node))
	if runes := []rune(text); len(runes) > longestShown {
		text = string(runes[:longestShown]) + "…"
	}
	return text
}

// longestShown is the largest length of a value in a message, in runes.
const longestShown = 40

func (w withdrawal) hint(giver string) string {
	return "give it a number, a text, a list or a table in " + giver + ", or bind it in this script"
}

// Forget unbinds names as soon as no other definition uses them: at once, or in a later call of Forget. Names that are not bound
// are ignored.
func (s *Session) Forget(names ...string) {
	free := s.countUsers() // names that no definition uses any more
	for _, name := range names {
		if b := s.scope[name]; b != nil {
			b.unwanted = true
			free = append(free, name)
		}
	}
	for len(free) > 0 {
		name := free[len(free)-1]
		free = free[:len(free)-1]
		if b := s.scope[name]; b != nil && b.unwanted && s.users[name] == 0 {
			delete(s.scope, name)
			delete(s.counted, name)
			free = append(free, s.count(b, -1)...)
		}
	}
}

// countUsers updates how many bindings use each name. It processes only the bindings that changed since its last call, so that
// forgetting many values one by one is fast. It returns the names that are no longer used.
func (s *Session) countUsers() (unused []string) {
	for name := range s.changed {
		if old := s.counted[name]; old != nil {
			unused = append(unused, s.count(old, -1)...)
		}
		if b := s.scope[name]; b != nil {
			s.count(b, 1)
			s.counted[name] = b
		}
	}
	clear(s.changed)
	return unused
}

// count adds by to the number of users of each name that a binding uses, and returns the names whose number becomes 0.
func (s *Session) count(b *binding, by int) (unused []string) {
	for used := range b.uses {
		if s.users[used] += by; s.users[used] == 0 {
			delete(s.users, used)
			unused = append(unused, used)
		}
	}
	return unused
}

// Closure returns a script that defines the given names and all names that they depend on, one definition per line, in an order
// in which a new session can evaluate them. missing lists the names without a source: those bound by Put, and unbound ones. The
// script has the present definitions, so an outdated name gets a new value. Paths are as written, relative to Options.Folder.
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
			missing = append(missing, name) // only once, since the name is now marked as visited
			return
		}
		for _, used := range slices.SortedFunc(maps.Keys(bound.uses), func(a, b string) int { return s.scope.time(a) - s.scope.time(b) }) {
			visit(used)
		}
		// Write the definition after those that it uses.
		text, _ := s.Definition(name)
		b.WriteString(text + "\n")
	}
	for _, name := range names {
		visit(name)
	}
	return b.String(), missing
}

// time returns the time at which a name was bound; 0 for an unbound name.
func (s scope) time(name string) int {
	if s[name] == nil {
		return 0
	}
	return s[name].time
}
