package gonb

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// WriteCellModule writes go.mod and go.sum for Go cells into a folder, from where
// Preparation copies them.
func (m Module) WriteCellModule(folder string) error {
	goMod, goSum, err := m.CellModule("cells")
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"go.mod": goMod, "go.sum": goSum} {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o600); err != nil {
			return fmt.Errorf("go.mod for Go cells: %w", err)
		}
	}
	return nil
}

// Preparation returns the code of a silent request that makes GoNB use the go.mod and go.sum that
// WriteCellModule wrote to a folder, and that switches its go get off. It is needed when GoNB has
// started, and again after each cell that Resets.
//
// GoNB names its module after its temporary folder, and this keeps the name.
func Preparation(folder string) string {
	quoted := "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	return "!*sed \"1s/.*/module ${GONB_TMP_DIR##*/}/\" " + quoted + "/go.mod > go.mod && cp " + quoted + "/go.sum go.sum\n%noautoget\n"
}

// LinkQuickly is the code of a silent request that makes GoNB link cells without symbol table and
// tables for debuggers: a cell is linked each time it runs, and they are a third of the work. Tracebacks do
// not need them. A user's own %goflags takes its place.
const LinkQuickly = "%goflags -ldflags=-s\n"

// Resets reports whether a cell makes GoNB forget its go.mod: %reset does.
func Resets(cell string) bool {
	for line := range strings.Lines(cell) {
		if fields := strings.Fields(strings.TrimPrefix(line, commentPrefix)); len(fields) > 0 && fields[0] == "%reset" {
			return true
		}
	}
	return false
}
