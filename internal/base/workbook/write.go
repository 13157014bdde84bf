package workbook

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// parts are the files of a workbook with one sheet, without the sheet itself. Style 1 is bold, for the header. Style 2
// marks cells that the user should fill in.
var parts = []struct{ name, text string }{
	{"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ` +
		`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" ` +
		`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook xmlns="` + mainSpace + `" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<sheets><sheet name="Sheet1" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" ` +
		`Target="worksheets/sheet1.xml"/><Relationship Id="rId2" ` +
		`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" Target="styles.xml"/></Relationships>`},
	{"xl/styles.xml", `<styleSheet xmlns="` + mainSpace + `"><fonts count="2"><font><sz val="11"/><name val="Calibri"/></font>` +
		`<font><b/><sz val="11"/><name val="Calibri"/></font></fonts>` +
		`<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>` +
		`<fill><patternFill patternType="solid"><fgColor rgb="FFFFF2CC"/></patternFill></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="3"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
		`<xf numFmtId="0" fontId="0" fillId="2" borderId="0" xfId="0" applyFill="1"/></cellXfs></styleSheet>`},
}

const (
	mainSpace  = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
	styleBold  = 1
	styleEmpty = 2
)

// Write writes a table as a workbook with one sheet. A cell is nil, a string, a number or a boolean. fill lists the names
// of columns that the user should fill in, which are marked.
func Write(w io.Writer, header []string, rows [][]any, fill []string) error {
	var sheet bytes.Buffer
	sheet.WriteString(`<worksheet xmlns="` + mainSpace + `"><sheetViews><sheetView workbookViewId="0">` +
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`)
	if len(header) > 0 {
		sheet.WriteString("<cols>")
	}
	for c, name := range header {
		width := len([]rune(name))
		for _, row := range rows {
			width = max(width, len([]rune(fmt.Sprint(row[c]))))
		}
		fmt.Fprintf(&sheet, `<col min="%d" max="%[1]d" width="%d" customWidth="1"/>`, c+1, min(max(width+2, 8), 40))
	}
	if len(header) > 0 {
		sheet.WriteString("</cols>")
	}
	sheet.WriteString("<sheetData>")
	for r := range len(rows) + 1 {
		fmt.Fprintf(&sheet, `<row r="%d">`, r+1)
		for c, name := range header {
			if at := fmt.Sprintf("%s%d", letters(c), r+1); r == 0 {
				writeCell(&sheet, at, styleBold, name)
			} else if slices.Contains(fill, name) {
				writeCell(&sheet, at, styleEmpty, rows[r-1][c])
			} else {
				writeCell(&sheet, at, 0, rows[r-1][c])
			}
		}
		sheet.WriteString("</row>")
	}
	sheet.WriteString("</sheetData></worksheet>")
	z := zip.NewWriter(w)
	for _, p := range append(slices.Clone(parts), struct{ name, text string }{"xl/worksheets/sheet1.xml", sheet.String()}) {
		f, err := z.Create(p.name)
		if err == nil {
			_, err = io.WriteString(f, xml.Header+p.text)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

// letters returns the name of column c, from 0: A to Z, AA and so on.
func letters(c int) string {
	if c < 26 {
		return string(rune('A' + c))
	}
	return letters(c/26-1) + letters(c%26)
}

// writeCell writes a cell at position at, such as B7. NaN and infinite numbers become text.
func writeCell(b *bytes.Buffer, at string, style int, v any) {
	fmt.Fprintf(b, `<c r="%s" s="%d"`, at, style)
	switch x := v.(type) {
	case nil:
		b.WriteString("/>")
		return
	case bool:
		fmt.Fprintf(b, ` t="b"><v>%d</v></c>`, map[bool]int{true: 1}[x])
		return
	case int, int64, uint64:
		fmt.Fprintf(b, "><v>%d</v></c>", x)
		return
	case float64:
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			b.WriteString("><v>" + strconv.FormatFloat(x, 'g', -1, 64) + "</v></c>")
			return
		}
	}
	b.WriteString(` t="inlineStr"><is><t xml:space="preserve">`)
	xml.EscapeText(b, []byte(strings.ToValidUTF8(fmt.Sprint(v), "\uFFFD"))) // a buffer returns no errors
	b.WriteString("</t></is></c>")
}
