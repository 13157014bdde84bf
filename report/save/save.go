package save

import (
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/figure"
)

// formats are the file endings that File knows and how each is written.
func formats() map[string]func(io.Writer, report.Document) error {
	drawing := func(draw func(io.Writer, report.Figure) error) func(io.Writer, report.Document) error {
		return func(w io.Writer, d report.Document) error {
			f, err := report.FigureOf(first(d), report.PlotOptions{})
			if err != nil {
				return err
			}
			return draw(w, f)
		}
	}
	return map[string]func(io.Writer, report.Document) error{
		".csv":     func(w io.Writer, d report.Document) error { return report.CSV(w, first(d)) },
		".parquet": func(w io.Writer, d report.Document) error { return Parquet(w, first(d)) },
		".json":    report.JSON,
		".md":      report.Markdown,
		".html":    report.HTML,
		".tex":     report.LaTeX,
		".txt":     func(w io.Writer, d report.Document) error { return report.Text(w, d, report.TextOptions{}) },
		".svg":     drawing(figure.SVG),
		".pdf":     drawing(figure.PDF),
		".png":     drawing(figure.PNG),
	}
}

// File writes a value in the format that the ending of path names: .csv .parquet .json
// .md .html .tex .txt, and .svg .pdf .png for figures and whatever report.FigureOf can
// draw; a figure as .tex is one for pgfplots, with its numbers in a .dat beside it.
// The file appears whole or not at all. Errors name the path; an unknown
// ending is answered with those that are known.
func File(path string, v any) error {
	if f, ok := figureIn(v); ok && f.Heat == nil && ending(path) == ".tex" {
		return savePGFPlots(path, f)
	}
	title := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	return Document(path, report.Document{Title: title, Displays: []report.Display{{Value: v}}})
}

// figureIn returns the figure that v is, or points to.
func figureIn(v any) (report.Figure, bool) {
	if p, ok := v.(*report.Figure); ok && p != nil {
		return *p, true
	}
	f, ok := v.(report.Figure)
	return f, ok
}

// savePGFPlots writes a figure at path and its numbers beside it.
func savePGFPlots(path string, f report.Figure) error {
	dat := strings.TrimSuffix(path, filepath.Ext(path)) + ".dat"
	if err := report.WriteFile(dat, f.Dat); err != nil {
		return err
	}
	return report.WriteFile(path, func(w io.Writer) error { return f.PGFPlots(w, filepath.Base(dat)) })
}

// Document is File for a whole document. Figure formats, CSV and Parquet take
// the value of the first display.
func Document(path string, d report.Document) error {
	if err := CheckEnding(path); err != nil {
		return err
	}
	write := formats()[ending(path)]
	return report.WriteFile(path, func(w io.Writer) error { return write(w, d) })
}

// Endings lists the file endings that File knows, in alphabetical order.
func Endings() []string { return slices.Sorted(maps.Keys(formats())) }

// CheckEnding reports a path whose ending File does not know.
func CheckEnding(path string) error {
	if _, ok := formats()[ending(path)]; !ok {
		return fmt.Errorf("cannot save %s: the ending says the format, one of %s", path, strings.Join(Endings(), " "))
	}
	return nil
}

func ending(path string) string { return strings.ToLower(filepath.Ext(path)) }

// first is the value that formats for one value take.
func first(d report.Document) any {
	if len(d.Displays) == 0 {
		return nil
	}
	return d.Displays[0].Value
}
