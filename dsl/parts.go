package dsl

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/kinds"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// The parts of a value are the fields of its JSON form, see report.Parts. Examples are r.samples, b.rho_star.value and
// r.answers["A"].arm. The Go type of a value determines the types of its parts, so a check knows them before the value is
// computed.

// typeFor returns the language's type for the Go type t, and the Go type that determines the names of the parts or the
// type of the elements. It follows pointers. The result for an interface is the type anything.
func typeFor(t reflect.Type) (Type, reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil { // for example, an element of a list without a Go type
		return anything, nil
	}
	if k, ok := kinds.Of[struct{}](t); ok { // a type of package kinds, such as a result, a sweep or bounds
		return Type(k.Name), t
	}
	switch {
	case t == reflect.TypeFor[report.Table]():
		return Table, t
	case report.IsText(t), t.Kind() == reflect.String: // Go types whose JSON form is a string
		return Text, nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return List, t.Elem()
	case reflect.Struct, reflect.Map: // the parts of a map are its keys, known only with the value
		return Record, t
	case reflect.Interface:
		return anything, nil
	}
	return Number, nil // booleans are the numbers 1 and 0
}

// goType returns the Go type that determines the parts of v; nil if unknown. For lists and records, this type is the field
// of.
func (v value) goType() reflect.Type {
	switch {
	case v.of != nil:
		return v.of
	case v.Type == List || v.Type == Record || v.Type == Number || v.Type == Text || v.Type == anything:
		return nil
	}
	if k, ok := v.Type.kind(); ok {
		return k.Type
	}
	return reflect.TypeOf(v.Data) // figures, tables and kernels
}

// partNames lists the parts of a value; for a list, it lists the parts of an element. If the type of the elements is
// unknown, it uses the first element.
func (v value) partNames() []string {
	t := v.goType()
	if m := reflect.ValueOf(v.Data); v.Type == Record && m.Kind() == reflect.Map { // a row of a table
		names := lists.Map(m.MapKeys(), func(k reflect.Value) string { return fmt.Sprint(k.Interface()) })
		slices.Sort(names)
		return names
	}
	// A list literal has no Go type, so use its first element.
	if v.Type == List && t == nil {
		if list, _ := v.Data.([]value); len(list) > 0 {
			return list[0].partNames()
		}
	}
	if v.Type != List && !v.Type.hasParts() {
		return nil
	}
	var names []string
	if table, ok := v.Data.(report.Table); ok { // the parts of a table are its columns
		names = table.ColumnNames()
	}
	names = append(names, lists.Map(report.Parts(t), func(p report.Part) string { return p.Name })...) // in the order of the JSON fields
	return names
}

// hasParts reports whether values of the type have parts.
func (t Type) hasParts() bool {
	_, is := t.kind()
	return is || t == Record || t == Table
}

// evalMember evaluates v.name, v["name"] and v[i]. The parser returns the same node type for all three; the source text
// distinguishes the first two.
func evalMember(e *evaluator, n *ast.MemberNode) value {
	name, named := n.Property.(*ast.StringNode)
	// Test for an unquoted file name such as p.csv first, because evaluating p would report an unknown name.
	if id, ok := n.Node.(*ast.IdentifierNode); ok && named && isFileName(e, n, id, name.Value) {
		return unknown(anything)
	}
	v := e.eval(n.Node)
	// If v has a mistake, evaluate the index too, to report its mistakes.
	if v.Type == anything {
		if !named {
			e.eval(n.Property)
		}
		return v
	}
	if named && strings.HasPrefix(e.st.Text(n.Property), name.Value) { // the source text has a dot, as in v.name
		return evalPart(e, n, v, name.Value)
	}
	// v["name"] or v[i]: the index is a text in quotes, or an expression of a number or a text.
	at := value{Type: Text}
	if named {
		at.Data = name.Value
	} else {
		at = e.eval(n.Property)
	}
	switch table, isTable := v.Data.(report.Table); {
	// A text selects the list element with that name.
	case v.Type == List && at.Type == Text:
		return evalRow(e, n, v, at)
	case at.Type == Text && at.known() && isTable && !slices.Contains(v.partNames(), at.Data.(string)):
		return tableRow(e, n, table, at.Data.(string))
	case at.Type == Text && at.known():
		return evalPart(e, n, v, at.Data.(string))
	// A number selects a row of a table.
	case v.Type == Table && at.Type == Number:
		if !v.known() || !at.known() {
			return unknown(Record) // a record whose parts are the columns
		}
		rows := lists.Make(len(table.Rows), func(i int) value {
			return value{Type: Record, Data: table.Row(i), of: reflect.TypeFor[map[string]any]()}
		})
		return e.element(n, value{Type: List, Data: rows}, at)
	case v.Type != List && v.Type.hasParts(): // a value with parts is indexed by a name, not by a number
		return e.fail(n.Property, anything, fmt.Sprintf("choose a part of %s by its name, not by a number", v.Type.a()),
			fmt.Sprintf("write %s.%s", e.st.Text(n.Node), usualPart(v.partNames())))
	}
	return e.element(n, v, at)
}

// isFileName reports a mistake if n is a file name without quotes, such as machines.csv, and then returns true. It returns
// false if the part before the dot is a bound name.
func isFileName(e *evaluator, n *ast.MemberNode, id *ast.IdentifierNode, ending string) bool {
	ending = "." + strings.ToLower(ending)
	if _, bound := e.scope[id.Value]; bound || !slices.Contains(dataEndings, ending) && !slices.Contains(save.Endings(), ending) {
		return false
	}
	e.fail(n, anything, fmt.Sprintf("the name of a file needs quotes, but %s has none", e.st.Text(n)),
		fmt.Sprintf("write %q", e.st.Text(n)))
	return true
}

// evalPart evaluates the named part of a value, or of every element of a list.
func evalPart(e *evaluator, n *ast.MemberNode, v value, name string) value {
	if v.Type == List {
		return evalColumn(e, n, v, name)
	}
	names := v.partNames()                                  // in a check, the type determines them
	if len(names) == 0 && v.Type.hasParts() && !v.known() { // the parts of this record are known only when the script runs
		return unknown(anything)
	}
	if !slices.Contains(names, name) {
		if e.session.isTable(v) {
			return e.fail(n, anything, fmt.Sprintf("%s is a table. Give functions the names of its columns, in quotes", e.st.Text(n.Node)),
				"write "+tableExample(e, n.Node))
		}
		if len(names) == 0 {
			return e.fail(n, anything, fmt.Sprintf("%s has no parts", v.Type.a()), foreignWord(name))
		}
		return e.fail(n.Property, anything, fmt.Sprintf("%s has no part %q", v.Type.a(), name), suggestPart(name, names))
	}
	if !v.known() { // in a check, only the part's type is known
		return unknownPart(v.goType(), name)
	}
	data, _ := report.PartOf(v.Data, name)
	return partValue(e, n, data)
}

// usualPart returns the part that a hint suggests for a value with these parts, or the first part. names must not be
// empty.
func usualPart(names []string) string {
	usual, _ := lists.First([]string{"mean", "value", "samples", "name"}, func(name string) bool { return slices.Contains(names, name) })
	return cmp.Or(usual, names[0])
}

// suggestPart returns a hint for an unknown part: the part with the most similar name, the parts whose names begin with
// word, or the list of all parts.
func suggestPart(word string, names []string) string {
	if lists.Nearest(word, names) == "" {
		if hint := foreignWord(word); hint != "" {
			return hint
		}
		if longer := lists.Where(names, func(name string) bool { return strings.HasPrefix(name, word+"_") }); len(longer) > 0 {
			return "did you mean " + orList(lists.Map(longer, strconv.Quote)) + "?" // samples suggests samples_total and samples_per_agent
		}
	}
	return suggest(word, names)
}

// unknownPart returns a value without data for the named part of the Go type t. If t has no such part, the value's type is
// anything.
func unknownPart(t reflect.Type, name string) value {
	// without such a part, p is the zero Part, whose Type is nil
	p, _ := lists.First(report.Parts(t), func(p report.Part) bool { return p.Name == name })
	kind, of := typeFor(p.Type)
	return value{Type: kind, of: of}
}

// partValue converts the Go value of a part to a value of the language. It counts the elements against the evaluation's
// limit, because a part may be a long list.
func partValue(e *evaluator, n ast.Node, data any) value {
	v, reason := fromPart(reflect.ValueOf(data))
	// The reason continues a sentence that begins with the text of n.
	if reason != "" {
		return e.fail(n, anything, fmt.Sprintf("%s %s here", e.st.Text(n), reason), "")
	}
	if list, ok := v.Data.([]value); ok && !e.spend(n, value{Type: List, Data: list}.size(maxElements)) {
		return unknown(List)
	}
	return v
}

// fromPart converts the Go value of a part to a value of the language. If that is not possible, it returns an unknown
// value and the reason. It follows pointers and interfaces; nil becomes an unknown value.
func fromPart(r reflect.Value) (v value, reason string) {
	for r.Kind() == reflect.Pointer || r.Kind() == reflect.Interface {
		if r.IsNil() {
			return v, "is not known"
		}
		r = r.Elem()
	}
	if !r.IsValid() {
		return v, "is not known"
	}
	data := r.Interface()
	t, of := typeFor(r.Type())
	switch t {
	case Text: // JSON represents times and statuses as strings
		text, ok := report.TextOf(data)
		if !ok {
			text = r.String()
		}
		return value{Type: Text, Data: text}, ""
	case Number:
		x, ok := number(r)
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) { // numbers of the language are finite
			return v, "is not a finite number"
		}
		return numberValue(x), ""
	case Problem: // the language represents problems by pointers
		p := data.(problem.Problem)
		return value{Type: Problem, Data: &p}, ""
	case List:
		list := make([]value, r.Len())
		for i := range list {
			if list[i], reason = fromPart(r.Index(i)); reason != "" {
				// one unknown element makes the whole list unknown
				return v, fmt.Sprintf("has element %d, which %s", i, reason)
			}
		}
		return value{Type: List, Data: list, of: of}, ""
	}
	return value{Type: t, Data: data, of: of}, ""
}

// number converts a Go number or boolean to a float64; it returns false for other kinds.
func number(r reflect.Value) (float64, bool) {
	switch {
	case r.CanInt():
		return float64(r.Int()), true
	case r.CanUint():
		return float64(r.Uint()), true
	case r.CanFloat():
		return r.Float(), true
	case r.Kind() == reflect.Bool:
		return float64(indices.Indicator(r.Bool())), true
	}
	return 0, false
}
