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
	_, err = f.Write(content)
	if err == nil && durable {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(draft, path)
	}
	if err != nil {
		os.Remove(draft)
		return err
	}
	if durable {
		SyncFolder(filepath.Dir(path))
	}
	return nil
}

// SyncFolder makes the names in a folder durable, where the system has a way to.
func SyncFolder(dir string) {
	if f, err := os.Open(dir); err == nil {
		f.Sync()
		f.Close()
	}
}
