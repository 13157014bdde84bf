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
	"github.com/gonb-cope/gonb-cope/internal/base/sentence"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// evalColumn evaluates v.name for a list v: the list of this part of every element. While a script is checked, v may be
// unknown, or only the type of its elements may be known.
func evalColumn(e *evaluator, n *ast.MemberNode, v value, name string) value {
	list, known := v.Data.([]value)
	t, _ := typeFor(v.of) // type of the elements
	switch names := v.partNames(); {
	case !known && v.of == nil:
		return unknown(List)
	case len(names) == 0 && known && len(list) == 0: // the column of an empty list is empty
		return value{Type: List, Data: []value{}}
	case len(names) == 0 && v.of != nil && t == anything: // elements of any type: their parts are known only when the script runs
		return unknown(List)
	case !slices.Contains(names, name):
		if len(names) == 0 {
			return e.fail(n, List, "the elements of this list have no named parts", "choose an element by its number: list[0]")
		}
		return e.fail(n.Property, List, fmt.Sprintf("the elements of this list have no part %q", name), suggestPart(name, names))
	case !known: // while the script is checked, only the type of the column is known
		return value{Type: List, of: unknownPart(v.of, name).goType()}
	}
	out := make([]value, len(list))
	for i, element := range list {
		// A list may mix elements of different types.
		if !slices.Contains(element.partNames(), name) {
			return e.fail(n, List, fmt.Sprintf("element %d of this list is %s, which has no part %q", i, element.Type.a(), name), "")
		}
		if element.Type == List { // each element's part is itself a list, so the result is a list of lists
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
	// Charge all elements of the column to the limit on list elements.
	if !e.spend(n, value{Type: List, Data: out}.size(maxElements)) {
		return unknown(List)
	}
	column := value{Type: List, Data: out}
	if len(out) > 0 && out[0].Type.hasParts() {
		column.of = out[0].goType() // lets a check find the parts of the column's elements
	}
	return column
}

// evalRow evaluates v["name"] for a list v: the element with that name. An element's name is its first part that is a
// text. It reports a mistake if no element, or more than one, has the name.
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
	// Compare key with the names in the form that displays show.
	names := lists.Map(list, func(element value) string {
		name, _ := report.PartOf(element.Data, part)
		return fmt.Sprint(name)
	})
	// Names can repeat in a list that a script made.
	found := indices.Where(len(list), func(i int) bool { return names[i] == word })
	switch len(found) {
	case 1:
		return list[found[0]]
	case 0:
		return e.fail(n.Property, anything, fmt.Sprintf("no element of this list has the %s %q", part, word),
			suggest(word, slices.Compact(names)))
	}
	return e.fail(n.Property, anything, fmt.Sprintf("%d elements have the %s %q", len(found), part, word), "choose an element by "+
		"its number: list[0]")
}

// keyOf returns the part that names the elements of a list: the first part that is a text, or "" if there is none. For an
// untyped list it examines the first element.
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

// tableRow returns the row of table t whose first cell equals the key. The caller has already tried the key as a column
// name.
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
	return e.fail(n.Property, Record, fmt.Sprintf("the table has no row or part %q", word),
		suggest(word, append(names, t.ColumnNames()...)))
}

// compileRows compiles an expression of the library github.com/expr-lang/expr on the columns of a row; it implements
// problem.Compiler. The expression may call log10, log, log2, exp and sqrt. It refers to a column by its name, or by
// col("a name") if the name is not an identifier. compileRows checks the expression against the column types; evaluate
// computes it for one row. reads lists the columns whose names occur in the expression, even inside a word or a text.
func compileRows(expression string, columns []string, numbers []bool) (evaluate func(row []any) (any, error), reads []string, err error) {
	// An example value gives expr the type of each column.
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
		// expr passes whole-number literals as int, and columns as float64.
		opts = append(opts, expr.Function(name, func(args ...any) (any, error) {
			switch v := args[0].(type) {
			case float64:
				return f(v), nil
			case int:
				return f(float64(v)), nil
			}
			return nil, fmt.Errorf("%s needs a number, got %v", name, args[0])
			// argument types that the checker of expr accepts
		}, new(func(float64) float64), new(func(int) float64), new(func(any) float64)))
	}
	program, err := expr.Compile(expression, opts...)
	// Rewrite the error of expr for users of the script language.
	if err != nil {
		err = shortenError(err)
		if word, unknown := strings.CutPrefix(err.Error(), "unknown name "); unknown { // the usual cause is a text without quotes
			err = fmt.Errorf("%w; write a text in quotes, as '%s', and a column as one of %s", err, word, sentence.List(columns, 8))
		} else if strings.Contains(err.Error(), "func(") {
			err = errors.New("a function is written without quotes, and a text with quotes, as in site == 'none'")
		}
		// A column whose name is a keyword of expr must be written col("…").
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
		// A function of expr cannot return an error for an unknown column. Therefore store the name, and report it after
		// the evaluation.
		if !slices.Contains(columns, "col") { // a column named col hides the function col
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

// unexpected matches expr's message about an unexpected token, if the token is a word.
var unexpected = regexp.MustCompile(`^unexpected token (\w+)(?:\("(.*)"\))?$`)

// reserved are the keywords of expr.
var reserved = []string{"let", "in", "and", "or", "not", "if", "else", "true", "false", "nil", "matches", "contains",
	"startsWith", "endsWith"}

// shortenError returns the message of an error of expr without the line and column, because an expression is one line. For
// a syntax error, the message includes the unexpected word.
func shortenError(err error) error {
	var at *file.Error
	if errors.As(err, &at) {
		if token := unexpected.FindStringSubmatch(at.Message); token != nil && token[1] == "EOF" {
			return errors.New("the condition is not complete")
		} else if token != nil && token[2] == "=" {
			return errors.New(`"=" is not expected; to compare, write == and put text in quotes`)
		} else if token != nil {
			return fmt.Errorf("%q is not expected", token[2])
		}
		return errors.New(at.Message)
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	return errors.New(text)
}

// labelled is an element of a list, with the label that tables and figures show. Errors are shown at the element if the
// list is written out, and otherwise at the list.
type labelled struct {
	argument
	// the number or text itself, or the bound name or printed form of a kernel or problem; nil if unknown
	label any
}

// labelled returns the elements of a list argument with their labels; nil and false if the list is unknown. A list value
// with one unknown element is wholly unknown. Therefore, during a check, this method evaluates the elements of a list
// literal one by one.
func (c *call) labelled(a argument) ([]labelled, bool) {
	list, known := a.Data.([]value)
	n, st := sourceOf(c.e, a.Node) // if the argument is a bound name, n is the name's definition
	// Each element has its own source position if the list is written out, here or in the definition of its name.
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

// numberedName matches names such as problem_13, which the Python package gives to unnamed values.
var numberedName = regexp.MustCompile(`^([a-z]+)_[0-9]+$`)

// nameProblems replaces numbered labels of problems by the problems' own names, unless two problems have the same name.
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

// elements returns the values of the named argument: the elements of a list, or the one value. It returns none if the
// argument is not given.
func (c *call) elements(name string) []argument {
	a := c.arg(name)
	list, ok := a.Data.([]value)
	if !ok && a.known() {
		return []argument{a}
	}
	return lists.Make(len(list), func(i int) argument { return c.element(a, i) })
}

// element returns element i of a list argument. If the list is written out, the element has its own source position. An
// argument that is not a list is returned unchanged.
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

// labelOf returns the label of a value in tables, and nil for an unknown number or text. A sweep uses labels to find
// repeated values. n is the value's expression in the statement st, or nil if there is none.
func labelOf(v value, n ast.Node, st *front.Statement) any {
	if v.Type == Number || v.Type == Text {
		return v.Data
	}
	if own, ok := v.Data.(*algorithms.Entry); ok { // results show the algorithm's own name
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
	if n != nil { // the value is not known yet
		return st.Text(n)
	}
	return fmt.Sprint(v.Data)
}

// isKernel reports whether values of the type are kernels.
func (t Type) isKernel() bool { return t == Kernel || t == Joint || t == Free }

// gramKernel makes the kernel table(...) from a file that contains a Gram matrix. It copies the numbers into the kernel,
// which can then be printed and sent without the file.
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
	// If both the argument names and the file give names, they must be equal.
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
	if c.e.st == c.e.own { // inside a sweep, each combination would repeat the notes
		c.e.session.note(g.Notes)
	}
	// Build the kernel as if the script contained the numbers.
	args := kernels.Args{"values": g.Values}
	if g.Names != nil {
		args["names"] = g.Names
	}
	k, err := entry.Build(args) // Build fails unless the matrix is positive semi-definite
	if err != nil {
		return nil, &argumentError{param: "values", message: fmt.Sprintf("%q is not a kernel", path), err: err}
	}
	return k, nil
}
