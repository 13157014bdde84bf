package save

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/chromium"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/pandoc"
	"github.com/gonb-cope/gonb-cope/internal/base/workbook"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// Format describes the files with one extension.
type Format struct {
	Ending string // the extension with its dot, for example ".csv"
	Holds  Holds
	// writes the value of the first display; Documents formats write all displays
	Write func(io.Writer, report.Document) error
}

// Holds is what files of a format can contain.
type Holds int

// Tables contain the rows of one value, Drawings one figure, and Documents any values.
const (
	Tables Holds = iota
	Documents
	Drawings
)

// Formats lists the formats, in the order in which messages name them.
func Formats() []Format {
	drawing := func(draw func(io.Writer, report.Figure) error) func(io.Writer, report.Document) error {
		return func(w io.Writer, d report.Document) error {
			f, err := report.FigureOf(first(d), report.PlotOptions{})
			if err != nil {
				return err
			}
			return draw(w, f)
		}
	}
	return []Format{
		{".csv", Tables, func(w io.Writer, d report.Document) error { return report.CSV(w, first(d)) }},
		{".xlsx", Tables, func(w io.Writer, d report.Document) error { return Workbook(w, first(d)) }},
		{".parquet", Tables, func(w io.Writer, d report.Document) error { return Parquet(w, first(d)) }},
		{".json", Documents, report.JSON},
		{".md", Documents, report.Markdown},
		{".html", Documents, report.HTML},
		{".docx", Documents, docx},
		{".tex", Documents, report.LaTeX},
		{".txt", Documents, func(w io.Writer, d report.Document) error { return report.Text(w, d, report.TextOptions{}) }},
		{".svg", Drawings, drawing(figure.SVG)},
		{".pdf", Drawings, func(w io.Writer, d report.Document) error {
			if isPrinted(first(d)) {
				return Print(w, d)
			}
			return drawing(figure.PDF)(w, d)
		}},
		{".png", Drawings, drawing(figure.PNG)},
	}
}

// Endings lists the file extensions of all formats, in alphabetical order.
func Endings() []string { return slices.Sorted(slices.Values(Holding(Tables, Documents, Drawings))) }

// Holding lists the file extensions of the formats that can contain at least one of held, in the order of Formats.
func Holding(held ...Holds) []string {
	formats := lists.Where(Formats(), func(f Format) bool { return slices.Contains(held, f.Holds) })
	return lists.Map(formats, func(f Format) string { return f.Ending })
}

// formatOf returns the format for the extension of a path; false if the extension is unknown.
func formatOf(path string) (Format, bool) {
	return lists.First(Formats(), func(f Format) bool { return f.Ending == ending(path) })
}

// File writes a value to path, in the format of the path's extension (see Formats). A figure saved as .tex has a second
// file with the picture, at PictureBeside(path). A file is written completely or not at all. Errors name the path; for an
// unknown extension, the error lists the known ones.
func File(path string, v any) error {
	if f, ok := figureIn(v); ok && ending(path) == ".tex" {
		return saveLaTeXFigure(path, f)
	}
	title := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return Document(path, report.Document{Title: title, Displays: []report.Display{{Value: v}}})
}

// figureIn returns v if v is a figure or a pointer to one; false otherwise.
func figureIn(v any) (report.Figure, bool) {
	if p, ok := v.(*report.Figure); ok && p != nil {
		return *p, true
	}
	f, ok := v.(report.Figure)
	return f, ok
}

// PictureBeside returns the path of the PDF file with the picture of a figure that is saved as the LaTeX file at path.
func PictureBeside(path string) string {
	return strings.TrimSuffix(path, filepath.Ext(path)) + "-figure.pdf"
}

// saveLaTeXFigure writes a figure as a PDF file, and a LaTeX file at path that includes it. A figure with a width keeps
// it; other figures get the width of the text.
func saveLaTeXFigure(path string, f report.Figure) error {
	picture := PictureBeside(path)
	if err := report.WriteFile(picture, func(w io.Writer) error { return figure.PDF(w, f) }); err != nil {
		return err
	}
	width := ""
	if f.Width == 0 {
		width = "[width=\\linewidth]"
	}
	return report.WriteFile(path, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%% %s\n%% needs \\usepackage{graphicx}\n\\includegraphics%s{%s}\n",
			strings.Join(strings.Fields(f.Describe()), " "), width, filepath.Base(picture))
		return err
	})
}

// Document works like File for a whole document. Figure formats, CSV and Parquet contain only the value of the first
// display.
func Document(path string, d report.Document) error {
	f, ok := formatOf(path)
	if !ok {
		return CheckEnding(path)
	}
	return report.WriteFile(path, func(w io.Writer) error { return f.Write(w, d) })
}

// Write writes a value to w, in the format of the path's extension.
func Write(w io.Writer, path string, v any) error {
	f, ok := formatOf(path)
	if !ok {
		return CheckEnding(path)
	}
	title := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return f.Write(w, report.Document{Title: title, Displays: []report.Display{{Value: v}}})
}

// Workbook writes the same table as CSV, as a workbook (xlsx). Columns without values are marked as columns to fill in.
func Workbook(w io.Writer, v any) error {
	columns, err := report.Cells(v)
	if err != nil {
		return err
	}
	rows := make([][]any, lists.Max(columns, func(c report.CellColumn) int { return len(c.Cells) }))
	var header, fill []string
	for _, c := range columns {
		header = append(header, c.Name)
		if !slices.ContainsFunc(c.Cells, func(v any) bool { return v != nil }) {
			fill = append(fill, c.Name)
		}
		for i, v := range c.Cells {
			rows[i] = append(rows[i], v)
		}
	}
	return workbook.Write(w, header, rows, fill)
}

// docx writes a document as a Word file.
func docx(w io.Writer, d report.Document) error {
	var text bytes.Buffer
	if err := report.MarkdownForWord(&text, d); err != nil {
		return err
	}
	file, _, err := pandoc.Docx(context.Background(), pandoc.Source{Title: cmp.Or(d.Title, "Report"), Markdown: text.Bytes(), Raise: true})
	if err != nil {
		return err
	}
	_, err = w.Write(file)
	return err
}

// isPrinted reports whether a value has no figure. Its PDF is then a printed page.
func isPrinted(v any) bool {
	if _, ok := figureIn(v); ok {
		return false
	}
	_, ys := report.Axes(v, "")
	return len(ys) == 0
}

// Print writes a document as PDF pages. It needs Chromium.
func Print(w io.Writer, d report.Document) error {
	var page bytes.Buffer
	if err := report.Paper(&page, d); err != nil {
		return err
	}
	file, err := chromium.Print(context.Background(), page.Bytes())
	if err != nil {
		return err
	}
	_, err = w.Write(file)
	return err
}

// CheckEnding returns an error if the extension of a path is unknown, or if this machine lacks a program that its format
// needs.
func CheckEnding(path string) error {
	if _, ok := formatOf(path); !ok {
		return fmt.Errorf("cannot save %s: the ending selects the format and must be one of %s", path, strings.Join(Endings(), " "))
	}
	if _, err := pandoc.Find(); err != nil && ending(path) == ".docx" {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	return nil
}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

// first returns the value of the document's first display, for formats that contain one value.
func first(d report.Document) any {
	if len(d.Displays) == 0 {
		return nil
	}
	return d.Displays[0].Value
}
