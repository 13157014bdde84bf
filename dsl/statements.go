package dsl

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
)

// unfinished describes what an interrupt left of a statement that binds a name, so that a later cell does not use a part, or the
// old value, as the whole. It is the hint of the error; "" if the statement binds no name.
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

// checkName reports a name that cannot be bound here; own has the binding statements of the same script. Only the check calls it,
// before the statement binds its name, so that the scope has only earlier names.
func (e *evaluator) checkName(st *front.Statement, own map[string]*front.Statement) {
	if st.Name == "" {
		return
	}
	first := own[st.Name]
	own[st.Name] = st // also after a mistake, so that a third binding is reported
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

// isReserved reports whether the language defines a name. A bound true would never be read: the parser treats it as a value.
func isReserved(name string) bool {
	_, constant := constants[name]
	return index[name] != nil || constant || name == "true" || name == "false"
}

// statement evaluates one statement and binds its name. It returns the value even if the name cannot be bound: Eval displays
// partial results.
func (e *evaluator) statement(st *front.Statement) value {
	e.st, e.own, e.uses = st, st, map[string]bool{} // lookups record the names that are read from here on
	v := e.define(st)
	if v.Type == Nothing && st.Name != "" {
		return e.fail(st.Node, Nothing, "this call returns no value for a name", "write it without "+st.Name+" =")
	}
	if st.Name == "" {
		return v
	}
	v = nameValue(v, st.Name)
	b := &binding{name: st.Name, st: st, value: v, uses: map[string]int{}}
	// Constants, functions and unknown names have no binding, and are not recorded.
	for name := range e.uses {
		if used, ok := e.scope[name]; ok {
			b.uses[name] = used.time
		}
	}
	// Only a rebound name can cause a cycle.
	if cyclic(e, st.Name, b.uses) {
		e.failAt(st.NameAt, fmt.Sprintf("the definition of %s would depend on %[1]s itself", st.Name), "choose another name: a name "+
			"cannot depend on itself")
		return v
	}
	// A check binds unknown values too, so that the statements below are checked by type. At run time an unknown value is a
	// mistake, and the name keeps its old value.
	if v.known() || e.dry {
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

// define returns the value of a statement's right-hand side. A sweep calls it again with other values of the names that the
// statement uses.
func (e *evaluator) define(st *front.Statement) value {
	if st.Params != nil {
		return evalFormula(e, st)
	}
	return e.eval(st.Node)
}

// scope maps names to their bindings.
type scope map[string]*binding // an evaluator that checks has a copy of the session's

// binding is a name with the statement that defines it. A name is defined once (or again in a notebook), so a value is a function
// of the values that its statement uses; sweep and Stale rely on it.
type binding struct {
	name  string           // its key in the scope
	st    *front.Statement // evaluated again by a sweep; for Put, one that uses nothing
	value value            // value of the last evaluation; in a check without data if only the type is known
	time  int              // time of binding on the session's clock
	uses  map[string]int   // names that its statement read, with their times of binding
	put   bool             // bound to a Go value by Put; the statement is a placeholder

	unwanted bool // Forget asks to unbind it once nothing uses it; a new binding clears this
}

// names returns the names in the order of their binding.
func (s scope) names() []string {
	return slices.SortedFunc(maps.Keys(s), func(a, b string) int { return s[a].time - s[b].time })
}

// Stale returns the names whose definition uses, directly or indirectly, a name that was bound again since, oldest first; nil if
// there is none.
func (s *Session) Stale() []string {
	because := s.StaleBecause()
	if len(because) == 0 {
		return nil
	}
	return slices.DeleteFunc(s.scope.names(), func(name string) bool { return len(because[name]) == 0 })
}

// StaleBecause returns, for each stale name, the names that were bound again since its definition used them, directly or
// indirectly, with the time of the new binding. It visits each name once: its causes are the rebound names that it uses, and their
// causes. Every used name is bound, since Forget keeps it.
func (s *Session) StaleBecause() map[string]map[string]int {
	all := map[string]map[string]int{} // also of names that are not stale
	var visit func(name string) map[string]int
	visit = func(name string) map[string]int {
		causes, seen := all[name]
		if seen || s.scope[name] == nil {
			return causes
		}
		all[name] = nil // would end a cycle; cyclic prevents them
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
	maps.DeleteFunc(all, func(_ string, causes map[string]int) bool { return len(causes) == 0 }) // keep only stale names
	return all
}

// union returns the entries of both maps without changing them. It returns one of the maps if that has all entries, which is usual
// for chains of names.
func union(a, b map[string]int) map[string]int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := a
	for name, time := range b {
		if _, in := out[name]; in {
			continue
		}
		// The first name that out lacks: a copy is made, and added to.
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

// order numbers names so that a definition has a larger number than the names that it uses.
type order map[string]int

// newOrder numbers all names of a scope.
func newOrder(s scope) order {
	o := order{}
	for name := range s {
		o.number(s, name)
	}
	return o
}

// number returns the number of a name: one more than the largest number of the names that it uses; 0 for an unbound name.
func (o order) number(s scope, name string) int {
	if s[name] == nil {
		return 0
	}
	if n, known := o[name]; known {
		return n
	}
	o[name] = 0 // while it is being numbered
	n := 1
	for used := range s[name].uses {
		n = max(n, 1+o.number(s, used))
	}
	o[name] = n
	return n
}

// cyclic reports whether a definition of name that uses others would depend on itself. Only names with a larger number can lead
// back to it. The order is built when a name is bound again; renumber updates it.
func cyclic(e *evaluator, name string, uses map[string]int) bool {
	if e.scope[name] == nil { // nothing uses it
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

// renumber updates the order when a name is bound. A number that is too large only makes cyclic search further; one that is too
// small would be wrong.
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
	case n > old: // names that use it must be numbered again when the order is next needed
		e.order = nil
	}
}

// withdrawal is a name whose bound value the caller no longer has.
type withdrawal struct {
	now     string   // what happened to it: "is None in Python now", "was deleted in Python"
	before  string   // its former value, for the message
	binding *binding // the invalid binding; nil if the name was not bound
}

// Withdraw states which names the caller no longer has, or has with a value that cannot be bound, each with a phrase that follows
// the name. A script that reads such a name fails unless it binds the name first; earlier definitions that used it stay. Names of
// the previous call may be read again.
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

// describeValue describes the former value: a number, a text or a list as written, possibly cut; otherwise its type.
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

// longestShown limits the length of a value in a message, in runes.
const longestShown = 40

func (w withdrawal) hint(giver string) string {
	return "give it a number, a text, a list or a table in " + giver + ", or bind it in this script"
}

// Forget unbinds names as soon as no other definition uses them: now, or in a later call of Forget. It ignores names that are not
// bound.
func (s *Session) Forget(names ...string) {
	free := s.countUsers() // names that may have lost their last user
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

// countUsers updates how many bindings use each name, from the bindings that changed since the last call, so that forgetting many
// values one by one stays fast. It returns the names that are no longer used.
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

// count adds by to the counts of the names that a binding uses, and returns the names that are no longer used.
func (s *Session) count(b *binding, by int) (unused []string) {
	for used := range b.uses {
		if s.users[used] += by; s.users[used] == 0 {
			delete(s.users, used)
			unused = append(unused, used)
		}
	}
	return unused
}

// Closure returns a script of the definitions of some names and of all that they depend on, one per line, in an order in which a
// fresh session can evaluate them. It also returns the names among them without a source: those bound by Put, and unbound ones. The
// text has the present definitions, so that a stale name (see Stale) would get its new value. Paths are as written, relative to
// Options.Folder.
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
			missing = append(missing, name) // once, since it is now marked as seen
			return
		}
		for _, used := range slices.SortedFunc(maps.Keys(bound.uses), func(a, b string) int { return s.scope.time(a) - s.scope.time(b) }) {
			visit(used)
		}
		// After everything that it uses.
		text, _ := s.Definition(name)
		b.WriteString(text + "\n")
	}
	for _, name := range names {
		visit(name)
	}
	return b.String(), missing
}

// time returns the time at which a name was makeFunction; 0 for an unbound name.
func (s scope) time(name string) int {
	if s[name] == nil {
		return 0
	}
	return s[name].time
}
