package export

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// strictly reads a page as XML, which forgives nothing, into our own tree.
func strictly(t *testing.T, page []byte) *markup.Node {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(page))
	stack := []*markup.Node{{}}
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return stack[0]
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		top := stack[len(stack)-1]
		switch x := token.(type) {
		case xml.StartElement:
			n := &markup.Node{Tag: x.Name.Local}
			for _, a := range x.Attr {
				n.Attrs = append(n.Attrs, markup.Attr{Name: a.Name.Local, Value: a.Value})
			}
			top.Children = append(top.Children, n)
			stack = append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.Children = append(top.Children, markup.Text(string(x)))
		}
	}
}

func rendered(t *testing.T, nb *notebook.Notebook, opt Options) ([]byte, *markup.Node) {
	t.Helper()
	page := onScreen(nb, opt)
	return page, strictly(t, page)
}

func book(cells ...notebook.Cell) *notebook.Notebook { return &notebook.Notebook{Cells: cells} }

// checkPage holds for every page, whatever is in the notebook.
func checkPage(t *testing.T, root *markup.Node) {
	t.Helper()
	if n := len(root.All("h1")); n != 1 {
		t.Errorf("%d h1, want 1", n)
	}
	if lang := root.Child("html").Get("lang"); lang != "en" {
		t.Errorf("lang is %q", lang)
	}
	ids := map[string]bool{}
	level := 0
	root.Walk(func(n *markup.Node) bool {
		if id := n.Get("id"); id != "" {
			if ids[id] {
				t.Errorf("id %q occurs twice", id)
			}
			ids[id] = true
		}
		if l := headingLevel(n); l > 0 {
			if l > level+1 {
				t.Errorf("heading %q of level %d follows level %d", n.Plain(), l, level)
			}
			level = l
		}
		return true
	})
	head := root.Child("html").Child("head")
	if policy := head.Children[3]; len(head.All("meta")) != 3 || policy.Get("http-equiv") != "Content-Security-Policy" || !strings.HasPrefix(policy.Get("content"), "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri") {
		t.Errorf("the page begins with %s", head.Children[3])
	}
	if n := len(root.All("script")); n > 1 {
		t.Errorf("%d scripts, want our one", n)
	}
	root.Walk(func(n *markup.Node) bool { checkElement(t, n, ids); return true })
}

// checkElement looks for requests to anywhere and for what could run.
func checkElement(t *testing.T, n *markup.Node, ids map[string]bool) {
	t.Helper()
	if strings.Contains(" link iframe object embed base form video audio source applet ", " "+n.Tag+" ") || n.Tag == "meta" && n.Has("http-equiv") && n.Get("http-equiv") != "Content-Security-Policy" {
		t.Errorf("page has a %s", n.Tag)
	}
	if n.Tag == "style" {
		if css := strings.ToLower(n.Plain()); strings.Contains(css, "url(") && !strings.Contains(css, "url(#") || strings.Contains(css, "@import") {
			t.Error("a style asks for other files")
		}
	}
	if n.Tag == "th" && n.Get("scope") == "" {
		t.Errorf("th %q has no scope", n.Plain())
	}
	if n.Tag == "img" && !n.Has("alt") {
		t.Errorf("an image has no alternative: %.60s", n.Get("src"))
	}
	for _, a := range n.Attrs {
		if a.Name == "alt" || a.Name == "aria-label" || a.Name == "title" {
			continue // words, whatever they say
		}
		switch low := strings.ToLower(a.Value); {
		case strings.HasPrefix(a.Name, "on"), strings.Contains(low, "javascript:"), a.Name == "srcset", a.Name == "srcdoc":
			t.Errorf("%s has %s=%q", n.Tag, a.Name, a.Value)
		case a.Name == "src" && !strings.HasPrefix(a.Value, "data:image/"), a.Name == "href" && n.Tag != "a" && !strings.HasPrefix(a.Value, "#") && !strings.HasPrefix(a.Value, "data:image/"):
			t.Errorf("%s asks for %q", n.Tag, a.Value)
		case strings.Contains(strings.ReplaceAll(low, "url(#", ""), "url("):
			t.Errorf("%s has %s=%q", n.Tag, a.Name, a.Value)
		case a.Name == "href" && strings.HasPrefix(a.Value, "#") && !ids[a.Value[1:]]:
			t.Errorf("link to %s, which is nowhere", a.Value)
		case strings.HasPrefix(a.Name, "aria-labelledby"):
			for _, id := range strings.Fields(a.Value) {
				if !ids[id] {
					t.Errorf("%s is labelled by %q, which is nowhere", n.Tag, id)
				}
			}
		}
	}
}

func TestPage(t *testing.T) {
	page, root := rendered(t, demo(t), demoOptions())
	checkPage(t, root)
	if title := root.All("h1")[0].Plain(); title != "Two groups of tasks" || root.All("title")[0].Plain() != title {
		t.Errorf("title %q", title)
	}
	nav := root.All("nav")[0]
	var entries []string
	for _, a := range nav.All("a") {
		entries = append(entries, a.Plain())
	}
	if got, want := strings.Join(entries, "|"), "The results|From Go|Pictures|Provenance"; got != want {
		t.Errorf("outline %q, want %q", got, want)
	}
	holds(t, string(page), `<a href="#s-the-results">the results</a>`, "[1] 1.25 s", "line 80", "Standard error", "60 more lines", "<summary>JSON</summary>")
	if n := strings.Count(string(page), ".cope h1 {"); n != 1 {
		t.Errorf("the style of package report occurs %d times, want once", n)
	}
	checkNumbers(t, root, "figcaption", "Figure", 4)
	checkNumbers(t, root, "caption", "Table", 8)
	for _, svg := range root.All("svg") {
		if svg.Get("role") != "img" || svg.Get("aria-label") == "" && svg.Get("aria-labelledby") == "" {
			t.Errorf("a drawing has no name: %v", svg.Attrs)
		}
	}
}

// checkNumbers reads the numbers of captions in the order of the page.
func checkNumbers(t *testing.T, root *markup.Node, tag, kind string, want int) {
	t.Helper()
	number := regexp.MustCompile(`^` + kind + ` (\d+)`)
	n := 0
	for _, c := range root.All(tag) {
		if m := number.FindStringSubmatch(c.Plain()); m != nil {
			if n++; m[1] != fmt.Sprint(n) {
				t.Errorf("%q comes as number %d", c.Plain(), n)
			}
		}
	}
	if n != want {
		t.Errorf("%d numbers %s, want %d", n, kind, want)
	}
}

// TestFragmentsIntact: what package report draws is on the page as drawn: the text
// of every table cell, and every drawing with all its parts. A figure is drawn for the page.
func TestFragmentsIntact(t *testing.T) {
	for i, o := range bundles(t) {
		fragment := markup.Parse(stringOf(o.Data["text/html"]))
		if f, ours := ownFigure(o); ours {
			var b strings.Builder
			try.To(report.Elements(&b, "x", f))
			if fragment = markup.Parse(b.String()); len(fragment.All("path")) == 0 {
				t.Errorf("display %d: no drawing", i)
			}
		}
		_, root := rendered(t, book(codeCell("x", []any{removeInput}, o)), Options{})
		for _, tag := range []string{"td", "th", "li", "p", "path", "text", "rect", "circle", "code", "title", "desc"} {
			want, got := fragment.All(tag), root.Child("html").Child("body").Child("main").All(tag)
			if len(want) != len(got) {
				t.Errorf("display %d: %d %s, want %d", i, len(got), tag, len(want))
				continue
			}
			for j := range want {
				if strings.TrimSpace(got[j].Plain()) != strings.TrimSpace(want[j].Plain()) || got[j].Get("d") != want[j].Get("d") || got[j].Get("style") != strings.TrimRight(want[j].Get("style"), ";") && strings.ReplaceAll(got[j].Get("style"), " ", "") != strings.ReplaceAll(strings.TrimRight(want[j].Get("style"), ";"), " ", "") {
					t.Errorf("display %d: %s %d is %s, want %s", i, tag, j, got[j], want[j])
				}
			}
		}
		checkPage(t, root)
	}
}

func TestTags(t *testing.T) {
	const source, output = "secret := 1", "answer 42"
	for _, c := range []struct {
		tag, code, out string
		opt            Options
	}{
		{"", "open", "plain", Options{}},
		{hideInput, "folded", "plain", Options{}},
		{hideOutput, "open", "folded", Options{}},
		{hideCell, "folded", "folded", Options{}},
		{removeInput, "", "plain", Options{}},
		{removeOutput, "open", "", Options{}},
		{removeCell, "", "", Options{}},
		{"", "", "plain", Options{HideCode: true}},
		{"anything", "open", "plain", Options{}},
	} {
		page, root := rendered(t, book(codeCell(source, []any{c.tag}, printed("stdout", output))), c.opt)
		code, out := "", ""
		for _, d := range root.All("details") {
			state := "folded"
			if d.Has("open") {
				state = "open"
			}
			if strings.Contains(d.Plain(), source) {
				code = state
			}
			if strings.Contains(d.Plain(), output) {
				out = state
			}
		}
		if out == "" && strings.Contains(string(page), output) {
			out = "plain"
		}
		if code != c.code || out != c.out {
			t.Errorf("tag %q, %+v: code %q and output %q, want %q and %q", c.tag, c.opt.HideCode, code, out, c.code, c.out)
		}
		paper := strictly(t, printable(context.Background(), book(codeCell(source, []any{c.tag})), c.opt, nil))
		for _, d := range paper.All("details") {
			if !d.Has("open") {
				t.Errorf("tag %q: something is folded on paper", c.tag)
			}
		}
		if len(paper.All("script")) > 0 {
			t.Error("a script goes to the printer")
		}
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct {
		cells []notebook.Cell
		opt   Options
		title string
		heads string
	}{
		{[]notebook.Cell{markdownCell("# A\n\n## B\n\n#### C")}, Options{}, "A", "h2 B|h3 C"},
		{[]notebook.Cell{markdownCell("# A\n\n# B\n\n## C")}, Options{}, "A", "h2 B|h3 C"},
		{[]notebook.Cell{markdownCell("# A\n\n## B")}, Options{Title: "T < U"}, "T < U", "h2 A|h3 B"},
		{[]notebook.Cell{markdownCell("# A\n\n## B")}, Options{Title: "A"}, "A", "h2 B"},
		{[]notebook.Cell{markdownCell("text")}, Options{Provenance: report.Provenance{Notebook: "notebooks/x.ipynb"}}, "x", ""},
		{nil, Options{}, "Notebook", ""},
		{[]notebook.Cell{markdownCell("# `code` *and* $x^2$")}, Options{}, "code and x2", ""},
		{[]notebook.Cell{markdownCell("## Same"), markdownCell("## Same\n\n## Same")}, Options{Title: "T"}, "T", "h2 Same|h2 Same|h2 Same"},
	} {
		_, root := rendered(t, book(c.cells...), c.opt)
		checkPage(t, root)
		var heads []string
		root.Walk(func(n *markup.Node) bool {
			if headingLevel(n) > 1 && n.Get("id") != "provenance" {
				heads = append(heads, n.Tag+" "+n.Plain())
			}
			return true
		})
		if title := root.All("h1")[0].Plain(); title != c.title || strings.Join(heads, "|") != c.heads {
			t.Errorf("%q: title %q and headings %q, want %q and %q", c.opt.Title, title, heads, c.title, c.heads)
		}
	}
}

func TestFailure(t *testing.T) {
	boom := notebook.Output{Type: notebook.Error, ErrorName: "error", ErrorValue: "boom <b>", Traceback: []string{"\x1b[31mtrace\x1b[0m"}}
	_, root := rendered(t, book(markdownCell("# T"), codeCell("x", nil, boom), codeCell("y", []any{raises}, boom)), Options{})
	checkPage(t, root)
	banner := root.All("main")[0].Children[1]
	if !banner.HasClass("failed") || len(banner.All("a")) != 1 || banner.All("a")[0].Get("href") != "#cell-2" || !strings.Contains(banner.Plain(), "error: boom <b>") {
		t.Errorf("banner %s", banner)
	}
	if s := root.Plain(); strings.Count(s, "Error: error: boom") != 1 || strings.Count(s, "Error, as expected: error: boom") != 1 || strings.Count(s, "trace") != 2 {
		t.Errorf("errors shown as %q", s)
	}
}

// TestLong: nothing of an output that fits is lost, and what is cut is said.
func TestLong(t *testing.T) {
	lines := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "line %d\n", i+1)
		}
		return b.String()
	}
	for _, c := range []struct {
		text     string
		folded   int // details besides the code's
		has      []string
		atMost   int // bytes of the page, without style
		leftSign bool
	}{
		{lines(30), 0, []string{"line 1\n", "line 30"}, 1000, false},
		{lines(31), 1, []string{"line 1\n", "11 more lines", "line 31"}, 1000, false},
		{lines(200_000), 1, []string{"line 1\n", "line 200000", "198000 lines left out"}, 60_000, true},
		{strings.Repeat("é", 10_000_000), 1, []string{"bytes left out"}, 3 * keptBytes, true},
	} {
		page, root := rendered(t, book(codeCell("x", []any{removeInput}, printed("stdout", c.text))), Options{})
		if got := len(root.All("details")); got != c.folded {
			t.Errorf("%d bytes of text: %d folds, want %d", len(c.text), got, c.folded)
		}
		holds(t, string(page), c.has...)
		if strings.Contains(string(page), "left out") != c.leftSign || len(page) > c.atMost+len(report.Stylesheet()+pageStyle+script)+2000 {
			t.Errorf("%d bytes of text make a page of %d", len(c.text), len(page))
		}
	}
}

// TestRepresentation: the best form that something is left of is shown, and what
// is not shown is said.
func TestRepresentation(t *testing.T) {
	const note = "Not in this report"
	for _, c := range []struct {
		o         notebook.Output
		has, lost string
	}{
		{shows("text/html", "<p>html</p>", "text/plain", "plain"), "html", ""},
		{shows("text/html", "<script>draw()</script>", "text/plain", "plain"), "plain", "script"},
		{shows("text/html", "<div></div>", "text/plain", "plain"), "plain", ""},
		{shows("text/html", "<iframe src='x'></iframe>shown", "text/plain", "plain"), "shown", "iframe"},
		{shows("application/vnd.plotly.v1+json", "{}"), "", "application/vnd.plotly.v1+json"},
		{shows("text/markdown", "*m* $x$", "text/plain", "plain"), "m x", ""},
		{shows("text/latex", "$\\alpha$", "text/plain", "plain"), "α", ""},
		{shows("image/png", "not base64!", "text/plain", "plain"), "plain", "a damaged image/png"},
		{shows("text/plain", "\x1b[1mplain\x1b[0m"), "plain", ""},
	} {
		_, root := rendered(t, book(codeCell("x", []any{removeInput}, c.o)), Options{})
		got := ""
		for _, d := range root.All("div") {
			if d.HasClass("output") {
				got = d.Plain()
			}
		}
		shown, lost, _ := strings.Cut(got, note)
		_, lost, _ = strings.Cut(lost, "another place: ")
		if strings.TrimSpace(shown) != c.has || strings.TrimSuffix(lost, ".") != c.lost {
			t.Errorf("%v shows %q, want %q without %q", c.o.Data, got, c.has, c.lost)
		}
	}
}

// onScreen returns the page of a notebook for a browser.
func onScreen(nb *notebook.Notebook, opt Options) []byte {
	return newPage(nb, opt.limited(context.Background()), false, nil).text()
}
