package folder

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A folder from another person may contain a device, a pipe or a sparse file under the name of one of the program's files.
// Reading a device never ends, reading a pipe waits for ever, and a small sparse file can fill the memory. checkFiles
// refuses them.

// ownFiles are the files of a folder that programs read or write, with their largest sizes in bytes.
var ownFiles = map[string]int64{
	DatabaseFile: mostDatabase, DatabaseFile + "-wal": mostDatabase, DatabaseFile + "-shm": mostDatabase,
	DatabaseFile + "-journal": mostDatabase, DatabaseFile + ".new": mostDatabase,
	headFile: mostNote, lockFile: mostNote, invitesFile: mostInvites, cacheFile: mostCache,
}

const (
	mostDatabase = 16 << 30 // script, data and events
	mostCache    = 1 << 30
	mostNote     = 4 << 10 // one line
	mostInvites  = 16 << 20
)

// checkFiles returns an error if a file of the campaign is not a regular file, or is larger than its limit. Links to
// regular files are accepted.
func checkFiles(dir string) error {
	for name, most := range ownFiles {
		if err := checkFile(filepath.Join(dir, name), most); err != nil {
			return fmt.Errorf("%w. No campaign makes such a file. Do not use this folder before you know its origin", err)
		}
	}
	return nil
}

// checkFile returns an error if path is not a regular file or has more than `most` bytes. A missing file is accepted.
func checkFile(path string, most int64) error {
	if err := await.Regular(path); err != nil {
		return err
	}
	if info, err := os.Stat(path); err == nil && info.Size() > most {
		return fmt.Errorf("%s has %d bytes, more than the limit of %d", path, info.Size(), most)
	}
	return nil
}

// readShort reads a file of at most `most` bytes; a larger file is an error.
func readShort(path string, most int64) (_ []byte, err error) {
	defer try.Caught(&err)
	try.To(checkFile(path, most))
	f := try.Of(os.Open(path))
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}

// passed copies the bytes of a file to a writer until the context ends.
func passed(ctx context.Context, path string, to io.Writer) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	// with pread, as SQLite reads
	for at, part := int64(0), make([]byte, 1<<20); ctx.Err() == nil; {
		n, err := f.ReadAt(part, at)
		if _, e := to.Write(part[:n]); e != nil {
			return e
		}
		if at += int64(n); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// copyFile copies a file; it stops if the context ends.
func copyFile(ctx context.Context, from, to string) error {
	f, err := os.Create(to)
	if err != nil {
		return err
	}
	return errors.Join(passed(ctx, from, f), f.Close())
}

// sealed reports whether the first bytes of a file are the SHA-256 of the rest. It does not load the file into memory.
func sealed(path string) bool {
	if checkFile(path, ownFiles[cacheFile]) != nil {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var seal [sha256.Size]byte
	if _, err := io.ReadFull(f, seal[:]); err != nil {
		return false
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return err == nil && [sha256.Size]byte(h.Sum(nil)) == seal
}

// changedCopy returns a phrase on how a copy differs from its recorded file; "" if it does not. It reads only a file of
// the same length, and ignores an unreadable one.
func changedCopy(path string, content []byte) string {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "is gone from the folder"
	case err != nil:
		return ""
	case !info.Mode().IsRegular():
		return "is no longer a file"
	case info.Size() != int64(len(content)):
		return "was changed since the start"
	}
	now, err := readShort(path, info.Size())
	if err == nil && string(now) != string(content) {
		return "was changed since the start"
	}
	return ""
}
