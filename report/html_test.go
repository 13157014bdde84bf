package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// element is one element of a page with what the checks ask for.
type element struct {
	name     string
	attrs    map[string]string
	children []*element
	text     string
}

func (e *element) all(name string) []*element {
	var out []*element
	for _, c := range e.children {
		if c.name == name {
			out = append(out, c)
		}
		out = append(out, c.all(name)...)
	}
	return out
}

// parse reads a page as strict XML: unbalanced tags and bare & or < fail.
func parse(t *testing.T, page []byte) *element {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	root := &element{}
	stack := []*element{root}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		top := stack[len(stack)-1]
		switch x := token.(type) {
		case xml.StartElement:
			e := &element{name: x.Name.Local, attrs: map[string]string{}}
			for _, a := range x.Attr {
				e.attrs[a.Name.Local] = a.Value
			}
			top.children = append(top.children, e)
			stack = append(stack, e)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.text += string(x)
		}
	}
	return root
}

func page(t *testing.T) []byte {
	return written(t, func(w io.Writer) error { return HTML(w, document()) })
}

func TestHTMLStructure(t *testing.T) {
	root := parse(t, page(t))
	if n := len(root.all("h1")); n != 1 {
		t.Errorf("%d h1, want 1", n)
	}
	if lang := root.all("html")[0].attrs["lang"]; lang != "en" {
		t.Errorf("lang is %q", lang)
	}
	tables := root.all("table")
	if len(tables) < 10 {
		t.Fatalf("only %d tables", len(tables))
	}
	for _, table := range tables {
		if len(table.all("caption")) != 1 || strings.TrimSpace(table.all("caption")[0].text) == "" {
			t.Errorf("a table has no caption: %+v", table.attrs)
		}
		for _, th := range table.all("th") {
			if s := th.attrs["scope"]; s != "col" && s != "row" {
				t.Errorf("th %q has scope %q", th.text, s)
			}
		}
	}
	if n := len(root.all("details")); n < 2 { // audit trail, data of figures
		t.Errorf("%d details, want at least 2", n)
	}
}

func TestHTMLFigures(t *testing.T) {
	root := parse(t, page(t))
	seen := map[string]bool{}
	svgs := root.all("svg")
	if len(svgs) != 4 {
		t.Fatalf("%d drawings, want a broad and a narrow one of each of the 2 figures of the document", len(svgs))
	}
	for _, svg := range svgs {
		title, desc := svg.all("title"), svg.all("desc")
		if len(title) != 1 || len(desc) != 1 || title[0].text == "" || desc[0].text == "" {
			t.Fatal("a figure lacks a title or a description")
		}
		if want := title[0].attrs["id"] + " " + desc[0].attrs["id"]; svg.attrs["aria-labelledby"] != want || svg.attrs["role"] != "img" {
			t.Errorf("labelled by %q, want %q", svg.attrs["aria-labelledby"], want)
		}
		for _, e := range append(title, desc...) {
			if seen[e.attrs["id"]] {
				t.Errorf("id %q occurs twice", e.attrs["id"])
			}
			seen[e.attrs["id"]] = true
		}
	}
}

// TestHTMLSelfContained: nothing is fetched from anywhere, nothing runs.
func TestHTMLSelfContained(t *testing.T) {
	root := parse(t, page(t))
	var walk func(*element)
	walk = func(e *element) {
		if e.name == "script" || e.name == "link" || e.name == "iframe" || e.name == "img" {
			t.Errorf("page has a %s", e.name)
		}
		for k, v := range e.attrs {
			if k == "src" || k == "href" || strings.HasPrefix(k, "on") || strings.Contains(v, "url(") {
				t.Errorf("%s has %s=%q", e.name, k, v)
			}
		}
		for _, c := range e.children {
			walk(c)
		}
	}
	walk(root)
	lacks(t, stylesheet, "url(", "@import")
}

// TestHTMLEscapes: names and scripts from users stay text.
func TestHTMLEscapes(t *testing.T) {
	r := undecidedResult()
	r.Answers[0].Task = `<script>alert("x")</script>`
	r.Warnings = []engine.Warning{{Kind: `a < b & "c"`}}
	var b bytes.Buffer
	try.To(HTML(&b, Document{Title: "<b>", Displays: []Display{{Name: "x", Source: "x<y", Value: r}}, Script: "</pre><script>"}))
	root := parse(t, b.Bytes())
	if len(root.all("script")) > 0 || len(root.all("b")) > 0 {
		t.Error("text became markup")
	}
	if code := root.all("pre")[0]; !strings.Contains(b.String(), "&lt;/pre&gt;&lt;") {
		t.Errorf("script shown as %q", code.text)
	}
}

// TestFragment: a display inside another page brings a short style that reaches nothing but what is
// ours.
func TestFragment(t *testing.T) {
	f := figureFrom(t, fcSweep(), "", "")
	b := written(t, func(w io.Writer) error { return Fragment(w, Display{Value: []Block{f, f}}, "cell-7") })
	root := parse(t, b)
	for _, rule := range strings.SplitAfter(strings.TrimSpace(root.all("style")[0].text), "}") {
		if s := strings.TrimSpace(rule); s != "" && !strings.HasPrefix(s, ".cope") {
			t.Errorf("style reaches %q", s)
		}
	}
	if style := root.all("style")[0].text; len(style) > 2000 {
		t.Errorf("a style of %d bytes comes with every output, want 2000 at most", len(style))
	}
}

// A number needs no style.
func TestFragmentOfNumber(t *testing.T) {
	root := parse(t, written(t, func(w io.Writer) error { return Fragment(w, Display{Value: 2.0}, "cell-7") }))
	if len(root.all("style")) != 0 || len(root.all("p")) != 1 {
		t.Errorf("%d styles and %d paragraphs", len(root.all("style")), len(root.all("p")))
	}
}

// TestFragmentAlignment: text is at the left and numbers at the right, both if a front end has
// rules of its own and if it removes the style.
func TestFragmentAlignment(t *testing.T) {
	root := parse(t, written(t, func(w io.Writer) error { return Fragment(w, Display{Value: fcResult()}, "cell-7") }))
	left, right := 0, 0
	for _, e := range append(root.all("td"), root.all("th")...) {
		switch {
		case e.attrs["class"] == "r" && e.attrs["style"] == "":
			right++
		case (e.attrs["class"] == "" || e.attrs["class"] == "short") && e.attrs["style"] == "text-align:left":
			left++
		default:
			t.Fatalf("%q has class %q and style %q", e.text, e.attrs["class"], e.attrs["style"])
		}
	}
	if left == 0 || right == 0 {
		t.Errorf("%d cells at the left and %d at the right: nothing was tested", left, right)
	}
	holds(t, notebookStyle, ".cope.cope :is(th, td) { text-align: left;", ".cope.cope :is(th, td).r { text-align: right; }")
}

// TestElements: a figure for a page of ours is a drawing in line, with its own ids.
func TestElements(t *testing.T) {
	f := figureFrom(t, fcSweep(), "", "")
	root := parse(t, written(t, func(w io.Writer) error { return Elements(w, "cell-7", f) }))
	for _, e := range append(root.all("title"), root.all("desc")...) {
		if id := e.attrs["id"]; !strings.HasPrefix(id, "cell-7-") {
			t.Errorf("id %q", id)
		}
	}
	if len(root.all("svg")) != 2 || len(root.all("figcaption")) != 1 || len(root.all("img")) != 0 {
		t.Error("no drawing with a caption")
	}
}

// luminance returns the relative luminance of a colour #rrggbb [WCAG 2.1].
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	m := regexp.MustCompile(`^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$`).FindStringSubmatch(hex)
	if m == nil {
		t.Fatalf("%q is not a colour", hex)
	}
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		sum += weight * linear(t, m[i+1])
	}
	return sum
}

// TestNotebookTheme: pictures follow the theme of the notebook, not the reader's scheme, and the
// outputs have no ground of their own.
func TestNotebookTheme(t *testing.T) {
	for theme, scheme := range map[string]string{"true": "light", "false": "dark"} {
		if rule := `.cope:is([data-jp-theme-light="` + theme + `"] *) { color-scheme: ` + scheme + `; }`; !strings.Contains(notebookStyle, rule) {
			t.Errorf("no rule %q", rule)
		}
	}
	if regexp.MustCompile(`(?m)^\.cope(\.cope)? \{`).MatchString(notebookStyle) {
		t.Error("the outputs have a style as a whole: they take the front end's")
	}
}
