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

// Program is a formula compiled for points with given feature columns. Several goroutines may use it at once. The
// numbers of the formula are constants of the compiled tree, so other numbers need another compilation.
type Program struct {
	root   node      // computes the kernel's values
	frames sync.Pool // reused frames, so that Rows does not allocate
}

// Resolve compiles the formula for points with the given feature columns; columns has their names in order. It returns an
// error if columns is empty, or if the formula reads a column that columns does not have. Names must match exactly. Before
// the call, Misplaced must return nil, because an invalid column number would be read as 0.
func (d *Definition) Resolve(columns []string) (*Program, error) {
	if len(columns) == 0 {
		return nil, fmt.Errorf("%s: the formula reads features, but the points have no feature columns", d.name)
	}
	c := &compiler{Definition: d, at: map[*ast.MemberNode]int{}, columns: len(columns)}
	for _, read := range d.columns {
		i := slices.Index(columns, read.name) // index of a column given by name; -1 if there is none
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
	// Make frames after compilation, which sets the number of slots.
	p := &Program{root: c.compile(d.body, everyColumn)}
	p.frames.New = func() any { return newFrame(c.slots) }
	return p, nil
}

// Pair returns k(x, y) for feature vectors x and y. It allocates memory; use Rows for many points.
func (p *Program) Pair(x, y []float64) float64 {
	out := []float64{0}
	p.Rows(out, x, lists.Map(y, func(v float64) []float64 { return []float64{v} }), 0)
	return out[0]
}

// Rows sets dst[j] = k(x, y_{from+j}). ys[c] is column c of the points y, with at least from + len(dst) values.
func (p *Program) Rows(dst, x []float64, ys [][]float64, from int) {
	f := p.frames.Get().(*frame)
	f.x, f.ys = x, ys
	p.rows(f, dst, from)
	f.x, f.ys = nil, nil // do not keep the caller's features alive
	p.frames.Put(f)
}

// rows does the work of Rows in the given frame, block by block. Tests call it to count allocations without the pool.
func (p *Program) rows(f *frame, dst []float64, from int) {
	for start := 0; start < len(dst); start += block {
		part := dst[start:min(start+block, len(dst))]
		f.from, f.to = from+start, from+start+len(part)
		copy(part, p.root.all(f, part)) // all may return a view of a column instead of writing to part
	}
}

// everyColumn, as the argument column, means the current column of the surrounding loop (see frame.column). It is also
// passed for numbers, which have no column.
const everyColumn = -1

// compiler converts the syntax tree of a formula to nodes, for a known number of columns. A vector becomes one node, which
// computes its element in the loop's current column. A number inside a vector is computed once, before the loop, and
// stored in a slot. A compiler is used only once.
type compiler struct {
	*Definition                         // provides the kinds of nodes and the numbers
	at          map[*ast.MemberNode]int // column that each x[…] reads; nil while the method number compiles a column number
	columns     int                     // number of feature columns, at least 1
	slots       int                     // number of slots needed so far
	loop        *[]hoisted              // parts to compute before the current loop; nil outside loops
}

// compile returns the node for n: a number, or the element of a vector in the given column. everyColumn means the current
// column of the loop.
func (c *compiler) compile(n ast.Node, column int) node {
	if c.loop != nil && c.kinds[n] != vector { // a number does not change with the loop's column
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
	panic(fmt.Sprintf("formula: %T passed the check", n)) // Check rejects all other types of nodes
}

// hoist compiles a number so that it is computed before the surrounding loop. If the number contains a reduction, the
// reduction has a loop of its own. Thus loops are never nested.
func (c *compiler) hoist(n ast.Node) node {
	loop := c.loop
	c.loop = nil
	inner := c.compile(n, everyColumn)
	c.loop = loop
	if inner.constant != nil { // use the constant itself, without a slot
		return inner
	}
	h := hoisted{c.slots, inner}
	c.slots++
	*loop = append(*loop, h)
	return h.node()
}

// call returns the node of a function call. If the call is a reduction, it is outside any loop (c.loop is nil), because
// compile hoists reductions.
func (c *compiler) call(n *ast.CallNode, column int) node {
	name := n.Callee.(*ast.IdentifierNode).Value
	if _, reduces := reductions[name]; !reduces {
		return apply(name, c.compile(n.Arguments[0], column)) // a function of one number, applied to each element
	}
	// Reductions add the columns; min and max take the minimum or maximum.
	operator := "+"
	if name == "min" || name == "max" {
		operator = name
		if len(n.Arguments) > 1 {
			// min or max of several arguments works element by element, and needs no loop.
			out := c.compile(n.Arguments[0], column)
			for _, a := range n.Arguments[1:] {
				out = operation(name, out, c.compile(a, column))
			}
			return out
		}
	}
	// Compile the arguments inside a new loop over columns; before collects the parts that are computed before that loop.
	var before []hoisted
	c.loop = &before
	parts := lists.Map(n.Arguments, func(a ast.Node) node { return c.compile(a, everyColumn) })
	c.loop = nil
	// body is computed for each column.
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
	// mean and norm need a last step after the loop.
	switch name {
	case "mean":
		return operation("/", out, constant(float64(c.columns)))
	case "norm":
		return apply("sqrt", out)
	}
	return out
}

// elementwise maps the names of functions of one number to the functions. Check accepts these and the reductions.
var elementwise = map[string]func(float64) float64{
	"exp": math.Exp, "log": math.Log, "log10": math.Log10, "sqrt": math.Sqrt, "abs": math.Abs,
	"sin": math.Sin, "cos": math.Cos, "tanh": math.Tanh,
}

// Elementwise returns the named function of one number; nil if there is none. Scripts apply the same functions to numbers
// and lists.
func Elementwise(name string) func(float64) float64 { return elementwise[name] }

// Entry describes a function that formulas can call, for help and documentation.
type Entry struct{ Name, Signature, Doc string } // Signature is an example call; Doc describes the result

// Functions lists all functions that formulas can call, for help, completion and hints.
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

// reductions maps each function that reduces vectors to a number to its number of arguments. min and max of several
// arguments are not reductions; call handles them.
var reductions = map[string]int{"min": 1, "max": 1, "sum": 1, "mean": 1, "dot": 2, "norm": 1, "sqdist": 2}

// Known returns the names of all functions that formulas can call.
func Known() []string {
	return lists.Map(Functions(), func(f Entry) string { return f.Name })
}

// Operate returns the result of an operator on two numbers; "min" and "max" are operators too. A comparison returns 1 or
// 0. An unknown operator returns 0, but Check rejects these. The evaluator of scripts also calls Operate.
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
