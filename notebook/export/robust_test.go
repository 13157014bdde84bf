package export

import (
	"strings"
	"testing"
)

// TestHuge: a page of a quarter of a megabyte is made, however it is nested. Were the work of the order of its
// square, the test would not end within the limit of the package's tests.
func TestHuge(t *testing.T) {
	size := 1 << 18
	if testing.Short() {
		size = 1 << 16
	}
	for _, piece := range []string{"<b>", "<p>", "<li>", "<table><tr><td>", "<table>", "</b>", "<", "&", "<!--", "<style>", "<svg>", "<math>", "<a href=x ", "<a b='", "<details>", "<tr>", "x ", "<h1>", "<img src=x>"} {
		source := strings.Repeat(piece, size/len(piece))
		_, root := rendered(t, book(codeCell("x", nil, shows("text/html", source))), Options{})
		checkPage(t, root)
	}
}

// TestHugeMarkdown is the same for text.
func TestHugeMarkdown(t *testing.T) {
	size := 30_000
	if testing.Short() {
		size = 10_000
	}
	for _, piece := range []string{"$", "$$\n", "$a ", "# a\n", "[", "`", "* ", "> ", "\\begin{align}\n", "![](", "|a|\n|-|\n", "$\\frac{", "$x$ "} {
		_, root := rendered(t, book(markdownCell(strings.Repeat(piece, size/len(piece)))), Options{Title: "T"})
		checkPage(t, root)
	}
}
