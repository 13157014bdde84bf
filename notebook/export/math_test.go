package export

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/export/tex"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// TestFormulasOfNotebooks: every formula of our notebooks, and every command that the paper has
// besides, is set in HTML and in LaTeX.
func TestFormulasOfNotebooks(t *testing.T) {
	list := []string{`\textup{sparse}`, `x \triangle y`, `\operatornamewithlimits{argmax}_{x \in X}`, `A \subsetneq B`, `a \hspace{1em} b`, `\underset{x}{\max}`, `\sum_{\substack{i \\ j}}`, `\boxed{x}`, `\varnothing`, `a \leqslant b \geqslant c`}
	paths := try.Of(filepath.Glob("../../notebooks/*.ipynb"))
	for _, path := range paths {
		nb := try.Of(notebook.Load(path))
		for _, c := range nb.Cells {
			if c.Type != notebook.Markdown {
				continue
			}
			w := markdownOf(c.Source)
			_ = ast.Walk(w.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				switch n := n.(type) {
				case *mathNode:
					list = append(list, n.tex)
				case *mathBlock:
					list = append(list, n.tex)
				}
				return ast.WalkContinue, nil
			})
		}
	}
	if len(list) < 80 {
		t.Errorf("%d formulas in %v", len(list), paths)
	}
	var all strings.Builder
	for _, formula := range list {
		if tex.Formula(formula, true).Tag != "math" {
			t.Errorf("HTML does not set %s", formula)
		}
		if _, ok := texMath(formula, true); !ok {
			t.Errorf("LaTeX does not set %s", formula)
		}
		all.WriteString("$$" + formula + "$$\n\n")
	}
	folder := t.TempDir()
	try.To(Save(context.Background(), filepath.Join(folder, "r.tex"), book(markdownCell(all.String())), Options{}))
	compileLaTeX(t, folder, "r.tex")
}

// TestMathInMarkdown: what is a formula, and what is money or code.
func TestMathInMarkdown(t *testing.T) {
	for _, c := range []struct {
		source      string
		math, apart int // formulas in all, those set apart
		text        string
	}{
		{"a $x$ b", 1, 0, "a x b"},
		{"$x$, $y_1$ and $z*w*v$", 3, 0, ""},
		{"it costs $5 or $6", 0, 0, "it costs $5 or $6"},
		{"from $5 to $6", 0, 0, "from $5 to $6"},
		{"`$x$`", 0, 0, "$x$"},
		{"```\n$$x$$\n```", 0, 0, "$$x$$"},
		{`\$x\$`, 0, 0, "$x$"},
		{"$$x$$", 1, 1, ""},
		{"text\n$$\nx\n= y\n$$\nmore", 1, 1, ""},
		{"text $$x$$ more", 1, 1, ""},
		{"\\begin{align}\nx &= y \\\\\n&= z\n\\end{align}", 1, 1, ""},
		{"$$\nnever closed\n\n# Heading", 0, 0, ""},
		{"$a\nb$", 1, 0, ""},
		{"- $x_i$\n- $y_i$", 2, 0, ""},
		{"| $a$ | b |\n|---|---|\n| $c$ | d |", 2, 0, ""},
	} {
		k := markup.Cleaner{}
		tree := prose(markdownOf(c.source), &k)
		apart := 0
		for _, m := range tree.All("math") {
			if m.Get("display") == "block" {
				apart++
			}
		}
		if got := len(tree.All("math")); got != c.math || apart != c.apart || len(tree.All("em")) > 0 {
			t.Errorf("%q has %d formulas, %d apart; want %d and %d:\n%s", c.source, got, apart, c.math, c.apart, tree)
		}
		if got := strings.TrimSpace(tree.Plain()); c.text != "" && got != c.text {
			t.Errorf("%q reads %q, want %q", c.source, got, c.text)
		}
	}
}
