package report

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
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

// WriteFile lets render fill the file at path. The file appears whole or not at
// all; errors name the path.
func WriteFile(path string, render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	if err := writeWhole(path, b.Bytes()); err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	return nil
}

// first is the value that formats for one value take.
func (d Document) first() any {
	if len(d.Displays) == 0 {
		return nil
	}
	return d.Displays[0].Value
}

// writeWhole writes to a file beside path and renames it, so that a reader never
// sees half a file and a failure leaves the old one.
//
// What is not a plain file, such as a device or a link, is written to and not
// replaced.
func writeWhole(path string, data []byte) error {
	if info, err := os.Lstat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, data, 0o644)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // fails, as it should, once renamed
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(0o644)
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
