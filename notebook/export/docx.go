package export

import (
	"context"
	"encoding/base64"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/pandoc"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// docx returns the report as a .docx file. pandoc converts Markdown with embedded images.
func docx(ctx context.Context, nb *notebook.Notebook, opt Options, _ putter) ([]byte, error) {
	title, first := titleOf(nb, opt)
	inline := func(name string, data []byte) string {
		return "data:" + mediaOf(filepath.Ext(name)) + ";base64," + base64.StdEncoding.EncodeToString(data)
	}
	text := markdown(nb, opt, forWord, inline)
	file, warnings, err := pandoc.Docx(ctx, pandoc.Source{Title: title, Markdown: text, Raise: sectionShift(nb, opt, first) == 1, Math: true})
	if opt.Notice != nil {
		for _, w := range warnings {
			opt.Notice(w)
		}
	}
	return file, err
}

// mediaOf returns the media type for the ending of an image file, or "" if unknown.
func mediaOf(ending string) string {
	for media, e := range endings {
		if e == ending {
			return media
		}
	}
	return ""
}

var (
	htmlFigure = regexp.MustCompile(`(?s)<figure>.*?</figure>`)
	htmlPNG    = regexp.MustCompile(`src="(data:image/png;base64,[^"]*)"`)
	// matches a figure in our Markdown with the table of its data
	mdFigure = regexp.MustCompile(`(!\[(?:[^\]\\]|\\.)*\]\()data:image/svg\+xml;base64,[^)]*(\)\n)(?:\n\*\*.*\*\*\n)?(?:\n\|.*\|)+\n`)
)

// withPNG replaces the SVG figures in the Markdown of one of our outputs by the PNG figures of the output's HTML. It
// removes the tables of their data.
func withPNG(source string, o notebook.Output) string {
	figures := htmlFigure.FindAllString(stringOf(o.Data["text/html"]), -1)
	return mdFigure.ReplaceAllStringFunc(source, func(text string) string {
		if len(figures) == 0 {
			return text
		}
		png := htmlPNG.FindStringSubmatch(figures[0])
		if figures = figures[1:]; png == nil { // no PNG, because the font lacks letters
			return text
		}
		return mdFigure.ReplaceAllString(text, "${1}"+png[1]+"${2}")
	})
}

// tableOf returns the Markdown of an output whose HTML has exactly one table, such as a data frame. It returns "" for
// other outputs and for tables with cells that span rows or columns.
func (m *mdWriter) tableOf(o notebook.Output) string {
	tables := new(markup.Cleaner).Read(stringOf(o.Data["text/html"])).All("table")
	if len(tables) != 1 {
		return ""
	}
	scopes(tables[0])
	var out strings.Builder
	for _, part := range split(tables[0]) {
		for i, row := range part.All("tr") {
			cells := cellsOf(row)
			if slices.ContainsFunc(cells, spans) {
				return ""
			}
			write := func(of func(*markup.Node) string) {
				out.WriteString("| " + strings.Join(lists.Map(cells, of), " | ") + " |\n")
			}
			write(func(c *markup.Node) string { return mdEscape(strings.TrimSpace(c.Plain())) })
			if i == 0 {
				write(func(*markup.Node) string { return "---" })
			}
		}
		out.WriteString("\n")
	}
	return out.String()
}
