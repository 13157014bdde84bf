package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/gonb-cope/gonb-cope/internal/base/atomicfile"
)

// WriteFile writes a file completely or leaves it unchanged. render writes a new file in the same folder, which is then
// renamed to path. If path is a link, its target is replaced. The new file has the permissions of the old one, or those of
// the umask. A device, or a pipe that a program reads, is written directly. Errors name the path.
func WriteFile(path string, render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	return WriteBytes(path, b.Bytes())
}

// WriteBytes writes data like WriteFile.
func WriteBytes(path string, data []byte) error {
	if err := writeWhole(path, data); err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	return nil
}

// Writable returns the error that WriteFile would return for path. It tests this by creating and removing a file in the
// same folder. Call it before a long computation. Errors name the path.
func Writable(path string) error {
	d, err := destinationOf(path)
	if err == nil && !d.stream {
		var f *os.File
		if f, err = d.create(); err == nil {
			err = reason(errors.Join(f.Close(), os.Remove(f.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", path, err)
	}
	return nil
}

// destination describes the file that WriteFile writes.
type destination struct {
	path   string      // the target of the links at the given path
	mode   fs.FileMode // permissions of the old file; for a new file, those before the umask
	old    bool        // whether the file exists
	stream bool        // whether the file is a device or a pipe, which is written directly
}

func destinationOf(path string) (destination, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		target, err := followed(path)
		return destination{path: target, mode: 0o666}, err
	case err != nil:
		return destination{}, reason(err)
	case info.Mode()&(fs.ModeCharDevice|fs.ModeNamedPipe) != 0:
		return destination{path: path, stream: true}, nil
	case !info.Mode().IsRegular():
		return destination{}, errors.New("it exists and is not a regular file")
	}
	target, err := followed(path)
	return destination{path: target, mode: info.Mode().Perm(), old: true}, err
}

// mostLinks is the maximum length of a chain of links, as in Linux.
const mostLinks = 40

// followed returns the path to which the links at path lead. No file need exist there.
func followed(path string) (string, error) {
	for range mostLinks {
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return "", reason(err)
		}
		next, err := os.Readlink(path)
		if err != nil {
			return "", reason(err)
		}
		if !filepath.IsAbs(next) {
			folder, _ := filepath.Split(path)
			// filepath.Join would replace link/.. by the link's folder
			next = folder + next
		}
		path = next
	}
	return "", errors.New("too many links follow each other")
}

// create creates a temporary file in the destination's folder. Its name is short, because the destination's name may have
// the maximum length.
func (d destination) create() (*os.File, error) {
	folder, _ := filepath.Split(d.path)
	for {
		f, err := os.OpenFile(fmt.Sprintf("%s.cope-%08x", folder, rand.Uint32()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, d.mode)
		switch {
		case err == nil:
			return f, nil
		case errors.Is(err, fs.ErrExist):
		case errors.Is(err, fs.ErrNotExist):
			return nil, fmt.Errorf("the folder %s does not exist", filepath.Clean(folder))
		default:
			return nil, fmt.Errorf("folder %s: %w", filepath.Dir(d.path), reason(err))
		}
	}
}

// writeWhole writes data to the file at path completely, or leaves the file unchanged. It writes to a device or a pipe
// directly.
func writeWhole(path string, data []byte) error {
	d, err := destinationOf(path)
	if err != nil {
		return err
	}
	if d.stream {
		return writeStream(path, data)
	}
	f, err := d.create()
	if err != nil {
		return err
	}
	if d.old {
		if err := f.Chmod(d.mode); err != nil { // the umask may have removed permissions
			return reason(errors.Join(err, f.Close(), os.Remove(f.Name())))
		}
	}
	return reason(atomicfile.Replace(f, d.path, data, true))
}

// reason returns the cause of a file system error, without the operation and the file name. The name may be that of a
// temporary file.
func reason(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
