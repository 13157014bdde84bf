// Package atomicfile replaces files atomically.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write replaces the content of a file atomically: it writes path.new and renames it to path. If durable is true, the file
// is on disk when Write returns. If several programs may write the file at once, they need a lock.
func Write(path string, content []byte, perm os.FileMode, durable bool) error {
	draft := path + ".new" // always the same name, so that killed programs leave at most one file
	f, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, perm)
	if err != nil {
		return err
	}
	if err := Replace(f, path, content, durable); err != nil {
		return err
	}
	if durable {
		SyncFolder(filepath.Dir(path))
	}
	return nil
}

// Replace writes content to the new file f, closes it, and renames it to path in the same folder. If sync is true, the
// content is on disk before the rename. On failure Replace removes f.
func Replace(f *os.File, path string, content []byte, sync bool) error {
	_, err := f.Write(content)
	if err == nil && sync {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// SyncFolder makes renames in a folder durable, if the system supports this. It ignores errors.
func SyncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
