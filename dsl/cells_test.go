package dsl

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// One indentation for each open bracket, and at least one.
func TestCompleteness(t *testing.T) {
	for src, want := range map[string][2]string{
		"k = rbf(0.5)":      {"complete", ""},
		"k = nobody(":       {"incomplete", "    "},
		"k = rbf(dims=[\"a": {"incomplete", "        "},
		"k = 2 +":           {"incomplete", "    "},
		"k = rbf(0.5))":     {"invalid", ""},
		"":                  {"complete", ""},
	} {
		if status, indent := Completeness(src); status != want[0] || indent != want[1] {
			t.Errorf("%q: %s, %q", src, status, indent)
		}
	}
}

// Titles, a statement over blank lines, a comment over blank lines, a statement with the comment at its end, and comments
// that are indented.
func TestParagraphs(t *testing.T) {
	const src = "// # Title\n// of *this*\n\n// what follows\nk = rbf(\n\n  0.5)\nk\n\n\n/* one\n\ntwo */\n  \nx =\n\n3 // end\n//\n\n    // indented\n//none\n"
	want := []Paragraph{
		{"# Title\nof *this*", true, 1},
		{"// what follows\nk = rbf(\n\n  0.5)\nk", false, 4},
		{"/* one\n\ntwo */", false, 11},
		{"x =\n\n3 // end\n//", false, 15},
		{"indented\nnone", true, 20},
	}
	if diff := cmp.Diff(want, Paragraphs(src)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for src, want := range map[string][]Paragraph{
		"":                  nil,
		"\n \n":             nil,
		"a = 1\r\n\r\nb":    {{"a = 1", false, 1}, {"b", false, 3}}, // line ends of Windows
		"k = rbf(\n\na = 1": {{"k = rbf(\n\na = 1", false, 1}},      // cannot be read
	} {
		if diff := cmp.Diff(want, Paragraphs(src)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", src, diff)
		}
	}
}

// Cells made of a script, one after the other, do what the script does.
// The comment is a paragraph of its own, and is not evaluated.
func TestParagraphsEvaluate(t *testing.T) {
	whole := valuesOf(t, NewSession(Options{}), sweepScript+"\n\n// said\n\nr\n\ng + 1")
	s := NewSession(Options{Rebind: true})
	var parts []any
	for _, p := range Paragraphs(sweepScript + "\n\n// said\n\nr\n\ng + 1") {
		values, err := evalText(s, p.Source)
		if !p.Comment && err != nil {
			t.Fatal(err)
		}
		if !p.Comment {
			parts = append(parts, values...)
		}
	}
	if diff := cmp.Diff(whole, parts); diff != "" {
		t.Errorf("(-script +cells):\n%s", diff)
	}
}

// Only the right sides change: comments, line ends and everything else stay.
func TestRewrite(t *testing.T) {
	const src = "gap = 0.1 // ä reward gap\nnames = [\"a\",\n  \"b\"]; runs = 2\nw(x, y) = x[0] * y[0]\n\nr = fc(paper(1, gap), runs=runs)\n"
	for _, c := range []struct {
		set  []string
		want string
	}{
		{nil, src},
		{[]string{"gap=0.25 + 0.25 // more"}, strings.Replace(src, "0.1 //", "0.25 + 0.25 //", 1)},
		{[]string{"runs = 50", `names=["ü"]`}, strings.Replace(strings.Replace(src, "[\"a\",\n  \"b\"]", `["ü"]`, 1), "runs = 2", "runs = 50", 1)},
		{[]string{"w=rbf(2)"}, strings.Replace(src, "w(x, y) = x[0] * y[0]", "w=rbf(2)", 1)}, // a formula becomes a plain binding
		{[]string{"gap=1", "gap=2"}, strings.Replace(src, "0.1", "2", 1)},                    // the last one counts
	} {
		got, err := Rewrite(src, c.set)
		if err != nil {
			t.Errorf("%q: %v", c.set, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.set, diff)
		}
	}
	// A name that is not bound, a text that sets none, and a value with a mistake.
	for set, want := range map[string]string{
		"gpa=1":       "the script defines no name gpa\n 1 | gpa=1\n   | ^^^\n   = hint: did you mean \"gap\"?",
		"elsewhere=1": "hint: known: gap, names, runs, w, r",
		"gap":         "this does not set a name",
		"gap=(1":      "is not closed",
	} {
		if got, err := Rewrite(src, []string{set}); err == nil || !strings.Contains(err.Error(), want) || got != "" {
			t.Errorf("%s: %q, error %v", set, got, err)
		}
	}
	if _, err := Rewrite("k = (", nil); err == nil {
		t.Error("a script with a mistake was rewritten")
	}
}

// In a notebook the place names the cell.
func TestErrorHTML(t *testing.T) {
	// The third line has a rune of two bytes before the mistake.
	_, errs := Parse("cell 5", "a = 1\nb = 2\nc = (é 1)")
	text := errs.Error()
	html := ErrorHTML(errs)
	if !strings.HasPrefix(text, "cell 5:3:8: ") {
		t.Errorf("text %q", text)
	}
	for _, want := range []string{"cell 5, line 3, column 8", "<mark>1</mark>", "c = (é ", "       ^", "Hint:"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in %s", want, html[strings.Index(html, "</style>"):])
		}
	}
	// A check finds the unknown name before the file is read.
	script, _ := Parse("cell 2", "p = problem(\"testdata/bad.csv\", kernel=arm(linear()))\nq = nobody")
	_, err := NewSession(Options{}).Eval(t.Context(), script)
	if html := ErrorHTML(err); strings.Count(html, "class=\"error\"") != 1 || !strings.Contains(html, "nobody") {
		t.Errorf("%v: %s", err, html)
	}
	// The file has a mistake of its own, which is the cause.
	script, _ = Parse("cell 2", "p = problem(\"testdata/bad.csv\", kernel=arm(linear()))")
	_, err = NewSession(Options{}).Eval(t.Context(), script)
	if html := ErrorHTML(err); !strings.Contains(html, "bad.csv:3:") {
		t.Errorf("the file's own mistake is missing: %s", html)
	}
	if html := ErrorHTML(errors.New("a < b")); !strings.Contains(html, "a &lt; b") {
		t.Errorf("any other error: %s", html)
	}
}
