package workbook

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/xuri/excelize/v2"

	"github.com/gonb-cope/gonb-cope/internal/base/allowance"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

func all() *allowance.Allowance {
	return allowance.New(context.Background(), "the table", allowance.NoLimit, allowance.NoLimit)
}

// CSV reads a workbook of Write, with 15 digits, blanks and texts that look like formulas.
func TestWrite(t *testing.T) {
	var b bytes.Buffer
	rows := [][]any{{1, "=1+1", 0.123456789012345, nil}, {2, "Gräfin, \"a\"", -2.5, "x"}}
	try.To(Write(&b, []string{"plot", "variety", "dose", "yield"}, rows, []string{"yield"}))
	text, err := CSV(all(), b.Bytes())
	want := "plot,variety,dose,yield\n1,=1+1,0.123456789012345,\n2,\"Gräfin, \"\"a\"\"\",-2.5,x\n"
	if err != nil || string(text) != want {
		t.Errorf("read %q, %v; want %q", text, err, want)
	}
}

// A workbook of a spreadsheet may begin with empty sheets, and has dates as numbers with a format of dates.
func TestCSV(t *testing.T) {
	f := excelize.NewFile()
	f.NewSheet("data")
	style, _ := f.NewStyle(&excelize.Style{NumFmt: 14})
	rounded, _ := f.NewStyle(&excelize.Style{NumFmt: 1})
	f.SetCellValue("data", "A1", "day")
	f.SetCellValue("data", "B1", "y")
	f.SetCellValue("data", "A2", 45000)
	f.SetCellStyle("data", "A2", "A2", style)
	f.SetCellValue("data", "B2", 2.75)
	f.SetCellStyle("data", "B2", "B2", rounded)
	var b bytes.Buffer
	try.To(f.Write(&b))
	if text, err := CSV(all(), b.Bytes()); err != nil || string(text) != "day,y\n2023-03-15,2.75\n" {
		t.Errorf("read %q, %v", text, err)
	}
}

// The first sheet with a table is read, not a sheet of notes; Unread names further tables. A value of merged cells belongs to
// all of them, except for titles and for numbers that may be measurements.
func TestSheets(t *testing.T) {
	f := excelize.NewFile()
	fill := func(sheet string, rows ...[]any) {
		f.NewSheet(sheet)
		for k, row := range rows {
			try.To(f.SetSheetRow(sheet, fmt.Sprint("A", k+1), &row))
		}
	}
	fill("Sheet1", []any{"Trial of 2025"}, []any{"Contact"})
	fill("2025", []any{"title"}, []any{}, []any{nil, "yield"}, []any{"site", "a", "b"}, []any{"N", 1.5, 2}, []any{nil, nil, 3}, []any{2024, 5, 8}, []any{nil, 6})
	fill("notes", []any{"x"})
	fill("2026", []any{"site", "y"}, []any{"N", 7})
	for _, place := range [][2]string{{"A1", "C1"}, {"B3", "C3"}, {"A5", "A6"}, {"B5", "B6"}, {"A7", "A8"}, {"C7", "C8"}} {
		try.To(f.MergeCell("2025", place[0], place[1]))
	}
	var b bytes.Buffer
	try.To(f.Write(&b))
	want := "title,,\n,yield,yield\nsite,a,b\nN,1.5,2\nN,,3\n2024,5,8\n2024,6,\n"
	if text, err := CSV(all(), b.Bytes()); err != nil || string(text) != want {
		t.Errorf("read %q, %v; want %q", text, err, want)
	}
	if unread, err := Unread(all(), b.Bytes()); err != nil || !slices.Equal(unread, []string{"2026"}) {
		t.Errorf("unread are %v, %v", unread, err)
	}
	if unread, err := Unread(all(), []byte("a,b\n1,2\n")); err != nil || unread != nil {
		t.Errorf("of CSV unread are %v, %v", unread, err)
	}
}

// Tables of a Word document with the same heading are one table; text of a deletion is left out.
func TestDocument(t *testing.T) {
	table := func(rows ...string) string {
		text := "<w:tbl>"
		for _, row := range rows {
			text += "<w:tr>"
			for _, cell := range strings.Split(row, ",") {
				text += "<w:tc><w:p><w:del><w:r><w:delText>9</w:delText></w:r></w:del><w:r><w:t>" + cell + "</w:t></w:r></w:p></w:tc>"
			}
			text += "</w:tr>"
		}
		return text + "</w:tbl>"
	}
	for body, want := range map[string]string{
		table("heading") + table("plot,yield", "1,7.5", "2") + "<w:p><w:r><w:t>Sheet 2</w:t></w:r></w:p>" +
			table("plot,yield", "3,</w:t><w:br/><w:t>8&lt;") + table("a,b", "1,2"): "plot,yield\n1,7.5\n2,\n3,8<\n",
		table("a", "b</w:t>"+table("c")+"<w:t> d"): "a\nb c d\n",
		"<w:p/>":        "no table",
		"<w:tbl><w:tc>": "cannot be read",
	} {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		part, err := z.Create(documentPart)
		if err != nil {
			t.Fatal(err)
		}
		part.Write([]byte(`<w:document xmlns:w="w"><w:body>` + body + "</w:body></w:document>"))
		z.Close()
		text, err := CSV(all(), b.Bytes())
		if err != nil && !strings.Contains(err.Error(), want) || err == nil && string(text) != want {
			t.Errorf("%s: read %q, %v; want %q", body, text, err, want)
		}
	}
}

// Old Macintosh programs count days from 1904.
func TestOldDates(t *testing.T) {
	f := excelize.NewFile()
	old := true
	try.To(f.SetWorkbookProps(&excelize.WorkbookPropsOptions{Date1904: &old}))
	style, _ := f.NewStyle(&excelize.Style{NumFmt: 14})
	for place, value := range map[string]any{"A1": "day", "B1": "y", "A2": 43538, "B2": 1} {
		f.SetCellValue("Sheet1", place, value)
	}
	f.SetCellStyle("Sheet1", "A2", "A2", style)
	var b bytes.Buffer
	try.To(f.Write(&b))
	if text, err := CSV(all(), b.Bytes()); err != nil || string(text) != "day,y\n2023-03-15,1\n" {
		t.Errorf("read %q, %v", text, err)
	}
}

// Other files are unchanged; damaged ones and ones that are too large are errors.
func TestCSVOthers(t *testing.T) {
	if text, err := CSV(all(), []byte("a,b\n1,2\n")); err != nil || string(text) != "a,b\n1,2\n" {
		t.Errorf("CSV is %q, %v", text, err)
	}
	var b bytes.Buffer
	try.To(Write(&b, []string{"a"}, [][]any{{strings.Repeat("x", 10000)}}, nil))
	small := allowance.New(context.Background(), "the table", 1000, allowance.NoLimit)
	if _, err := CSV(small, b.Bytes()); err == nil {
		t.Error("a workbook is read beyond its allowance")
	}
	broken := bytes.Clone(b.Bytes())
	for k := 200; k < len(broken)/2; k++ {
		broken[k] = 0
	}
	if text, err := CSV(all(), broken); err == nil {
		t.Errorf("a damaged workbook is read as %q", text)
	}
}

// Workbooks of LibreOffice 7.4 are read: dates, times, truth values, formulas, an empty first sheet, and days from 1904.
func TestLibreOffice(t *testing.T) {
	for name, want := range map[string]string{
		"libreoffice.xlsx": "day,time,when,variety,good,dose,yield,share,pct\n" +
			"2024-03-15,12:30:00,2024-03-15 12:30:00,\"Gräfin, A\",1,1.5,12.25,0.5,0.5\n" +
			"1999-12-31,00:15:00,1999-12-31 00:15:00,7,0,2.5,13.125,1e-07,0.125\n" +
			"2020-02-29,23:59:59,2020-02-29 23:59:59,x,1,3,,12345678.9,0.03\n",
		"libreoffice-1904.xlsx": "day,option,y\n2024-03-15,A & b,3\n2024-03-16 06:00:00,,-2.5\n",
	} {
		data := try.Of(os.ReadFile("testdata/" + name))
		if text, err := CSV(all(), data); err != nil || string(text) != want {
			t.Errorf("%s is read as %s, %v; want %s", name, text, err, want)
		}
	}
}
