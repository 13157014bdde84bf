package export

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"github.com/gonb-cope/gonb-cope/internal/jupyter/notebook"
)

// markdown is the dialect of a notebook's text. Raw HTML passes here, because
// clean sees all of it afterwards.
func markdown(footnotes string) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.GFM, extension.NewFootnote(extension.WithFootnoteIDPrefix(footnotes)), maths{}),
		goldmark.WithRendererOptions(html.WithUnsafe(), html.WithXHTML()))
}

// prose renders Markdown to markup that is clean. The name tells the footnotes of
// one cell from those of another.
func prose(source, name string, c *cleaner) (*node, error) {
	var b bytes.Buffer
	if err := markdown(name+"-").Convert([]byte(source), &b); err != nil {
		return nil, fmt.Errorf("Markdown of %s: %w", name, err)
	}
	out := &node{}
	out.children = c.clean(parse(b.String()), "", "")
	for _, code := range out.all("code") {
		if language, ok := strings.CutPrefix(code.get("class"), "language-"); ok {
			code.children = highlight(code.plain(), language)
			code.attrs = nil
		}
	}
	return out, nil
}

// images loads what Markdown refers to: attachments of the cell, and files by
// their path from the notebook's folder.
func images(cell *notebook.Cell, folder string) func(string) (string, string) {
	return func(src string) (string, string) {
		data, media, problem := imageBytes(src, cell, folder)
		if problem != "" {
			return "", problem
		}
		return "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data), ""
	}
}

// imageBytes is an image that Markdown names, with its media type, or why there
// is none.
func imageBytes(src string, cell *notebook.Cell, folder string) (data []byte, media, problem string) {
	if name, ok := strings.CutPrefix(src, "attachment:"); ok {
		bundle, _ := cell.Attachments[name].(map[string]any)
		for media, v := range bundle {
			text, _ := v.(string)
			if data, err := base64.StdEncoding.DecodeString(strings.Join(strings.Fields(text), "")); err == nil && text != "" {
				return sniffed(data, media)
			}
		}
		return nil, "", "the cell has no such attachment"
	}
	if strings.Contains(src, ":") || strings.HasPrefix(src, "//") {
		return nil, "", "a report loads nothing from elsewhere"
	}
	if filepath.IsAbs(src) {
		return nil, "", "images are named by their path from the notebook's folder"
	}
	path, _, _ := strings.Cut(src, "?")
	data, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(unescapePath(path))))
	if os.IsNotExist(err) {
		return nil, "", "no such file"
	}
	if err != nil {
		return nil, "", "the file cannot be read"
	}
	return sniffed(data, "")
}

func unescapePath(p string) string { return strings.ReplaceAll(p, "%20", " ") }

// sniffed tells the kind of an image by its first bytes, so that nothing but an
// image is ever put into a report.
func sniffed(data []byte, media string) ([]byte, string, string) {
	switch {
	case bytes.HasPrefix(data, []byte("\x89PNG\r\n")):
		return data, "image/png", ""
	case bytes.HasPrefix(data, []byte("\xff\xd8\xff")):
		return data, "image/jpeg", ""
	case bytes.HasPrefix(data, []byte("GIF8")):
		return data, "image/gif", ""
	case len(data) > 12 && string(data[:4]) == "RIFF" && string(data[8:12]) == "WEBP":
		return data, "image/webp", ""
	case bytes.Contains(data[:min(len(data), 4096)], []byte("<svg")):
		return data, "image/svg+xml", ""
	}
	return nil, "", "not a PNG, JPEG, GIF, WebP or SVG image"
}

// heading is an entry of the outline.
type heading struct {
	level int
	id    string
	node  *node
}

// headingLevel is 1 to 6, or 0 for what is no heading.
func headingLevel(n *node) int {
	if len(n.tag) == 2 && n.tag[0] == 'h' && n.tag[1] >= '1' && n.tag[1] <= '6' {
		return int(n.tag[1] - '0')
	}
	return 0
}

// outline gives the headings of all Markdown their level below the title, no
// level left out, and an anchor. When wanted is "", the first heading is the
// title and leaves the text. Trees of cells without Markdown are nil.
func outline(trees []*node, wanted string) (title string, list []heading) {
	var found []*node
	for _, tree := range trees {
		if tree != nil {
			tree.walk(func(n *node) bool {
				if headingLevel(n) > 0 {
					found = append(found, n)
				}
				return true
			})
		}
	}
	title = wanted
	if len(found) > 0 && (wanted == "" || found[0].plain() == wanted) {
		title = strings.TrimSpace(found[0].plain())
		found[0].tag, found[0].attrs, found[0].children = "", nil, nil
		found = found[1:]
	}
	shift := 0
	for _, n := range found {
		if headingLevel(n) == 1 {
			shift = 1
		}
	}
	ids := map[string]int{}
	last := 1
	for _, n := range found {
		level := min(headingLevel(n)+shift, last+1, 6)
		last = level
		id := "s-" + slug(n.plain())
		if ids[id]++; ids[id] > 1 {
			id = fmt.Sprintf("%s-%d", id, ids[id])
		}
		n.tag = fmt.Sprintf("h%d", level)
		n.set("id", id)
		list = append(list, heading{level, id, n})
	}
	return title, list
}

// slug makes an anchor of a heading's text.
func slug(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		case unicode.IsSpace(r) || r == '-' || r == '_':
			return '-'
		}
		return -1
	}, strings.TrimSpace(s))
	for strings.Contains(s, "--") {
		s = strings.ReplaceAll(s, "--", "-")
	}
	if s = strings.Trim(s, "-"); s == "" {
		return "section"
	}
	return s
}

// linkHeadings lets links written for Jupyter, #Name-of-the-heading, find their
// heading in the report.
func linkHeadings(trees []*node, list []heading) {
	known := map[string]bool{}
	for _, h := range list {
		known[h.id] = true
	}
	for _, tree := range trees {
		if tree == nil {
			continue
		}
		for _, a := range tree.all("a") {
			if name, ok := strings.CutPrefix(a.get("href"), "#m-"); ok && known["s-"+slug(unescapePath(name))] {
				a.set("href", "#s-"+slug(unescapePath(name)))
			}
		}
	}
}
