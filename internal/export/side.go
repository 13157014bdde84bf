package export

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/gonb-cope/gonb-cope/report"
)

// side are the files beside a report, in a folder of their own.
type side struct {
	folder, name string
	files        []sideFile
}

type sideFile struct {
	name string
	data []byte
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
	if err := os.MkdirAll(s.folder, 0o755); err != nil {
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
