package client

import (
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

var errNotDir = syscall.ENOTDIR

// searchPath returns the folders of kernelspecs, in the order in which Jupyter looks: JUPYTER_PATH,
// the active environment, the user, the system. The second and third are in the order of
// jupyter_core 5.
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
	var folders []string
	for _, root := range roots {
		if root != "" {
			folders = append(folders, filepath.Join(root, "kernels"))
		}
	}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, filepath.Join(home, ".ipython", "kernels"))
	}
	return folders
}

// UserDataDir returns the folder of the user's own Jupyter files, where kernelspecs lie below
// kernels; "" when the user has no home.
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
