package formula

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/internal/base/indices"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Program is a formula fitted to points with certain columns. It is safe for
// concurrent use.
type Program struct {
	definition *Definition
	at         map[*ast.MemberNode]int
	root       node
	frames     sync.Pool // of *frame, so that rows do not allocate
}

// Resolve fits the formula to points with these columns. It is an error without columns, or when
// the formula reads a column that is not there.
func (d *Definition) Resolve(columns []string) (*Program, error) {
	p := &Program{definition: d, at: map[*ast.MemberNode]int{}}
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: the formula reads features, but there are no feature columns", d.name)
	}
	for _, c := range d.columns {
		i := c.index
		if c.name != "" {
			i = slices.Index(columns, c.name)
		}
		switch {
		case i < 0:
			return nil, fmt.Errorf("%s (%s): there is no column %q; the columns are %s", d.name, c.place, c.name, strings.Join(columns, ", "))
		case i >= len(columns):
			return nil, fmt.Errorf("%s (%s): there is no column %d; the columns are %s, numbered from 0", d.name, c.place, i,
				strings.Join(columns, ", "))
		}
		p.at[c.node] = i
	}
	c := &compiler{Definition: d, at: p.at, columns: len(columns)}
	p.root = c.compile(d.body, everyColumn)
	slots := c.slots
	p.frames.New = func() any { return newFrame(slots) }
	return p, nil
}

// Pair returns k(x, y) for two feature vectors.
func (p *Program) Pair(x, y []float64) float64 {
	return (&pair{Definition: p.definition, at: p.at, px: x, py: y}).eval(p.definition.body).number
}

// Rows sets dst[j] = k(x, y_{from+j}), where column c of the points y is ys[c].
func (p *Program) Rows(dst, x []float64, ys [][]float64, from int) {
	f := p.frames.Get().(*frame)
	f.x, f.ys = x, ys
	p.rows(f, dst, from)
	f.x, f.ys = nil, nil
	p.frames.Put(f)
}

// rows runs Rows with the state to work in, block by block.
func (p *Program) rows(f *frame, dst []float64, from int) {
	for start := 0; start < len(dst); start += block {
		part := dst[start:min(start+block, len(dst))]
		f.from, f.to = from+start, from+start+len(part)
		if p.root.uniform() {
			fill(part, p.root.one(f))
			continue
		}
		if out := p.root.rows(f, part); &out[0] != &part[0] { // a view of a column
			copy(part, out)
		}
	}
}

func fill(dst []float64, v float64) {
	for j := range dst {
		dst[j] = v
	}
}

// everyColumn compiles a vector for a loop over columns, see frame.column.
const everyColumn = -1

// compiler turns the syntax tree into nodes for a known number of columns. A
// vector is compiled once, as its element in the column of the loop around it;
// the numbers inside it are computed before the loop, into slots.
type compiler struct {
	*Definition
	at      map[*ast.MemberNode]int
	columns int
	slots   int
	loop    *reduce // the loop that a vector is being compiled for; nil outside
}

// compile returns the node of a number, or of element column of a vector.
func (c *compiler) compile(n ast.Node, column int) node {
	if c.loop != nil && c.kinds[n] != vector {
		return c.hoist(n)
	}
	switch n := n.(type) {
	case *ast.IntegerNode:
		return constant(n.Value)
	case *ast.FloatNode:
		return constant(n.Value)
	case *ast.IdentifierNode:
		switch n.Value {
		case c.x:
			return xAt(column)
		case c.y:
			return yAt(column)
		}
		return constant(c.numbers[n.Value])
	case *ast.UnaryNode:
		if n.Operator == "+" {
			return c.compile(n.Node, column)
		}
		return apply("-", c.compile(n.Node, column))
	case *ast.BinaryNode:
		return operation(n.Operator, c.compile(n.Left, column), c.compile(n.Right, column))
	case *ast.ConditionalNode:
		return newChoice(c.compile(n.Cond, column), c.compile(n.Exp1, column), c.compile(n.Exp2, column))
	case *ast.MemberNode:
		return c.compile(n.Node, c.at[n])
	case *ast.CallNode:
		return c.call(n, column)
	}
	panic(fmt.Sprintf("formula: %T passed the check", n))
}

// hoist computes a number before the loop around it.
func (c *compiler) hoist(n ast.Node) node {
	loop := c.loop
	c.loop = nil
	inner := c.compile(n, everyColumn)
	c.loop = loop
	if _, simple := inner.(constant); simple {
		return inner
	}
	s := slot{index: c.slots, same: inner.uniform()}
	c.slots++
	loop.before = append(loop.before, hoisted{s, inner})
	return s
}

func (c *compiler) call(n *ast.CallNode, column int) node {
	name := n.Callee.(*ast.IdentifierNode).Value
	if _, reduces := reductions[name]; !reduces {
		return apply(name, c.compile(n.Arguments[0], column))
	}
	if len(n.Arguments) > 1 && (name == "min" || name == "max") {
		out := c.compile(n.Arguments[0], column)
		for _, a := range n.Arguments[1:] {
			out = operation(name, out, c.compile(a, column))
		}
		return out
	}
	r := &reduce{columns: c.columns}
	c.loop = r
	r.body = c.compile(n.Arguments[0], everyColumn)
	if len(n.Arguments) == 2 {
		second := c.compile(n.Arguments[1], everyColumn)
		if name == "dot" {
			r.body = operation("*", r.body, second)
		} else {
			r.body = apply("square", operation("-", r.body, second))
		}
	}
	c.loop = nil
	switch name {
	case "min", "max":
		r.operator = name
	case "norm":
		r.body = apply("square", r.body)
	}
	r.finish()
	switch name {
	case "mean":
		return operation("/", r, constant(c.columns))
	case "norm":
		return apply("sqrt", r)
	}
	return r
}

// Elementwise are the functions of one number, by name.
var elementwise = map[string]func(float64) float64{
	"exp": math.Exp, "log": math.Log, "log10": math.Log10, "sqrt": math.Sqrt, "abs": math.Abs,
	"sin": math.Sin, "cos": math.Cos, "tanh": math.Tanh,
}

// Elementwise returns a function of one number by its name, or nil.
func Elementwise(name string) func(float64) float64 { return elementwise[name] }

// Entry describes a function of formulas, for help and documentation.
type Entry struct{ Name, Signature, Doc string }

// Functions lists what a formula can call.
func Functions() []Entry {
	return []Entry{
		{"exp", "exp(v)", "exponential, of each element"},
		{"log", "log(v)", "natural logarithm, of each element"},
		{"log10", "log10(v)", "logarithm to base 10, of each element"},
		{"sqrt", "sqrt(v)", "square root, of each element"},
		{"abs", "abs(v)", "absolute value, of each element"},
		{"sin", "sin(v)", "sine, of each element"},
		{"cos", "cos(v)", "cosine, of each element"},
		{"tanh", "tanh(v)", "hyperbolic tangent, of each element"},
		{"min", "min(v) or min(u, v, …)", "smallest element, or the smaller of several, element by element"},
		{"max", "max(v) or max(u, v, …)", "largest element, or the larger of several, element by element"},
		{"sum", "sum(v)", "sum of the elements"},
		{"mean", "mean(v)", "mean of the elements"},
		{"dot", "dot(u, v)", "scalar product"},
		{"norm", "norm(v)", "Euclidean length"},
		{"sqdist", "sqdist(u, v)", "squared Euclidean distance"},
	}
}

// reductions are the functions from vectors to a number, with how many vectors
// they take.
var reductions = map[string]int{"min": 1, "max": 1, "sum": 1, "mean": 1, "dot": 2, "norm": 1, "sqdist": 2}

// Known returns the names of all functions.
func Known() []string {
	return lists.Map(Functions(), func(f Entry) string { return f.Name })
}

// Operate evaluates an operator between two numbers; comparisons give 1 or 0.
func Operate(operator string, x, y float64) float64 {
	holds := false
	switch operator {
	case "+":
		return x + y
	case "-":
		return x - y
	case "*":
		return x * y
	case "/":
		return x / y
	case "^":
		return math.Pow(x, y)
	case "<":
		holds = x < y
	case "<=":
		holds = x <= y
	case ">":
		holds = x > y
	case ">=":
		holds = x >= y
	case "==":
		holds = x == y
	case "!=":
		holds = x != y
	}
	return float64(indices.Indicator(holds))
}
