package gonb

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// modulePath is the module that Go cells import without set-up.
const modulePath = "github.com/gonb-cope/gonb-cope"

// Module is the source of this library that Go cells are compiled with.
type Module struct {
	Path    string // as imported
	Version string // of a release, "(devel)" for a checkout
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
	if start, err := filepath.Abs(start); err == nil {
		for folder := start; ; folder = filepath.Dir(folder) {
			if isSource(folder) {
				return sourceAt(folder, "(devel)")
			}
			if folder == filepath.Dir(folder) {
				break
			}
		}
	}
	if _, file, _, ok := runtime.Caller(0); ok && filepath.IsAbs(file) {
		if folder := filepath.Join(filepath.Dir(file), "../../.."); isSource(folder) {
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

// sourceAt returns the module in a folder.
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

// releaseOf returns the version of this binary when somebody else can download it. Go also makes up
// pseudo-versions for builds of a checkout, which nobody may have published.
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
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	var found struct{ Dir string }
	if err := json.Unmarshal(out, &found); err != nil {
		return "", fmt.Errorf("go mod download: %w", err)
	}
	return found.Dir, nil
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
		return nil, nil, fmt.Errorf("the source of %s is not whole: %w", m.Path, err)
	}
	f := new(modfile.File)
	err = f.AddModuleStmt(name)
	if err == nil && own.Go != nil {
		err = f.AddGoStmt(own.Go.Version)
	}
	for _, r := range own.Require {
		f.AddNewRequire(r.Mod.Path, r.Mod.Version, r.Indirect)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("go.mod for Go cells: %w", err)
	}
	f.AddNewRequire(m.Path, "v0.0.0", false)
	f.Cleanup()
	text, err := f.Format()
	if err != nil {
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
		return nil, fmt.Errorf("the source of %s is not whole: %w", m.Path, err)
	}
	f, err := modfile.Parse(name, text, nil)
	if err != nil {
		return nil, fmt.Errorf("the source of %s: %w", m.Path, err)
	}
	return f, nil
}
