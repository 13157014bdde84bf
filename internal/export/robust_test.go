package export

import (
	"strings"
	"testing"
	"time"
)

// TestHuge: a page of a megabyte is made in time that grows with its length and
// not with its square, however it is nested.
func TestHuge(t *testing.T) {
	const size = 1 << 20
	for _, piece := range []string{"<b>", "<p>", "<li>", "<table><tr><td>", "<table>", "</b>", "<", "&", "<!--", "<style>", "<svg>", "<math>", "<a href=x ", "<a b='", "<details>", "<tr>", "x ", "<h1>", "<img src=x>"} {
		start := time.Now()
		source := strings.Repeat(piece, size/len(piece))
		_, root := rendered(t, book(codeCell("x", nil, shows("text/html", source))), Options{})
		checkPage(t, root)
		if d := time.Since(start); d > 20*time.Second { // 0.1 to 2 s where this was written
			t.Errorf("%d times %q took %s", size/len(piece), piece, d)
		}
		t.Logf("%q %s", piece, time.Since(start))
	}
}

// TestHugeMarkdown is the same for text.
func TestHugeMarkdown(t *testing.T) {
	const size = 30_000
	for _, piece := range []string{"$", "$$\n", "$a ", "# a\n", "[", "`", "* ", "> ", "\\begin{align}\n", "![](", "|a|\n|-|\n", "$\\frac{", "$x$ "} {
		start := time.Now()
		_, root := rendered(t, book(markdownCell(strings.Repeat(piece, size/len(piece)))), Options{Title: "T"})
		checkPage(t, root)
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%d times %q took %s", size/len(piece), piece, d)
		}
		t.Logf("%q %s", piece, time.Since(start))
	}
}
