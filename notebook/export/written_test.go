package export

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
)

// TestHeadingsAndImages: HTML, Markdown and LaTeX have the same title, headings and images.
func TestHeadingsAndImages(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.png", "a b.png", "grün.png"} {
		try.To(os.WriteFile(filepath.Join(folder, name), pixels(t), 0o644))
	}
	const one, two = "N/image-1.png", "N/image-2.png" // N is the folder beside the report
	for _, c := range []struct{ source, title, md, tex string }{
		{"Real\n====\n\n# Second", "Real", "## Second", "\\section{Second}"},
		{"Two *words*\nof `it`  \n----\nA\n-\n", "Two words of it", "## A", "\\section{A}"},
		{"# A  ##\n\n##\tB `c` $x$ ##\ntext", "A", "## B `c` $x$\n\ntext", "\\section{B \\texttt{c} $x$}"},
		{"# `a` *b* $x^2$ [l](https://x.example)", "a b x2 l", "", "\\maketitle\n\n\\end"},
		{"# C#", "C#", "", ""},
		{"# ![a](a.png) T", "T", "", ""},
		{"```\n# no\n```\n\n<!--\n# no\n-->\n\n    # no\n\n   # Yes", "Yes", "```\n# no\n```\n\n```\n# no\n```", ""},
		{"> # Quoted\n> text\n\n# B", "Quoted", "> text\n\n## B", "\\section{B}"},
		{"- Item\n  ===\n  text\n\n## B", "Item", "- text\n\n## B", "\\section{B}"},
		{"#\n\n# B", "Notebook", "## B", "\\section{B}"},
		{"![a][ref], ![ref] and ![Ref][]\n\n[ref]: <a b.png> 'a \"T\"'", "Notebook", "![a](" + one + "), ![ref](" + two + ") and ![Ref](N/image-3.png)", "\\includegraphics{N/image-3.png}"},
		{"![b](<a b.png> 'T') ![b]( a%20b.png)", "Notebook", "![b](" + one + ") ![b](" + two + ")", "\\includegraphics{" + two + "}"},
		{"![g](grün.png)", "Notebook", "![g](" + one + ")", "\\includegraphics{" + one + "}"},
		{"x <IMG alt='<' src=a.png width=9/> y", "Notebook", "x ![&lt;](" + one + ") y", "\\includegraphics{" + one + "}"},
		{"> <div>\n> <img\n> src=\"a.png\"><!-- <img src=a.png> -->\n> </div>", "Notebook", "> ![](" + one + ")", "\\includegraphics{" + one + "}"},
		{"`![a](a.png) [b](#B-c)`", "Notebook", "`![a](a.png) [b](#B-c)`", "(a.png)"},
		{"[b](#B-c) [![a](a.png)](#B%20c)\n\n# B c", "B c", "b ![a](" + one + ")", "\\includegraphics{" + one + "}"},
		{"# T\n[b](#B-c) [![a](a.png)](#B%20c)\n\n# B c", "T", "[b](#b-c) ![a](" + one + ")\n\n## B c", "\\includegraphics{" + one + "}"},
		{"![a *b*](gone.png) <img src=\"gone<.png\">", "Notebook", "*Image gone.png is missing: no such file* *Image gone&lt;.png is missing: no such file*", "\\emph{Image gone.png is missing: no such file}"},
		{"![a](data:image/png;base64," + base64.StdEncoding.EncodeToString(pixels(t)) + ")", "Notebook", "![a](" + one + ")", "\\includegraphics{" + one + "}"},
		{"![a](https://x.example/a.png)", "Notebook", "*Image https://x.example/a.png is missing: a report loads nothing from elsewhere*", "is missing"},
	} {
		nb, opt := book(markdownCell(c.source)), Options{Folder: folder}
		put := func(name string, _ []byte) string { return "N/" + name }
		_, root := rendered(t, nb, opt)
		if got := strings.Join(strings.Fields(root.All("h1")[0].Plain()), " "); got != c.title {
			t.Errorf("%q: title %q of HTML, want %q", c.source, got, c.title)
		}
		if n := len(root.All("img")); n != strings.Count(c.md, "N/") {
			t.Errorf("%q: %d images of HTML, %d of Markdown", c.source, n, strings.Count(c.md, "N/"))
		}
		head, body, _ := strings.Cut(string(markdown(t.Context(), nb, opt.limited(t.Context()), true, put)), "toc: true\n---\n")
		if !strings.Contains(head, "\ntitle: \""+c.title+"\"\n") || strings.TrimSpace(body) != c.md {
			t.Errorf("%q\n becomes %q\n    want %q\n with title %q in\n%s", c.source, body, c.md, c.title, head)
		}
		if s := string(latex(t.Context(), nb, opt.limited(t.Context()), put)); !strings.Contains(s, "\n\\title{"+strings.ReplaceAll(c.title, "#", "\\#")+"}\n") || !strings.Contains(s, c.tex) || strings.Count(s, "includegraphics") != strings.Count(c.md, "N/") {
			_, s, _ = strings.Cut(s, "\\title")
			t.Errorf("%q: LaTeX lacks the title %q, or %q, or an image:\n%s", c.source, c.title, c.tex, s)
		}
	}
}

// TestHeadingsOfOutputs: the headings of an output are at lower levels than the text's.
func TestHeadingsOfOutputs(t *testing.T) {
	const source = "Two\nlines\n===\n\n> ## Sub ##\n\n```\n# no\n```\n\n###### ![a](gone.png)\n\nx"
	const want = "## Two lines\n\n> ### Sub\n\n```\n# no\n```\n\n#### *Image gone.png is missing: no such file*\n\nx"
	md := string(markdown(t.Context(), book(codeCell("x", nil, shows("text/markdown", source))), Options{Folder: t.TempDir()}.limited(t.Context()), true, nil))
	if !strings.Contains(md, "\n\n"+want+"\n\n:::") {
		t.Errorf("the output is\n%s\nwant\n%s", md, want)
	}
}

// FuzzWritten: reports of any Markdown can be made, and the text of a Markdown report is the text of the page.
func FuzzWritten(f *testing.F) {
	f.Setenv("CHROME_PATH", filepath.Join(f.TempDir(), "none")) // no drawing here needs a browser
	for _, s := range append(attacks, "Real\n====\n\n# Second ##", "> # A\n> b\n> -", "- # `a` $x$\n\n![a][b] ![b](<a b> 'T') [c](#d \"e\")\n\n[b]: c 'd'", "> <div>\n> <img\n> src=a>\n\n# a[^1]\n\n[^1]: # b",
		"1\\. a\n\n\\- b \\* c\\_d\\_ \\`e\\` \\[f\\](g) \\<h> 5 \\# i", "a\n\\+ b\n2\\) c") {
		f.Add(s)
	}
	words := func(s string) string {
		var k markup.Cleaner
		return strings.Join(strings.Fields(prose(markdownOf(s), &k).Plain()), " ")
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = markup.XMLText(s) // as reading JSON does
		nb, opt := book(markdownCell(s)), Options{Folder: "none", Title: "T"}
		put := func(name string, _ []byte) string { return "N/" + name }
		md := string(markdown(t.Context(), nb, opt.limited(t.Context()), false, put))
		_ = latex(t.Context(), nb, opt.limited(t.Context()), put)
		if strings.ContainsAny(s, "<$[&|~^:\\`*_") || strings.Contains(s, "  ") {
			return // HTML, formulas, links, tables and formats have other tests
		}
		_, md, _ = strings.Cut(md, "\n")
		if got, want := words(md), words(s); got != want {
			t.Errorf("%q becomes %q, which reads %q, want %q", s, md, got, want)
		}
	})
}
