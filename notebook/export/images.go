package export

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"image"
	_ "image/gif" // kinds that image.DecodeConfig knows
	_ "image/jpeg"
	_ "image/png"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/text/unicode/norm"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/export/markup"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// images returns a function that loads an image of Markdown from the cell's attachments or from a path relative to folder.
// The function maps the image's address to a data URL, or to "" and the problem.
func images(cell *notebook.Cell, folder string) func(string) (string, string) {
	return func(src string) (string, string) {
		data, media, problem := imageBytes(src, cell, folder)
		if problem != "" {
			return "", problem
		}
		return "data:" + media + ";base64," + base64.StdEncoding.EncodeToString(data), ""
	}
}

// endings maps media types of images to file endings.
var endings = map[string]string{"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp",
	"image/svg+xml": ".svg", pdfMedia: ".pdf"}

const pdfMedia = "application/pdf"

// imageBytes returns the image at address src with its media type, or the problem. src is an attachment, a data URL, or a
// path in the notebook's folder.
func imageBytes(src string, cell *notebook.Cell, folder string) (data []byte, media, problem string) {
	if name, ok := strings.CutPrefix(src, "attachment:"); ok {
		bundle, there := attachment(cell, name)
		for _, media := range slices.Sorted(maps.Keys(bundle)) {
			data := decoded(bundle[media])
			if data == nil && media == "image/svg+xml" { // SVG attachments may be text instead of base64
				data = []byte(stringOf(bundle[media]))
			}
			if len(data) > 0 {
				return sniffed(data)
			}
		}
		if there {
			return nil, "", "the attachment is damaged"
		}
		return nil, "", "the cell has no such attachment"
	}
	if encoded, ok := strings.CutPrefix(src, "data:"); ok {
		_, encoded, _ = strings.Cut(encoded, ";base64,")
		return sniffed(decoded(unescapePath(encoded)))
	}
	if strings.Contains(src, ":") || strings.HasPrefix(src, "//") {
		return nil, "", "a report loads nothing from elsewhere"
	}
	if filepath.IsAbs(src) {
		return nil, "", "images are named by their path from the notebook's folder"
	}
	path, _, _ := strings.Cut(src, "?")
	data, problem = imageFile(cmp.Or(folder, "."), filepath.FromSlash(unescapePath(path)))
	if problem != "" {
		return nil, "", problem
	}
	return sniffed(data)
}

// attachment returns the attachment of a cell by the name in a link, in which letters may be escaped.
func attachment(cell *notebook.Cell, name string) (bundle map[string]any, there bool) {
	plain := func(name string) string { return norm.NFC.String(unescapePath(html.UnescapeString(name))) }
	v, there := cell.Attachments[name]
	if !there {
		v, there = cell.Attachments[unescapePath(name)]
	}
	for _, key := range slices.Sorted(maps.Keys(cell.Attachments)) {
		if !there && plain(key) == plain(name) {
			v, there = cell.Attachments[key], true
		}
	}
	bundle, _ = v.(map[string]any)
	return bundle, there
}

// unescapePath decodes %XX escapes in an address. An invalid address is returned unchanged.
func unescapePath(p string) string {
	if s, err := url.PathUnescape(p); err == nil {
		return s
	}
	return p
}

// mostImage is the largest size of an image in bytes, because a page contains whole images.
const mostImage = 32 << 20

// imageFile reads a regular file inside folder. It also refuses symbolic links that lead outside. On failure it returns
// the problem.
func imageFile(folder, path string) (data []byte, problem string) {
	const outside = "it lies outside of the notebook's folder"
	if !filepath.IsLocal(path) {
		return nil, outside
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, "the notebook's folder cannot be read"
	}
	defer root.Close()
	info, err := root.Stat(path)
	if err != nil {
		_, there := os.Stat(filepath.Join(folder, path))
		switch {
		case there == nil:
			return nil, outside
		case errors.Is(err, fs.ErrNotExist):
			return nil, "no such file"
		}
		return nil, "the file cannot be read"
	}
	if !info.Mode().IsRegular() {
		return nil, "it is not a regular file"
	}
	// O_NONBLOCK: if a pipe has replaced the file, opening it must not wait for a writer.
	f, err := root.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err == nil {
		defer f.Close()
		data, err = io.ReadAll(io.LimitReader(f, mostImage+1))
	}
	switch {
	case err != nil:
		return nil, "the file cannot be read"
	case len(data) > mostImage:
		return nil, fmt.Sprintf("it is larger than %d MiB", mostImage>>20)
	}
	return data, ""
}

// sniffed returns data unchanged with the media type found from the first bytes, or the problem. It makes sure that a
// report contains only images as images.
func sniffed(data []byte) (same []byte, media, problem string) {
	if _, kind, err := image.DecodeConfig(bytes.NewReader(data)); err == nil {
		return data, "image/" + kind, ""
	}
	switch {
	case isWebP(data):
		return data, "image/webp", ""
	case isSVG(data) && markup.HeavyDrawing(string(data)):
		return nil, "", "it is a drawing that repeats its parts too often"
	case isSVG(data):
		return data, "image/svg+xml", ""
	}
	return nil, "", "not a PNG, JPEG, GIF, WebP or SVG image"
}

// isWebP reports whether data is a complete WebP file.
func isWebP(data []byte) bool {
	return len(data) > 16 && string(data[:4]) == "RIFF" && string(data[8:15]) == "WEBPVP8" &&
		int64(binary.LittleEndian.Uint32(data[4:]))+8 <= int64(len(data))
}

// isSVG reports whether data is an XML document with root element svg.
func isSVG(data []byte) bool {
	d := xml.NewDecoder(bytes.NewReader(data))
	// any encoding is accepted, because element names are ASCII
	d.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil }
	for {
		token, err := d.Token()
		if err != nil {
			return false
		}
		if root, ok := token.(xml.StartElement); ok {
			return root.Name.Local == "svg"
		}
	}
}

// side is the folder beside a report with its figures (file name → content).
type side struct {
	folder, name string
	files        map[string][]byte
}

// sideOf returns the empty side of the report at path.
func sideOf(path string) *side {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + "_files"
	return &side{filepath.Join(filepath.Dir(path), name), name, map[string][]byte{}}
}

// writable returns an error if the folder cannot be created or written to.
func (s *side) writable() error {
	info, err := os.Stat(s.folder)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("the folder of its figures: %w", err)
	case !info.IsDir():
		return fmt.Errorf("%s, the folder of its figures, is a file", s.folder)
	}
	return report.Writable(filepath.Join(s.folder, "figure"))
}

// put stores a file for save and returns its path relative to the report.
func (s *side) put(name string, data []byte) string {
	s.files[name] = data
	return s.name + "/" + name
}

// save writes the files. It creates the folder only if there are files.
func (s *side) save() error {
	if len(s.files) == 0 {
		return nil
	}
	if err := os.MkdirAll(s.folder, 0o777); err != nil {
		return fmt.Errorf("cannot make a folder for the figures: %w", err)
	}
	return lists.Each(slices.Sorted(maps.Keys(s.files)), func(name string) error {
		return report.WriteBytes(filepath.Join(s.folder, name), s.files[name])
	})
}
