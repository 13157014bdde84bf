package kernelspec

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"github.com/gonb-cope/gonb-cope/internal/base/child"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
)

// DefaultName is the name under which notebooks ask for the kernel.
const DefaultName = "gonb-cope"

// DisplayName is the name that menus of Jupyter show.
const DisplayName = "Go + CoPE (gonb-cope)"

// Options say where the kernel is installed and what it starts.
type Options struct {
	User       bool   // in the user's folder of Jupyter, even if there is a Prefix
	Prefix     string // in PREFIX/share/jupyter; "" is the user's folder
	Name       string // "" is DefaultName
	Executable string // "" is this program
	Version    string // version of this program
	Words      Words  // of the script language, for colours
}

// Words are the names of the script language that get their own colour.
type Words struct {
	Functions []string `json:"functions"`
	Kernels   []string `json:"kernels"`
}

// Installed states what Install did.
type Installed struct {
	Dir          string // the kernelspec
	Executable   string // what the kernelspec starts
	Copied       bool   // whether that is a copy, because the program's own file is temporary
	LabExtension string // the extension of JupyterLab
}

// mark is the key of the metadata by which our kernelspecs are known.
const mark = "gonb-cope"

// What kernel.json says after the program.
var arguments = []string{"kernel", "{connection_file}"}

// Jupyter's rule for names of kernels.
var validName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// Install writes the kernelspec and the extension, instead of any that was installed
// before. It refuses to replace a kernelspec of another program.
func Install(o Options) (Installed, error) {
	data, dir, err := o.place()
	if err != nil {
		return Installed{}, err
	}
	// replace states what a file in the way is
	if _, err := Read(dir); err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR) {
		return Installed{}, fmt.Errorf("nothing was installed: %w; choose another --name", err)
	}
	done := Installed{Dir: dir, LabExtension: extensionIn(data)}
	if o.Executable == "" {
		o.Executable, err = os.Executable()
	}
	if err == nil {
		o.Executable, err = filepath.Abs(o.Executable)
	}
	if err != nil {
		return Installed{}, fmt.Errorf("where this program is cannot be found: %w", err)
	}
	done.Executable = o.Executable
	if temporary(o.Executable) || inside(filepath.Join(data, "kernels"), o.Executable) {
		done.Executable, done.Copied = filepath.Join(dir, "gonb-cope"), true
	}
	if err := replace(data, dir, o.resources(done)); err != nil {
		return Installed{}, err
	}
	return done, replace(data, done.LabExtension, extension(o))
}

func (o Options) resources(done Installed) map[string]file {
	files := map[string]file{
		"kernel.json": {text: pretty(client.Spec{
			Argv:          append([]string{done.Executable}, arguments...),
			DisplayName:   DisplayName,
			Language:      "go",
			InterruptMode: "message",
			Metadata:      map[string]any{"debugger": false, mark: o.Version},
		})},
		"kernel.js":         {text: script(kernelJS, o.Words)},
		"logo-svg.svg":      {text: logoSVG},
		"logo-32x32.png":    {text: logo32},
		"logo-64x64.png":    {text: logo64},
		"quarto_setup_cell": {text: []byte(setupCell)},
	}
	if done.Copied {
		files["gonb-cope"] = file{copyOf: o.Executable}
	}
	return files
}

// setupCell is the cell that Quarto runs before the cells of a document. Quarto takes its being
// there as a sign that the kernel knows Quarto.
const setupCell = "%%cope\n// Quarto runs this cell before a document.\n"

// Uninstall removes the kernelspec, and the extension when no other kernelspec of
// ours is left beside it. It refuses to remove one of another program.
func Uninstall(o Options) (dir string, err error) {
	data, dir, err := o.place()
	if err != nil {
		return "", err
	}
	switch _, err := Read(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("no kernelspec is installed in %s", dir)
	case err != nil:
		return "", fmt.Errorf("nothing was removed: %w", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", fmt.Errorf("the kernelspec cannot be removed: %w", err)
	}
	others, _ := filepath.Glob(filepath.Join(data, "kernels", "*"))
	if slices.ContainsFunc(others, func(other string) bool { _, err := Read(other); return err == nil }) {
		return dir, nil
	}
	if err := os.RemoveAll(extensionIn(data)); err != nil {
		return "", fmt.Errorf("the extension of JupyterLab cannot be removed: %w", err)
	}
	return dir, nil
}

// Read returns the program that a kernelspec of ours starts. The error wraps fs.ErrNotExist if the
// kernelspec is missing, and is another one if it belongs to another program.
func Read(dir string) (executable string, err error) {
	s, err := client.ReadSpec(dir)
	if err != nil {
		return "", err
	}
	_, marked := s.Metadata[mark]
	if !marked || len(s.Argv) != 1+len(arguments) || !slices.Equal(s.Argv[1:], arguments) {
		return "", fmt.Errorf("%s is the kernelspec of another program, %q", dir, s.DisplayName)
	}
	return s.Argv[0], nil
}

// HasExtension reports whether JupyterLab's extension is installed beside a kernelspec.
func HasExtension(dir string) bool {
	_, err := os.Stat(filepath.Join(extensionIn(filepath.Dir(filepath.Dir(dir))), "package.json"))
	return err == nil
}

// place returns the folder of Jupyter's data, and the one of the kernelspec in it.
func (o Options) place() (data, dir string, err error) {
	name := cmp.Or(o.Name, DefaultName)
	switch {
	case !validName.MatchString(name):
		return "", "", fmt.Errorf("name of the kernel %q: letters, digits, -, _ and . are allowed, and no . in front", name)
	case o.Prefix != "" && !o.User:
		data = filepath.Join(o.Prefix, "share", "jupyter")
	default:
		data = client.UserDataDir()
	}
	if data == "" {
		return "", "", errors.New("you have no home folder; say where to install with --prefix or JUPYTER_DATA_DIR")
	}
	if data, err = filepath.Abs(data); err != nil {
		return "", "", fmt.Errorf("folder of Jupyter: %w", err)
	}
	return data, filepath.Join(data, "kernels", name), nil
}

func extensionIn(data string) string { return filepath.Join(data, "labextensions", mark) }

// file holds the content of a file of the installation.
type file struct {
	text   []byte
	copyOf string // a program; text is not used then
}

// replace puts a folder with these files where another may be. The new folder is
// whole before it takes the place of the old one, whose programs may be running.
func replace(data, dir string, files map[string]file) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("cannot install: %w", err)
		}
	}()
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return err
	}
	work, err := os.MkdirTemp(data, ".gonb-cope-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	fresh, old := filepath.Join(work, "new"), filepath.Join(work, "old")
	for name, f := range files {
		if err := f.write(filepath.Join(fresh, name)); err != nil {
			return err
		}
	}
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err = os.Rename(fresh, dir); err != nil {
		_ = os.Rename(old, dir) // restores the earlier folder, if there was one
	}
	return err
}

func (f file) write(name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if f.copyOf == "" {
		return os.WriteFile(name, f.text, 0o644)
	}
	return child.Copy(f.copyOf, name, 0o755)
}

// temporary reports whether a program may soon be gone: go run leaves it in a folder for temporary
// files or in Go's cache.
func temporary(executable string) bool {
	folders := []string{os.TempDir(), os.Getenv("GOTMPDIR"), os.Getenv("GOCACHE")}
	if cache, err := os.UserCacheDir(); err == nil {
		folders = append(folders, cache)
	}
	within := func(folder string) bool { return folder != "" && inside(folder, executable) }
	return slices.ContainsFunc(folders, within) || strings.Contains(filepath.ToSlash(executable), "/go-build")
}

func inside(folder, name string) bool {
	rest, err := filepath.Rel(folder, name)
	return err == nil && filepath.IsLocal(rest)
}

//go:embed assets/mode.js
var modeJS []byte

//go:embed assets/kernel.js
var kernelJS []byte

//go:embed assets/lab.js
var labJS []byte

// The mark: three tasks, lines one above the other, that share one bump, the kernel;
// and on each the best arm.
var (
	//go:embed assets/logo-svg.svg
	logoSVG []byte
	//go:embed assets/logo-32x32.png
	logo32 []byte
	//go:embed assets/logo-64x64.png
	logo64 []byte
)

// script fills in the mode and the words of the language.
func script(template []byte, w Words) []byte {
	words, err := json.Marshal(w)
	if err != nil {
		panic(err) // two lists of strings
	}
	text := bytes.Replace(template, []byte("/* MODE */"), bytes.TrimSpace(modeJS), 1)
	return bytes.Replace(text, []byte("/* WORDS */ {}"), words, 1)
}

// extension returns the prebuilt extension of JupyterLab. Browsers keep scripts by their address,
// so the name changes with the content.
func extension(o Options) map[string]file {
	entry := script(labJS, o.Words)
	sum := sha256.Sum256(entry)
	name := fmt.Sprintf("static/remoteEntry.%x.js", sum[:6])
	about := map[string]any{
		"name":        mark,
		"version":     semver(o.Version),
		"description": "Colours for cells and files of gonb-cope",
		"license":     "MIT",
		"jupyterlab": map[string]any{
			"extension": true,
			"outputDir": "static",
			"_build":    map[string]any{"load": name, "extension": "./extension"},
		},
	}
	return map[string]file{
		"package.json": {text: pretty(about)},
		"install.json": {text: pretty(map[string]any{
			"packageManager":        "gonb-cope",
			"packageName":           mark,
			"uninstallInstructions": "run: gonb-cope uninstall",
		})},
		name: {text: entry},
	}
}

func pretty(v any) []byte {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		panic(err) // texts and flags only
	}
	return append(text, '\n')
}

// semver returns a version as package.json wants it: JupyterLab leaves an extension out whose
// version it cannot read.
func semver(version string) string {
	if rest, ok := strings.CutPrefix(version, "v"); ok {
		return rest
	}
	return "0.0.0" // of a checkout
}
