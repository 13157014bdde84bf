package export

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"

	"github.com/gonb-cope/gonb-cope/notebook/export/tex"
)

// TestHeadingsAndImages: HTML, Markdown and LaTeX see the same headings and images, and what the
// author wrote besides stays unchanged.
func TestHeadingsAndImages(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"a.png", "a b.png", "grün.png"} {
		try.To(os.WriteFile(filepath.Join(folder, name), pixels(t), 0o644))
	}
	const one, two = "N/image-1.png", "N/image-2.png" // N is the folder beside the report
	for _, c := range []struct{ source, title, md, tex string }{
		{"Real\n====\n\n# Second", "Real", "# Second", "\\section{Second}"},
		{"Two *words*\nof `it`  \n----\nA\n-\n", "Two words of it", "A\n-", "\\section{A}"},
		{"# A  ##\n\n##\tB `c` $x$ ##\ntext", "A", "##\tB `c` $x$ ##\ntext", "\\section{B \\texttt{c} $x$}"},
		{"# `a` *b* $x^2$ [l](x)", "a b x2 l", "", "\\maketitle\n\n\\end"},
		{"# C#", "C#", "", ""},
		{"# ![a](a.png) T", "T", "", ""},
		{"```\n# no\n```\n\n<!--\n# no\n-->\n\n    # no\n\n   # Yes", "Yes", "```\n# no\n```\n\n<!--\n# no\n-->\n\n    # no", ""},
		{"> # Quoted\n> text\n\n# B", "Quoted", "> \n> text\n\n# B", "\\section{B}"},
		{"- Item\n  ===\n  text\n\n## B", "Item", "- \n  text\n\n## B", "\\section{B}"},
		{"#\n\n# B", "Notebook", "# B", "\\section{B}"},
		{"![a][ref], ![ref], ![Ref][] and [ref]\n\n[ref]: <a b.png> 'a \"T\"'", "Notebook",
			"![a](" + one + " \"a \\\"T\\\"\"), ![ref](" + two + " \"a \\\"T\\\"\"), ![Ref](N/image-3.png \"a \\\"T\\\"\") and [ref]\n\n[ref]: <a b.png> 'a \"T\"'", "\\includegraphics{N/image-3.png}"},
		{"![b](<a b.png> 'T') ![b]( a%20b.png)", "Notebook", "![b](<" + one + "> 'T') ![b]( " + two + ")", "\\includegraphics{" + two + "}"},
		{"![g](grün.png)", "Notebook", "![g](" + one + ")", "\\includegraphics{" + one + "}"},
		{"x <IMG alt='<' src=a.png width=9/> y", "Notebook", "x <img alt=\"&lt;\" src=\"" + one + "\" width=\"9/\"> y", "\\includegraphics{" + one + "}"},
		{"> <div>\n> <img\n> src=\"a.png\"><!-- <img src=a.png> -->\n> </div>", "Notebook", "> <div>\n> <img src=\"" + one + "\"><!-- <img src=a.png> -->\n> </div>", "\\includegraphics{" + one + "}"},
		{"`![a](a.png) [b](#B-c)`", "Notebook", "`![a](a.png) [b](#B-c)`", "(a.png)"},
		{"[b](#B-c) [b]( <#B c> \"#B c\") [![a](a.png)](#B%20c)", "Notebook", "[b](#b-c) [b]( <#b-c> \"#B c\") [![a](" + one + ")](#b-c)", "\\includegraphics{" + one + "}"},
		{"![a *b*](gone.png) <img src=\"gone<.png\">", "Notebook", "*Image gone.png is missing: no such file* <em>Image gone&lt;.png is missing: no such file</em>", "\\emph{Image gone.png is missing: no such file}"},
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
		head, body, _ := strings.Cut(string(markdown(nb, opt.limited(t.Context()), forQuarto, put)), "toc: true\n---\n\n")
		if !strings.Contains(head, "\ntitle: \""+c.title+"\"\n") || body != c.md+"\n" {
			t.Errorf("%q\n becomes %q\n    want %q\n with title %q in\n%s", c.source, body, c.md+"\n", c.title, head)
		}
		if s := string(latex(t.Context(), nb, opt.limited(t.Context()), put)); !strings.Contains(s, "\n\\title{"+tex.Text(c.title)+"}\n") || !strings.Contains(s, c.tex) || strings.Count(s, "includegraphics") != strings.Count(c.md, "N/") {
			_, s, _ = strings.Cut(s, "\\title")
			t.Errorf("%q: LaTeX lacks the title %q, or %q, or an image:\n%s", c.source, c.title, c.tex, s)
		}
	}
}

// TestHeadingsOfOutputs: the headings of an output are at lower levels than the text's.
func TestHeadingsOfOutputs(t *testing.T) {
	const source = "Two\nlines\n===\n\n> ## Sub ##\n\n```\n# no\n```\n\n###### ![a](gone.png)\n\nx"
	const want = "### Two lines\n\n> #### Sub\n\n```\n# no\n```\n\n###### *Image gone.png is missing: no such file*\n\nx"
	md := string(markdown(book(codeCell("x", nil, shows("text/markdown", source))), Options{Folder: t.TempDir()}.limited(t.Context()), forQuarto, nil))
	if !strings.Contains(md, "\n\n"+want+"\n\n:::") {
		t.Errorf("the output is\n%s\nwant\n%s", md, want)
	}
}

// FuzzWritten: reports of any Markdown can be made, all with the same title, and Markdown without
// headings, images and links is unchanged.
func FuzzWritten(f *testing.F) {
	f.Setenv("CHROME_PATH", filepath.Join(f.TempDir(), "none")) // no drawing here needs a browser
	for _, s := range append(attacks, "Real\n====\n\n# Second ##", "> # A\n> b\n> -", "- # `a` $x$\n\n![a][b] ![b](<a b> 'T') [c](#d \"e\")\n\n[b]: c 'd'", "> <div>\n> <img\n> src=a>\n\n# a[^1]\n\n[^1]: # b") {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = strings.ToValidUTF8(s, "\ufffd") // as reading JSON does
		nb, opt := book(markdownCell(s), codeCell("", nil, shows("text/markdown", s))), Options{Folder: "none"}
		put := func(name string, _ []byte) string { return "N/" + name }
		md := string(markdown(nb, opt.limited(t.Context()), forQuarto, put))
		_ = latex(t.Context(), nb, opt.limited(t.Context()), put)
		changes := false
		_ = ast.Walk(markdownOf(s).root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
			switch n.(type) {
			case *ast.Heading, *ast.Image, *ast.Link, *ast.RawHTML, *ast.HTMLBlock:
				changes = true
			}
			return ast.WalkContinue, nil
		})
		if want := markup.XMLText("\n" + strings.TrimSpace(s) + "\n\n:::: {.cell}"); !changes && !strings.Contains(md, want) {
			t.Errorf("%q is changed in\n%s", s, md)
		}
		if strings.Contains(s, "<") {
			return // raw HTML may have headings, and may hide others
		}
		want, _ := outline(newPage(nb, opt.limited(t.Context()), false, nil).proseTrees(), "")
		if got, _ := titleOf(nb, opt.limited(t.Context())); got != want && want != "" {
			t.Errorf("title %q, HTML has %q", got, want)
		}
	})
}
