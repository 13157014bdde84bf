package pandoc

import (
	"archive/zip"
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// part returns a file of a .docx file, and the names of all.
func part(t *testing.T, docx []byte, name string) (text string, names []string) {
	t.Helper()
	z := try.Of(zip.NewReader(bytes.NewReader(docx), int64(len(docx))))
	for _, f := range z.File {
		names = append(names, f.Name)
		if f.Name != name {
			continue
		}
		r := try.Of(f.Open())
		b := try.Of(io.ReadAll(r))
		text = string(b)
	}
	return text, names
}

// A document has headings, formulas, tables with columns by their contents, code with its indentation and the pictures of
// the text; pictures of files and networks are left out.
func TestDocx(t *testing.T) {
	if _, err := Find(); err != nil {
		if os.Getenv("GONB_COPE_REQUIRE_ALL") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	var dot bytes.Buffer
	try.To(png.Encode(&dot, image.NewGray(image.Rect(0, 0, 2, 2))))
	secret := filepath.Join(t.TempDir(), "secret.png")
	try.To(os.WriteFile(secret, dot.Bytes(), 0o600))
	text := "## Part\n\n$x^2$\n\n| Arm | Words |\n| --- | ---: |\n| 1 | a few words more |\n\n```go\nfunc f() {\n\treturn\n}\n```\n\n" +
		"![Caption](data:image/png;base64," + base64.StdEncoding.EncodeToString(dot.Bytes()) + ")\n\n![left out](" + secret + ")\n"
	file, warnings, err := Docx(t.Context(), Source{Title: "Results", Markdown: []byte(text), Raise: true, Math: true})
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	body, names := part(t, file, "word/document.xml")
	for _, want := range []string{`w:val="Title"`, "Results", `w:val="Heading1"`, "<m:oMath>", "<w:tbl>", ">    </w:t>", ">Caption<", ">left out<"} {
		if !strings.Contains(body, want) {
			t.Errorf("%q is missing in %s", want, body)
		}
	}
	if n := strings.Count(strings.Join(names, " "), "word/media/"); n != 1 {
		t.Errorf("%d pictures in %v, want 1", n, names)
	}
	var widths []string
	for _, column := range strings.Split(body, "<w:gridCol ")[1:] {
		widths = append(widths, strings.SplitN(column, `"`, 3)[1])
	}
	if len(widths) != 2 || widths[0] == widths[1] {
		t.Errorf("the columns have the widths %v", widths)
	}
}

// A table whose words are wider than a page is several tables. Each repeats the columns up to the first of texts, and has all rows.
func TestDocxWide(t *testing.T) {
	if _, err := Find(); err != nil {
		t.Skip(err)
	}
	line := func(cell func(j int) string) string {
		text := "|"
		for j := range 12 {
			text += cell(j) + "|"
		}
		return text + "\n"
	}
	text := line(func(j int) string { return fmt.Sprintf("Measurement%d", j) }) +
		line(func(j int) string { return map[bool]string{true: "---", false: "--:"}[j == 1] }) +
		line(func(int) string { return "first" }) + line(func(int) string { return "second" })
	file, _ := try.Two(Docx(t.Context(), Source{Title: "Wide", Markdown: []byte(text)}))
	body, _ := part(t, file, "word/document.xml")
	tables := strings.Split(body, "<w:tbl>")[1:]
	for k, table := range tables {
		columns := strings.Count(table, "<w:gridCol ")
		if columns > 4 || strings.Count(table, ">Measurement0<") != 1 || strings.Count(table, ">Measurement1<") != 1 ||
			strings.Count(table, ">first<") != columns || strings.Count(table, ">second<") != columns {
			t.Errorf("table %d has %d columns: %s", k, columns, table)
		}
	}
	if strings.Count(body, ">Measurement11<") != 1 || len(tables) != 5 {
		t.Errorf("%d tables, want 5", len(tables))
	}
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, _, err := Docx(t.Context(), Source{})
	if !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "apt-get install pandoc") {
		t.Error(err)
	}
}
