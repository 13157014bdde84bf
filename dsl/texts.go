package dsl

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/formula"
	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// printFunction returns the function print, which converts values to a text.
func printFunction() Function {
	return Function{
		Name: "print", Section: SectionOutput, Synonyms: []string{"str", "text", "format", "println", "printf", "echo"},
		Doc: "returns values as one text, separated by spaces: a text unchanged, a number with up to ten digits, a kernel as script text " +
			"with the formulas that it uses, a result as displayed in a terminal",
		Params:   []Param{{Name: "value", Synonyms: []string{"k"}, Doc: "what to print; a text may contain values in braces"}},
		Variadic: "further values", Result: Text, Example: `print("half of it is {1/2:.0%}")`, pure: true,
		eval: func(c *call) (any, error) {
			parts := append([]string{printValue(c.args[0].value)}, lists.Map(c.rest, func(a argument) string { return printValue(a.value) })...)
			return strings.Join(parts, " "), nil
		},
	}
}

// printValue returns the text of a value that the function print returns. For a kernel, the definitions of its formulas
// come first, one per line.
func printValue(v value) string {
	// A kernel is excluded here, because its formulas need lines of their own.
	if text, ok := inText(v); ok && v.Type != Kernel && v.Type != Joint {
		return text
	}
	switch data := v.Data.(type) {
	case kernels.Joint:
		return definitions(data.Formulas()) + data.String()
	case kernels.Kernel:
		return definitions(kernels.Formulas(data)) + data.String()
	case []value: // a list that does not fit into one line; write one element per line
		return strings.Join(lists.Map(data, printValue), "\n")
	}
	var b strings.Builder
	// Writing to a strings.Builder cannot fail.
	_ = report.Text(&b, report.Document{Displays: []report.Display{{Value: v.Data}}}, report.TextOptions{})
	return strings.TrimSpace(b.String())
}

// inText returns a value as text within a line; false if the value does not fit into a line. It is used for values in
// braces and for elements of lists.
func inText(v value) (string, bool) {
	switch data := v.Data.(type) {
	case string:
		return data, true
	case float64:
		return numeral(data), true
	case kernels.Joint, kernels.Kernel: // without the definitions of formulas, which need lines of their own
		return fmt.Sprint(data), true
	case []value:
		parts := make([]string, len(data))
		for i, element := range data {
			var ok bool
			if parts[i], ok = inText(element); !ok {
				return "", false
			}
		}
		return "[" + strings.Join(parts, ", ") + "]", true
	}
	return "", false
}

// numeral returns x with at most ten significant digits. Whole numbers up to 2^53 are written in full.
func numeral(x float64) string {
	if i, ok := whole(x); ok { // without an exponent
		return strconv.Itoa(i)
	}
	return strconv.FormatFloat(x, 'g', 10, 64)
}

// formatAs formats x by the format specification form, which must match front.Format.
func formatAs(x float64, form string) string {
	// The groups are: comma, digits after the point, letter.
	m := front.Format.FindStringSubmatch(form)
	places := -1 // -1: the form has no precision
	if m[2] != "" {
		places, _ = strconv.Atoi(m[2])
	}
	var text, unit string
	// The letter may mean percent, a whole number, or a format of Go. Without a letter, the precision is the number of
	// significant digits.
	switch letter := m[3]; {
	case letter == "%":
		text, unit = strconv.FormatFloat(100*x, 'f', max(places, 0), 64), "%" // without a precision, no digits after the point
	case letter == "d":
		text = strconv.FormatFloat(math.Round(x), 'f', 0, 64) // halves are rounded away from 0
	case letter != "":
		if places < 0 {
			places = 6 // the default precision of Python and C
		}
		if letter == "g" {
			places = max(places, 1) // at least one significant digit
		}
		text = strconv.FormatFloat(x, letter[0], places, 64)
	case places >= 0:
		text = strconv.FormatFloat(x, 'g', max(places, 1), 64)
	default:
		text = numeral(x)
	}
	if m[1] == "," {
		text = groupThousands(text)
	}
	return text + unit
}

// groupThousands inserts commas between groups of three digits before the decimal point. The rest of the text does not
// change.
func groupThousands(text string) string {
	end := strings.IndexFunc(strings.TrimPrefix(text, "-"), func(r rune) bool { return r < '0' || r > '9' })
	start := len(text) - len(strings.TrimPrefix(text, "-"))
	if end += start; end < start { // text does not begin with digits
		end = len(text)
	}
	// Insert from right to left, so that the positions still to come do not move.
	for i := end - 3; i > start; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// withValues evaluates a text with values in braces, see front.TextCall. The call's arguments are triples of text, value
// and format, and one more text at the end.
func withValues(e *evaluator, n *ast.CallNode) value {
	var b strings.Builder
	known := true
	for i, a := range n.Arguments {
		switch i % 3 { // the format is evaluated in the case of its value
		case 0:
			b.WriteString(a.(*ast.StringNode).Value) // the parser has replaced doubled braces by single braces
		case 1:
			form := n.Arguments[i+1].(*ast.StringNode)
			v := e.eval(a)
			text, ok := insideText(e, a, v, form)
			known = known && ok
			b.WriteString(text)
		}
	}
	// In a check, the text is known only if all its values are known.
	if !known || !e.spend(n, b.Len()) {
		return unknown(Text)
	}
	return value{Type: Text, Data: b.String()}
}

// insideText returns the text for a value in braces. It returns false if the value is unknown, or after a mistake: a value
// that does not fit into a line, or a format for a value that is not a number. For a value with parts, the hint suggests a
// part.
func insideText(e *evaluator, n ast.Node, v value, form *ast.StringNode) (string, bool) {
	asked := form.Value != ""
	switch {
	case asked && v.Type != Number && v.Type != anything:
		e.fail(n, Text, fmt.Sprintf("a format needs a number, and this is %s", v.Type.a()), "")
		return "", false
	// Test the type, so that a check finds the mistake without the value.
	case v.Type == Free, v.Type == Nothing, v.Type.hasParts() || v.Type == Figure || v.Type == Rewards || v.Type == Algorithm:
		hint := "print(value) converts it to a text" // for values without parts, such as figures
		if names := v.partNames(); len(names) > 0 {
			hint = fmt.Sprintf("choose a part of it, as in {%s.%s}", e.st.Text(n), usualPart(names))
		}
		e.fail(n, Text, fmt.Sprintf("%s cannot be part of a text", v.Type.a()), hint)
		return "", false
	case !v.known():
		return "", false
	case asked:
		return formatAs(v.Data.(float64), form.Value), true
	}
	text, ok := inText(v)
	if !ok {
		e.fail(n, Text, "this list cannot be in a text", "lists of numbers, texts and kernels can")
	}
	return text, ok
}

// joinTexts concatenates two texts. The characters count toward the evaluation's limit, because a script that doubles a
// text in each line would soon use all memory.
func joinTexts(e *evaluator, n *ast.BinaryNode, l, r value) value {
	if n.Operator != "+" {
		return e.fail(n, Text, fmt.Sprintf("%s cannot combine texts", n.Operator), "join texts with +")
	}
	if !l.known() || !r.known() {
		return unknown(Text)
	}
	text := l.Data.(string) + r.Data.(string)
	if !e.spend(n, len(text)) {
		return unknown(Text)
	}
	return value{Type: Text, Data: text}
}

// constants are named numbers that scripts cannot bind to other values. Formulas have them too.
var constants = map[string]float64{"pi": math.Pi}

// Short names for common ranges.
var (
	anyNumber          = kernels.AnyNumber
	positive, fromZero = kernels.Positive, kernels.NonNegative
	wholeFrom          = kernels.WholeFrom
)

// numberFunctions returns the functions on numbers and lists of numbers. Formulas have the same functions, for vectors.
func numberFunctions() []Function {
	var all []Function
	for _, f := range formula.Functions() {
		// Functions of one number, which formulas have too.
		if apply := formula.Elementwise(f.Name); apply != nil {
			all = append(all, Function{
				Name: f.Name, Section: SectionNumbers, Doc: f.Doc,
				Params: []Param{{Name: "x", Types: []Type{Number, List}, Range: anyNumber, Doc: "a number or a list"}},
				Result: Number, Example: f.Name + "(1)", pure: true, each: true,
				eval: func(c *call) (any, error) { return c.e.each(c.node, c.args[0].value, apply), nil },
			})
		}
	}
	for _, f := range []struct {
		name, doc string
		f         func([]float64) float64
	}{
		// Functions of one list or of several numbers; reduce reports an empty list.
		{"min", "smallest", slices.Min[[]float64]},
		{"max", "largest", slices.Max[[]float64]},
		{"sum", "sum", lists.Total[float64]},
		{"mean", "mean", func(x []float64) float64 { return lists.Total(x) / float64(len(x)) }},
	} {
		all = append(all, Function{
			Name: f.name, Section: SectionNumbers, Doc: f.doc + " of a list, or of several numbers",
			Params:   []Param{{Name: "x", Types: []Type{Number, List}, Range: anyNumber, Doc: "a list, or the first of several numbers"}},
			Variadic: "further numbers", Result: Number, Example: f.name + "([1, 2, 3])", pure: true,
			eval: func(c *call) (any, error) { return reduce(c, f.f) },
		})
	}
	return append(all, listFunctions()...)
}

// listFunctions returns the functions that make lists, count elements and round numbers.
func listFunctions() []Function {
	return []Function{
		{
			Name: "len", Section: SectionNumbers, Synonyms: []string{"length", "count", "size"},
			Doc:    "number of elements of a list, or of characters of a text",
			Params: []Param{{Name: "x", Types: []Type{List, Text}, Doc: "a list or a text"}},
			Result: Number, Example: "len([1, 2, 3])", pure: true,
			eval: func(c *call) (any, error) {
				if text, ok := c.args[0].Data.(string); ok {
					// Count characters, not bytes.
					return float64(len([]rune(text))), nil
				}
				return float64(len(c.args[0].Data.([]value))), nil
			},
		},
		makeFunction(Function{
			Name: "round", Section: SectionNumbers, Synonyms: []string{"rounded", "int"},
			Doc: "rounds to a whole number, or to a number of digits after the point; a list element by element",
			Params: []Param{
				{Name: "x", Types: []Type{Number, List}, Range: anyNumber, Doc: "a number or a list"},
				{Name: "digits", Synonyms: []string{"places", "decimals"}, Range: kernels.Range{Min: 0, Max: 15}, Default: "0",
					Doc: "number of digits after the point"},
			},
			Result: Number, Example: "round(2/3, digits=2)", pure: true, each: true,
		}, nil, func(c *call, a struct{ Digits int }) (any, error) {
			return c.e.each(c.node, c.args[0].value, func(x float64) float64 { return roundTo(x, a.Digits) }), nil
		}),
		makeFunction(Function{
			Name: "linspace", Section: SectionNumbers, Synonyms: []string{"spaced"},
			Doc: "n equally spaced numbers from one number to another, both included",
			Params: []Param{
				{Name: "from", Synonyms: []string{"start"}, Types: []Type{Number}, Range: anyNumber, Doc: "the first number"},
				{Name: "to", Synonyms: []string{"stop", "end"}, Types: []Type{Number}, Range: anyNumber, Doc: "the last number"},
				{Name: "n", Synonyms: []string{"num", "count"}, Range: kernels.Range{Min: 2, Max: maxRange}, Doc: "number of values"},
			},
			Result: List, Example: "linspace(0, 1, 5)", pure: true,
		}, nil, func(c *call, a struct {
			From, To float64
			N        int
		}) (any, error) {
			// With these weights, the first and last elements are exactly the limits.
			return makeNumbers(c, a.N, func(i int) float64 {
				t := float64(i) / float64(a.N-1)
				return (1-t)*a.From + t*a.To
			})
		}),
		makeFunction(Function{
			Name: "range", Section: SectionNumbers, Synonyms: []string{"seq", "arange"},
			Doc: "numbers from one to another in steps; with steps of 1 the same as from..to",
			Params: []Param{
				{Name: "from", Synonyms: []string{"start"}, Types: []Type{Number}, Range: anyNumber, Doc: "the first number"},
				{Name: "to", Synonyms: []string{"stop", "end"}, Types: []Type{Number}, Range: anyNumber,
					Doc: "the limit of the numbers; included if a step ends there"},
				{Name: "step", Synonyms: []string{"by"}, Types: []Type{Number}, Range: anyNumber, Default: "1",
					Doc: "distance between the numbers; negative for a falling list"},
			},
			Result: List, Example: "range(0.1, 0.5, step=0.1)", pure: true,
		}, nil, func(c *call, a struct {
			From, To float64
			Step     float64 `arg:"default"`
		}) (any, error) {
			if a.Step == 0 || (a.To-a.From)/a.Step < 0 {
				return nil, fmt.Errorf("range: steps of %s never reach %[3]s from "+
					"%[2]s", formatNumber(a.Step), formatNumber(a.From), formatNumber(a.To))
			}
			// Allow for rounding errors in the last step.
			steps := math.Floor((a.To-a.From)/a.Step + 1e-9) // tolerance as a fraction of a step
			if !(steps < maxRange) {
				return nil, fmt.Errorf("range: more than %d numbers", maxRange)
			}
			return makeNumbers(c, int(steps)+1, func(i int) float64 { return a.From + float64(i)*a.Step })
		}),
	}
}

// makeNumbers returns the list at(0), …, at(n-1). It reports a mistake if n exceeds maxRange.
func makeNumbers(c *call, n int, at func(i int) float64) (any, error) {
	if !c.e.spend(c.node, n) {
		return unknown(List), nil // spend has reported that the limit is exceeded
	}
	out := make([]value, n)
	for i := range out {
		x := at(i)
		if math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, fmt.Errorf("%s: a number is not finite", c.fn.Name)
		}
		out[i] = numberValue(x)
	}
	return value{Type: List, Data: out}, nil
}

// roundTo rounds x to the given number of digits after the decimal point. Halves are rounded away from 0 if digits is 0,
// and to an even last digit otherwise.
func roundTo(x float64, digits int) float64 {
	if digits == 0 {
		return math.Round(x)
	}
	// Format and parse x, because multiplying by a power of ten would round twice.
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', digits, 64), 64)
	if err != nil {
		return x // x is so large that it has no digits after the point
	}
	return y
}

// reduce applies f to the numbers of one list argument, or to several number arguments.
func reduce(c *call, f func([]float64) float64) (any, error) {
	// Accept one list or several numbers, but not a mixture.
	list, ok := c.args[0].Data.([]value)
	if ok && len(c.rest) > 0 {
		return nil, fmt.Errorf("%s takes one list, or several numbers", c.fn.Name)
	}
	if !ok {
		list = append(list, c.args[0].value)
		list = append(list, lists.Map(c.rest, func(a argument) value { return a.value })...)
	}
	numbers, ok := every[float64](list)
	if !ok || len(numbers) == 0 {
		return nil, fmt.Errorf("%s needs numbers, at least one", c.fn.Name)
	}
	// A sum of finite numbers may overflow.
	y := f(numbers)
	if math.IsInf(y, 0) || math.IsNaN(y) {
		return nil, fmt.Errorf("%s of these numbers is not finite", c.fn.Name)
	}
	return y, nil
}
