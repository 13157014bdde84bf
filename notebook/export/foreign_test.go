package export

import (
	"context"
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// inLanguage returns a notebook whose metadata say a language as kernels do.
func inLanguage(name string, cells ...notebook.Cell) *notebook.Notebook {
	return &notebook.Notebook{Cells: cells, Metadata: map[string]any{"language_info": map[string]any{"name": name}}}
}

// saved returns a report as the bytes that are saved.
func saved(t *testing.T, nb *notebook.Notebook, ending string, opt Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r"+ending)
	try.To(Save(context.Background(), path, nb, opt))
	text := try.Of(os.ReadFile(path))
	return string(text)
}

// TestLanguages: what readers see of the language of a cell in a page and in fences.
func TestLanguages(t *testing.T) {
	named := func(key, value string) map[string]any { return map[string]any{key: value} }
	for _, c := range []struct {
		meta           map[string]any
		source         string
		title, fence   string
		comment        string // a text that is coloured as one
		cell           map[string]any
		nothingIsKnown bool // and nothing was executed
	}{
		{meta: map[string]any{"language_info": named("name", "python")}, source: "x = 1  # why", title: "Python", fence: "python", comment: "# why"},
		{meta: map[string]any{"kernelspec": named("language", "R")}, source: "x <- 1 # why", title: "R", fence: "r", comment: "# why"},
		{meta: map[string]any{"language_info": named("name", "julia")}, source: "#= a =#", title: "Julia", fence: "julia", comment: "#= a =#"},
		{meta: map[string]any{"language_info": named("name", "C++17")}, source: "// why\nint x;", title: "C++", fence: "cpp", comment: "// why"},
		{meta: map[string]any{"language_info": named("name", "scala")}, source: "val x = 1 // why", title: "Scala", fence: "scala", comment: "// why"},
		{meta: map[string]any{"language_info": named("name", "Rust")}, source: "let x = 1; // why", title: "Rust", fence: "rust", comment: "// why"},
		{meta: map[string]any{"language_info": named("name", "octave")}, source: "x = 1 % why", title: "Octave", fence: "octave", comment: "% why"},
		{meta: map[string]any{"kernelspec": named("name", "ir")}, source: "x # why", title: "R", fence: "r", comment: "# why"},
		{meta: map[string]any{"language_info": map[string]any{"name": "dialect", "pygments_lexer": "sql"}}, source: "-- why", title: "dialect",
			fence: "sql", comment: "-- why"},
		{meta: map[string]any{"language_info": map[string]any{"name": "new", "file_extension": ".jl"}}, source: "# why", title: "new", fence: "julia",
			comment: "# why"},
		{meta: map[string]any{"language_info": named("name", "My Own")}, source: "x", title: "My Own", fence: "my-own"},
		{meta: map[string]any{"language_info": named("name", "python")}, source: "%%bash\nls # why", title: "Bash", fence: "bash", comment: "# why"},
		{meta: map[string]any{"language_info": named("name", "python")}, source: "%%R -i x\ny # why", title: "R", fence: "r", comment: "# why"},
		{meta: map[string]any{"language_info": named("name", "python")}, source: "%%writefile a.rs\n// why", title: "Rust", fence: "rust",
			comment: "// why"},
		{meta: map[string]any{"language_info": named("name", "python")}, source: "%%script perl\n# why", title: "Perl", fence: "perl", comment: "# why"},
		{meta: map[string]any{"language_info": named("name", "python")}, source: "%%time\nx # why", title: "Python", fence: "python", comment: "# why"},
		{meta: map[string]any{"language_info": named("name", "sos")}, source: "x", title: "SoS", fence: "sos"},
		{meta: map[string]any{"language_info": named("name", "sos")}, cell: named("kernel", "R"), source: "x # why", title: "R", fence: "r", comment: "# why"},
		{meta: map[string]any{"language_info": named("name", "python")}, source: "%%cope\nx", title: "CoPE", fence: "cope"},
		{meta: map[string]any{"kernelspec": named("name", "gonb-cope")}, source: "// why\nx := 1", title: "Go", fence: "go", comment: "// why"},
		{source: "x := 1 // why", title: "Go", fence: "go", comment: "// why"},
		{source: "x", title: "Code", nothingIsKnown: true},
	} {
		cell := codeCell(c.source, nil)
		cell.Metadata = c.cell
		nb := &notebook.Notebook{Cells: []notebook.Cell{cell}, Metadata: c.meta}
		opt := Options{Provenance: report.Provenance{Kept: c.nothingIsKnown}}
		_, root := rendered(t, nb, opt)
		code := root.All("details")[0]
		if got := strings.Fields(code.Child("summary").Plain() + " .")[0]; !strings.HasPrefix(c.title, got) {
			t.Errorf("%v %q is %q, want %q", c.meta, c.source, got, c.title)
		}
		if got := code.All("code")[0].Plain(); got != c.source {
			t.Errorf("%q reads %q", c.source, got)
		}
		comments := ""
		for _, s := range code.All("span") {
			if s.HasClass("c") {
				comments += s.Plain()
			}
		}
		if comments = strings.TrimSpace(comments); comments != c.comment {
			t.Errorf("%q has the comment %q, want %q", c.source, comments, c.comment)
		}
		if md := saved(t, nb, ".md", opt); !strings.Contains(md, "\n```"+c.fence+"\n"+c.source) {
			t.Errorf("%v %q has no fence %q in\n%s", c.meta, c.source, c.fence, md)
		}
	}
}

// TestHiddenByAuthors: metadata of front ends, and comments of Quarto and nbdev, hide what they say, and the report says how much.
func TestHiddenByAuthors(t *testing.T) {
	jupyter := func(key string) map[string]any { return map[string]any{"jupyter": map[string]any{key: true}} }
	for _, c := range []struct {
		meta      map[string]any
		comment   string
		code, out string // "": not there
		note      string
	}{
		{code: "open", out: "plain"},
		{meta: jupyter("source_hidden"), code: "folded", out: "plain"},
		{meta: jupyter("outputs_hidden"), code: "open", out: "folded"},
		{meta: map[string]any{"collapsed": true}, code: "open", out: "folded"},
		{meta: map[string]any{"collapsed": false}, code: "open", out: "plain"},
		{meta: map[string]any{"cellView": "form"}, code: "folded", out: "plain"},
		{meta: map[string]any{"tags": []any{"hide_input"}}, code: "folded", out: "plain"},
		{meta: map[string]any{"tags": []any{"remove_input"}}, out: "plain", note: "the code of 1 cell."},
		{meta: map[string]any{"tags": []any{"remove_all_outputs"}}, code: "open", note: "outputs of 1 cell."},
		{meta: map[string]any{"tags": []any{"remove_cell"}}, note: "1 cell."},
		{meta: map[string]any{"nbsphinx": "hidden"}, note: "1 cell."},
		{comment: "#| echo: false\n", out: "plain", note: "the code of 1 cell."},
		{comment: "//| echo: false\n", out: "plain", note: "the code of 1 cell."},
		{comment: "#| label: fig-a\n#| output: false\n", code: "open", note: "outputs of 1 cell."},
		{comment: "#| include: false\n", note: "1 cell."},
		{comment: "#| code-fold: true\n", code: "folded", out: "plain"},
		{comment: "#| hide\n", note: "1 cell."},
		{comment: "# echo: false\n", code: "open", out: "plain"},
	} {
		cell := codeCell(c.comment+"secret()", nil, printed("stdout", "answer 42"))
		cell.Metadata = c.meta
		nb := inLanguage("python", cell)
		var said []string
		_, root := rendered(t, nb, Options{Notice: func(s string) { said = append(said, s) }})
		code, out := "", ""
		if strings.Contains(root.Plain(), "answer 42") {
			out = "plain"
		}
		for _, d := range root.All("details") {
			state := "folded"
			if d.Has("open") {
				state = "open"
			}
			if strings.Contains(d.Plain(), "secret()") {
				code = state
			}
			if strings.Contains(d.Plain(), "answer 42") {
				out = state
			}
		}
		if code != c.code || out != c.out {
			t.Errorf("%v %q: code %q and output %q, want %q and %q", c.meta, c.comment, code, out, c.code, c.out)
		}
		if got := strings.Join(said, ""); !strings.HasSuffix(got, c.note) || (got == "") != (c.note == "") || !strings.Contains(root.Plain(), c.note) {
			t.Errorf("%v %q: said %q, want %q", c.meta, c.comment, got, c.note)
		}
		for _, ending := range []string{".md", ".qmd", ".tex"} {
			text := saved(t, nb, ending, Options{})
			paper := ending == ".tex"
			if shows := strings.Contains(text, "secret()"); shows != (code == "open" || code == "folded" && !paper) {
				t.Errorf("%v %q: %s shows code: %v", c.meta, c.comment, ending, shows)
			}
			if shows := strings.Contains(text, "answer 42"); shows != (out == "plain" || out == "folded" && !paper) {
				t.Errorf("%v %q: %s shows outputs: %v", c.meta, c.comment, ending, shows)
			}
			if paper && (code == "folded" || out == "folded") && !strings.Contains(text, "Hidden by") {
				t.Errorf("%v %q: %s does not say what it leaves out", c.meta, c.comment, ending)
			}
		}
	}
}

// TestAttachmentNames: links write the name of an attachment in the ways of Markdown and HTML.
func TestAttachmentNames(t *testing.T) {
	for name, links := range map[string][]string{
		"Screenshot one.png": {"![](attachment:Screenshot%20one.png)", "![](<attachment:Screenshot one.png>)", "![](attachment:Screenshot one.png)",
			`<img src="attachment:Screenshot%20one.png">`, `<p><img src="attachment:Screenshot one.png"></p>`, "![][a]\n\n[a]: attachment:Screenshot%20one.png"},
		"plot(1).png":  {"![](attachment:plot(1).png)", `![](attachment:plot\(1\).png)`, "![](attachment:plot%281%29.png)"},
		"größe.png":    {"![](attachment:größe.png)", "![](attachment:gr%C3%B6%C3%9Fe.png)", "![](attachment:gr\u006f\u0308ße.png)"},
		"50%.png":      {"![](attachment:50%.png)", "![](attachment:50%25.png)"},
		"a%20b.png":    {"![](attachment:a%20b.png)"},
		"a&b$c$d.png":  {"![](attachment:a&b$c$d.png)", "![](attachment:a&amp;b$c$d.png)"},
		"snake_a_.png": {"![](attachment:snake_a_.png)"},
	} {
		for _, link := range links {
			cell := markdownCell("# T\n\n" + link)
			cell.Attachments = map[string]any{name: map[string]any{"image/png": base64.StdEncoding.EncodeToString(pixels(t))}}
			for _, ending := range []string{".html", ".md", ".qmd", ".tex"} {
				if text := saved(t, book(cell), ending, Options{}); strings.Contains(text, "missing:") || !strings.Contains(text, "image-1.png") && ending != ".html" {
					t.Errorf("%s: %s is not found for %s", ending, name, link)
				}
			}
		}
	}
}

// TestFormulasFirst: formulas are taken out before Markdown is read, so that no sign of a formula is one of Markdown.
func TestFormulasFirst(t *testing.T) {
	for _, c := range []struct {
		source string
		math   int    // formulas
		text   string // with | between cells
	}{
		{"| a | b |\n|---|---|\n| $|x|$ | two |", 1, "a b |x| two"},
		{"| a | b |\n|---|---|\n| $\\|x\\|$ | $$a|b$$ |", 2, "a b ‖x‖ a|b"},
		{"# Of $a_1 * b * c_2$", 1, "Of a1∗b∗c2"},
		{"- $x*y*z$\n- $a_b_c$", 1, "x∗y∗z a_b_c"}, // a_b_c is not TeX: it stays unchanged
		{"[the $|x|$ of](https://a.org/$b$)", 1, "the |x| of"},
		{"> $$\n> x\n> + y\n> $$", 1, "x+y"},
		{"1. text\n   $$\n   x\n   $$", 1, "text x"},
		{"\\\\(x\\\\) and \\\\[y\\\\]", 2, "x and y"},
		{"$ x_1 $ and $ y $", 2, "x1 and y"},
		{"costs $ 5 or $ 6, $7-$8", 0, "costs $ 5 or $ 6, $7-$8"},
		{"`$a` and `$b` and $c$", 1, "$a and $b and c"},
		{"~~~\n$x$\n~~~\n$y$", 1, "$x$ y"},
		{"<table><tr><td>$|x|$</td></tr></table>", 1, "|x|"},
		{"<pre>$x$</pre>", 0, "$x$"},
		{"\\begin{align*}\na &= b\n\\end{align*}\ntext", 1, "a=b text"},
		{"$\\text{if $x$}$", 0, `\text{if $x$}`}, // one formula, whose text is not known

		{"| a |\n|---|\n| $5|\n| 6$ |", 0, "a $5 6$"},
	} {
		k := markup.Cleaner{}
		tree := prose(markdownOf(c.source), &k)
		if got := len(tree.All("math")); got != c.math {
			t.Errorf("%q has %d formulas, want %d:\n%s", c.source, got, c.math, tree)
		}
		if got := strings.Join(strings.Fields(tree.Lines()), " "); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(c.text, " ", "") {
			t.Errorf("%q reads %q, want %q", c.source, got, c.text)
		}
	}
	nb := book(markdownCell("| a | b |\n|---|---|\n| $|x|$ | two |"))
	holds(t, saved(t, nb, ".md", Options{Title: "T"}), `| $\vert{}x\vert{}$ | two |`)
	holds(t, saved(t, nb, ".tex", Options{Title: "T"}), "$|x|$ & two")
}

// TestFormulaNumbers: tags, labels and references over cells.
func TestFormulaNumbers(t *testing.T) {
	nb := book(markdownCell("See \\eqref{b} and \\ref{tagged}, not \\eqref{nowhere}.\n\n$$x^2 \\tag{A} \\label{tagged}$$\n\n\\begin{equation}\na\n\\end{equation}"),
		markdownCell("\\begin{align}\na &= b \\label{b}\\\\\nc &= d \\notag\\\\\ne &= f\n\\end{align}\n\n\\begin{align*}\ng\n\\end{align*}\n\n$$ h \\tag{$\\star$} $$"))
	_, root := rendered(t, nb, Options{Title: "T"})
	var numbers []string
	for _, n := range root.All("mrow") {
		if n.HasClass("eqno") {
			numbers = append(numbers, n.Plain())
		}
	}
	if got := strings.Join(numbers, " "); got != "(A) (1) (2) (3) (⋆)" {
		t.Errorf("the numbers are %s", got)
	}
	holds(t, root.Plain(), "See (2) and A, not (nowhere?).")
	holds(t, saved(t, nb, ".tex", Options{Title: "T"}), `\eqref{b}`, `\tag{A}`)
}

// TestRawCells: a raw cell is shown in the formats it is for, as text when it is for none, and otherwise counted.
func TestRawCells(t *testing.T) {
	raw := func(source, format string) notebook.Cell {
		return notebook.Cell{Type: notebook.Raw, Source: source, Metadata: map[string]any{"raw_mimetype": format}}
	}
	nb := book(raw("---\ntitle: Of settings\nexecute:\n  echo: false\n---", ""), raw("plain words", ""), raw("<b>of HTML</b>", "text/html"),
		raw("*of Markdown*", "text/markdown"), raw(`\textbf{of LaTeX}`, "text/latex"), raw("of RST", "text/restructuredtext"), codeCell("secret()", nil))
	for ending, want := range map[string][]string{
		".html": {"<h1>Of settings</h1>", "plain words", "<b>of HTML</b>", "<em>of Markdown</em>", "raw cell for text/latex (1)", "settings in YAML (1)"},
		".md":   {"# Of settings", "plain words", "**of HTML**", "*of Markdown*", "raw cell for text/latex"},
		".qmd":  {`title: "Of settings"`, "plain words", "**of HTML**", "*of Markdown*", "{=latex}"},
		".tex":  {`\title{Of settings}`, "plain words", `\textbf{of HTML}`, `\emph{of Markdown}`, `\textbf{of LaTeX}`},
	} {
		text := saved(t, nb, ending, Options{})
		for _, w := range append(want, "raw cell for text/restructuredtext", "the code of 1 cell") {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %q", ending, w)
			}
		}
		lacks(t, text, "secret()")
	}
}

// TestSaidWhatIsLost: the report notes each omission of a format in its place, counts them at the end, and notifies
// the caller.
func TestSaidWhatIsLost(t *testing.T) {
	several := func(media ...string) notebook.Output {
		o := notebook.Output{Type: notebook.DisplayData, Data: map[string]any{}}
		for i := 0; i+1 < len(media); i += 2 {
			o.Data[media[i]] = media[i+1]
		}
		return o
	}
	const widget = "application/vnd.jupyter.widget-view+json"
	for _, c := range []struct {
		output notebook.Output
		shown  string // in all formats
		kind   string
	}{
		{several(widget, "", "text/plain", "IntSlider"), "IntSlider", widget},
		{several("text/html", "<script>f()</script>", "text/plain", "Figure"), "Figure", "script"},
		{several("text/html", "<script>f()</script>"), "", "script"},
		{several("application/javascript", "alert(1)"), "", "application/javascript"},
		{several("text/html", "<iframe src=x></iframe>"), "", "iframe"},
		{several("application/x-unheard-of", "x"), "", "application/x-unheard-of"},
		{several("text/html", "<b>bold</b>", "text/plain", "<obj>"), "", ""},
	} {
		for _, ending := range []string{".html", ".md", ".qmd", ".tex"} {
			var said []string
			text := saved(t, book(codeCell("x", nil, c.output)), ending, Options{Notice: func(s string) { said = append(said, s) }})
			if !strings.Contains(text, c.shown) {
				t.Errorf("%s does not show %q", ending, c.shown)
			}
			if got := strings.Join(said, ""); (c.kind != "") != strings.Contains(got, c.kind+" (1)") || c.kind == "" && got != "" {
				t.Errorf("%s of %v said %q, want %q", ending, c.output.Data, got, c.kind)
			}
		}
	}
}
