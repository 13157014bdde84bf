package export

import (
	"context"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// tableOf returns a table of ours as an output.
func tableOf(t *testing.T, rows int, collapsed bool) notebook.Output {
	t.Helper()
	table := report.Table{Caption: fmt.Sprintf("Table of %d", rows), Columns: []report.Column{{Name: "Task"}, {Name: "Value", Align: report.Right}}, Collapsed: collapsed}
	for k := range rows {
		table.Rows = append(table.Rows, []any{fmt.Sprintf("machine %d", k+1), k})
	}
	b, err := report.Bundle(report.Display{Value: []report.Block{table}}, "x")
	if err != nil {
		t.Fatal(err)
	}
	return notebook.Output{Type: notebook.ExecuteResult, Data: b}
}

// Long tables are shortened on paper and whole on the screen.
func TestPaperTables(t *testing.T) {
	for _, c := range []struct {
		rows         int
		collapsed    bool
		paper        int // rows printed; the class long hides them all
		hidden, says bool
	}{
		{paperRows, false, paperRows, false, false},
		{paperRows + 1, false, paperHead + 1, false, true},
		{36, false, paperHead + 1, false, true},
		{paperRows, true, paperRows, false, false},
		{32, true, paperHead + 1, true, true},
	} {
		nb := book(codeCell("x", nil, tableOf(t, c.rows, c.collapsed)))
		screen, paper := HTML(nb, Options{}), printable(context.Background(), nb, Options{}, nil)
		rows := regexp.MustCompile(`(?s)<tbody>.*</tbody>`)
		count := func(page []byte) int { return strings.Count(string(rows.Find(page)), "<tr>") }
		if n := count(screen); n != c.rows {
			t.Errorf("%d rows, folded %v: %d on the screen", c.rows, c.collapsed, n)
		}
		if n := count(paper); n != c.paper {
			t.Errorf("%d rows, folded %v: %d on paper, want %d", c.rows, c.collapsed, n, c.paper)
		}
		if got := strings.Contains(string(paper), `class="long"`); got != c.hidden {
			t.Errorf("%d rows, folded %v: hidden %v", c.rows, c.collapsed, got)
		}
		if got := strings.Contains(string(paper), fmt.Sprintf("%d more rows", c.rows-paperHead)); got != c.says {
			t.Errorf("%d rows, folded %v: says so %v", c.rows, c.collapsed, got)
		}
		if !strings.Contains(string(paper), `class="short"`) {
			t.Error("the names of rows may be broken")
		}
	}
}

// Facts, which are not a list, stay whole.
func TestPaperFacts(t *testing.T) {
	kv := report.KeyValues{Caption: "Facts"}
	for k := range 2 * paperRows {
		kv.Items = append(kv.Items, report.KeyValue{Key: fmt.Sprint("fact ", k), Value: k})
	}
	b, err := report.Bundle(report.Display{Value: []report.Block{kv}}, "x")
	if err != nil {
		t.Fatal(err)
	}
	paper := printable(context.Background(), book(codeCell("x", nil, notebook.Output{Type: notebook.ExecuteResult, Data: b})), Options{}, nil)
	if n := strings.Count(string(paper), "<tr>"); n != 2*paperRows {
		t.Errorf("%d rows, want %d", n, 2*paperRows)
	}
}

// A PDF has the contents after the title, with pages, and numbers at the foot.
func TestPaperContents(t *testing.T) {
	nb := book(markdownCell("# Title\n\nwords"), markdownCell("## First part\n\n"+strings.Repeat("A paragraph.\n\n", 90)), markdownCell("## Second part\n\nwords"))
	text := string(printable(context.Background(), nb, Options{Paper: Letter}, map[string]int{"s-second-part": 42}))
	title, contents, number := strings.Index(text, "<h1"), strings.Index(text, "<nav"), strings.Index(text, ">42<")
	if title < 0 || contents < title || number < contents || !strings.Contains(text, "size: letter;") || !strings.Contains(text, "counter(page)") {
		t.Errorf("title at %d, contents at %d, page at %d", title, contents, number)
	}
	browser(t)
	pdf, err := PDF(context.Background(), nb, Options{})
	if err != nil {
		t.Fatal(err)
	}
	pages := destinations(pdf)
	if pages["s-first-part"] != 1 || pages["s-second-part"] < 3 {
		t.Errorf("the headings are on the pages %v", pages)
	}
	box := regexp.MustCompile(`/MediaBox[^\n]*`)
	if got := string(box.Find(pdf)); got != "/MediaBox [0 0 594.95996 841.91998]" {
		t.Errorf("the sheet is %q, want A4", got)
	}
	if pdf, err = PDF(context.Background(), book(markdownCell("words")), Options{Paper: Letter}); err != nil {
		t.Fatal(err)
	}
	if got := string(box.Find(pdf)); got != "/MediaBox [0 0 612 792]" {
		t.Errorf("the sheet is %q, want Letter", got)
	}
}

// Pages are counted along the tree, whose order may differ from the order of their objects.
func TestDestinations(t *testing.T) {
	const pdf = "%PDF-1.4\n1 0 obj\n<</Type /Pages\n/Kids [2 0 R 3 0 R]>>\nendobj\n2 0 obj\n<</Type /Pages\n/Parent 1 0 R\n/Kids [9 0 R 4 0 R]>>\nendobj\n" +
		"3 0 obj\n<</Type /Page\n/Parent 1 0 R>>\nendobj\n4 0 obj\n<</Type /Page\n/Parent 2 0 R>>\nendobj\n9 0 obj\n<</Type /Page\n/Parent 2 0 R>>\nendobj\n" +
		"5 0 obj\n<</a [9 0 R /XYZ 6 8 0]\n/b-b [4 0 R /XYZ 6 8 0]\n/c#C3#A4 [3 0 R /XYZ 1 1 0]>>\nendobj\n" +
		"11 0 obj\n<</Kids [7 0 R]>>\nendobj\n"
	if got, want := destinations([]byte(pdf)), map[string]int{"a": 1, "b-b": 2, "cä": 3}; !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, odd := range []string{"", "%PDF-1.7\n", "1 0 obj\n<</Type /Pages\n/Kids [1 0 R]>>\nendobj\n"} {
		if got := destinations([]byte(odd)); len(got) > 0 {
			t.Errorf("%q: %v", odd, got)
		}
	}
}
