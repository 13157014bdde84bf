package export

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// worstTexts are texts of about so many bytes that readers of Markdown take the square of their length for, or much memory.
func worstTexts(size int) map[string]string {
	out := map[string]string{}
	for _, piece := range []string{">", "*a_", "![](", "[", "- ", "* ", "$x", "$", "$$ ", "**a**", "*a* ", "a*b_c~", "`", "<div>", "<a ", "<!--", "<a b='", "&#123;",
		"[a] ", "[^a]", "[^a]: ", "# a\n", "x\n\n", "| a ", "\\begin{a}", "${", "~~", "- a\n", "[a](b) ", "[a]: b\n", "|a|\n|-|\n", "<?", "$x$ ", "[[a](b)",
		"\\eqref{a} ", "<p>"} {
		out[piece] = strings.Repeat(piece, size/len(piece))
	}
	out["nested lists"] = ""
	for i := 0; len(out["nested lists"]) < size; i++ {
		out["nested lists"] += strings.Repeat("  ", i) + "- a\n"
	}
	out["a table of few bytes"] = "|" + strings.Repeat("a|", size/300) + "\n|" + strings.Repeat("-|", size/300) + "\n" + strings.Repeat("|\n", size/4)
	out["backticks"] = strings.Repeat("`", 3)
	for i := 0; len(out["backticks"]) < size; i++ {
		out["backticks"] += strings.Repeat("`", i%700) + " "
	}
	out["footnotes"] = strings.Repeat("[^a]", size/4) + "\n\n[^a]: x\n"
	out["references"] = strings.Repeat("[a]", size/3) + "\n\n[a]: http://x\n"
	out["a formula"] = "$" + strings.Repeat("x+", size/2) + "$"
	out["a deep formula"] = "$" + strings.Repeat("{", size/2) + "x" + strings.Repeat("}", size/2) + "$"
	return out
}

// repeatingDrawing is a drawing of a kilobyte that comes to 10^9 rectangles.
func repeatingDrawing() string {
	s := `<svg xmlns="http://www.w3.org/2000/svg"><defs><g id="a0"><rect width="9" height="9"/></g>`
	for i := range 9 {
		s += fmt.Sprintf(`<g id="a%d">%s</g>`, i+1, strings.Repeat(fmt.Sprintf(`<use href="#a%d"/>`, i), 10))
	}
	return s + `</defs><use href="#a9"/></svg>`
}

// worstNotebooks returns notebooks of about so many bytes by what is bad about them.
func worstNotebooks(size int) map[string]*notebook.Notebook {
	out := map[string]*notebook.Notebook{}
	for name, text := range worstTexts(size) {
		out["text: "+name] = book(markdownCell(text))
	}
	for _, piece := range []string{"<b>", "<p>", "<table><tr><td>", "<svg><g>", "<style>", "<!--", "<a href=x ", "</b>", "<h1>"} {
		out["HTML: "+piece] = book(codeCell("x", nil, shows("text/html", strings.Repeat(piece, size/len(piece)))))
	}
	attributes := strings.Builder{}
	for i := 0; attributes.Len() < size; i++ {
		fmt.Fprintf(&attributes, " a%d=b", i)
	}
	out["HTML: attributes"] = book(codeCell("x", nil, shows("text/html", "<p"+attributes.String()+">x</p>")))
	for _, piece := range []string{"\x1b[1mx", "\x1b[", "a\r", "a\b", "\n"} {
		out[fmt.Sprintf("stream: %q", piece)] = book(codeCell("x", nil, printed("stdout", strings.Repeat(piece, size/len(piece)))))
	}
	out["LaTeX"] = book(codeCell("x", nil, shows("text/latex", strings.Repeat(`\frac{`, size/6))))
	out["code"] = book(codeCell(strings.Repeat(`"""`, size/3), nil))
	out["HTML: left open"] = book(slices.Repeat([]notebook.Cell{codeCell("x", nil, shows("text/html", leftOpen(size/50)))}, 50)...)
	out["text: left open"] = book(slices.Repeat([]notebook.Cell{markdownCell(leftOpen(size / 50))}, 50)...)
	for language, piece := range map[string]string{"python": "1,", "sql": "("} {
		nb := book(codeCell(strings.Repeat(piece, size/len(piece)), nil))
		nb.Metadata = map[string]any{"language_info": map[string]any{"name": language}}
		out["code: "+language] = nb
	}
	out["drawing"] = book(codeCell("x", nil, shows("image/svg+xml", repeatingDrawing())))
	out["image of a drawing"] = book(markdownCell(`<img src="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(repeatingDrawing())) + `">`))
	for name, nb := range maps.Clone(out) {
		out["spread: "+name] = spread(nb, 50)
	}
	many := make([]notebook.Cell, size/50)
	for i := range many {
		many[i] = markdownCell(fmt.Sprintf("# a%d", i))
	}
	out["cells"] = book(many...)
	return out
}

// spread returns a notebook whose text or output is spread over so many cells.
func spread(nb *notebook.Notebook, cells int) *notebook.Notebook {
	out := make([]notebook.Cell, cells)
	part := func(s string, i int) string { return s[i*len(s)/cells : (i+1)*len(s)/cells] }
	for i := range out {
		c := nb.Cells[0]
		c.Source = part(c.Source, i)
		if len(c.Outputs) > 0 {
			c.Source = "x"
			o := c.Outputs[0]
			o.Text = part(o.Text, i)
			o.Data = maps.Clone(o.Data)
			for media, v := range o.Data {
				o.Data[media] = part(v.(string), i)
			}
			c.Outputs = []notebook.Output{o}
		}
		out[i] = c
	}
	return &notebook.Notebook{Metadata: nb.Metadata, Cells: out}
}

// leftOpen is HTML of about so many bytes whose first half opens elements that each paragraph of its second half opens again.
func leftOpen(size int) string {
	s := ""
	for i := 0; i < 500 && len(s) < size/2; i++ {
		s += fmt.Sprintf("<font size=%d>", i)
	}
	return s + "\n\n" + strings.Repeat("<p>x\n\n", max(size-len(s), 0)/6)
}

// peak runs something and returns how much the heap grew at most.
func peak(do func()) uint64 {
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapInuse
	}
	runtime.GC()
	before, most := heap(), atomic.Uint64{}
	ended, sampled := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(sampled)
		for tick := time.NewTicker(10 * time.Millisecond); ; {
			most.Store(max(most.Load(), heap()))
			select {
			case <-ended:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	do()
	close(ended)
	<-sampled
	return most.Load() - min(before, most.Load())
}

// TestFaultWorstNotebooks: each text, code, output or drawing of 1 MB that is the worst of its kind, in one cell or spread over many,
// becomes a report in seconds and in a bounded room. The time is generous, because other programs run beside the test: work that grows by
// the square takes more.
func TestFaultWorstNotebooks(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	const size, most = 1_000_000, 200 << 20
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // else garbage grows to as much as all of the notebooks
	for name, nb := range worstNotebooks(size) {
		endings := []string{".html"}
		if strings.HasPrefix(name, "text") { // Markdown and LaTeX work on the text; spreading it adds no work for Markdown
			endings = append(endings, ".md", ".tex")
		} else if strings.HasPrefix(name, "spread: text") || strings.HasPrefix(name, "HTML") {
			endings = append(endings, ".tex")
		}
		for _, ending := range endings {
			begin := time.Now()
			var err error
			room := peak(func() { err = Save(t.Context(), filepath.Join(t.TempDir(), "r"+ending), nb, Options{Title: "T"}) })
			if err != nil {
				t.Errorf("%s as %s: %v", name, ending, err)
			}
			if took := time.Since(begin); took > 30*time.Second || room > most {
				t.Errorf("%s as %s takes %v and %d MB", name, ending, took, room>>20)
			}
		}
	}
}

// TestFaultTooDeepIsSaid: text over a limit appears unchanged, with a note.
func TestFaultTooDeepIsSaid(t *testing.T) {
	for name, source := range map[string]string{
		"quotes": strings.Repeat(">", 5000) + " the end", "signs": strings.Repeat("*a_", 100_000) + " the end",
		"headings": strings.Repeat("# a\n", 250_000) + "the end", "table": "|" + strings.Repeat("a|", 2000) + "\n|" + strings.Repeat("-|", 2000) + "\n" + strings.Repeat("|\n", 2000) + "|the end|",
	} {
		for _, ending := range []string{".html", ".tex"} {
			var said []string
			text := saved(t, book(markdownCell(source)), ending, Options{Title: "T", Notice: func(s string) { said = append(said, s) }})
			if !strings.Contains(text, "the end") || !strings.Contains(text, "too deep or too long") || !strings.Contains(strings.Join(said, ""), tooDeep) {
				t.Errorf("%s as %s: text or note is missing; said %q", name, ending, said)
			}
		}
	}
	deep := strings.Repeat("> ", 40) + "- a\n" + strings.Repeat("> ", 40) + "  - b"
	_, root := rendered(t, book(markdownCell(deep)), Options{Title: "T"})
	if n := len(root.All("blockquote")); n != 40 || strings.Contains(root.Plain(), "too deep") {
		t.Errorf("%d quotes of 40", n)
	}
}

// TestFaultConversionStops: an interrupt ends a conversion at once and leaves no report.
func TestFaultConversionStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.html")
	cells := make([]notebook.Cell, 200)
	for i := range cells {
		cells[i] = markdownCell(strings.Repeat("*a* [b](c) $x$ ", 5000))
	}
	ctx, cancel := context.WithCancel(t.Context())
	var stopped time.Time
	time.AfterFunc(50*time.Millisecond, func() { stopped = time.Now(); cancel() })
	err := Save(ctx, path, book(cells...), Options{Title: "T"})
	if err == nil || ctx.Err() == nil {
		t.Skip("the conversion ended before the interrupt")
	}
	if waited := time.Since(stopped); waited > 5*time.Second {
		t.Errorf("the interrupt was heard after %v", waited)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

// TestInterruptedConversionEnds: a cancelled conversion does not run on in the background.
func TestInterruptedConversionEnds(t *testing.T) {
	cells := slices.Repeat([]notebook.Cell{markdownCell(strings.Repeat("*a* [b](c) $x$ ", 5000)), codeCell(strings.Repeat("x = 1\n", 5000), nil)}, 200)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, ending := range []string{".html", ".md", ".tex"} {
		begin := time.Now()
		_, _ = made(ctx, ending, book(cells...), Options{Title: "T"}, func(name string, _ []byte) string { return name })
		if took := time.Since(begin); took > 2*time.Second {
			t.Errorf("%s took %v", ending, took)
		}
	}
}

// TestSharesOfCells: a cell that takes too much leaves the other cells what they need, and loses nothing.
func TestSharesOfCells(t *testing.T) {
	bad := markdownCell(strings.Repeat("[^a]", 100_000) + " the end\n\n[^a]: x")
	cells := append(slices.Repeat([]notebook.Cell{bad}, 3), slices.Repeat([]notebook.Cell{markdownCell("## Part\n\n*good* text, $x^2$\n\n| a | b |\n|---|---|\n| 1 | 2 |")}, 100)...)
	text, root := rendered(t, book(cells...), Options{Title: "T"})
	if n := strings.Count(string(text), " the end"); n != 3 {
		t.Errorf("%d ends of 3", n)
	}
	if n, m := len(root.All("h2"))+len(root.All("h3")), len(root.All("math")); n != 100 || m != 100 || len(root.All("table")) != 100 {
		t.Errorf("%d headings, %d formulas and %d tables of 100 each", n, m, len(root.All("table")))
	}
}

// TestLargeNotebookIsLaidOut: a notebook of 10 MB in 2,000 cells, as people write them, is converted in full.
func TestLargeNotebookIsLaidOut(t *testing.T) {
	if testing.Short() {
		t.Skip("takes half a minute")
	}
	prose := "## Part\n\n" + strings.Repeat("Some *words* with `code`, a [link](https://a.b/c) and $x_1 + y^2$ in a line of text.\nMore of it, **bold**.\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1.5 | 2.5 |\n\n", 27)
	table := "<table><tbody>" + strings.Repeat("<tr><th>1</th><td>0.123</td><td>4.5</td></tr>\n", 30) + "</tbody></table>"
	code := codeCell(strings.Repeat("for i in range(10):\n    total += values[i] * weight(i)  # so far\n", 8), nil, shows("text/html", table))
	nb := book(slices.Repeat([]notebook.Cell{markdownCell(prose), code}, 1000)...)
	nb.Metadata = map[string]any{"language_info": map[string]any{"name": "python"}}
	for _, ending := range []string{".html", ".md", ".tex"} {
		var said []string
		text := saved(t, nb, ending, Options{Title: "T", Notice: func(s string) { said = append(said, s) }})
		if len(said) > 0 {
			t.Errorf("%s: %q", ending, said)
		}
		if n := strings.Count(text, `<span class="k">for</span>`); ending == ".html" && n == 0 { // a busy machine leaves many out, because the time of lexers is limited
			t.Error("no code is coloured")
		}
	}
}

// TestLongTextsAreLaidOut: texts that people write stay below the limits, also long ones.
func TestLongTextsAreLaidOut(t *testing.T) {
	row := "|" + strings.Repeat("b|", 40) + "\n"
	for name, source := range map[string]string{
		"a paragraph of 100 kB": strings.Repeat("*word* and **bold** text, `code` and [link](http://a.b) ", 2000),
		"a table of 2,000 rows": row + strings.ReplaceAll(row, "b", "-") + strings.Repeat(row, 2000),
		"lists in quotes":       strings.Repeat("> - a\n>   - b\n>     - c $x$\n\n", 2000),
		"nested lists":          strings.Join([]string{"- a", "  - b", "    - c", "      - d", "        - e", "          - f"}, "\n"),
	} {
		if markdownOf(source).shortened() {
			t.Errorf("%s is shown as it is written", name)
		}
	}
}

// markdownOf reads Markdown as the only text of a report.
func markdownOf(source string) *written {
	return Options{}.limited(context.Background()).read(source, "c")
}

// noLimits allows everything.
var noLimits = allowance.New(context.Background(), "a test", allowance.NoLimit, allowance.NoLimit)
