package tex

import (
	"encoding/xml"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
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
		got := xmlns.ReplaceAllString(Formula(c.tex, false).String(), "")
		if err := xml.NewDecoder(strings.NewReader(got)).Decode(new(struct{})); err != nil && err != io.EOF {
			t.Errorf("%s: %v", c.tex, err)
		}
		want := `<math><mrow>` + c.want + `</mrow></math>`
		if c.want == "" {
			want = `<code class="math">` + markup.Escape(c.tex) + `</code>`
		}
		if c.tex == "" {
			want = `<math><mrow></mrow></math>`
		}
		want = strings.Replace(want, "<math>", `<math data-tex="`+markup.Escape(c.tex)+`">`, 1)
		if got != want {
			t.Errorf("%s\n   is %s\n want %s", c.tex, got, want)
		}
	}
}

func TestCompilable(t *testing.T) {
	for source, want := range map[string]bool{
		"$x^2$": true, "\\begin{tabular}{l}a\\end{tabular}": true, "\\textbf{x} \\$": true, "\\leftarrow": true, "50\\,\\% of \\(x\\) \\[y\\]": true,
		"\\begin{tabular}{@{}lr@{}}a & b@c \\\\[2pt] % $ {\n\\end{tabular}": true, "\\hspace*{1em}\\'{e}": true,
		"\\inputs": false, "\\unknown{x}": false, "x^^2": false, "\\@@input x": false, "\\emph@": false, "\\begin {center}x\\end{center}": false, "\\begin{unknown}x\\end{unknown}": false,
		"\\(x": false, "\\[x\\)": false, "{\\begin{center}}\\end{center}": false, "#1": false, "\\": false, "$x$$y$ $$z$$ $\\text{a $b$}$": true, "{$}$": false, "$$x$": false,
		"": false, "\\input{x}": false, "\\input x": false, "{": false, "}{": false, "$x": false, "\\begin{a}": false, "\\begin{a}\\end{b}": false, "\\end{document}": false, "\\write18{ls}": false, "\\def\\x{}": false,
	} {
		if got := Compilable(source); got != want {
			t.Errorf("%q: %v, want %v", source, got, want)
		}
	}
}

// Each formula that the reader knows may be in LaTeX.
func TestCompilableKnows(t *testing.T) {
	for _, table := range []map[string]string{identifiers, operators, fences, integrals, large, accents, unders, spaces} {
		for name := range table {
			if !Compilable(`$\` + name + ` x$`) {
				t.Errorf(`\%s is refused`, name)
			}
		}
	}
	for _, names := range []map[string]bool{functions, limits, ignored} {
		for name := range names {
			if !Compilable(`$\` + name + ` x$`) {
				t.Errorf(`\%s is refused`, name)
			}
		}
	}
	for name := range alphabets {
		if !Compilable(`$\` + name + `{x}$`) {
			t.Errorf(`\%s is refused`, name)
		}
	}
	for name := range environments {
		if !Compilable(`\begin{` + name + `}x\end{` + name + `}`) {
			t.Errorf(`the environment %s is refused`, name)
		}
	}
}
