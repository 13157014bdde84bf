package front

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The cursor is at the bar.
// Expected values leave out At, which the test clears, and compare names given in any order.
func TestCursor(t *testing.T) {
	for text, want := range map[string]Cursor{
		"k|": {Word: "k"},
		// Positions and what is given: arguments before the cursor by number, named ones on both sides.
		"f(a, |":                           {Calls: []string{"f"}, Position: 1, First: "a"},
		"f(a, b=g(2, c=3), d|":             {Word: "d", Calls: []string{"f"}, Position: 1, First: "a", Given: []string{"b"}},
		"f(a + 1, |)":                      {Calls: []string{"f"}, Position: 1},
		"f(x=1, a|, y=2, z=g(w=1))\nv = 1": {Word: "a", Calls: []string{"f"}, Given: []string{"x", "y", "z"}},
		"f(|\nx = 3":                       {Calls: []string{"f"}},
		// Inside quotes the word is the text up to the cursor. A list inside a call belongs to its argument.
		"t(arm(rbf(dims=[\"x_1\", \"x_|\"])))":  {Word: "x_", InText: true, Calls: []string{"t", "arm", "rbf"}, Argument: "dims"},
		"rbf(dims=['a|', 'b'], lengthscale=[1]": {Word: "a", InText: true, Calls: []string{"rbf"}, Argument: "dims", Given: []string{"lengthscale"}},
		"problem(\"data/cn_c|":                  {Word: "data/cn_c", InText: true, Calls: []string{"problem"}},
		"plot(s, y=\"a\", x=\"|\", file=\"f\")": {InText: true, Calls: []string{"plot"}, Position: 1, First: "s", Argument: "x", Given: []string{"y", "file"}},
		// Bodies of formulas, and names that earlier statements bind.
		"w(x, y) = exp(sq|":        {Word: "sq", Calls: []string{"exp"}, Formula: true},
		"w(x, y) = x[0]\nk = rb|":  {Word: "rb", Names: []string{"w"}},
		"a = 1; b = f(c=2)\nd = |": {Names: []string{"a", "b"}},
		"w(x, y) = x[\"x_|":        {Word: "x_", InText: true, Formula: true},
		"[1, (|":                   {Calls: []string{""}}, // a bracket without a name has an entry, an empty one
		"ä = \"ü\" + ö|":           {Word: "ö"},
		// The name before a point is the owner.
		"x = r.sam|":               {Word: "sam", Owner: "r"},
		"x = 2*r.answers[f(1)].a|": {Word: "a", Owner: "r.answers[f(1)]"},
		"f(p).|":                   {Owner: "f(p)"},
		// An expression is between the braces of a text; a doubled brace is a letter, and a closed brace ends the
		// expression.
		"a = 1\nx = \"took {r.|": {Owner: "r", Names: []string{"a"}},
		"x = \"{{a}} {b} {f(c|":  {Word: "c", Calls: []string{"f"}},
		"x = \"{{a}} {b} c|":     {Word: "{{a}} {b} c", InText: true},
		"x = (1).|":              {},
	} {
		before, after, _ := strings.Cut(text, "|")
		got := CursorAt(before+after, len([]rune(before))) // offsets count runes, so the bar is measured in runes
		got.At = Span{}
		slices.Sort(got.Given)
		slices.Sort(want.Given)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

// CursorAt takes any text and any place in it.
// The text has an open quote, an open comment inside it, brackets and a text between backticks over two lines.
func TestCursorAnywhere(t *testing.T) {
	const text = "f(\"ä\", [1, `b\nc`), x=\"d /* e\nw(x, y) = ((x[0] 'f"
	for offset := -1; offset <= len([]rune(text))+1; offset++ {
		c := CursorAt(text, offset)
		if c.At.From > c.At.To || c.At.To > len([]rune(text)) {
			t.Errorf("offset %d: the word is at %v", offset, c.At)
		}
	}
}

func TestCompleteness(t *testing.T) {
	// A text that is right, whatever its names mean.
	for text, want := range map[string]Completeness{
		"":                        Complete,
		"// only a comment":       Complete,
		"k = rbf(0.5)":            Complete,
		"k = unknown(0.5)":        Complete,
		"f(x, y) = x[0] * y[0]\n": Complete,
		// Open brackets, with and without an argument begun.
		"k = rbf(":               Incomplete,
		"k = rbf(0.5, ":          Incomplete,
		"k = rbf(lengthscale=":   Incomplete,
		"k = rbf(lengthscale=[1": Incomplete,
		"k = rbf([1, 2\n":        Incomplete,
		// A value is missing after a sign.
		"k = ":              Incomplete,
		"k = 2 *":           Incomplete,
		"k = 2 * // more\n": Incomplete,
		// Quotes, comments and choices that are open at the end.
		"p = problem(\"data":       Incomplete,
		"a = 1\np = f(1, // one\n": Incomplete,
		"t = `one\ntwo":            Incomplete,
		"/* open":                  Incomplete,
		"f(x, y) = x[0] > 1 ? 2":   Incomplete,
		"f(x, y) =":                Incomplete,
		// Heads of formulas and texts with values.
		"f(x, y, l=":           Incomplete,
		"f(x, y, l=1) = l * ":  Incomplete,
		"t = \"{n} s\" +":      Incomplete,
		"t = \"{f(n)} {{s}}\"": Complete,
		// No text put at the end makes these right.
		"t = \"{f(n} s\"":      Invalid,
		"k = rbf)":             Invalid,
		"k = rbf(0.5]":         Invalid,
		"k = (1 2":             Invalid,
		"a b; f(":              Invalid,
		"a = 1 2\nf(":          Invalid,
		"p = problem(\"data\n": Invalid,
		"{":                    Invalid,
		"let x = 1":            Invalid,
		"f(a=1, b, ":           Invalid,
	} {
		got, open := CompletenessOf(text)
		if got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
		// Only an incomplete text counts its brackets; what is in quotes here has none.
		if brackets := strings.Count(text, "(") + strings.Count(text, "[") - strings.Count(text, ")") - strings.Count(text, "]"); got == Incomplete && open != brackets {
			t.Errorf("%q: %d brackets open, want %d", text, open, brackets)
		}
	}
}

// Each line end inside a statement or comment stays with it, and a lone ; is a part too.
func TestSolid(t *testing.T) {
	s := NewSource("", "// ä\n\nk = f(1,\n\n2) // b\n/* c\n\nd */ x =\n\n3; y\n;;\n// end")
	var got []string
	for _, at := range Solid(s) {
		got = append(got, s.Slice(at))
	}
	want := []string{"// ä", "k = f(1,\n\n2)", "// b", "/* c\n\nd */", "x =\n\n3", ";", "y", ";", ";", "// end"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
