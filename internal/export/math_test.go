package export

import (
	"context"
	"encoding/xml"
	"io"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"

	"github.com/gonb-cope/gonb-cope/internal/jupyter/notebook"
)

var xmlns = regexp.MustCompile(` (xmlns|stretchy|form|movablelimits|mathvariant|accent)="[^"]*"`)

func TestFormula(t *testing.T) {
	for _, c := range []struct{ tex, want string }{
		{`x`, `<mi>x</mi>`},
		{`x_i^2`, `<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>`},
		{`x^2_i`, `<msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup>`},
		{`x^{-1}`, `<msup><mi>x</mi><mrow><mo>−</mo><mn>1</mn></mrow></msup>`},
		{`f'`, `<msup><mi>f</mi><mo>′</mo></msup>`},
		{`\frac12`, `<mfrac><mn>1</mn><mn>2</mn></mfrac>`}, // an argument is one character
		{`x^10`, `<msup><mi>x</mi><mn>1</mn></msup><mn>0</mn>`},
		{`\frac{a}{b}`, `<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>`},
		{`\sqrt[3]{x}`, `<mroot><mrow><mi>x</mi></mrow><mrow><mn>3</mn></mrow></mroot>`},
		{`\sum_{i=1}^n`, `<munderover><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mi>n</mi></munderover>`},
		{`\max_x`, `<munder><mo>max</mo><mi>x</mi></munder>`},
		{`\mathcal{L}\mathbb{R}`, `<mrow><mi>ℒ</mi></mrow><mrow><mi>ℝ</mi></mrow>`},
		{`\|x\|_2`, `<mo>‖</mo><mi>x</mi><msub><mo>‖</mo><mn>2</mn></msub>`},
		{`\text{if } x`, "<mtext>if\u00a0</mtext><mi>x</mi>"},
		{`\hat\theta`, `<mover><mi>θ</mi><mo>^</mo></mover>`},
		{`\left(\frac ab\right]`, `<mrow><mo>(</mo><mrow><mfrac><mi>a</mi><mi>b</mi></mfrac></mrow><mo>]</mo></mrow>`},
		{`\operatorname*{argmax}_x`, `<munder><mo>argmax</mo><mi>x</mi></munder>`},
		{`d_{\mathrm{eff}}`, `<msub><mi>d</mi><mrow><mi>eff</mi></mrow></msub>`},
		{`\begin{cases}1&x\\0&y\end{cases}`, `<mrow><mo>{</mo><mtable columnalign="left left" displaystyle="true"><mtr><mtd class="left"><mn>1</mn></mtd><mtd class="left"><mi>x</mi></mtd></mtr>` +
			`<mtr><mtd class="left"><mn>0</mn></mtd><mtd class="left"><mi>y</mi></mtd></mtr></mtable></mrow>`},
		{`\textup{if } x \triangle y`, "<mtext>if\u00a0</mtext><mi>x</mi><mi>△</mi><mi>y</mi>"},
		{`\operatornamewithlimits{arg\,max}_x`, "<munder><mo>arg\u2009max</mo><mi>x</mi></munder>"},
		{`\operatornamewithlimits{argmax}_x`, `<munder><mo>argmax</mo><mi>x</mi></munder>`},
		{`\underset{x}{y}`, `<munder><mrow><mi>y</mi></mrow><mrow><mi>x</mi></mrow></munder>`},
		{`\sum_{\substack{i<n\\i\ne j}}`, `<munder><mo>∑</mo><mrow><mrow><mtable><mtr><mtd><mi>i</mi><mo>&lt;</mo><mi>n</mi></mtd></mtr><mtr><mtd><mi>i</mi><mo>≠</mo><mi>j</mi></mtd></mtr></mtable></mrow></mrow></munder>`},
		{`\boxed{A \subsetneq \varnothing}`, `<mrow class="boxed"><mrow><mi>A</mi><mo>⊊</mo><mi>∅</mi></mrow></mrow>`},
		{`a \leqslant b\hspace{-.5em}c\hspace*{9mu}d`, `<mi>a</mi><mo>⩽</mo><mi>b</mi><mspace width="-.5em"></mspace><mi>c</mi><mspace width="0.500em"></mspace><mi>d</mi>`},
		{`\hspace{2\textwidth}`, ``}, {`\substack{\end{substack}x}`, ``}, {`\substack{a`, ``},
		{`a < b & c`, ``}, {`\unknown{x}`, ``}, {`{x`, ``}, {`x}`, ``}, {`\frac{a}`, ``}, {`x^`, ``}, {`x_1_2`, ``}, {`\left( x`, ``}, {`\begin{align}x`, ``}, {`\begin{nothing}x\end{nothing}`, ``},
		{strings.Repeat("{", 1000), ``}, {`\`, ``}, {``, `<mrow></mrow>`},
	} {
		got := xmlns.ReplaceAllString(formula(c.tex, false).String(), "")
		if err := xml.NewDecoder(strings.NewReader(got)).Decode(new(struct{})); err != nil && err != io.EOF {
			t.Errorf("%s: %v", c.tex, err)
		}
		want := `<math><mrow>` + c.want + `</mrow></math>`
		if c.want == "" {
			want = `<code class="math">` + escape(c.tex) + `</code>`
		}
		if c.tex == "" {
			want = `<math><mrow></mrow></math>`
		}
		if got != want {
			t.Errorf("%s\n   is %s\n want %s", c.tex, got, want)
		}
	}
}

// TestFormulasOfNotebooks: every formula of our notebooks, and every command that the paper has
// besides, is set in HTML and in LaTeX.
func TestFormulasOfNotebooks(t *testing.T) {
	list := []string{`\textup{sparse}`, `x \triangle y`, `\operatornamewithlimits{argmax}_{x \in X}`, `A \subsetneq B`, `a \hspace{1em} b`, `\underset{x}{\max}`, `\sum_{\substack{i \\ j}}`, `\boxed{x}`, `\varnothing`, `a \leqslant b \geqslant c`}
	paths, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		nb, err := notebook.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range nb.Cells {
			if c.Type != notebook.Markdown {
				continue
			}
			w := readMarkdown(c.Source, "n")
			_ = ast.Walk(w.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				switch n := n.(type) {
				case *mathNode:
					list = append(list, n.tex)
				case *mathBlock:
					list = append(list, n.tex(w.source))
				}
				return ast.WalkContinue, nil
			})
		}
	}
	if len(list) < 80 {
		t.Errorf("%d formulas in %v", len(list), paths)
	}
	var all strings.Builder
	for _, tex := range list {
		if formula(tex, true).tag != "math" {
			t.Errorf("HTML does not set %s", tex)
		}
		if s := displayMath(tex); strings.Contains(s, "{Verbatim}") {
			t.Errorf("LaTeX does not set %s", tex)
		}
		all.WriteString("$$" + tex + "$$\n\n")
	}
	folder := t.TempDir()
	if err := Save(context.Background(), filepath.Join(folder, "r.tex"), book(markdownCell(all.String())), Options{}); err != nil {
		t.Fatal(err)
	}
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
		k := cleaner{}
		tree, err := prose(c.source, "c", &k)
		if err != nil {
			t.Fatal(err)
		}
		apart := 0
		for _, m := range tree.all("math") {
			if m.get("display") == "block" {
				apart++
			}
		}
		if got := len(tree.all("math")); got != c.math || apart != c.apart || len(tree.all("em")) > 0 {
			t.Errorf("%q has %d formulas, %d apart; want %d and %d:\n%s", c.source, got, apart, c.math, c.apart, tree)
		}
		if got := strings.TrimSpace(tree.plain()); c.text != "" && got != c.text {
			t.Errorf("%q reads %q, want %q", c.source, got, c.text)
		}
	}
}
