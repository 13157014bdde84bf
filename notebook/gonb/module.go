package gonb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// modulePath is the module that Go cells import without set-up.
const modulePath = "github.com/gonb-cope/gonb-cope"

// Module is the source of this library that Go cells are compiled with.
type Module struct {
	Path    string // as imported
	Version string // version of a release, "(devel)" for a checkout
	Source  string // the folder with its go.mod, absolute
}

// FindSource looks for the source of this library, in this order: where the variable
// GONB_COPE_SOURCE says; the folder start, or one above it; the folder that this
// binary was compiled from; the module cache, or a download of the release that this
// binary is.
func FindSource(ctx context.Context, start string) (Module, error) {
	version := releaseOf()
	if named := os.Getenv("GONB_COPE_SOURCE"); named != "" {
		if !isSource(named) {
			return Module{}, fmt.Errorf("GONB_COPE_SOURCE is %q, which has no go.mod of module %s", named, modulePath)
		}
		return sourceAt(named, "(devel)")
	}
	if folder, err := filepath.Abs(start); err == nil {
		for above := ""; folder != above; folder, above = filepath.Dir(folder), folder {
			if isSource(folder) {
				return sourceAt(folder, "(devel)")
			}
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if folder := filepath.Join(filepath.Dir(file), "../.."); isSource(folder) {
			return sourceAt(folder, version)
		}
	}
	if version != "(devel)" {
		if folder, err := download(ctx, version); err == nil && isSource(folder) {
			return sourceAt(folder, version)
		}
	}
	return Module{}, fmt.Errorf("the source of %s was not found, so Go cells cannot import it\n  = hint: set GONB_COPE_SOURCE "+
		"to the folder of a checkout", modulePath)
}

func sourceAt(folder, version string) (Module, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return Module{}, fmt.Errorf("the source of %s: %w", modulePath, err)
	}
	return Module{Path: modulePath, Version: version, Source: folder}, nil
}

// isSource reports whether a folder holds this module.
func isSource(folder string) bool {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	return err == nil && modfile.ModulePath(text) == modulePath
}

// releaseOf returns the version of this binary when another party can download it. Go also makes up
// pseudo-versions for builds of a checkout, which may be unpublished.
func releaseOf() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != modulePath || info.Main.Version == "" || module.IsPseudoVersion(info.Main.Version) {
		return "(devel)"
	}
	return info.Main.Version
}

// download asks go for the folder of a release.
func download(ctx context.Context, version string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", modulePath+"@"+version)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	cmd.Dir = os.TempDir() // not in anybody's module
	var found struct{ Dir string }
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	return found.Dir, err
}

// CellModule returns go.mod and go.sum of a module of the given name, in which this
// module, at its source, and all modules that it requires resolve without a network
// and without go get. GoNB keeps the code of the cells in such a module.
func (m Module) CellModule(name string) (goMod, goSum []byte, err error) {
	own, err := m.requirements()
	if err != nil {
		return nil, nil, err
	}
	if goSum, err = os.ReadFile(filepath.Join(m.Source, "go.sum")); err != nil {
		return nil, nil, fmt.Errorf("the source of %s is incomplete: %w", m.Path, err)
	}
	f := new(modfile.File)
	err = f.AddModuleStmt(name)
	if err == nil && own.Go != nil {
		err = f.AddGoStmt(own.Go.Version)
	}
	for _, r := range own.Require {
		f.AddNewRequire(r.Mod.Path, r.Mod.Version, r.Indirect)
	}
	f.AddNewRequire(m.Path, "v0.0.0", false)
	f.Cleanup()
	text, bad := f.Format()
	if err = errors.Join(err, bad); err != nil {
		return nil, nil, fmt.Errorf("go.mod for Go cells: %w", err)
	}
	return append(text, m.replacements(own)...), goSum, nil
}

// replacements writes the replace directives of go.mod. They are in a block, even for one: for a
// replacement on a separate line GoNB would walk the whole folder and watch each file in it, for
// the benefit of gopls, which does without.
func (m Module) replacements(own *modfile.File) string {
	text := "\nreplace (\n\t" + m.Path + " => " + modfile.AutoQuote(m.Source) + "\n"
	for _, r := range own.Replace {
		target := r.New.Path
		if modfile.IsDirectoryPath(target) && !filepath.IsAbs(target) {
			target = filepath.Join(m.Source, target)
		}
		text += "\t" + r.Old.Path + " " + r.Old.Version + " => " + modfile.AutoQuote(target) + " " + r.New.Version + "\n"
	}
	return text + ")\n"
}

// requirements parses the go.mod of the source.
func (m Module) requirements() (*modfile.File, error) {
	name := filepath.Join(m.Source, "go.mod")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("the source of %s is incomplete: %w", m.Path, err)
	}
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, fmt.Errorf("the source of %s: %w", m.Path, err)
	}
	return f, nil
}

// packages are the usual imports of Go cells. They are compiled once and then in Go's build cache.
var packages = []string{
	"fmt", "github.com/janpfeifer/gonb/gonbui", // rich output
	modulePath + "/engine", modulePath + "/engine/sim", modulePath + "/kernels",
	modulePath + "/session", modulePath + "/session/display",
}

// cells makes a folder with the module of cells, which the caller removes.
func (m Module) cells() (string, error) {
	folder, err := os.MkdirTemp("", "gonb-cope-cells-*")
	if err != nil {
		return "", fmt.Errorf("nothing can be compiled: %w", err)
	}
	if err = m.WriteCellModule(folder); err != nil {
		os.RemoveAll(folder)
	}
	return folder, err
}

// Prebuild compiles, as GoNB would, what Go cells import most. A package that this module does not have is left out.
func (m Module) Prebuild(ctx context.Context, log func(string)) error {
	folder, err := m.cells()
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	c := command{args: append([]string{"go", "build"}, m.present(packages)...), dir: folder, log: log}
	return c.run(ctx)
}

// Cold counts the packages of Prebuild that are not compiled yet.
func (m Module) Cold(ctx context.Context) (int, error) {
	folder, err := m.cells()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	return ColdIn(ctx, folder, nil, m.present(packages)...)
}

// ColdIn counts the packages that a cell with these imports would have to compile. The folder has the module of cells; env is added to the
// environment of the go command.
func ColdIn(ctx context.Context, folder string, env []string, imports ...string) (int, error) {
	// Go calls a package stale that it would compile; the others print nothing.
	args := append([]string{"list", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}"}, imports...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), env...)
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
