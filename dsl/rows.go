package dsl

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/file"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/engine/algorithms"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// evalColumn returns the list of one part of every element of a list. In a check the list may be known by the type of its elements,
// or not at all.
func evalColumn(e *evaluator, n *ast.MemberNode, v value, name string) value {
	list, known := v.Data.([]value)
	t, _ := typeFor(v.of) // of the elements
	switch names := v.partNames(); {
	case !known && v.of == nil:
		return unknown(List)
	case len(names) == 0 && known && len(list) == 0: // an empty list has an empty column
		return value{Type: List, Data: []value{}}
	case len(names) == 0 && v.of != nil && t == anything: // elements of any type: their parts are known when it runs
		return unknown(List)
	case !slices.Contains(names, name):
		if len(names) == 0 {
			return e.fail(n, List, "the elements of this list have no named parts", "choose an element by its number: list[0]")
		}
		return e.fail(n.Property, List, fmt.Sprintf("the elements of this list have no part %q", name), suggestPart(name, names))
	case !known: // the type of the column follows from the type of the elements
		return value{Type: List, of: unknownPart(v.of, name).goType()}
	}
	out := make([]value, len(list))
	for i, element := range list {
		// Elements of a list may have different types.
		if !slices.Contains(element.partNames(), name) {
			return e.fail(n, List, fmt.Sprintf("element %d of this list is %s, which has no part %q", i, element.Type.a(), name), "")
		}
		if element.Type == List { // nested rows
			if out[i] = evalColumn(e, n, element, name); !out[i].known() {
				return unknown(List)
			}
			continue
		}
		data, _ := report.PartOf(element.Data, name)
		var reason string
		if out[i], reason = fromPart(reflect.ValueOf(data)); reason != "" {
			return e.fail(n, List, fmt.Sprintf("%s of element %d %s", name, i, reason), "")
		}
	}
	// A column of long lists counts with all its elements.
	if !e.spend(n, value{Type: List, Data: out}.size(maxElements)) {
		return unknown(List)
	}
	column := value{Type: List, Data: out}
	if len(out) > 0 && out[0].Type.hasParts() {
		column.of = out[0].goType() // so that parts of its elements are known
	}
	return column
}

// evalRow returns the element of a list of records whose first text is the key. The whole text must match. Several elements with
// the same text are a mistake.
func evalRow(e *evaluator, n *ast.MemberNode, v, key value) value {
	list, known := v.Data.([]value)
	part := keyOf(v)
	switch {
	case known && len(list) > 0 && part == "", !known && v.of != nil && part == "":
		return e.fail(n.Property, anything, "the elements of this list have no names", "choose an element by its number: list[0]")
	case !known || !key.known():
		t, of := typeFor(v.of)
		return value{Type: t, of: of}
	}
	word := key.Data.(string)
	// Names are compared as displayed.
	names := lists.Map(list, func(element value) string {
		name, _ := report.PartOf(element.Data, part)
		return fmt.Sprint(name)
	})
	// A list made by a script may repeat names.
	found := indices.Where(len(list), func(i int) bool { return names[i] == word })
	switch len(found) {
	case 1:
		return list[found[0]]
	case 0:
		return e.fail(n.Property, anything, fmt.Sprintf("no element of this list has the %s %q", part, word), suggest(word, slices.Compact(names)))
	}
	return e.fail(n.Property, anything, fmt.Sprintf("%d elements have the %s %q", len(found), part, word), "choose an element by "+
		"its number: list[0]")
}

// keyOf returns the part that identifies elements of a list: the first part that is a text; "" if there is none. An untyped list
// has the type of its first element.
func keyOf(v value) string {
	t := v.of
	if list, _ := v.Data.([]value); t == nil && len(list) > 0 {
		t = list[0].goType()
	}
	p, _ := lists.First(report.Parts(t), func(p report.Part) bool {
		kind, _ := typeFor(p.Type)
		return kind == Text
	})
	return p.Name
}

// tableRow returns the row of a table whose first cell is a text. Column names were tried before, so they have priority.
func tableRow(e *evaluator, n *ast.MemberNode, t report.Table, word string) value {
	names := lists.Map(t.Rows, func(row []any) string {
		if len(row) == 0 {
			return ""
		}
		return fmt.Sprint(row[0])
	})
	if i := slices.Index(names, word); i >= 0 {
		return value{Type: Record, Data: t.Row(i), of: reflect.TypeFor[map[string]any]()}
	}
	return e.fail(n.Property, Record, fmt.Sprintf("the table has no row or part %q", word), suggest(word, append(names, t.ColumnNames()...)))
}

// compileRows is the problem.Compiler of the language. It compiles expressions of expr (github.com/expr-lang/expr) on the columns
// of a row, with the functions log10, log, log2, exp and sqrt. A column is written as its name, or as col("a name") if the name is
// not an identifier. A column counts as read if its name occurs anywhere in the expression, also inside a word or a text. The
// expression is checked here against the types of the columns; evaluate is called for each row.
func compileRows(expression string, columns []string, numbers []bool) (evaluate func(row []any) (any, error), reads []string, err error) {
	// Each column has an example value: a text or a number.
	env := map[string]any{"col": func(string) any { return nil }}
	for k, name := range columns {
		if env[name] = any(""); numbers[k] {
			env[name] = 0.0
		}
		if strings.Contains(expression, name) {
			reads = append(reads, name)
		}
	}
	opts := []expr.Option{expr.Env(env)}
	for name, f := range map[string]func(float64) float64{"log10": math.Log10, "log": math.Log, "log2": math.Log2, "exp": math.Exp,
		"sqrt": math.Sqrt} {
		// expr passes whole numbers as int and columns as float64.
		opts = append(opts, expr.Function(name, func(args ...any) (any, error) {
			switch v := args[0].(type) {
			case float64:
				return f(v), nil
			case int:
				return f(float64(v)), nil
			}
			return nil, fmt.Errorf("%s needs a number, got %v", name, args[0])
		}, new(func(float64) float64), new(func(int) float64), new(func(any) float64))) // result types for the checker of expr
	}
	program, err := expr.Compile(expression, opts...)
	// Adapt the messages of expr to a text of the language.
	if err != nil {
		err = shortenError(err)
		if word, unknown := strings.CutPrefix(err.Error(), "unknown name "); unknown { // usually a text without quotes
			err = fmt.Errorf("%w; write a text in quotes, as '%s'", err, word)
		} else if strings.Contains(err.Error(), "func(") {
			err = errors.New("a function is written without quotes, and a text with quotes, as in site == 'none'")
		}
		// A reserved word of expr cannot name a column; col("…") reads such a column.
		for _, name := range reads {
			if slices.Contains(reserved, name) {
				err = fmt.Errorf("%w; the column %s is written col(%q)", err, name, name)
			}
		}
		return nil, nil, err
	}
	evaluate = func(row []any) (any, error) {
		at := lists.Keyed(columns, func(k int, name string) (string, any) { return name, row[k] })
		var missing string
		// An expr function cannot report an unknown column, so it is reported after the run.
		if !slices.Contains(columns, "col") { // otherwise a column has that name
			at["col"] = func(name string) any {
				v, ok := at[name]
				if !ok {
					missing = name
				}
				return v
			}
		}
		v, err := expr.Run(program, at)
		if missing != "" {
			return nil, fmt.Errorf("the table has no column %q", missing)
		}
		if err != nil {
			return nil, shortenError(err)
		}
		return v, nil
	}
	return evaluate, reads, nil
}

// unexpected matches the message of expr about an unexpected word.
var unexpected = regexp.MustCompile(`^unexpected token (\w+)(?:\("(.*)"\))?$`)

// reserved are the keywords of expr.
var reserved = []string{"let", "in", "and", "or", "not", "if", "else", "true", "false", "nil", "matches", "contains",
	"startsWith", "endsWith"}

// shortenError returns the message of an error of expr without the place, since an expression is one line. For a syntax error it names
// the unexpected words.
func shortenError(err error) error {
	var at *file.Error
	if errors.As(err, &at) {
		if token := unexpected.FindStringSubmatch(at.Message); token != nil && token[1] == "EOF" {
			return errors.New("the condition is not complete")
		} else if token != nil {
			return fmt.Errorf("%q is not expected", token[2])
		}
		return errors.New(at.Message)
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(text)
}

// labelled is an element of a list, with its name in tables and figures. The argument has the place of the element if the list is
// written out, and otherwise of the whole list.
type labelled struct {
	argument
	// a number or a text unchanged; for a kernel or a problem, the name that it is bound to, or its text
	label any
}

// labelled returns the elements of a list argument; nil and false if the list is unknown. A list is unknown if one of its elements
// is, so a check evaluates the elements of a written list separately.
func (c *call) labelled(a argument) ([]labelled, bool) {
	list, known := a.Data.([]value)
	n, st := sourceOf(c.e, a.Node) // a name may be bound to the list
	// If the list is written out, here or where its name is bound, its elements have their own places.
	literal, written := n.(*ast.ArrayNode)
	if !known && (!c.e.dry || !written) {
		return nil, false
	}
	if !known {
		list = lists.Map(literal.Nodes, func(node ast.Node) value { return evalAgain(c.e, node, st) })
	}
	out := make([]labelled, len(list))
	for i, v := range list {
		x := labelled{argument: argument{value: v, Name: a.Name, Node: a.Node, st: c.e.st}}
		if written && i < len(literal.Nodes) {
			x.Node, x.st = literal.Nodes[i], st
			x.label = labelOf(v, x.Node, st)
		} else {
			x.label = labelOf(v, nil, nil)
		}
		out[i] = x
	}
	nameProblems(out)
	return out, true
}

// numberedName matches names such as problem_13, which a program in another language gives to the values of calls.
var numberedName = regexp.MustCompile(`^([a-z]+)_[0-9]+$`)

// nameProblems labels problems by their own names if they are bound to names of a function with a number, unless two have the same name.
func nameProblems(all []labelled) {
	seen := map[string]bool{}
	for _, x := range all {
		bound, _ := x.label.(string)
		parts := numberedName.FindStringSubmatch(bound)
		p, is := x.Data.(*problem.Problem)
		if !is || parts == nil || index[parts[1]] == nil || seen[p.Name] {
			return
		}
		seen[p.Name] = true
	}
	for i, x := range all {
		all[i].label = x.Data.(*problem.Problem).Name
	}
}

// elements returns the values of an argument that is one value or a list; none if it is not given.
func (c *call) elements(name string) []argument {
	a := c.arg(name)
	list, ok := a.Data.([]value)
	if !ok && a.known() {
		return []argument{a}
	}
	return lists.Make(len(list), func(i int) argument { return c.element(a, i) })
}

// element returns element i of an argument, with its own place if the list is written out. An argument that is not a list is
// returned unchanged.
func (c *call) element(a argument, i int) argument {
	list, ok := a.Data.([]value)
	if !ok {
		return a
	}
	a.value = list[i]
	if literal, ok := a.Node.(*ast.ArrayNode); ok && i < len(literal.Nodes) {
		a.Node = literal.Nodes[i]
	}
	return a
}

// labelOf returns the name of a value in tables, which also identifies repeated values of a sweep. n is the value's node in a
// statement; nil if there is none.
func labelOf(v value, n ast.Node, st *front.Statement) any {
	if v.Type == Number || v.Type == Text {
		return v.Data
	}
	if own, ok := v.Data.(*algorithms.Entry); ok { // as results name it
		return own.Name
	}
	if id, ok := n.(*ast.IdentifierNode); ok { // a bound name
		return id.Value
	}
	switch data := v.Data.(type) {
	case kernels.Joint, kernels.Kernel:
		return fmt.Sprint(data)
	case *problem.Problem:
		return data.Name
	}
	if n != nil { // not known yet
		return st.Text(n)
	}
	return fmt.Sprint(v.Data)
}

// isKernel reports whether values of the type are kernels.
func (t Type) isKernel() bool { return t == Kernel || t == Joint || t == Free }

// gramKernel builds the kernel table from a Gram matrix in a file, which is read by the same rules as a problem's table. The kernel
// contains the numbers, so it prints and is sent without the file.
func gramKernel(c *call, entry kernels.Entry) (any, error) {
	path := c.text("values")
	opt := problem.LoadOptions{Read: c.e.read, Context: c.e.ctx}
	g, err := awaitResult(c, func() (problem.GramFile, error) {
		return c.e.session.opt.Host.Gram(c.e.session.path(path), opt)
	})
	if err == nil {
		err = remember(c.e, []problem.Source{g.Source})
	}
	if err != nil {
		a := &argumentError{param: "values", message: fmt.Sprintf("cannot load %q", path), err: err}
		if errors.Is(err, fs.ErrNotExist) {
			a.hint = suggestFile(c.e.session, path)
		}
		return nil, a
	}
	// Names given as an argument must match the names in the file, if any.
	if names := c.arg("names"); names.known() {
		list, _ := names.Data.([]value)
		words := texts(names.value)
		if len(words) != len(list) {
			return nil, &argumentError{param: "names", message: "table: names must be a list of names",
				err: errors.New("the list contains something else")}
		}
		if err := g.MatchNames(words); err != nil {
			return nil, &argumentError{param: "names", message: "table: the names do not fit the file", err: err}
		}
	}
	if c.e.st == c.e.own { // a sweep would repeat them
		c.e.session.note(g.Notes)
	}
	// Build as if the script contained the numbers.
	args := kernels.Args{"values": g.Values}
	if g.Names != nil {
		args["names"] = g.Names
	}
	k, err := entry.Build(args) // rejects a matrix that is not positive semi-definite
	if err != nil {
		return nil, &argumentError{param: "values", message: fmt.Sprintf("%q is not a kernel", path), err: err}
	}
	return k, nil
}
