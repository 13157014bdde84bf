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

// modulePath is the module path of this library.
const modulePath = "github.com/gonb-cope/gonb-cope"

// Module is the source of this library with which Go cells are compiled.
type Module struct {
	Path    string // module path
	Version string // release version, or "(devel)" for a checkout
	Source  string // absolute path of the folder with go.mod
}

// FindSource looks for the source of this library in this order: the folder in GONB_COPE_SOURCE; the folder start and its
// parents; the folder from which this binary was compiled; the module cache. If this binary is a release, FindSource
// downloads that release into the module cache.
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

// isSource reports whether a folder contains this module.
func isSource(folder string) bool {
	text, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	return err == nil && modfile.ModulePath(text) == modulePath
}

// releaseOf returns the version of this binary if it is a published release, and otherwise "(devel)". Go also gives
// pseudo-versions to builds of a checkout, which may be unpublished.
func releaseOf() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Path != modulePath || info.Main.Version == "" || module.IsPseudoVersion(info.Main.Version) {
		return "(devel)"
	}
	return info.Main.Version
}

// download returns the folder of a release in the module cache. It lets go download the release if necessary.
func download(ctx context.Context, version string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", modulePath+"@"+version)
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	cmd.Dir = os.TempDir() // outside any module
	var found struct{ Dir string }
	out, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(out, &found)
	}
	return found.Dir, err
}

// CellModule returns go.mod and go.sum of a module with the given name, for the code of cells. In this module, this
// library and all its requirements resolve without a network and without go get.
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

// replacements returns the replace directives of go.mod as one block. GoNB ignores a block. For a replacement on its own
// line, GoNB would watch every file in the folder for gopls, which is not needed.
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

// requirements parses the go.mod of the library's source.
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

// packages are the packages that Go cells import most. Prebuild compiles them into Go's build cache.
var packages = []string{
	"fmt", "github.com/janpfeifer/gonb/gonbui", // for rich output
	modulePath + "/engine", modulePath + "/engine/sim", modulePath + "/kernels",
	modulePath + "/session", modulePath + "/session/display",
}

// cells creates a temporary folder with go.mod and go.sum for cells. The caller must remove the folder.
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

// Prebuild compiles the packages that Go cells import most, as GoNB would. It skips packages that this version of the
// library does not have. log receives the lines that go prints.
func (m Module) Prebuild(ctx context.Context, log func(string)) error {
	folder, err := m.cells()
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	c := command{args: append([]string{"go", "build"}, m.present(packages)...), dir: folder, log: log}
	return c.run(ctx)
}

// Cold returns how many packages Prebuild would still have to compile.
func (m Module) Cold(ctx context.Context) (int, error) {
	folder, err := m.cells()
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(folder)
	return ColdIn(ctx, folder, nil, m.present(packages)...)
}

// ColdIn returns how many packages must be compiled before a cell with these imports can run. folder contains go.mod for
// cells. env is appended to the environment of the go command.
func ColdIn(ctx context.Context, folder string, env []string, imports ...string) (int, error) {
	// The template prints a line for each package that go would compile ("stale").
	args := append([]string{"list", "-deps", "-f", "{{if .Stale}}{{.ImportPath}}{{end}}"}, imports...)
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), env...)
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("go list: %w", err)
	}
	return strings.Count(string(out), "\n"), nil
}

// present returns the imports without packages that the library's source does not contain.
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

// WriteCellModule writes go.mod and go.sum for Go cells into a folder. The code from Preparation copies them to GoNB's
// module.
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

// Preparation returns the code of a silent request to GoNB. The code copies go.mod and go.sum from a folder (see
// WriteCellModule) to GoNB's module and switches off go get. The kernel sends it after GoNB starts, and again after each
// cell for which Resets is true.
//
// GoNB names its module after its temporary folder, and the code keeps this name.
func Preparation(folder string) string {
	quoted := "'" + strings.ReplaceAll(folder, "'", `'\''`) + "'"
	return "!*sed \"1s/.*/module ${GONB_TMP_DIR##*/}/\" " + quoted + "/go.mod > go.mod && cp " + quoted + "/go.sum go.sum\n%noautoget\n"
}

// LinkQuickly is the code of a silent request that makes GoNB link cells without symbol table and debug tables. GoNB links
// a cell each time it runs, and these tables take a third of the time. Tracebacks do not need them. A user's own %goflags
// overrides this setting.
const LinkQuickly = "%goflags -ldflags=-s\n"

// Resets reports whether a cell contains %reset, after which GoNB has a new go.mod.
func Resets(cell string) bool {
	for line := range strings.Lines(cell) {
		if fields := strings.Fields(strings.TrimPrefix(line, commentPrefix)); len(fields) > 0 && fields[0] == "%reset" {
			return true
		}
	}
	return false
}
