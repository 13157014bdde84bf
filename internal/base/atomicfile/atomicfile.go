// Package atomicfile replaces files atomically.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write replaces the contents of a file: it writes path.new, which then takes the name. A durable file is on disk when Write
// returns. Programs that may write the same file at once need a lock, or contents that show whether they are complete.
func Write(path string, content []byte, perm os.FileMode, durable bool) error {
	draft := path + ".new" // one name, so that a killed program leaves one file
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

// Replace fills a new file, closes it, and renames it to another file in its folder. With sync its bytes are on disk before that.
// It removes a file that could not be filled.
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

// SyncFolder makes the names in a folder durable, if the system supports that.
func SyncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
