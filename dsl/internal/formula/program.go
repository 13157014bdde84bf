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

// Program is a formula compiled for points with certain columns. It is safe for concurrent use. The numbers of the formula are
// constants of the compiled tree, so new values need a new compilation.
type Program struct {
	root   node      // computes the kernel's values
	frames sync.Pool // frames for reuse, so that Rows does not allocate
}

// Resolve compiles the formula for points with these feature columns, in the order of the points. It returns an error if there
// are no columns, or if the formula reads a missing column; names must match exactly. Misplaced must be nil: an invalid column
// number would be read as column 0.
func (d *Definition) Resolve(columns []string) (*Program, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: the formula reads features, but the points have no feature columns", d.name)
	}
	c := &compiler{Definition: d, at: map[*ast.MemberNode]int{}, columns: len(columns)}
	for _, read := range d.columns {
		i := slices.Index(columns, read.name) // index of the column, if it is given by name
		if read.name == "" {
			i, _ = d.number(read.node.Property)
		}
		switch {
		case i < 0:
			return nil, fmt.Errorf("%s (%s): column %q is missing; the columns are %s", d.name, read.place, read.name, strings.Join(columns, ", "))
		case i >= len(columns):
			return nil, fmt.Errorf("%s (%s): column %d is missing; the columns are %s, numbered from 0", d.name, read.place, i,
				strings.Join(columns, ", "))
		}
		c.at[read.node] = i
	}
	// Make frames after compilation, which counts the slots.
	p := &Program{root: c.compile(d.body, everyColumn)}
	p.frames.New = func() any { return newFrame(c.slots) }
	return p, nil
}

// Pair returns k(x, y) for two feature vectors. It allocates memory; for many points, Rows is faster.
func (p *Program) Pair(x, y []float64) float64 {
	out := []float64{0}
	p.Rows(out, x, lists.Map(y, func(v float64) []float64 { return []float64{v} }), 0)
	return out[0]
}

// Rows sets dst[j] = k(x, y_{from+j}). ys[c] has column c of the points y, at least from + len(dst) values.
func (p *Program) Rows(dst, x []float64, ys [][]float64, from int) {
	f := p.frames.Get().(*frame)
	f.x, f.ys = x, ys
	p.rows(f, dst, from)
	f.x, f.ys = nil, nil // do not keep the features in memory
	p.frames.Put(f)
}

// rows computes Rows block by block in the given frame. Tests call it to count allocations without the pool.
func (p *Program) rows(f *frame, dst []float64, from int) {
	for start := 0; start < len(dst); start += block {
		part := dst[start:min(start+block, len(dst))]
		f.from, f.to = from+start, from+start+len(part)
		copy(part, p.root.all(f, part)) // all may return a view of a column, so copy
	}
}

// everyColumn is the value of column for a vector inside a loop over columns (see frame.column), and for a number.
const everyColumn = -1

// compiler converts the syntax tree to nodes, for a known number of columns. It compiles a vector once, as its element in the
// column of the surrounding loop. Numbers inside a vector are computed into slots before the loop. A compiler is used only once.
type compiler struct {
	*Definition                         // kinds and numbers
	at          map[*ast.MemberNode]int // column that each x[…] reads; nil while number compiles a column number
	columns     int                     // number of feature columns, at least 1
	slots       int                     // number of slots needed so far
	loop        *[]hoisted              // parts hoisted out of the loop that is compiled; nil outside loops
}

// compile returns the node of a number, or of the element of a vector in the given column; everyColumn means the column of the
// loop.
func (c *compiler) compile(n ast.Node, column int) node {
	if c.loop != nil && c.kinds[n] != vector { // a number inside a loop does not depend on the column
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
	panic(fmt.Sprintf("formula: %T passed the check", n)) // Check rejects all other nodes
}

// hoist computes a number before the surrounding loop. A reduction inside the number has its own loop, so loops are not nested.
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

// call returns the node of a call. For a reduction, c.loop is nil, since compile has hoisted the call.
func (c *compiler) call(n *ast.CallNode, column int) node {
	name := n.Callee.(*ast.IdentifierNode).Value
	if _, reduces := reductions[name]; !reduces {
		return apply(name, c.compile(n.Arguments[0], column)) // applies to each element, in the surrounding loop
	}
	// The operator that combines columns is a sum, except for min and max.
	operator := "+"
	if name == "min" || name == "max" {
		operator = name
		if len(n.Arguments) > 1 {
			// Several arguments are combined in turn, element by element, in the surrounding loop.
			out := c.compile(n.Arguments[0], column)
			for _, a := range n.Arguments[1:] {
				out = operation(name, out, c.compile(a, column))
			}
			return out
		}
	}
	// Compile the arguments as elements in the column of a new loop; before collects their hoisted parts.
	var before []hoisted
	c.loop = &before
	parts := lists.Map(n.Arguments, func(a ast.Node) node { return c.compile(a, everyColumn) })
	c.loop = nil
	// body is the term of one column.
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
	// Apply the final step, after the loop.
	switch name {
	case "mean":
		return operation("/", out, constant(float64(c.columns)))
	case "norm":
		return apply("sqrt", out)
	}
	return out
}

// elementwise lists the functions of one number. Check accepts these and the reductions.
var elementwise = map[string]func(float64) float64{
	"exp": math.Exp, "log": math.Log, "log10": math.Log10, "sqrt": math.Sqrt, "abs": math.Abs,
	"sin": math.Sin, "cos": math.Cos, "tanh": math.Tanh,
}

// Elementwise returns a function of one number by its name; nil if there is none. The language applies the same functions to
// numbers and lists.
func Elementwise(name string) func(float64) float64 { return elementwise[name] }

// Entry describes a function of formulas, for help and documentation.
type Entry struct{ Name, Signature, Doc string } // Signature is an example call; Doc describes the result, and starts in lower case

// Functions lists all functions of formulas, for help, completion and hints about unknown names.
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

// reductions lists the functions that reduce vectors to a number, with the number of their arguments. min and max of several
// arguments are not reductions; call handles them first.
var reductions = map[string]int{"min": 1, "max": 1, "sum": 1, "mean": 1, "dot": 2, "norm": 1, "sqdist": 2}

// Known returns the names of all functions of formulas.
func Known() []string {
	return lists.Map(Functions(), func(f Entry) string { return f.Name })
}

// Operate computes an operator between two numbers, including "min" and "max". Comparisons return 1 or 0. An unknown operator
// returns 0; Check rejects such operators. The interpreter of scripts also calls Operate.
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
