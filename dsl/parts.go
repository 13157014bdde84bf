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

// A value has the parts of its JSON form, see report.Parts: r.samples, b.rho_star.value, r.answers["A"].arm. Go types determine
// their types, so that a check knows them before there is a value.

// typeFor returns the type of values whose Go type is t, and the Go type that determines their parts or elements. It follows
// pointers. An interface may hold anything.
func typeFor(t reflect.Type) (Type, reflect.Type) {
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t == nil { // such as an element of an untyped list
		return anything, nil
	}
	if k, ok := kinds.Of[struct{}](t); ok { // a result, a sweep, bounds and so on
		return Type(k.Name), t
	}
	switch {
	case t == reflect.TypeFor[report.Table]():
		return Table, t
	case report.IsText(t), t.Kind() == reflect.String: // JSON writes some Go types as texts
		return Text, nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return List, t.Elem()
	case reflect.Struct, reflect.Map: // a map's parts are its keys, which only the value has
		return Record, t
	case reflect.Interface:
		return anything, nil
	}
	return Number, nil // booleans are numbers too
}

// goType returns the Go type that determines the parts of a value; nil if unknown. The field of comes first, as lists and records
// have no other type.
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

// partNames lists the parts of a value, or of a list's elements; if the type of the elements is unknown, those of the first one.
func (v value) partNames() []string {
	t := v.goType()
	if m := reflect.ValueOf(v.Data); v.Type == Record && m.Kind() == reflect.Map { // a row of a table
		names := lists.Map(m.MapKeys(), func(k reflect.Value) string { return fmt.Sprint(k.Interface()) })
		slices.Sort(names)
		return names
	}
	// A list made by the script has no Go type of its own.
	if v.Type == List && t == nil {
		if list, _ := v.Data.([]value); len(list) > 0 {
			return list[0].partNames()
		}
	}
	if v.Type != List && !v.Type.hasParts() {
		return nil
	}
	var names []string
	if table, ok := v.Data.(report.Table); ok { // the columns of a table are parts too
		names = table.ColumnNames()
	}
	names = append(names, lists.Map(report.Parts(t), func(p report.Part) string { return p.Name })...) // in the order of their JSON
	return names
}

// hasParts reports whether values of the type have parts.
func (t Type) hasParts() bool {
	_, is := t.kind()
	return is || t == Record || t == Table
}

// evalMember evaluates v.name, v["name"] and v[i]. All three have the same kind of node; the text distinguishes a point from
// quotes.
func evalMember(e *evaluator, n *ast.MemberNode) value {
	name, named := n.Property.(*ast.StringNode)
	// Recognise p.csv before the lookup, which would report an unknown name.
	if id, ok := n.Node.(*ast.IdentifierNode); ok && named && isFileName(e, n, id, name.Value) {
		return unknown(anything)
	}
	v := e.eval(n.Node)
	// After a mistake the index is still evaluated, as it may have another mistake.
	if v.Type == anything {
		if !named {
			e.eval(n.Property)
		}
		return v
	}
	if named && strings.HasPrefix(e.st.Text(n.Property), name.Value) { // after a point
		return evalPart(e, n, v, name.Value)
	}
	// An index: a text in quotes, or an expression that gives a number or a text.
	at := value{Type: Text}
	if named {
		at.Data = name.Value
	} else {
		at = e.eval(n.Property)
	}
	switch table, isTable := v.Data.(report.Table); {
	// A text selects the list element of that name.
	case v.Type == List && at.Type == Text:
		return evalRow(e, n, v, at)
	case at.Type == Text && at.known() && isTable && !slices.Contains(v.partNames(), at.Data.(string)):
		return tableRow(e, n, table, at.Data.(string))
	case at.Type == Text && at.known():
		return evalPart(e, n, v, at.Data.(string))
	// Rows of a table are selected like elements of a list.
	case v.Type == Table && at.Type == Number:
		if !v.known() || !at.known() {
			return unknown(Record) // a row is a record of the columns
		}
		rows := lists.Make(len(table.Rows), func(i int) value {
			return value{Type: Record, Data: table.Row(i), of: reflect.TypeFor[map[string]any]()}
		})
		return e.element(n, value{Type: List, Data: rows}, at)
	case v.Type != List && v.Type.hasParts(): // named parts cannot be selected by number
		return e.fail(n.Property, anything, fmt.Sprintf("choose a part of %s by its name, not by a number", v.Type.a()),
			fmt.Sprintf("write %s.%s", e.st.Text(n.Node), usualPart(v.partNames())))
	}
	return e.element(n, v, at)
}

// isFileName reports a file name without quotes, such as machines.csv. A bound name is not a file.
func isFileName(e *evaluator, n *ast.MemberNode, id *ast.IdentifierNode, ending string) bool {
	ending = "." + strings.ToLower(ending)
	if _, bound := e.scope[id.Value]; bound || !slices.Contains(dataEndings, ending) && !slices.Contains(save.Endings(), ending) {
		return false
	}
	e.fail(n, anything, fmt.Sprintf("the name of a file needs quotes, but %s has none", e.st.Text(n)),
		fmt.Sprintf("write %q", e.st.Text(n)))
	return true
}

// evalPart returns a part of a value by its name, or of every element of a list.
func evalPart(e *evaluator, n *ast.MemberNode, v value, name string) value {
	if v.Type == List {
		return evalColumn(e, n, v, name)
	}
	names := v.partNames()                                  // in a check they follow from the type
	if len(names) == 0 && v.Type.hasParts() && !v.known() { // a record of unknown Go type: its parts are known when it runs
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
	if !v.known() { // a check continues with the type of the part
		return unknownPart(v.goType(), name)
	}
	data, _ := report.PartOf(v.Data, name)
	return partValue(e, n, data)
}

// usualPart returns the part that best represents the value in a hint, or the first one. The names must not be empty.
func usualPart(names []string) string {
	usual, _ := lists.First([]string{"mean", "value", "samples", "name"}, func(name string) bool { return slices.Contains(names, name) })
	return cmp.Or(usual, names[0])
}

// suggestPart proposes the nearest part, or those with the word as first word, or lists all.
func suggestPart(word string, names []string) string {
	if lists.Nearest(word, names) == "" {
		if hint := foreignWord(word); hint != "" {
			return hint
		}
		if longer := lists.Where(names, func(name string) bool { return strings.HasPrefix(name, word+"_") }); len(longer) > 0 {
			return "did you mean " + orList(lists.Map(longer, strconv.Quote)) + "?" // samples means samples_total or samples_per_agent
		}
	}
	return suggest(word, names)
}

// unknownPart returns a part of a value that is known by its Go type only. A missing part has any type.
func unknownPart(t reflect.Type, name string) value {
	// the zero Part if there is none, whose type is nil
	p, _ := lists.First(report.Parts(t), func(p report.Part) bool { return p.Name == name })
	kind, of := typeFor(p.Type)
	return value{Type: kind, of: of}
}

// partValue returns the value of a part. Unknown contents have no value. Elements count against the limit, since parts may be long
// lists.
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

// fromPart converts the contents of a part to a value, or returns the reason why it cannot. It follows pointers and interfaces; nil
// means unknown.
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
	case Text: // times and statuses are texts in JSON
		text, ok := report.TextOf(data)
		if !ok {
			text = r.String()
		}
		return value{Type: Text, Data: text}, ""
	case Number:
		x, ok := number(r)
		if !ok || math.IsNaN(x) || math.IsInf(x, 0) { // arithmetic uses finite numbers only
			return v, "is not a finite number"
		}
		return numberValue(x), ""
	case Problem: // the language uses pointers for problems
		p := data.(problem.Problem)
		return value{Type: Problem, Data: &p}, ""
	case List:
		list := make([]value, r.Len())
		for i := range list {
			if list[i], reason = fromPart(r.Index(i)); reason != "" {
				// one element without a value makes the whole list unknown
				return v, fmt.Sprintf("has element %d, which %s", i, reason)
			}
		}
		return value{Type: List, Data: list, of: of}, ""
	}
	return value{Type: t, Data: data, of: of}, ""
}

// number converts a number or a boolean of Go.
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
