package dsl

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
)

// unfinished says what an interrupt left of a statement that binds a name: a later cell
// must not take a part, or what was there before, for the whole.
// It is the hint of the error. Nothing is said where the statement binds no name.
func (e *evaluator) unfinished(st *front.Statement) string {
	b := e.scope[st.Name]
	switch {
	case st.Name == "":
		return ""
	case b == nil:
		return st.Name + " is not bound: nothing was finished"
	case b.st != st:
		return st.Name + " keeps the value that it had: nothing was finished"
	}
	return st.Name + " is bound to what was finished, shown above; run it again for the whole"
}

// checkName reports a name that cannot be bound here. own has the statements of
// the same script that bind names.
// The check alone asks it, before the statement binds its name: the scope has names of earlier cells and statements then.
func (e *evaluator) checkName(st *front.Statement, own map[string]*front.Statement) {
	if st.Name == "" {
		return
	}
	first := own[st.Name]
	own[st.Name] = st // even where it is a mistake, so that a third binding is told as well
	_, bound := e.scope[st.Name]
	switch {
	case taken(st.Name):
		e.failAt(st.NameAt, fmt.Sprintf("%s is a name of the language and cannot be bound", st.Name), "choose another name")
	case first != nil:
		line, _ := first.Source.Position(first.NameAt.From)
		e.failAt(st.NameAt, fmt.Sprintf("%s is bound twice; it was bound in line %d", st.Name, line),
			"choose another name: a name keeps its value")
	case bound && !e.session.opt.Rebind:
		e.failAt(st.NameAt, fmt.Sprintf("%s is bound already", st.Name), "choose another name: a name keeps its value")
	}
}

// taken reports whether a name is one of the language. A true that is bound would never be read:
// the parser knows it for a value.
func taken(name string) bool {
	_, constant := constants[name]
	return index[name] != nil || constant || name == "true" || name == "false"
}

// statement evaluates one statement and binds its name.
// It returns the value even where the name cannot be bound: Eval displays what a failure cuts short.
func (e *evaluator) statement(st *front.Statement) value {
	e.st, e.own, e.uses = st, st, map[string]bool{} // lookups note the names that are read from here on
	v := e.define(st)
	if v.Type == Nothing && st.Name != "" {
		return e.fail(st.Node, Nothing, "this gives no value that a name could be bound to", "write it without "+st.Name+" =")
	}
	if st.Name == "" {
		return v
	}
	v = named(v, st.Name)
	b := &binding{name: st.Name, st: st, value: v, uses: map[string]int{}}
	// Constants, functions and unknown names have no binding, and are not kept.
	for name := range e.uses {
		if used, ok := e.scope[name]; ok {
			b.uses[name] = used.time
		}
	}
	// Only a name that is bound again can lead back to itself.
	if cyclic(e, st.Name, b.uses) {
		e.failAt(st.NameAt, fmt.Sprintf("%s would be defined by itself", st.Name), "choose another name: a name stands for its definition")
		return v
	}
	// In a check an unknown value is bound too: statements below it are checked by its type. When the script runs, an
	// unknown value is a mistake, and the name keeps what it had.
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

// define returns the value of the right side of a statement.
// A sweep calls it again under other values of the names that the statement uses.
func (e *evaluator) define(st *front.Statement) value {
	if st.Params != nil {
		return evalFormula(e, st)
	}
	return e.eval(st.Node)
}

// scope is the names bound.
type scope map[string]*binding // an evaluator that checks has a copy of the session's

// binding is a name with the statement that defines it. A name is defined once
// (or again in a notebook), so a value is a function of the values its statement uses:
// sweep and Stale rely on it.
type binding struct {
	name  string           // its key in the scope
	st    *front.Statement // evaluated again by a sweep; of Put, one that uses nothing
	value value            // when the statement was evaluated last; without data in a check where only the type is known
	time  int              // when it was bound, by the session's clock
	uses  map[string]int   // names its statement read, with the time at which each was bound
	put   bool             // bound to a Go value by Put; the statement only stands for it

	unwanted bool // to be unbound when nothing is defined by it; set by Forget, gone with a new binding
}

// names returns the names in the order in which they were bound.
func (s scope) names() []string {
	return slices.SortedFunc(maps.Keys(s), func(a, b string) int { return s[a].time - s[b].time })
}

// Stale returns the names whose definition uses, at once or through others, a name
// that was bound again since, oldest first.
// It is nil when none is stale.
func (s *Session) Stale() []string {
	because := s.StaleBecause()
	if len(because) == 0 {
		return nil
	}
	return slices.DeleteFunc(s.scope.names(), func(name string) bool { return len(because[name]) == 0 })
}

// StaleBecause returns for each stale name the names that were bound again since its
// definition used them, at once or through others, each with the time of that.
// Each name is visited once: its causes are the names that it uses and that were bound again, with the causes of all that it uses.
// A name that is used is bound, as Forget leaves it; so no entry is missing below.
func (s *Session) StaleBecause() map[string]map[string]int {
	all := map[string]map[string]int{} // of names that are not stale, too
	var visit func(name string) map[string]int
	visit = func(name string) map[string]int {
		causes, seen := all[name]
		if seen || s.scope[name] == nil {
			return causes
		}
		all[name] = nil // would end a circle; cyclic lets none come about
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
	maps.DeleteFunc(all, func(_ string, causes map[string]int) bool { return len(causes) == 0 }) // only stale names are returned
	return all
}

// union returns the entries of both maps. It changes neither, and returns one of them where that
// has all: names in a chain have the same causes.
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

// order numbers names so that a definition has a larger number than what it uses.
type order map[string]int

// newOrder numbers all names of a scope.
func newOrder(s scope) order {
	o := order{}
	for name := range s {
		o.number(s, name)
	}
	return o
}

// number returns the number of a name: one more than the largest number among the names that it uses, and 0
// for a name that is not bound.
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

// cyclic reports whether a name would be defined by itself if its definition used others. Only
// names with a larger number can lead back to it.
// A script binds each name once and needs no order; it is made when a name is bound again, and kept by renumber.
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
			if seen[used] || e.order[used] < e.order[name] { // numbered lower, so it rests on nothing with the number of name
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

// renumber keeps the order when a name is bound.
// A number may be larger than needed, which only makes cyclic look further. It must not be too small.
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
	case n > old: // what uses it must be numbered again, when the order is needed next
		e.order = nil
	}
}

// withdrawal is a name that the caller does not have any more as it was bound.
type withdrawal struct {
	now     string   // what became of it: "is None in Python now", "was deleted in Python"
	before  string   // what it was, for the message
	binding *binding // that does not count any more; nil where the name was not bound
}

// Withdraw says which names the caller does not have any more, or has for something that cannot be bound, and what became
// of each, as it reads behind the name.
// A script that reads one of them fails, unless it binds the name first; what was defined by it before stays. The
// names of the call before may be read again.
func (s *Session) Withdraw(names map[string]string) {
	s.withdrawn = map[string]withdrawal{}
	for name, now := range names {
		w := withdrawal{now: now, binding: s.scope[name]}
		if w.binding != nil {
			w.before = s.shortened(w.binding)
		}
		s.withdrawn[name] = w
	}
}

func (w withdrawal) message(name string) string {
	text := name + " " + w.now
	if w.binding != nil {
		text += fmt.Sprintf("; the value before, %s, is not used any more", w.before)
	}
	return text
}

// shortened says what a name was bound to: a number, a text or a list as it was written, or its beginning; else its type.
func (s *Session) shortened(b *binding) string {
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

// longestShown is how much of a value a message shows, in runes.
const longestShown = 40

func (w withdrawal) hint(giver string) string {
	return "give it a number, a text, a list or a table in " + giver + ", or bind it in this script"
}

// Forget unbinds names that nothing else is defined by, and the others as soon as nothing is. Names
// that are not bound are passed over.
// A name that is wanted away stays marked, and goes with a later call of Forget when its last user is gone or bound again.
func (s *Session) Forget(names ...string) {
	free := s.countUsers() // what may have lost its last user
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

// countUsers counts by how many bindings each name is used, as far as they changed since the last time: a session of many
// values forgets them one by one. It returns the names that are not used any more.
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

// count adds to the counts of the names that a binding uses, and returns those that are not used any more.
func (s *Session) count(b *binding, by int) (unused []string) {
	for used := range b.uses {
		if s.users[used] += by; s.users[used] == 0 {
			delete(s.users, used)
			unused = append(unused, used)
		}
	}
	return unused
}

// Closure returns the statements that the definitions of some names need, their own
// included, in an order in which a fresh session can evaluate them, one a line; and
// the names among them that have no source: those bound by Put, and those not bound
// at all. It is the text of the definitions as they are now, so a stale name (see
// Stale) would get its new value. Paths are as written, relative to Options.Folder.
// Names come after what they use, and otherwise in the order in which they were bound.
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
			missing = append(missing, name) // once, as it is seen now
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

// time returns the time at which a name was bound; 0 for an unbound name.
func (s scope) time(name string) int {
	if s[name] == nil {
		return 0
	}
	return s[name].time
}
