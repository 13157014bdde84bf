package formula

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/expr-lang/expr/ast"
	"pgregory.net/rapid"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// script is an environment with two numbers and no place for mistakes.
type script struct{ mistakes []string } // in the order of the reports

// h = 0.7 is neither a square nor a power of two, so that a wrong scale shows.
func (s *script) Number(n *ast.IdentifierNode) (float64, bool) {
	v, ok := map[string]float64{"h": 0.7, "pi": math.Pi}[n.Value]
	if !ok {
		s.Fail(n, "unknown name "+n.Value, "")
	}
	return v, ok
}
func (s *script) Fail(n ast.Node, message, hint string) { s.mistakes = append(s.mistakes, message) }
func (s *script) UnknownFunction(callee *ast.IdentifierNode) {
	s.Fail(callee, "unknown function "+callee.Value, "")
}
func (s *script) Place(ast.Node) string { return "test.cope:1:1" }

// define parses and checks the formula f(x, y) = body.
// It returns the definition, which is nil with mistakes, and their messages; mistakes of the parser are a single text.
func define(body string) (*Definition, []string) {
	statements, errs := front.Parse(front.NewSource("test.cope", "f(x, y) = "+body))
	if len(errs) > 0 || len(statements) != 1 || statements[0].Params == nil {
		return nil, []string{errs.Error()}
	}
	env := &script{}
	return Check("f", "x", "y", statements[0].Node, env), env.mistakes
}

// resolve returns the compiled formula with its definition, and ends the test at a mistake.
func resolve(t testing.TB, body string, columns ...string) (*Program, *Definition) {
	t.Helper()
	d, mistakes := define(body)
	if d == nil {
		t.Fatalf("%s: %v", body, mistakes)
	}
	p, err := d.Resolve(columns)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return p, d
}

// Rows, pairs and the interpreter against values computed by hand for x = (1, 2, 3), y = (3, 1, -1).
// The values are written as sums of the elements, so that each row can be checked by eye.
func TestValues(t *testing.T) {
	for _, test := range []struct {
		body string
		want float64
	}{
		// Reductions.
		{"sum((x-y)^2)", 4 + 1 + 16},
		{"sqdist(x, y)", 21},
		{"norm(x-y)", math.Sqrt(21)},
		{"dot(x, y)", 3 + 2 - 3},
		{"mean(x)", 2},
		{"min(y) + max(x)", 2},
		// Smallest and largest, element by element and over several arguments.
		{"sum(min(x, y))", 1 + 1 - 1},
		{"max(x[0], y[0], 2)", 3},
		// Elements by number, by name, and of an expression.
		{"x[0] - y[2]", 2},
		{`x["b"] * y["b"]`, 2},
		{"(x*y)[2]", -3},
		{"-2^2", -4},   // the sign binds less than a power
		{"2^3^2", 512}, // powers group to the right
		// Numbers inside a vector, which are hoisted out of the loop over its columns.
		{"sum(x/norm(y)*norm(y))", 6},
		{"sum(abs(x-y)) / h", 7 / 0.7},
		{"exp(-sqdist(x, y)/(2*h^2))", math.Exp(-21 / (2 * 0.7 * 0.7))},
		// Choices between numbers and between vectors.
		{"x[0] < y[0] ? 1 : 2", 1},
		{"sum(x[0] == 1 ? x : y)", 6},
		// Constants, which are computed when the formula is compiled.
		{"cos(pi)", -1},
		{"7", 7},
		// Reductions that the general loop makes, and one inside another.
		{"sum(x)", 6},
		{"y[1]", 1},
		{"dot(x*sum(y), y)", 6},
		{"sum(sqrt(abs(x*y)))", math.Sqrt(3) + math.Sqrt(2) + math.Sqrt(3)},
	} {
		columns := []string{"a", "b", "c"}
		p, d := resolve(t, test.body, columns...)
		x, ys := []float64{1, 2, 3}, [][]float64{{0, 3}, {0, 1}, {0, -1}} // the points begin at index 1; index 0 must not be read
		got := []float64{math.NaN()}
		p.Rows(got, x, ys, 1)
		y := []float64{3, 1, -1}
		for way, got := range map[string]float64{"rows": got[0], "pair": p.Pair(x, y), "plain": plain(d, columns, x, y)} {
			if !(math.Abs(got-test.want) <= 1e-14*(1+math.Abs(test.want))) {
				t.Errorf("%s by %s: %v, want %v", test.body, way, got, test.want)
			}
		}
	}
}

// Each formula has a single mistake, and one message, which has these words.
func TestMistakes(t *testing.T) {
	for body, want := range map[string]string{
		// The whole, then arguments of functions, names, conditions, numbers of columns, and syntax that formulas do not
		// have.
		"x":                       "gives a vector",
		"x - y":                   "gives a vector",
		"x[0] < y[0]":             "gives a condition",
		"sum(1)":                  "needs a vector",
		"dot(x)":                  "two arguments",
		"exp(x, y)":               "one argument",
		"sum(x) + q":              "unknown name q",
		"foo(x)":                  "unknown function foo",
		"x < y ? 1 : 2":           "vectors cannot be compared",
		"1 ? 2 : 3":               "a choice needs a condition",
		"(x[0] < 1) + 1":          "a condition is not a number",
		"x[y[0]]":                 "whole number",
		"x[0.5]":                  "whole number",
		"x[-1]":                   "whole number",
		"h[0]":                    "has no elements",
		`sum(x + "a")`:            "a text",
		"x[0] < y[0] < 1 ? 1 : 2": "cannot be chained",
		"sum(x, k=1)":             "no named arguments",
		"sum([1, 2])":             "not part of a formula",
		"1..3":                    "no operator ..",
	} {
		d, mistakes := define(body)
		if d != nil || len(mistakes) != 1 || !strings.Contains(mistakes[0], want) {
			t.Errorf("%s: mistakes %q, want one with %q", body, mistakes, want)
		}
	}
}

// A definition fits many lists of columns; a missing column is reported when the points are known, with the place in
// the script.
func TestColumns(t *testing.T) {
	d, _ := define(`x["dose"] * y[2]`)
	for _, test := range []struct {
		columns []string
		want    string
	}{
		{[]string{"a", "b", "c"}, `column "dose" is missing; the columns are a, b, c`},
		{[]string{"dose", "b"}, "column 2 is missing; the columns are dose, b"},
		{nil, "no feature columns"},
	} {
		_, err := d.Resolve(test.columns)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), "f") {
			t.Errorf("columns %v: %v, want %q", test.columns, err, test.want)
		}
	}
}

// randomFormula draws the text of a formula of this kind and depth.
// Depth 0 gives a leaf. The texts read only the columns a and b by name or number, so any list with these two fits.
func randomFormula(t *rapid.T, k kind, depth int) string {
	pick := func(options ...string) string { return rapid.SampledFrom(options).Draw(t, "part") }
	number := func() string { return randomFormula(t, scalar, depth-1) }
	vec := func() string { return randomFormula(t, vector, depth-1) }
	switch {
	case k == condition:
		return fmt.Sprintf("%s %s %s", number(), pick("<", "<=", ">", ">="), number()) // no == and !=, which a rounding decides
	case depth <= 0 && k == vector:
		return pick("x", "y")
	case depth <= 0:
		return pick("h", "2", "0.5", "3", `x["a"]`, "y[1]", "x[1]", "pi")
	}
	same := func() string { return randomFormula(t, k, depth-1) }
	// a number meets a vector as if repeated
	any := func() string { return randomFormula(t, rapid.SampledFrom([]kind{scalar, k}).Draw(t, "kind"), depth-1) }
	options := []func() string{
		func() string { return fmt.Sprintf("(%s %s %s)", same(), pick("+", "-", "*", "/"), any()) },
		func() string { return fmt.Sprintf("(%s %s %s)", any(), pick("+", "-", "*"), same()) },
		func() string { return fmt.Sprintf("(%s)^%s", same(), pick("2", "3", "0.5", "h")) },
		func() string { return "(-" + same() + ")" },
		func() string {
			return fmt.Sprintf("%s(%s)", pick("exp", "sin", "cos", "tanh", "abs", "sqrt", "log"), same())
		},
		func() string { return fmt.Sprintf("%s(%s, %s)", pick("min", "max"), same(), any()) },
		func() string {
			return fmt.Sprintf("(%s ? %s : %s)", randomFormula(t, condition, depth-1), same(), any())
		},
	}
	// Only numbers come from reductions and elements.
	if k == scalar {
		options = append(options,
			func() string { return fmt.Sprintf("%s(%s)", pick("sum", "mean", "norm", "min", "max"), vec()) },
			func() string { return fmt.Sprintf("%s(%s, %s)", pick("dot", "sqdist"), vec(), vec()) },
			func() string { return fmt.Sprintf("(%s)[%s]", vec(), pick("0", "1", `"b"`)) })
	}
	return options[rapid.IntRange(0, len(options)-1).Draw(t, "form")]()
}

// The compiled rows equal the interpreted pairs, on whatever formula. Sums are
// added in another order and squares multiplied, so a few roundings may differ;
// both agree about what is not a number.
func TestRowsEqualPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := randomFormula(t, scalar, rapid.IntRange(0, 4).Draw(t, "depth"))
		d, mistakes := define(body)
		if d == nil {
			t.Fatalf("%s: %v", body, mistakes)
		}
		// two of them at least, as the formulas read a and b
		columns := []string{"a", "b", "c", "d", "e"}[:rapid.IntRange(2, 5).Draw(t, "columns")]
		p := try.Of(d.Resolve(columns))
		// 257 points are a block and one more.
		n, from := rapid.SampledFrom([]int{1, 3, 257}).Draw(t, "points"), rapid.IntRange(0, 2).Draw(t, "from")
		x, ys := make([]float64, len(columns)), make([][]float64, len(columns))
		for c := range columns {
			x[c] = rapid.Float64Range(-2, 2).Draw(t, "x")
			ys[c] = make([]float64, n+from)
			for j := range ys[c] {
				ys[c][j] = math.Sin(float64(j*7+c*3)) * 2 // the same at each run, without equal neighbours
			}
		}
		// Each point by itself, in the interpreter.
		got, y := make([]float64, n), make([]float64, len(columns))
		p.Rows(got, x, ys, from)
		for j := range got {
			for c := range y {
				y[c] = ys[c][from+j]
			}
			of := func(x, y []float64) float64 { return plain(d, columns, x, y) }
			if want := of(x, y); !close(got[j], want) && wellConditioned(of, x, y) {
				t.Fatalf("%s at x=%v y=%v: rows %v, plain %v", body, x, y, got[j], want)
			}
		}
	})
}

// wellConditioned reports whether a few roundings of the features leave the value almost unchanged.
// They do not in sin(exp(30)), whose last digits decide everything. First the features of x, then
// the features of y are moved by a few units in the last place.
func wellConditioned(f func(x, y []float64) float64, x, y []float64) bool {
	want := f(x, y)
	for _, ulps := range []float64{-4, -1, 1, 4} {
		moved := func(v []float64) []float64 {
			m := make([]float64, len(v))
			for c := range v {
				m[c] = v[c] * (1 + ulps*0x1p-52)
			}
			return m
		}
		if !close(f(moved(x), y), want) || !close(f(x, moved(y)), want) {
			return false
		}
	}
	return true
}

// close compares to 1e-6: random formulas magnify a rounding by cancellation and
// near poles, and a wrong operation shows far above that. Beyond 1e6 a rounding can
// decide, and nothing is compared. Both must agree about what is not a number.
func close(a, b float64) bool {
	if math.IsNaN(a) != math.IsNaN(b) {
		return false
	}
	if math.IsNaN(a) || math.Abs(a) > 1e6 || math.Abs(b) > 1e6 {
		return true
	}
	return math.Abs(a-b) <= 1e-6*(1+math.Abs(a)+math.Abs(b))
}

// It calls rows with one frame: the pool may drop frames when memory is collected, which would count as an allocation.
func TestRowsDoNotAllocate(t *testing.T) {
	// The formula has hoisted numbers, a choice, a reduction over all columns and an exponential.
	p, _ := resolve(t, "exp(-sum((x/norm(x)-y/norm(y))^2)/2) * (x[0] < y[0] ? 1 : sum(x*y))", "a", "b", "c", "d")
	x, ys, dst := []float64{1, 2, 3, 4}, make([][]float64, 4), make([]float64, 1000)
	for c := range ys {
		ys[c] = make([]float64, 1000)
		for j := range ys[c] {
			ys[c][j] = float64(j + c)
		}
	}
	// AllocsPerRun runs the function once before it counts, which makes the buffers.
	f := p.frames.Get().(*frame)
	f.x, f.ys = x, ys
	if got := testing.AllocsPerRun(20, func() { p.rows(f, dst, 0) }); got > 0 {
		t.Errorf("%v allocations a row of 1000 points, want none", got)
	}
}

// FuzzFormula wants no panic from any text, and agreement if the text is a formula. The seeds have an element by
// name, a choice, an element of a number (refused), a computed column and two powers.
func FuzzFormula(f *testing.F) {
	for _, body := range []string{"sum((x-y)^2)", `exp(-abs(x[0]-y["b"])/h)`, "x[0] < y[0] ? dot(x, y) : norm(x)[1]", "min(x, y, 2)[1^2]", "2^-x[0]^2"} {
		f.Add(body)
	}
	// A longer text only takes time.
	f.Fuzz(func(t *testing.T, body string) {
		if len(body) > 2000 {
			return
		}
		d, mistakes := define(body)
		// What is refused must say why.
		if d == nil {
			if len(mistakes) == 0 {
				t.Fatal("refused without a reason")
			}
			return
		}
		columns := []string{"a", "b"}
		// A column that is not there is an error of its own, which TestColumns looks at.
		p, err := d.Resolve(columns)
		if err != nil {
			return
		}
		got := make([]float64, 1)
		p.Rows(got, []float64{0.5, -1}, [][]float64{{1.5}, {0.25}}, 0)
		if want := plain(d, columns, []float64{0.5, -1}, []float64{1.5, 0.25}); !close(got[0], want) {
			t.Fatalf("rows %v, plain %v", got[0], want)
		}
	})
}
