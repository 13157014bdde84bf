package gonb

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// Build is one program of Prebuild.
type Build struct {
	Name    string // what it stands for
	Elapsed time.Duration
}

// programs are cells of the kinds that notebooks have: what they import is compiled
// once and then waits in Go's build cache.
var programs = []struct {
	name    string
	imports []string
}{
	{"a cell that prints", []string{"fmt"}},
	{"a cell with rich output", []string{"fmt", "github.com/janpfeifer/gonb/gonbui"}},
	{"a cell that uses this library", []string{"fmt", modulePath + "/engine", modulePath + "/engine/sim", modulePath + "/kernels"}},
	{"a cell that reads and shows values of %%cope cells", []string{"fmt", modulePath + "/session", modulePath + "/session/display"}},
}

// Prebuild compiles, as GoNB would, one cell of each kind. A package that this module
// does not have is left out.
func (m Module) Prebuild(ctx context.Context, log func(string)) ([]Build, error) {
	folder, err := os.MkdirTemp("", "gonb-cope-prebuild-*")
	if err != nil {
		return nil, fmt.Errorf("nothing can be compiled: %w", err)
	}
	defer os.RemoveAll(folder)
	if err := m.WriteCellModule(folder); err != nil {
		return nil, err
	}
	var done []Build
	for _, p := range programs {
		source := "package main\n"
		for _, path := range m.present(p.imports) {
			source += fmt.Sprintf("import _ %q\n", path)
		}
		if err := os.WriteFile(filepath.Join(folder, "main.go"), []byte(source+"func main() {}\n"), 0o600); err != nil {
			return done, fmt.Errorf("nothing can be compiled: %w", err)
		}
		start := time.Now()
		c := command{args: []string{"go", "build", "-o", filepath.Join(folder, "cell")}, dir: folder, log: log}
		if err := c.run(ctx); err != nil {
			return done, fmt.Errorf("%s: %w", p.name, err)
		}
		done = append(done, Build{p.name, time.Since(start)})
	}
	return done, nil
}

// Cold counts the packages that the first cells of all kinds would have to compile.
func (m Module) Cold(ctx context.Context) (int, error) {
	folder, err := os.MkdirTemp("", "gonb-cope-cold-*")
	if err != nil {
		return 0, fmt.Errorf("the build cache cannot be asked: %w", err)
	}
	defer os.RemoveAll(folder)
	if err := m.WriteCellModule(folder); err != nil {
		return 0, err
	}
	// Go calls a package stale that it would compile; the others print nothing.
	args := []string{"list", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}"}
	for _, p := range programs {
		args = append(args, m.present(p.imports)...)
	}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = folder
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	return strings.Count(string(out), "\n"), nil
}

// present leaves out packages that the source does not have.
func (m Module) present(imports []string) []string {
	var out []string
	for _, path := range imports {
		if rest, ours := within(path, m.Path); ours {
			if files, _ := filepath.Glob(filepath.Join(m.Source, rest, "*.go")); len(files) == 0 {
				continue
			}
		}
		out = append(out, path)
	}
	return out
}

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
