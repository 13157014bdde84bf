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
// With other numbers behind the names, a formula is compiled again: numbers are constants of the tree.
type Program struct {
	root   node      // gives the kernel's values
	frames sync.Pool // of *frame, so that rows do not allocate
}

// Resolve fits the formula to points with these columns. It is an error without columns, or when
// the formula reads a column that is not there.
// The columns are the features in the order of the points; their names are compared exactly.
// It relies on Misplaced being nil: a column that is no number would be read as column 0.
func (d *Definition) Resolve(columns []string) (*Program, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: the formula reads features, but there are no feature columns", d.name)
	}
	c := &compiler{Definition: d, at: map[*ast.MemberNode]int{}, columns: len(columns)}
	for _, read := range d.columns {
		i := slices.Index(columns, read.name) // where columns are given by name
		if read.name == "" {
			i, _ = d.number(read.node.Property)
		}
		switch {
		case i < 0:
			return nil, fmt.Errorf("%s (%s): there is no column %q; the columns are %s", d.name, read.place, read.name, strings.Join(columns, ", "))
		case i >= len(columns):
			return nil, fmt.Errorf("%s (%s): there is no column %d; the columns are %s, numbered from 0", d.name, read.place, i,
				strings.Join(columns, ", "))
		}
		c.at[read.node] = i
	}
	// The slots are counted while compiling, so the frames are made after it.
	p := &Program{root: c.compile(d.body, everyColumn)}
	p.frames.New = func() any { return newFrame(c.slots) }
	return p, nil
}

// Pair returns k(x, y) for two feature vectors.
// It makes the columns of one point, which allocates; rows are for many points.
func (p *Program) Pair(x, y []float64) float64 {
	out := []float64{0}
	p.Rows(out, x, lists.Map(y, func(v float64) []float64 { return []float64{v} }), 0)
	return out[0]
}

// Rows sets dst[j] = k(x, y_{from+j}), where column c of the points y is ys[c].
// The length of dst says how many points there are; each of the columns must have from + len(dst) values.
func (p *Program) Rows(dst, x []float64, ys [][]float64, from int) {
	f := p.frames.Get().(*frame)
	f.x, f.ys = x, ys
	p.rows(f, dst, from)
	f.x, f.ys = nil, nil // the pool does not keep the features alive
	p.frames.Put(f)
}

// rows runs Rows with the state to work in, block by block.
// The tests count its allocations, which is why it is apart from the pool.
func (p *Program) rows(f *frame, dst []float64, from int) {
	for start := 0; start < len(dst); start += block {
		part := dst[start:min(start+block, len(dst))]
		f.from, f.to = from+start, from+start+len(part)
		copy(part, p.root.all(f, part)) // which may be a view of a column
	}
}

// everyColumn compiles a vector for a loop over columns, see frame.column.
// It is also what compile is given where no column is fixed.
const everyColumn = -1

// compiler turns the syntax tree into nodes for a known number of columns. A
// vector is compiled once, as its element in the column of the loop around it;
// the numbers inside it are computed before the loop, into slots.
// It is used once: slots grows, and loop says where the compilation is.
type compiler struct {
	*Definition                         // kinds and numbers
	at          map[*ast.MemberNode]int // the column that each x[…] reads; nil when only the number of a column is computed
	columns     int                     // number of feature columns, at least 1
	slots       int                     // how many the frames need so far
	loop        *[]hoisted              // the numbers in the vector that is being compiled for a loop; nil outside
}

// compile returns the node of a number, or of element column of a vector.
// everyColumn stands for the column of the loop. Kinds are those that Check found.
func (c *compiler) compile(n ast.Node, column int) node {
	if c.loop != nil && c.kinds[n] != vector { // inside a loop: a number does not depend on the column
		return c.hoist(n)
	}
	switch n := n.(type) {
	case *ast.IntegerNode:
		return constant(float64(n.Value))
	case *ast.FloatNode:
		return constant(n.Value)
	case *ast.IdentifierNode:
		if n.Value == c.x || n.Value == c.y {
			return element(n.Value == c.x, column)
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
		return choice(c.compile(n.Cond, column), c.compile(n.Exp1, column), c.compile(n.Exp2, column))
	case *ast.MemberNode:
		return c.compile(n.Node, c.at[n])
	case *ast.CallNode:
		return c.call(n, column)
	}
	panic(fmt.Sprintf("formula: %T passed the check", n)) // Check refuses all else
}

// hoist computes a number before the loop around it.
// Inside it no loop is around, so a reduction in it gets a loop of its own, one after the other and never nested.
func (c *compiler) hoist(n ast.Node) node {
	loop := c.loop
	c.loop = nil
	inner := c.compile(n, everyColumn)
	c.loop = loop
	if inner.constant != nil { // a constant needs no slot
		return inner
	}
	h := hoisted{c.slots, inner}
	c.slots++
	*loop = append(*loop, h)
	return h.node()
}

// call returns the node of a function. A reduction is a number, so compile has hoisted it: c.loop is nil when one gets
// here.
func (c *compiler) call(n *ast.CallNode, column int) node {
	name := n.Callee.(*ast.IdentifierNode).Value
	if _, reduces := reductions[name]; !reduces {
		return apply(name, c.compile(n.Arguments[0], column)) // element by element, within the loop around it
	}
	// What joins the columns: sums for all but the smallest and largest element.
	operator := "+"
	if name == "min" || name == "max" {
		operator = name
		if len(n.Arguments) > 1 {
			// Of several arguments: a chain of operations, element by element, within the loop around it.
			out := c.compile(n.Arguments[0], column)
			for _, a := range n.Arguments[1:] {
				out = operation(name, out, c.compile(a, column))
			}
			return out
		}
	}
	// The arguments, as their element in the column of the loop; numbers in them are collected in before.
	var before []hoisted
	c.loop = &before
	parts := lists.Map(n.Arguments, func(a ast.Node) node { return c.compile(a, everyColumn) })
	c.loop = nil
	// What is summed in each column.
	body := parts[0]
	switch name {
	case "dot":
		body = operation("*", body, parts[1])
	case "sqdist":
		body = apply("square", operation("-", body, parts[1]))
	case "norm":
		body = apply("square", body)
	}
	out := reduce(operator, c.columns, body, before)
	// What is done once, after the loop.
	switch name {
	case "mean":
		return operation("/", out, constant(float64(c.columns)))
	case "norm":
		return apply("sqrt", out)
	}
	return out
}

// Elementwise are the functions of one number, by name.
// The key set decides, together with reductions, which names Check accepts as functions.
var elementwise = map[string]func(float64) float64{
	"exp": math.Exp, "log": math.Log, "log10": math.Log10, "sqrt": math.Sqrt, "abs": math.Abs,
	"sin": math.Sin, "cos": math.Cos, "tanh": math.Tanh,
}

// Elementwise returns a function of one number by its name, or nil.
// The language uses the same functions on numbers and lists, so that both agree.
func Elementwise(name string) func(float64) float64 { return elementwise[name] }

// Entry describes a function of formulas, for help and documentation.
type Entry struct{ Name, Signature, Doc string } // by name; how it is called; what it gives, beginning in lower case

// Functions lists what a formula can call.
// Help, completion and hints for unknown names read this list.
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
// min and max of several arguments are no reductions: call treats them before this number counts.
var reductions = map[string]int{"min": 1, "max": 1, "sum": 1, "mean": 1, "dot": 2, "norm": 1, "sqdist": 2}

// Known returns the names of all functions.
func Known() []string {
	return lists.Map(Functions(), func(f Entry) string { return f.Name })
}

// Operate evaluates an operator between two numbers, "min" and "max" among them; comparisons give 1 or 0.
// An operator that is not listed gives 0; Check lets none through. The interpreter of scripts uses it for numbers too.
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
	case "min":
		return min(x, y)
	case "max":
		return max(x, y)
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
