package formula

import "math"

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
	var names []string
	for _, f := range Functions() {
		names = append(names, f.Name)
	}
	return names
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
	if holds {
		return 1
	}
	return 0
}
