package export

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gonb-cope/gonb-cope/report"
)

// side holds the files beside a report, in a separate folder.
type side struct {
	folder, name string
	files        []sideFile
}

type sideFile struct {
	name string
	data []byte
}

// sideOf returns the files beside the report at path.
func sideOf(path string) *side {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + "_files"
	return &side{folder: filepath.Join(filepath.Dir(path), name), name: name}
}

// writable reports what would keep the folder from being made or written to.
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

// put takes a file to be saved and returns how the report names it. TeX and
// Markdown dislike spaces in names.
func (s *side) put(name string, data []byte) string {
	name = strings.Map(func(r rune) rune {
		if notInID(r) {
			return '-'
		}
		return r
	}, name)
	for _, f := range s.files {
		if f.name == name {
			ext := filepath.Ext(name)
			name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), len(s.files)+1, ext)
		}
	}
	s.files = append(s.files, sideFile{name, data})
	return s.name + "/" + name
}

// save writes the files; without any, there is no folder.
func (s *side) save() error {
	if len(s.files) == 0 {
		return nil
	}
	if err := os.MkdirAll(s.folder, 0o777); err != nil {
		return fmt.Errorf("cannot make a folder for the figures: %w", err)
	}
	for _, f := range s.files {
		err := report.WriteFile(filepath.Join(s.folder, f.name), func(w io.Writer) error {
			_, err := w.Write(f.data)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
