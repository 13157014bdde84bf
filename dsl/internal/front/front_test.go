package front

import (
	"strings"
	"testing"

	"github.com/expr-lang/expr/ast"
)

// parseOne parses a script that must be right and have one statement.
func parseOne(t *testing.T, text string) *Statement {
	t.Helper()
	statements, errs := Parse(NewSource("test.cope", text))
	if len(errs) > 0 || len(statements) != 1 {
		t.Fatalf("%q: %d statements, errors %v", text, len(statements), errs)
	}
	return statements[0]
}

// A line that ends with an operator, or a next one that begins with + * / or ^, goes on. A minus or a bracket begins a new
// one.
func TestStatementsEndAtLineEnds(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string // text of each statement
	}{
		{"a\nb", []string{"a", "b"}},
		{"a; b ;c", []string{"a", "b", "c"}},
		{"a +\n b", []string{"a +\n b"}},
		{"a\n + b", []string{"a\n + b"}},
		{"a\n * b\n / c\n ^ d", []string{"a\n * b\n / c\n ^ d"}},
		{"a\n-b", []string{"a", "-b"}},
		{"a\n(b)", []string{"a", "(b)"}},
		{"x =\n 3", []string{"x =\n 3"}},
		{"f(a,\n b)\nc", []string{"f(a,\n b)", "c"}},
		{"[1,\n2]\n\n\n3", []string{"[1,\n2]", "3"}},
		{"a // + b\nc", []string{"a", "c"}},         // a comment does not continue the line
		{"a /* one\n two */ b", []string{"a", "b"}}, // a line end inside a comment ends the statement too
		{"a + // more\n b", []string{"a + // more\n b"}},
		{"\ufeffa\r\nb\r\n", []string{"a", "b"}}, // byte order mark and line ends of Windows
		{"// nothing\n", nil},
		{"", nil},
		{";;", nil},
	} {
		s := NewSource("test.cope", test.text)
		statements, errs := Parse(s)
		if len(errs) > 0 {
			t.Errorf("%q: %v", test.text, errs)
			continue
		}
		var got []string
		for _, st := range statements {
			got = append(got, s.Slice(st.Whole()))
		}
		if strings.Join(got, "|") != strings.Join(test.want, "|") {
			t.Errorf("%q: statements %q, want %q", test.text, got, test.want)
		}
	}
}

// Spans must be in the user's own text, whatever the rewriting for expr inserted
// before them, and cover the whole subexpression with its brackets.
func TestSpans(t *testing.T) {
	for _, test := range []struct {
		text, node, want string // the text, the node whose place is asked (see finder), and its place
	}{
		// Named arguments insert brackets before them, so places after the first name are moved.
		{`f(a, k=1, l=zz)`, "zz", "zz"},
		{`f(a, k=1, l=zz)`, "f", `f(a, k=1, l=zz)`},
		{`f(g(k=1), g(k=2), x)`, "x", "x"},
		{`ä + f(ö, k="ü", l=zz)`, "zz", "zz"}, // runes of two bytes
		// Brackets are not nodes; a place that holds one bracket of a pair is extended to the other.
		{`(a + b) * c`, "*", "(a + b) * c"},
		{`((a) + (b))`, "+", "(a) + (b)"},
		{`-(a + b)`, "-", "-(a + b)"},
		{`a[f(1)]`, "[", "a[f(1)]"},
		{`[1, [2, 3]] + q`, "q", "q"},
		{`[1, (2)]`, "array", "[1, (2)]"},
		{`f()`, "f", "f()"},
		{"f( // one\n k = 2,\n l = zz )", "zz", "zz"},
		{`a > b ? (c) : d`, "?", "a > b ? (c) : d"},
	} {
		st := parseOne(t, test.text)
		v := &finder{name: test.node}
		ast.Walk(&st.Node, v)
		if v.found == nil {
			t.Errorf("%s: no node %s", test.text, test.node)
			continue
		}
		if got := st.Text(v.found); got != test.want {
			t.Errorf("%s: node %s is %q, want %q", test.text, test.node, got, test.want)
		}
	}
}

// finder finds a node by the name of an identifier or call, by an operator, or by
// its sort.
type finder struct {
	name  string
	found ast.Node
}

func (f *finder) Visit(n *ast.Node) {
	name := ""
	switch n := (*n).(type) {
	case *ast.IdentifierNode:
		name = n.Value
	case *ast.CallNode:
		name = n.Callee.(*ast.IdentifierNode).Value
	case *ast.BinaryNode:
		name = n.Operator
	case *ast.UnaryNode:
		name = n.Operator
	case *ast.MemberNode:
		name = "["
	case *ast.ArrayNode:
		name = "array"
	case *ast.ConditionalNode:
		name = "?"
	}
	if name == f.name {
		f.found = *n // the outermost, since Walk goes from the leaves up
	}
}

// Code drops comments and line ends, and keeps one blank where the user had some.
func TestHeads(t *testing.T) {
	st := parseOne(t, "wave(x, y) = x[0] * y[0]")
	if st.Name != "wave" || len(st.Params) != 2 || st.Params[1].Name != "y" || st.Code() != "x[0] * y[0]" {
		t.Errorf("formula: %+v, code %q", st, st.Code())
	}
	st = parseOne(t, "k = rbf( // comment\n  0.5)")
	if st.Name != "k" || st.Params != nil || st.Code() != "rbf( 0.5)" {
		t.Errorf("binding: %+v, code %q", st, st.Code())
	}
}

// A deep or long text must be refused before the parser, which recurses, sees it.
// Each text breaks the limit that its name states; "name" and "character" by one, the others by
// far.
func TestLimits(t *testing.T) {
	many := 100_000
	if testing.Short() {
		many = 5000
	}
	for name, text := range map[string]string{
		"brackets":  strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200),
		"lists":     strings.Repeat("[", many),
		"signs":     strings.Repeat("-", many) + "1",
		"powers":    "1" + strings.Repeat("^1", many),
		"sum":       "1" + strings.Repeat(" + 1", many),
		"lines":     "1" + strings.Repeat("\n+ 1", many),
		"elements":  "x" + strings.Repeat("[0]", many),
		"choices":   strings.Repeat("1 < 2 ? ", many) + "1",
		"name":      strings.Repeat("a", 101),
		"words":     strings.Repeat("1;", 400_000),
		"character": strings.Repeat(" ", maxRunes+1),
	} {
		if _, errs := Parse(NewSource("test.cope", text)); len(errs) != 1 {
			t.Errorf("%s: %d errors, want one", name, len(errs))
		}
	}
	// a quarter of a million numbers, as a Gram matrix literal has, is within all limits
	matrix := "[" + strings.Repeat("["+strings.Repeat("0.25,", 500)+"],", 500) + "]"
	parseOne(t, matrix)
}

// A message stays short whatever the line is, and its underline stays in it.
func TestExcerptOfLongLines(t *testing.T) {
	for _, test := range []struct {
		text string // the text of the line after its number and bar
		span Span
		want string
	}{
		// Cut on both sides: 40 runes before the mistake, 120 in all, an ellipsis for each side.
		{strings.Repeat("a", 300) + "X" + strings.Repeat("b", 300), Span{300, 301}, "…" + strings.Repeat("a", 40) + "X" + strings.Repeat("b", 79) + "…"},
		{"X" + strings.Repeat("b", 300), Span{0, 1}, "X" + strings.Repeat("b", 119) + "…"},
		{strings.Repeat("a", 300), Span{0, 300}, strings.Repeat("a", 120) + "…"},
		{"a\tX\u0007", Span{2, 3}, "a X"}, // a tab becomes a blank and the bell too, which is trimmed at the end
	} {
		lines := strings.Split(NewSource("f", test.text).At(test.span, "m", "").Error(), "\n")
		if len(lines) != 3 || lines[1] != " 1 | "+test.want {
			t.Errorf("%.20s…: %q, want the line %q", test.text, lines, test.want)
			continue
		}
		under := []rune(lines[2])
		first, shown := strings.Index(lines[2], "^"), []rune(lines[1])
		// The underline is not longer than the line, and its first mark is below the X.
		if len(under) > len(shown) || strings.Contains(test.text, "X") && shown[first] != 'X' {
			t.Errorf("%.20s…: underline %q of %q", test.text, lines[2], lines[1])
		}
	}
	// A mistake over two lines is underlined in the first one; cause and hint follow, each line with a bar.
	e := NewSource("f", "ab(\n c)\nd").At(Span{1, 6}, "m", "h")
	e.Cause = "one\ntwo"
	want := "f:1:2: m\n 1 | ab(\n   |  ^^\n   = one\n   = two\n   = hint: h"
	if e.Error() != want {
		t.Errorf("%q, want %q", e.Error(), want)
	}
}
