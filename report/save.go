package report

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// formats are the file endings that Save knows and how each is written.
func formats() map[string]func(io.Writer, Document) error {
	drawing := func(draw func(io.Writer, Figure) error) func(io.Writer, Document) error {
		return func(w io.Writer, d Document) error {
			f, err := FigureOf(d.first(), Drawing{})
			if err != nil {
				return err
			}
			return draw(w, f)
		}
	}
	return map[string]func(io.Writer, Document) error{
		".csv":     func(w io.Writer, d Document) error { return CSV(w, d.first()) },
		".parquet": func(w io.Writer, d Document) error { return Parquet(w, d.first()) },
		".json":    JSON,
		".md":      Markdown,
		".html":    HTML,
		".tex":     LaTeX,
		".txt":     func(w io.Writer, d Document) error { return Text(w, d, TextOptions{}) },
		".svg":     drawing(SVG),
		".pdf":     drawing(PDF),
		".png":     drawing(PNG),
	}
}

// Save writes a value in the format that the ending of path names: .csv .parquet .json
// .md .html .tex .txt, and .svg .pdf .png for figures and whatever FigureOf can
// draw; a figure as .tex is one for pgfplots, with its numbers in a .dat beside it.
// The file appears whole or not at all. Errors name the path; an unknown
// ending is answered with those that are known.
func Save(path string, v any) error {
	if f, ok := plain(v).(Figure); ok && f.Heat == nil && ending(path) == ".tex" {
		return savePGFPlots(path, f)
	}
	title := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return SaveDocument(path, Document{Title: title, Displays: []Display{{Value: v}}})
}

// SaveDocument is Save for a whole document. Figure formats, CSV and Parquet take
// the value of the first display.
func SaveDocument(path string, d Document) error {
	if err := CheckEnding(path); err != nil {
		return err
	}
	write := formats()[ending(path)]
	return WriteFile(path, func(w io.Writer) error { return write(w, d) })
}

// Endings lists the file endings that Save knows, in alphabetical order.
func Endings() []string { return slices.Sorted(maps.Keys(formats())) }

// CheckEnding reports a path whose ending Save does not know.
func CheckEnding(path string) error {
	if _, ok := formats()[ending(path)]; !ok {
		return fmt.Errorf("cannot save %s: the ending says the format, one of %s", path, strings.Join(Endings(), " "))
	}
	return nil
}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

// first is the value that formats for one value take.
func (d Document) first() any {
	if len(d.Displays) == 0 {
		return nil
	}
	return d.Displays[0].Value
}
