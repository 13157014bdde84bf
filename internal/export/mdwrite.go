package export

import (
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/jupyter/notebook"
)

// mdWriter writes a notebook as Markdown for Quarto, which reads as plain Markdown
// too: divisions in ::: are Quarto's own for cells and outputs.
type mdWriter struct {
	b     strings.Builder
	put   func(name string, data []byte) string
	opt   Options
	files int
	strip bool // the first heading is still to be left out
}

func (m *mdWriter) writef(format string, a ...any) { fmt.Fprintf(&m.b, format, a...) }

func writeMarkdown(_ context.Context, w io.Writer, nb *notebook.Notebook, opt Options, put func(string, []byte) string) error {
	title, first := titleOf(nb, opt)
	m := &mdWriter{put: put, opt: opt, strip: first}
	m.writef("---\ntitle: %s\n", yamlText(title))
	if t := opt.Provenance.Started; !t.IsZero() {
		m.writef("date: %s\n", t.Format(time.DateOnly))
	}
	m.writef("execute:\n  enabled: false\nformat:\n  html:\n    embed-resources: true\n    toc: true\n---\n")
	for _, f := range failures(nb) {
		m.writef("\n> **This run failed.** %s\n", mdEscape(f.String()))
	}
	for i := range nb.Cells {
		c := &nb.Cells[i]
		switch {
		case c.HasTag(removeCell):
		case c.Type == notebook.Markdown:
			m.prose(c)
		case c.Type == notebook.Code:
			m.code(i+1, c)
		}
	}
	if tables := opt.Provenance.tables(); len(tables) > 0 {
		m.writef("\n## Provenance\n")
		for _, t := range tables {
			m.facts(t)
		}
	}
	_, err := io.WriteString(w, xmlText(m.b.String()))
	return err
}

// yamlText quotes for YAML.
func yamlText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}

// mdEscape lets text stand in Markdown as it is.
func mdEscape(s string) string {
	return mdSpecial.ReplaceAllString(strings.ReplaceAll(s, "\n", " "), `\$0`)
}

var mdSpecial = regexp.MustCompile("[\\\\`*_{}\\[\\]<>#|$~^]")

// eachLine changes the lines of Markdown that are outside of fenced code.
func eachLine(source string, change func(string) string) string {
	lines := strings.Split(source, "\n")
	fence := ""
	for i, line := range lines {
		trimmed := strings.TrimSpace(line)
		switch {
		case fence != "":
			if strings.HasPrefix(trimmed, fence) && strings.Trim(trimmed, fence[:1]) == "" {
				fence = ""
			}
		case strings.HasPrefix(trimmed, "```") || strings.HasPrefix(trimmed, "~~~"):
			fence = trimmed[:len(trimmed)-len(strings.TrimLeft(trimmed, trimmed[:1]))]
		default:
			lines[i] = change(line)
		}
	}
	return strings.Join(lines, "\n")
}

var (
	atxHeading = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	mdPlace    = regexp.MustCompile(`\]\(#([^)\s]+)\)`)
	mdImage    = regexp.MustCompile(`!\[([^\]]*)\]\(\s*([^)\s]+)([^)]*)\)`)
)

// firstHeading is the text of the first heading written with #, without signs of
// Markdown.
func firstHeading(source string) string {
	found := ""
	eachLine(source, func(line string) string {
		if h := atxHeading.FindStringSubmatch(line); h != nil && found == "" {
			found = h[2]
		}
		return line
	})
	if found == "" {
		return ""
	}
	k := cleaner{id: func(s string) string { return s }}
	tree, err := prose(found, "title", &k)
	if err != nil {
		return found
	}
	return strings.TrimSpace(tree.plain())
}

// prose is a Markdown cell, with its images as files beside the report.
func (m *mdWriter) prose(c *notebook.Cell) {
	source := eachLine(c.Source, func(line string) string {
		if m.strip && atxHeading.MatchString(line) {
			m.strip = false
			return ""
		}
		line = mdPlace.ReplaceAllStringFunc(line, func(link string) string {
			return "](#" + slug(unescapePath(mdPlace.FindStringSubmatch(link)[1])) + ")" // the anchors of Quarto
		})
		return m.images(line, c)
	})
	m.writef("\n%s\n", strings.TrimSpace(source))
}

// images moves the images of a line into files.
func (m *mdWriter) images(line string, c *notebook.Cell) string {
	return mdImage.ReplaceAllStringFunc(line, func(image string) string {
		part := mdImage.FindStringSubmatch(image)
		var data []byte
		var media, problem string
		if inline := imageData.FindStringSubmatch(part[2]); inline != nil && strings.Contains(part[2], ";base64,") {
			_, encoded, _ := strings.Cut(part[2], ",")
			data, media = decoded(encoded), "image/"+inline[1]
		} else {
			data, media, problem = imageBytes(part[2], c, m.opt.Folder)
		}
		if media == "image/svg+xml" && problem == "" {
			if data = drawingFile(string(data)); data == nil {
				problem = "no drawing"
			}
		}
		if problem != "" {
			return fmt.Sprintf("*Image %s is missing: %s*", mdEscape(brief(part[2])), problem)
		}
		m.files++
		ending := map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg"}[media]
		return fmt.Sprintf("![%s](%s%s)", part[1], m.put(fileName("image", m.files, ending), data), part[3])
	})
}

// fenced sets text as code; the fence is longer than any in the text.
func fenced(info, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + info + "\n" + strings.TrimRight(text, "\n") + "\n" + fence + "\n"
}

func (m *mdWriter) code(number int, c *notebook.Cell) {
	code, output := codeVisibility(c, m.opt), outputVisibility(c)
	m.writef("\n:::: {.cell}\n")
	if code != absent {
		lang := language(c.Source)
		info := lang
		if lang == "cope" || code == folded {
			info = "{." + lang
			if code == folded {
				info += ` code-fold="true"`
			}
			info += "}"
		}
		m.writef("\n%s", fenced(info, c.Source))
	}
	if output != absent {
		for _, o := range c.Lasting() {
			m.output(number, c, o)
		}
	}
	m.writef("\n::::\n")
}

func (m *mdWriter) facts(t facts) {
	heads := t.heads
	if heads == nil {
		heads = []string{"", ""}
	}
	m.writef("\n**%s**\n\n| %s |\n|%s\n", t.caption, strings.Join(heads, " | "), strings.Repeat(" --- |", len(heads)))
	for _, r := range t.rows {
		for i := range r {
			m.writef("| %s ", mdEscape(r[i]))
		}
		m.writef("|\n")
	}
}
