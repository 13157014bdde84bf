package report

import (
	"fmt"
	"strings"
	"testing"
)

// Code keeps its indentation, and its lines can be broken at spaces: a kernel that is printed in one
// line would run off the page.
func TestLaTeXCode(t *testing.T) {
	got := LaTeXFragment(Display{Value: []Block{Code{Text: "a = b +  c\n  d\n\te\n\n"}, Paragraph{Text: "end"}}})
	holds(t, got, "a = b +~ c\\\\\n~~d\\\\\n~~~~e\\\\\n")
}

// A table that is longer than a page is written as several, with all rows: LaTeX would cut it off.
func TestLaTeXLongTable(t *testing.T) {
	x := Table{Caption: "Plan", Columns: []Column{text("a", "Run"), text("b", "What")}, Notes: []string{"A note."}}
	for i := range 96 {
		x.Rows = append(x.Rows, []any{fmt.Sprintf("run-%d", i), "short"})
	}
	parts := func() (tables, rows int) {
		got := LaTeXFragment(Display{Value: x})
		if strings.Count(got, "A note.") != 1 || strings.Count(got, "(continued)") != strings.Count(got, "\\begin{table}")-1 {
			t.Errorf("%s", got)
		}
		return strings.Count(got, "\\begin{tabular}"), strings.Count(got, "run-")
	}
	if tables, rows := parts(); tables != 3 || rows != 96 {
		t.Errorf("%d tables with %d rows", tables, rows)
	}
	x.Rows[0][1] = strings.Repeat("words that wrap ", 50)
	if tables, rows := parts(); tables != 4 || rows != 96 {
		t.Errorf("with rows that wrap %d tables with %d rows", tables, rows)
	}
	x.Columns = append(x.Columns, text("c", "More"))
	for i := range x.Rows {
		x.Rows[i] = append(x.Rows[i], strings.Repeat("words that wrap ", 5))
	}
	if tables, rows := parts(); tables < 8 || rows != 96 {
		t.Errorf("with rows that wrap %d tables with %d rows", tables, rows)
	}
}
