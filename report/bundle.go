package report

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/gonb-cope/gonb-cope/report/figure"
)

// MediaType is the media type under which a bundle has the value itself. It is a
// type of our own because front ends rank types: JupyterLab and VS Code would show
// application/json, as a tree, in preference to the HTML. A type that they do not
// know they keep in the notebook and do not show.
const MediaType = "application/vnd.gonb-cope+json"

// What a notebook stores of one display is bounded where the reader loses nothing.
const (
	// of the PNG: sharp at the size of the SVG; 200 would double a notebook of figures
	bundleDPI   = 96
	maxBundleJS = 1 << 20 // bytes of the value as JSON; a larger one is left out: save it to a file
)

// Bundle returns one display in the representations that a notebook front end and its converters
// choose from, by media type:
//
//	text/plain, text/html              always
//	text/markdown, text/latex          of all but figures
//	image/png (base64)                 of figures, unless it would lack letters
//	application/vnd.gonb-cope+json     {"schema", "name", "type", "value"} as a decoded
//	                                   JSON value, up to a MiB; see FigureFromJSON
//
// A figure has no Markdown and no LaTeX, because converters prefer text to images and would leave
// the drawing out. Its SVG is an image inside the HTML and not a representation: front ends that do
// not trust a notebook would not show it, GitHub would show it in black, and nbconvert would need
// Inkscape to turn it into LaTeX. Package export adds a PDF for that
// to executed notebooks. The id must be unique in the notebook.
func Bundle(d Display, id string) (map[string]any, error) {
	var plainText strings.Builder
	if err := Text(&plainText, Document{Displays: []Display{{Name: d.Name, Value: d.Value}}}, TextOptions{}); err != nil {
		return nil, err
	}
	page, err := fragment(d, id)
	if err != nil {
		return nil, err
	}
	out := map[string]any{
		"text/plain": strings.TrimRight(plainText.String(), "\n"),
		"text/html":  page.b.String(),
	}
	if _, ok := plain(d.Value).(Figure); ok {
		if page.png != nil {
			out["image/png"] = base64.StdEncoding.EncodeToString(page.png)
		}
	} else {
		markdown, err := MarkdownFragment(d)
		if err != nil {
			return nil, err
		}
		out["text/markdown"], out["text/latex"] = markdown, LaTeXFragment(d)
	}
	return out, addJSON(out, d)
}

// pngOf draws a figure for those who show no SVG; nil when the font lacks letters.
func pngOf(f Figure) ([]byte, error) {
	var b bytes.Buffer
	err := figure.PNGAt(&b, f, bundleDPI)
	switch lacking := (*figure.LettersError)(nil); {
	case errors.As(err, &lacking):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("drawing %q: %w", f.Title, err)
	}
	return b.Bytes(), nil
}

// addJSON adds the value as plain JSON.
func addJSON(out map[string]any, d Display) error {
	var text bytes.Buffer
	j := jsonWriter{w: bufio.NewWriter(&text), limit: maxBundleJS, flat: 1}
	j.value(reflect.ValueOf(object{{"schema", Schema}, {"name", d.Name}, {"type", TypeName(d.Value)}, {"value", writtenValue(d.Value)}}))
	if err := j.finish(); errors.Is(err, errTooLong) {
		return nil
	} else if err != nil {
		return err
	}
	var decoded any
	if err := json.Unmarshal(text.Bytes(), &decoded); err != nil {
		return fmt.Errorf("reading back JSON: %w", err)
	}
	out[MediaType] = decoded
	return nil
}
