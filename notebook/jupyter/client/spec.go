package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// Spec is a kernelspec, which states how to start a kernel.
type Spec struct {
	Name string `json:"-"` // name of its folder, by which notebooks refer to it
	Dir  string `json:"-"` // folder with kernel.json and logos

	Argv          []string          `json:"argv"`          // command line; {connection_file} and {resource_dir} are replaced
	Env           map[string]string `json:"env,omitempty"` // added to the environment; ${NAME} is replaced
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"` // signal or message; "" means signal
	Metadata      map[string]any    `json:"metadata"`       // "transport": "ipc" states that the kernel prefers Unix sockets
}

// validName matches the names that Jupyter allows for kernelspecs.
var validName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// Find returns the kernelspec with a name, ignoring case. If there is none, or its kernel.json is invalid, Find returns an
// error.
func Find(name string) (Spec, error) {
	specs, broken := scan(searchPath())
	for _, s := range specs {
		if strings.EqualFold(s.Name, name) {
			return s, nil
		}
	}
	for _, b := range broken {
		if strings.EqualFold(b.name, name) {
			return Spec{}, fmt.Errorf("Jupyter kernel %q cannot be used: %w", name, b.err)
		}
	}
	return Spec{}, unknownKernel(name, specs)
}

func unknownKernel(name string, specs []Spec) error {
	const remedy = "`gonb-cope install` installs ours"
	asked := fmt.Sprintf("there is no Jupyter kernel %q", name)
	if name == "" {
		asked = "no Jupyter kernel is named"
	}
	if len(specs) == 0 {
		return fmt.Errorf("%s; none is installed; %s", asked, remedy)
	}
	names := lists.Map(specs, func(s Spec) string { return s.Name })
	return fmt.Errorf("%s; installed: %s; %s", asked, strings.Join(names, ", "), remedy)
}

// List returns the valid kernelspecs sorted by name. From several with the same name, it returns the one that Jupyter finds
// first.
func List() []Spec {
	specs, _ := scan(searchPath())
	return specs
}

// ReadSpec reads and checks the kernelspec in a folder.
func ReadSpec(dir string) (Spec, error) {
	path := filepath.Join(dir, "kernel.json")
	text, err := os.ReadFile(path)
	if err != nil {
		return Spec{}, fmt.Errorf("cannot read kernelspec: %w", err)
	}
	s := Spec{Name: filepath.Base(dir), Dir: dir}
	if err := json.Unmarshal(text, &s); err != nil {
		return Spec{}, fmt.Errorf("%s: %w", path, plainJSON(err))
	}
	switch {
	case len(s.Argv) == 0:
		return Spec{}, fmt.Errorf("%s: argv must name a program", path)
	case !slices.Contains([]string{"", "signal", "message"}, s.InterruptMode):
		return Spec{}, fmt.Errorf("%s: interrupt_mode must be signal or message, not %q", path, s.InterruptMode)
	}
	s.DisplayName = cmp.Or(s.DisplayName, s.Name)
	return s, nil
}

// brokenSpec is a kernelspec folder whose kernel.json is invalid.
type brokenSpec struct {
	name string
	err  error
}

// scan reads the kernelspecs in the given folders. It uses the first of several with the same name.
func scan(folders []string) (specs []Spec, broken []brokenSpec) {
	seen := map[string]bool{}
	for _, folder := range folders {
		entries, _ := os.ReadDir(folder) // an error usually means that the folder does not exist
		for _, e := range entries {
			key := strings.ToLower(e.Name())
			if seen[key] || !validName.MatchString(e.Name()) {
				continue
			}
			s, err := ReadSpec(filepath.Join(folder, e.Name()))
			switch {
			case err == nil:
				seen[key] = true
				specs = append(specs, s)
			case !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR):
				broken = append(broken, brokenSpec{e.Name(), err})
			}
		}
	}
	slices.SortFunc(specs, func(a, b Spec) int { return strings.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)) })
	return specs, broken
}

// command returns the command line that starts the kernel and the variables to add to the environment.
func (s Spec) command(connectionFile string) (argv, env []string) {
	replace := strings.NewReplacer("{connection_file}", connectionFile, "{resource_dir}", s.Dir)
	argv = lists.Map(s.Argv, replace.Replace)
	argv[0] = s.program(argv[0])
	for name, value := range s.Env {
		value = os.Expand(value, func(v string) string {
			if known, ok := os.LookupEnv(v); ok {
				return known
			}
			return "${" + v + "}"
		})
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return argv, env
}

// program returns the path of the kernel's program. For a kernelspec in a Python environment, a name such as "python"
// means the program in that environment's bin folder, if it exists.
func (s Spec) program(name string) string {
	prefix, ok := strings.CutSuffix(filepath.ToSlash(filepath.Dir(s.Dir)), "/share/jupyter/kernels")
	if !ok || strings.ContainsAny(name, `/\`) {
		return name
	}
	local := filepath.Join(filepath.FromSlash(prefix), "bin", name)
	if info, err := os.Stat(local); err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
		return local
	}
	return name
}

// searchPath returns the folders with kernelspecs in Jupyter's order: JUPYTER_PATH, the active environment, the user, the
// system. The environment comes before the user, as in jupyter_core 5.
func searchPath() []string {
	roots := filepath.SplitList(os.Getenv("JUPYTER_PATH"))
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := os.Getenv(name); prefix != "" {
			roots = append(roots, filepath.Join(prefix, "share", "jupyter"))
		}
	}
	if dir := UserDataDir(); dir != "" {
		roots = append(roots, dir)
	}
	if runtime.GOOS == "windows" {
		roots = append(roots, filepath.Join(os.Getenv("PROGRAMDATA"), "jupyter"))
	} else {
		roots = append(roots, "/usr/local/share/jupyter", "/usr/share/jupyter")
	}
	roots = lists.Where(roots, func(root string) bool { return root != "" })
	folders := lists.Map(roots, func(root string) string { return filepath.Join(root, "kernels") })
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".ipython", "kernels"))
	}
	return folders
}

// UserDataDir returns the user's Jupyter data folder, whose subfolder kernels has the kernelspecs. It returns "" if the
// user has no home folder.
func UserDataDir() string {
	if dir := os.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(home, "Library", "Jupyter")
	case "windows":
		return filepath.Join(os.Getenv("APPDATA"), "jupyter")
	}
	if dir := os.Getenv("XDG_DATA_HOME"); dir != "" {
		return filepath.Join(dir, "jupyter")
	}
	return filepath.Join(home, ".local", "share", "jupyter")
}
