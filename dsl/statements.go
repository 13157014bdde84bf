package dsl

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
)

// unfinished returns a hint after an interrupt: whether the name of the interrupted statement now has a partial value, its
// old value, or no value. It returns "" if the statement binds no name.
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

// checkName reports a name that the statement st cannot bind, and adds st to own. own maps each name to the statement of
// this script that binds it. Only a check calls checkName, before st binds its name, so the scope then holds only earlier
// names.
func (e *evaluator) checkName(st *front.Statement, own map[string]*front.Statement) {
	if st.Name == "" {
		return
	}
	first := own[st.Name]
	own[st.Name] = st // also after a mistake, so that a third binding is reported too
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

// isReserved reports whether scripts cannot bind a name because the language uses it. This includes true and false, which
// the parser reads as values.
func isReserved(name string) bool {
	_, constant := constants[name]
	return index[name] != nil || constant || name == "true" || name == "false"
}

// statement evaluates one statement, binds its name, and returns the value. If the name cannot be bound, it returns the
// value anyway, because Eval displays partial results.
func (e *evaluator) statement(st *front.Statement) value {
	e.st, e.own, e.uses = st, st, map[string]bool{} // each lookup adds the name it reads to uses
	v := e.define(st)
	if v.Type == Nothing && st.Name != "" {
		return e.fail(st.Node, Nothing, "this call returns no value for a name", "write it without "+st.Name+" =")
	}
	if st.Name == "" {
		return v
	}
	v = nameValue(v, st.Name)
	b := &binding{name: st.Name, st: st, value: v, uses: map[string]int{}}
	// Keep only bound names in uses, not constants and functions.
	for name := range e.uses {
		if used, ok := e.scope[name]; ok {
			b.uses[name] = used.time
		}
	}
	// A cycle can arise only if the name was bound before.
	if cyclic(e, st.Name, b.uses) {
		e.failAt(st.NameAt, fmt.Sprintf("the definition of %s would depend on %[1]s itself", st.Name), "choose another name: a name "+
			"cannot depend on itself")
		return v
	}
	// A check binds unknown values too, so that later statements can be checked by type. An evaluation of a part of a
	// script (see Shard) does the same, because it lacks the results of other parts. In any other evaluation, a name is
	// not bound to an unknown value, and keeps its old value.
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

// define evaluates the right-hand side of a statement. A sweep calls define again with other values of the names that the
// right-hand side uses.
func (e *evaluator) define(st *front.Statement) value {
	if st.Params != nil {
		return evalFormula(e, st)
	}
	return e.eval(st.Node)
}

// scope maps each bound name to its binding.
type scope map[string]*binding // in a check, a copy of the session's scope

// binding is a bound name with its definition and its value. Outside notebooks a name is bound only once. Therefore a
// value is determined by the values that its definition uses; sweep and Stale rely on this.
type binding struct {
	name  string           // the name, also its key in the scope
	st    *front.Statement // the definition; a placeholder that uses no names if Put bound the name
	value value            // latest value; in a check its data may be unknown
	time  int              // session's clock when the name was bound
	uses  map[string]int   // names that the definition used, each with the time when it was bound
	put   bool             // whether Put bound the name to a Go value

	unwanted bool // whether to unbind the name when no other definition uses it, see Forget; binding it again resets this
}

// names returns the names in the order in which they were bound.
func (s scope) names() []string {
	return slices.SortedFunc(maps.Keys(s), func(a, b string) int { return s[a].time - s[b].time })
}

// Stale returns the outdated names, oldest first. A name is outdated if its definition uses, directly or indirectly, a
// name that was bound again later. It returns nil if there are none.
func (s *Session) Stale() []string {
	because := s.StaleBecause()
	if len(because) == 0 {
		return nil
	}
	return slices.DeleteFunc(s.scope.names(), func(name string) bool { return len(because[name]) == 0 })
}

// StaleBecause returns, for each outdated name, why it is outdated: the names that its definition uses, directly or
// indirectly, and that were bound again later. Each of these names maps to the time of its new binding.
func (s *Session) StaleBecause() map[string]map[string]int {
	all := map[string]map[string]int{} // causes of each name visited so far; empty for a name that is up to date
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
	maps.DeleteFunc(all, func(_ string, causes map[string]int) bool { return len(causes) == 0 }) // drop names that are up to date
	return all
}

// union returns a map with the entries of both a and b, neither of which it changes. If one map contains all entries,
// which is common, union returns that map without a copy.
func union(a, b map[string]int) map[string]int {
	if len(a) < len(b) {
		a, b = b, a
	}
	out := a
	for name, time := range b {
		if _, in := out[name]; in {
			continue
		}
		// Copy a before the first entry is added.
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

// order numbers the bound names, so that each name has a larger number than the names that its definition uses.
type order map[string]int

// newOrder numbers all names of a scope.
func newOrder(s scope) order {
	o := order{}
	for name := range s {
		o.number(s, name)
	}
	return o
}

// number returns the number of a name in scope s: one more than the largest number of the names that its definition uses.
// It returns 0 for an unbound name.
func (o order) number(s scope, name string) int {
	if s[name] == nil {
		return 0
	}
	if n, known := o[name]; known {
		return n
	}
	o[name] = 0 // marks the name as visited during the recursion
	n := 1
	for used := range s[name].uses {
		n = max(n, 1+o.number(s, used))
	}
	o[name] = n
	return n
}

// cyclic reports whether name would depend on itself if its definition used the names in uses. A name that depends on name
// has a larger number in e.order, so the search skips names with smaller numbers. The first call builds the order;
// renumber updates it.
func cyclic(e *evaluator, name string, uses map[string]int) bool {
	if e.scope[name] == nil { // no definition can use an unbound name
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
			if seen[used] || e.order[used] < e.order[name] { // a name with a smaller number cannot depend on name
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

// renumber updates e.order after name is bound to a definition that uses these names. A number that is too large slows
// down cyclic; a number that is too small makes it wrong.
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
	case n > old: // names whose definitions use name need new numbers; cyclic builds the order again when it needs it
		e.order = nil
	}
}

// withdrawal describes a name that scripts may no longer read, because the caller deleted its value or changed it to one
// that cannot be bound.
type withdrawal struct {
	now     string   // what happened to the value, for example "is None in Python now" or "was deleted in Python"
	before  string   // description of the former value, for the message
	binding *binding // the invalid binding; nil if the name was not bound
}

// Withdraw sets the names that scripts may no longer read, because the caller deleted their values or changed them to
// values that cannot be bound. It replaces the names of the previous call. names maps each name to a phrase that follows
// the name in messages. A script that reads such a name fails, unless the script binds it first. Values that were computed
// from the name stay valid.
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

// describeValue describes the value of a binding for a message. It returns a number, a text or a list as a script would
// write it, possibly shortened, and otherwise the type.
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

// longestShown is the maximum length, in runes, of a value in a message.
const longestShown = 40

func (w withdrawal) hint(giver string) string {
	return "give it a number, a text, a list or a table in " + giver + ", or bind it in this script"
}

// Forget unbinds each of the names as soon as no other definition uses it: now, or in a later call of Forget. It ignores
// names that are not bound.
func (s *Session) Forget(names ...string) {
	free := s.countUsers() // names to forget that no definition uses
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

// countUsers updates, for each name, how many bindings use it, and returns the names that are no longer used. It examines
// only bindings that changed since its last call. This keeps many calls of Forget fast.
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

// count adds the number by to the user count of each name that binding b uses. It returns the names whose count becomes 0.
func (s *Session) count(b *binding, by int) (unused []string) {
	for used := range b.uses {
		if s.users[used] += by; s.users[used] == 0 {
			delete(s.users, used)
			unused = append(unused, used)
		}
	}
	return unused
}
