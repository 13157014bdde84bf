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

// The parts of a value are the fields of its JSON form, see report.Parts: r.samples, b.rho_star.value, r.answers["A"].arm. Go
// types determine the types of parts, so that a check knows them before the value exists.

// typeFor returns the type of values whose Go type is t, and the Go type that determines their parts or elements. Pointers are
// followed. An interface value may have any type.
func typeFor(t reflect.Type) (Type, reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil { // for example, for an element of an untyped list
		return anything, nil
	}
	if k, ok := kinds.Of[struct{}](t); ok { // a result, a sweep, bounds and other values of package kinds
		return Type(k.Name), t
	}
	switch {
	case t == reflect.TypeFor[report.Table]():
		return Table, t
	case report.IsText(t), t.Kind() == reflect.String: // JSON represents some Go types as texts
		return Text, nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return List, t.Elem()
	case reflect.Struct, reflect.Map: // the parts of a map are its keys, which are known only from the value
		return Record, t
	case reflect.Interface:
		return anything, nil
	}
	return Number, nil // booleans are the numbers 1 and 0
}

// goType returns the Go type that determines the parts of a value; nil if unknown. For lists and records, only the field of has
// that type.
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

// partNames lists the parts of a value, or of the elements of a list. If the type of the elements is unknown, it lists the parts
// of the first element.
func (v value) partNames() []string {
	t := v.goType()
	if m := reflect.ValueOf(v.Data); v.Type == Record && m.Kind() == reflect.Map { // a row of a table
		names := lists.Map(m.MapKeys(), func(k reflect.Value) string { return fmt.Sprint(k.Interface()) })
		slices.Sort(names)
		return names
	}
	// A list that the script made has no Go type; use its first element.
	if v.Type == List && t == nil {
		if list, _ := v.Data.([]value); len(list) > 0 {
			return list[0].partNames()
		}
	}
	if v.Type != List && !v.Type.hasParts() {
		return nil
	}
	var names []string
	if table, ok := v.Data.(report.Table); ok { // the columns of a table are its parts
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

// evalMember evaluates v.name, v["name"] and v[i]. The parser gives all three the same kind of node; the text of the node
// distinguishes a point from quotes.
func evalMember(e *evaluator, n *ast.MemberNode) value {
	name, named := n.Property.(*ast.StringNode)
	// Recognise a file name such as p.csv first: evaluating p would report an unknown name.
	if id, ok := n.Node.(*ast.IdentifierNode); ok && named && isFileName(e, n, id, name.Value) {
		return unknown(anything)
	}
	v := e.eval(n.Node)
	// After a mistake in v, evaluate the index too, as it may have another mistake.
	if v.Type == anything {
		if !named {
			e.eval(n.Property)
		}
		return v
	}
	if named && strings.HasPrefix(e.st.Text(n.Property), name.Value) { // v.name, with a point
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
			return unknown(Record) // a row is a record with the columns as parts
		}
		rows := lists.Make(len(table.Rows), func(i int) value {
			return value{Type: Record, Data: table.Row(i), of: reflect.TypeFor[map[string]any]()}
		})
		return e.element(n, value{Type: List, Data: rows}, at)
	case v.Type != List && v.Type.hasParts(): // parts have names, so a number cannot select them
		return e.fail(n.Property, anything, fmt.Sprintf("choose a part of %s by its name, not by a number", v.Type.a()),
			fmt.Sprintf("write %s.%s", e.st.Text(n.Node), usualPart(v.partNames())))
	}
	return e.element(n, v, at)
}

// isFileName reports a file name that is not in quotes, such as machines.csv, and returns true for it. If the part before the
// point is a bound name, it is not a file name.
func isFileName(e *evaluator, n *ast.MemberNode, id *ast.IdentifierNode, ending string) bool {
	ending = "." + strings.ToLower(ending)
	if _, bound := e.scope[id.Value]; bound || !slices.Contains(dataEndings, ending) && !slices.Contains(save.Endings(), ending) {
		return false
	}
	e.fail(n, anything, fmt.Sprintf("the name of a file needs quotes, but %s has none", e.st.Text(n)),
		fmt.Sprintf("write %q", e.st.Text(n)))
	return true
}

// evalPart returns the named part of a value, or of every element of a list.
func evalPart(e *evaluator, n *ast.MemberNode, v value, name string) value {
	if v.Type == List {
		return evalColumn(e, n, v, name)
	}
	names := v.partNames()                                  // in a check, they follow from the type
	if len(names) == 0 && v.Type.hasParts() && !v.known() { // the parts of a record of unknown Go type are known only when the script runs
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
	if !v.known() { // in a check, only the type of the part is known
		return unknownPart(v.goType(), name)
	}
	data, _ := report.PartOf(v.Data, name)
	return partValue(e, n, data)
}

// usualPart returns the name that best represents the value in a hint, or the first name. names must not be empty.
func usualPart(names []string) string {
	usual, _ := lists.First([]string{"mean", "value", "samples", "name"}, func(name string) bool { return slices.Contains(names, name) })
	return cmp.Or(usual, names[0])
}

// suggestPart proposes the part with the most similar name; or those whose first word is the given word; or lists all.
func suggestPart(word string, names []string) string {
	if nearest(word, names) == "" {
		if hint := foreignWord(word); hint != "" {
			return hint
		}
		if longer := lists.Where(names, func(name string) bool { return strings.HasPrefix(name, word+"_") }); len(longer) > 0 {
			return "did you mean " + orList(lists.Map(longer, strconv.Quote)) + "?" // samples may mean samples_total or samples_per_agent
		}
	}
	return suggest(word, names)
}

// unknownPart returns the value of a part that is known only by its Go type. If the part does not exist, the value may have any
// type.
func unknownPart(t reflect.Type, name string) value {
	// p is the zero Part, whose Type is nil, if there is no such part
	p, _ := lists.First(report.Parts(t), func(p report.Part) bool { return p.Name == name })
	kind, of := typeFor(p.Type)
	return value{Type: kind, of: of}
}

// partValue returns the value of a part. It counts elements against the limit, since a part may be a long list.
func partValue(e *evaluator, n ast.Node, data any) value {
	v, reason := fromPart(reflect.ValueOf(data))
	// The reason completes a sentence that begins with the text of the part.
	if reason != "" {
		return e.fail(n, anything, fmt.Sprintf("%s %s here", e.st.Text(n), reason), "")
	}
	if list, ok := v.Data.([]value); ok && !e.spend(n, value{Type: List, Data: list}.size(maxElements)) {
		return unknown(List)
	}
	return v
}

// fromPart converts the Go value of a part to a value of the language, or returns the reason why it cannot. Pointers and
// interfaces are followed; nil means unknown.
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
	case Text: // JSON represents times and statuses as texts
		text, ok := report.TextOf(data)
		if !ok {
			text = r.String()
		}
		return value{Type: Text, Data: text}, ""
	case Number:
		x, ok := number(r)
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) { // the language has only finite numbers
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

// number converts a Go number or boolean; false for other kinds.
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
