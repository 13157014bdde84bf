package export

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// ownTable returns a table of ours as an output.
func ownTable(t *testing.T, rows int, collapsed bool) notebook.Output {
	t.Helper()
	table := report.Table{Caption: fmt.Sprintf("Table of %d", rows), Columns: []report.Column{{Name: "Task"}, {Name: "Value", Align: report.Right}}, Collapsed: collapsed}
	for k := range rows {
		table.Rows = append(table.Rows, []any{fmt.Sprintf("machine %d", k+1), k})
	}
	b := try.Of(report.Bundle(report.Display{Value: []report.Block{table}}, "x"))
	return notebook.Output{Type: notebook.ExecuteResult, Data: b}
}

// Paper has all rows that the screen shows; folded tables of more rows than mostRows of package report have
// their summary alone.
func TestPaperTables(t *testing.T) {
	for _, c := range []struct {
		rows              int
		collapsed, hidden bool
	}{{16, false, false}, {96, false, false}, {32, true, false}, {60, true, true}} {
		nb := book(codeCell("x", nil, ownTable(t, c.rows, c.collapsed)))
		screen, paper := onScreen(nb, Options{}), printable(context.Background(), nb, Options{}, nil)
		rows := regexp.MustCompile(`(?s)<tbody>.*</tbody>`)
		count := func(page []byte) int { return strings.Count(string(rows.Find(page)), "<tr>") }
		if n := count(screen); n != c.rows {
			t.Errorf("%d rows, folded %v: %d on the screen", c.rows, c.collapsed, n)
		}
		if n := count(paper); n != c.rows {
			t.Errorf("%d rows, folded %v: %d on paper", c.rows, c.collapsed, n)
		}
		if got := strings.Contains(string(paper), `class="long"`); got != c.hidden {
			t.Errorf("%d rows, folded %v: hidden %v", c.rows, c.collapsed, got)
		}
		holds(t, string(paper), `class="short"`)
	}
}

// A table that is wider than the sheet is split, ours and those of other programs: each part begins with the
// names of the rows.
func TestPaperWideTables(t *testing.T) {
	const columns = 30
	table := report.Table{Caption: "Wide", Columns: []report.Column{{Title: "Task"}}, Rows: [][]any{{"machine 1"}, {"machine 2"}}}
	foreign := "<table><thead><tr><th></th>"
	for k := range columns {
		table.Columns = append(table.Columns, report.Column{Title: fmt.Sprint("arm", k), Align: report.Right})
		for i := range table.Rows {
			table.Rows[i] = append(table.Rows[i], 1000+100*i+k)
		}
		foreign += fmt.Sprintf("<th>arm%d</th>", k)
	}
	foreign += "</tr></thead><tbody><tr><th>machine</th>" + strings.Repeat("<td>1234</td>", columns) + "</tr></tbody></table>"
	b := try.Of(report.Bundle(report.Display{Value: []report.Block{table}}, "x"))
	for name, data := range map[string]map[string]any{"ours": b, "foreign": {"text/html": foreign}} {
		nb := book(codeCell("x", nil, notebook.Output{Type: notebook.ExecuteResult, Data: data}))
		if n := strings.Count(string(onScreen(nb, Options{})), "<table"); n != 1 {
			t.Errorf("%s: %d tables on the screen", name, n)
		}
		paper := string(printable(context.Background(), nb, Options{}, nil))
		if n := strings.Count(paper, "<table"); n < 2 || n > 4 || strings.Count(paper, "</caption>") != 1 || n != strings.Count(paper, ">machine")/strings.Count(paper[:strings.Index(paper, "</table>")], ">machine") {
			t.Errorf("%s: %d tables on paper:\n%s", name, n, paper[strings.Index(paper, "<table"):])
		}
		for k := range columns {
			if n := strings.Count(paper, fmt.Sprintf(">arm%d<", k)); n != 1 {
				t.Errorf("%s: column %d is on paper %d times", name, k, n)
			}
		}
	}
	browser(t)
	pdf := try.Of(PDF(context.Background(), book(codeCell("x", nil, notebook.Output{Type: notebook.ExecuteResult, Data: b}),
		codeCell("y", nil, ownTable(t, 96, false))), Options{}))
	file := filepath.Join(t.TempDir(), "x.pdf")
	try.To(os.WriteFile(file, pdf, 0o600))
	text := try.Of(run(t, "", need(t, "pdftotext"), "-layout", file, "-"))
	holds(t, text, "arm14", "arm29", "1,029", "1,129", "machine 96")
}

// Facts, which are not a list, stay whole.
func TestPaperFacts(t *testing.T) {
	kv := report.KeyValues{Caption: "Facts"}
	for k := range 40 {
		kv.Items = append(kv.Items, report.KeyValue{Key: fmt.Sprint("fact ", k), Value: k})
	}
	b := try.Of(report.Bundle(report.Display{Value: []report.Block{kv}}, "x"))
	paper := printable(context.Background(), book(codeCell("x", nil, notebook.Output{Type: notebook.ExecuteResult, Data: b})), Options{}, nil)
	if n := strings.Count(string(paper), "<tr>"); n != 40 {
		t.Errorf("%d rows, want %d", n, 40)
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
	pdf := try.Of(PDF(context.Background(), nb, Options{}))
	pages := destinations(pdf)
	if pages["s-first-part"] != 1 || pages["s-second-part"] < 3 {
		t.Errorf("the headings are on the pages %v", pages)
	}
	box := regexp.MustCompile(`/MediaBox[^\n]*`)
	if got := string(box.Find(pdf)); got != "/MediaBox [0 0 594.95996 841.91998]" {
		t.Errorf("the sheet is %q, want A4", got)
	}
	pdf = try.Of(PDF(context.Background(), book(markdownCell("words")), Options{Paper: Letter}))
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
