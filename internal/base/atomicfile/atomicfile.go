// Package atomicfile replaces files, which are there whole or not at all.
package atomicfile

import (
	"errors"
	"os"
	"path/filepath"
)

// Write gives a file this content: the bytes go into path.new, which then takes its name. A durable one is on the disk
// when Write returns. Two programs that write one file at once need a lock, or a content that tells whether it is whole.
func Write(path string, content []byte, perm os.FileMode, durable bool) error {
	draft := path + ".new" // one name, so that who is killed leaves one file
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

// Replace fills a new file, closes it, and gives it the name of another in its folder, with its bytes on the disk where that is
// asked for. A file that could not be filled is removed.
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

// SyncFolder makes the names in a folder durable, where the system has a way to.
func SyncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
