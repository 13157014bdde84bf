package dsl

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/gonb-cope/gonb-cope/dsl/internal/front"
	"github.com/gonb-cope/gonb-cope/kernels"
	"github.com/gonb-cope/gonb-cope/report"
)

// printFunction makes a text of values.
func printFunction() Function {
	return Function{
		Name: "print", Section: SectionOutput, Synonyms: []string{"str", "text", "format", "println", "printf", "echo"},
		Doc:      `values as a text, with a space between them: a text as it is, a number in up to ten digits, a kernel as text that makes an equal kernel with the formulas it uses, a result as it is shown in a terminal`,
		Params:   []Param{{Name: "value", Synonyms: []string{"k"}, Doc: "what to print; a text shows values between braces"}},
		Variadic: "further values", Result: Text, Example: `print("half of it is {1/2:.0%}")`, pure: true,
		eval: func(c *call) (any, error) {
			parts := []string{printed(c.args[0].value)}
			for _, a := range c.rest {
				parts = append(parts, printed(a.value))
			}
			return strings.Join(parts, " "), nil
		},
	}
}

// printed returns a value as print shows it.
func printed(v value) string {
	if text, ok := inText(v); ok && v.Type != Kernel && v.Type != Joint {
		return text
	}
	switch data := v.Data.(type) {
	case kernels.Joint:
		return definitions(data.Formulas()) + data.String()
	case kernels.Kernel:
		return definitions(kernels.Formulas(data)) + data.String()
	case []value:
		parts := make([]string, len(data))
		for i, element := range data {
			parts[i] = printed(element)
		}
		return strings.Join(parts, "\n")
	}
	var b strings.Builder
	_ = report.Text(&b, report.Document{Displays: []report.Display{{Value: v.Data}}}, report.TextOptions{}) // a Builder takes all
	return strings.TrimSpace(b.String())
}

// inText returns a value as it stands in a line of text; false for one that does not fit there.
func inText(v value) (string, bool) {
	switch data := v.Data.(type) {
	case string:
		return data, true
	case float64:
		return numeral(data), true
	case kernels.Joint:
		return data.String(), true
	case kernels.Kernel:
		return data.String(), true
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

// numeral returns a number in at most ten significant digits; a whole one in full.
func numeral(x float64) string {
	if i, ok := whole(x); ok {
		return strconv.Itoa(i)
	}
	return strconv.FormatFloat(x, 'g', 10, 64)
}

// formatted returns a number in a form that front.Format matches.
func formatted(x float64, form string) string {
	m := front.Format.FindStringSubmatch(form)
	places := -1
	if m[2] != "" {
		places, _ = strconv.Atoi(m[2])
	}
	var text, unit string
	switch letter := m[3]; {
	case letter == "%":
		text, unit = strconv.FormatFloat(100*x, 'f', max(places, 0), 64), "%"
	case letter == "d":
		text = strconv.FormatFloat(math.Round(x), 'f', 0, 64)
	case letter != "":
		if places < 0 {
			places = 6
		}
		if letter == "g" {
			places = max(places, 1)
		}
		text = strconv.FormatFloat(x, letter[0], places, 64)
	case places >= 0:
		text = strconv.FormatFloat(x, 'g', max(places, 1), 64)
	default:
		text = numeral(x)
	}
	if m[1] == "," {
		text = grouped(text)
	}
	return text + unit
}

// grouped puts commas between the thousands of a number.
func grouped(text string) string {
	end := strings.IndexFunc(strings.TrimPrefix(text, "-"), func(r rune) bool { return r < '0' || r > '9' })
	start := len(text) - len(strings.TrimPrefix(text, "-"))
	if end += start; end < start {
		end = len(text)
	}
	for i := end - 3; i > start; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// withValues evaluates a text with values, see front.TextCall.
func withValues(e *evaluator, n *ast.CallNode) value {
	var b strings.Builder
	known := true
	for i, a := range n.Arguments {
		switch i % 3 {
		case 0:
			b.WriteString(a.(*ast.StringNode).Value)
		case 1:
			form := n.Arguments[i+1].(*ast.StringNode)
			v := e.eval(a)
			text, ok := insideText(e, a, v, form)
			known = known && ok
			b.WriteString(text)
		}
	}
	if !known || !e.spend(n, b.Len()) {
		return unknown(Text)
	}
	return value{Type: Text, Data: b.String()}
}

// insideText returns a value between the braces of a text, false where it is not known or does not fit.
func insideText(e *evaluator, n ast.Node, v value, form *ast.StringNode) (string, bool) {
	asked := form.Value != ""
	switch {
	case asked && v.Type != Number && v.Type != anything:
		e.fail(n, Text, fmt.Sprintf("a format is for numbers; here is %s", v.Type.a()), "")
		return "", false
	case v.Type == Free, v.Type == Nothing, v.Type.hasParts() || v.Type == Figure || v.Type == Rewards:
		hint := "print(value) makes a text of its own of it"
		if names := v.partNames(); len(names) > 0 {
			hint = fmt.Sprintf("choose a part of it, as in {%s.%s}", e.st.Text(n), usualPart(names))
		}
		e.fail(n, Text, fmt.Sprintf("%s does not fit into a text", v.Type.a()), hint)
		return "", false
	case !v.known():
		return "", false
	case asked:
		return formatted(v.Data.(float64), form.Value), true
	}
	text, ok := inText(v)
	if !ok {
		e.fail(n, Text, "this list does not fit into a text", "lists of numbers, texts and kernels do")
	}
	return text, ok
}

// joined returns two texts as one.
func joined(e *evaluator, n *ast.BinaryNode, l, r value) value {
	if n.Operator != "+" {
		return e.fail(n, Text, fmt.Sprintf("%s does not go between texts", n.Operator), "texts are joined by +")
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

// textName reports whether a function of the tree is the one of texts with values.
func textName(n *ast.IdentifierNode) bool { return n.Value == front.TextCall }
