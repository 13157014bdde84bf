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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
)

// DefaultName is the kernel's name in the metadata of notebooks, and the name of its kernelspec folder.
const DefaultName = "gonb-cope"

// DisplayName is the kernel's name in Jupyter's menus.
const DisplayName = "Go + CoPE (gonb-cope)"

// Options state where Install puts the kernel and which program Jupyter starts.
type Options struct {
	User       bool   // install in the user's Jupyter folder, even if Prefix is set
	Prefix     string // install in PREFIX/share/jupyter; "" means the user's Jupyter folder
	Name       string // name of the kernelspec folder; "" means DefaultName
	Executable string // program that Jupyter starts; "" means this program
	Version    string // version of this program
	Words      Words  // names of the script language, for syntax colours
}

// Words are the names of the script language that editors colour: its functions and its kernels.
type Words struct {
	Functions []string `json:"functions"`
	Kernels   []string `json:"kernels"`
}

// Installed states what Install wrote.
type Installed struct {
	Dir          string // folder of the kernelspec
	Executable   string // program that the kernelspec starts
	Copied       bool   // Executable is a copy inside Dir, because the original file is temporary
	LabExtension string // folder of the JupyterLab extension
}

// mark is the key in the metadata of kernel.json that identifies our kernelspecs.
const mark = "gonb-cope"

// arguments are the arguments of the program in kernel.json.
var arguments = []string{"kernel", "{connection_file}"}

// validName is Jupyter's rule for kernel names.
var validName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]*$`)

// Install writes the kernelspec and the JupyterLab extension, and replaces those installed earlier. If the kernelspec of
// another program has this name, Install returns an error and writes nothing.
func Install(o Options) (_ Installed, err error) {
	defer try.Caught(&err)
	data, dir := try.Two(o.place())
	// If dir is not a folder (ENOTDIR), replace returns the error.
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
	try.To(replace(data, dir, o.resources(done)))
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

// setupCell is the cell that Quarto runs before the cells of a document. Quarto takes the file as a sign that the kernel
// supports Quarto.
const setupCell = "%%cope\n// Quarto runs this cell before a document.\n"

// Uninstall removes the kernelspec and returns its folder. It also removes the JupyterLab extension if none of our other
// kernelspecs remains. It returns an error, and removes nothing, if the kernelspec belongs to another program.
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

// Read returns the program that our kernelspec in folder dir starts. If the kernelspec is missing, the error wraps
// fs.ErrNotExist. If the kernelspec belongs to another program, the error does not wrap it.
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

// HasExtension reports whether the JupyterLab extension is installed in the same data folder as the kernelspec dir.
func HasExtension(dir string) bool {
	_, err := os.Stat(filepath.Join(extensionIn(filepath.Dir(filepath.Dir(dir))), "package.json"))
	return err == nil
}

// place returns Jupyter's data folder and the kernelspec folder inside it, both absolute. It returns an error for an
// invalid name or if there is no home folder.
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

// file is the content of one file to install.
type file struct {
	text   []byte
	copyOf string // path of a program to copy; if set, text is ignored
}

// replace writes files (path → content) to folder dir, which it replaces if it exists. It first writes the new folder
// completely and then renames it to dir, because programs in the old folder may be running.
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
		_ = os.Rename(old, dir) // restores the earlier folder, if one existed
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

// temporary reports whether a program's file may soon be deleted. For example, go run compiles into a folder for temporary
// files or into Go's cache.
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

// The logo shows three tasks as lines above each other. All three share one bump (the kernel), and each has a dot at its
// best arm.
var (
	//go:embed assets/logo-svg.svg
	logoSVG []byte
	//go:embed assets/logo-32x32.png
	logo32 []byte
	//go:embed assets/logo-64x64.png
	logo64 []byte
)

// script replaces the placeholders in a script template with assets/mode.js and with w as JSON.
func script(template []byte, w Words) []byte {
	words, err := json.Marshal(w)
	if err != nil {
		panic(err) // impossible: w has only lists of strings
	}
	text := bytes.Replace(template, []byte("/* MODE */"), bytes.TrimSpace(modeJS), 1)
	return bytes.Replace(text, []byte("/* WORDS */ {}"), words, 1)
}

// extension returns the files of the prebuilt JupyterLab extension. The script's file name contains a hash of its content,
// because browsers cache scripts by address.
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
		panic(err) // impossible: v has only texts and flags
	}
	return append(text, '\n')
}

// semver returns a version in the form that package.json requires. JupyterLab ignores an extension whose version it cannot
// parse. A version that does not begin with v becomes 0.0.0.
func semver(version string) string {
	if rest, ok := strings.CutPrefix(version, "v"); ok {
		return rest
	}
	return "0.0.0" // a checkout has no release version
}
