package kernelspec

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// file holds the content of a file of the installation.
type file struct {
	text   []byte
	copyOf string // a program; text is not used then
}

// replace puts a folder with these files where another may be. The new folder is
// whole before it takes the place of the old one, whose programs may be running.
func replace(data, dir string, files map[string]file) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return fmt.Errorf("cannot install: %w", err)
	}
	work, err := os.MkdirTemp(data, ".gonb-cope-*")
	if err != nil {
		return fmt.Errorf("cannot install: %w", err)
	}
	defer os.RemoveAll(work)
	fresh, old := filepath.Join(work, "new"), filepath.Join(work, "old")
	for name, f := range files {
		if err := f.write(filepath.Join(fresh, name)); err != nil {
			return fmt.Errorf("cannot install: %w", err)
		}
	}
	if err := os.Rename(dir, old); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("cannot install: %w", err)
	}
	if err := os.Rename(fresh, dir); err != nil {
		_ = os.Rename(old, dir) // as it was, if it was
		return fmt.Errorf("cannot install: %w", err)
	}
	return nil
}

func (f file) write(name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if f.copyOf == "" {
		return os.WriteFile(name, f.text, 0o644)
	}
	in, err := os.Open(f.copyOf)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// temporary reports whether a program may soon be gone: go run leaves it in a folder for temporary
// files or in Go's cache.
func temporary(executable string) bool {
	folders := []string{os.TempDir(), os.Getenv("GOTMPDIR"), os.Getenv("GOCACHE")}
	if cache, err := os.UserCacheDir(); err == nil {
		folders = append(folders, cache)
	}
	for _, folder := range folders {
		if folder != "" && inside(folder, executable) {
			return true
		}
	}
	return strings.Contains(filepath.ToSlash(executable), "/go-build")
}

func inside(folder, name string) bool {
	rest, err := filepath.Rel(folder, name)
	return err == nil && filepath.IsLocal(rest)
}
