package report

import (
	"strings"
	"testing"
)

// Code keeps its indentation, and its lines can be broken at spaces: a kernel that is printed in one
// line would run off the page.
func TestLaTeXCode(t *testing.T) {
	got := LaTeXFragment(Display{Value: []Block{Code{Text: "a = b +  c\n  d\n\n"}, Paragraph{Text: "end"}}})
	if !strings.Contains(got, "a = b +~ c\\\\\n~~d\\\\\n") {
		t.Errorf("%q", got)
	}
}
