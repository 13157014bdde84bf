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
