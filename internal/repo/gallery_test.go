package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// Every notebook is in the gallery with the present code of all its cells. Checking its outputs takes
// minutes: gonb-cope report --check does that.
func TestGallery(t *testing.T) {
	paths, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no notebooks (%v)", err)
	}
	index := try.Of(os.ReadFile("../../docs/gallery/README.md"))
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".ipynb") + ".md"
		if !strings.Contains(string(index), "]("+name+")") {
			t.Errorf("docs/gallery/README.md has no link to %s", name)
		}
		page, err := os.ReadFile(filepath.Join("../../docs/gallery", name))
		if err != nil {
			t.Errorf("%v: make gallery writes it", err)
			continue
		}
		nb := try.Of(notebook.Load(path))
		for i, c := range nb.Cells {
			hidden := c.HasTag("remove-cell") || c.HasTag("remove-input")
			if c.Type == notebook.Code && !hidden && !strings.Contains(string(page), strings.TrimRight(c.Source, "\n")) {
				t.Errorf("docs/gallery/%s does not have the code of cell %d as it is now: make gallery writes it again", name, i+1)
			}
		}
	}
}
