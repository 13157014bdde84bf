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

// WriteFile writes a file completely or not at all: render writes a new file beside path, which then gets the name. If path is a link,
// the file that it leads to is replaced. The new file keeps the old file's permissions; without an old file the umask decides.
// Devices, and pipes that a program reads, are written directly. Errors name the path.
func WriteFile(path string, render func(io.Writer) error) error {
	var b bytes.Buffer
	if err := render(&b); err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	return WriteBytes(path, b.Bytes())
}

// WriteBytes is WriteFile of these bytes.
func WriteBytes(path string, data []byte) error {
	if err := writeWhole(path, data); err != nil {
		return fmt.Errorf("cannot save %s: %w", path, err)
	}
	return nil
}

// Writable returns the error that WriteFile would have for path, by making and removing a new file beside it. Call it before a long
// computation. Errors name the path.
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

// destination receives the bytes of a file.
type destination struct {
	path   string      // what the links at the given path lead to
	mode   fs.FileMode // permissions of the old file, or of a new one before the umask
	old    bool        // there is a file already
	stream bool        // a device or a pipe, which is written to and not replaced
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

// mostLinks is the largest number of links that follow each other, as in Linux.
const mostLinks = 40

// followed returns the path at the end of the links at path. The path need not exist.
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
			// without filepath.Join, which takes link/.. for the folder of the link
			next = folder + next
		}
		path = next
	}
	return "", errors.New("too many links follow each other")
}

// create makes a new file beside the destination. Its name is short, because the destination's name may already have the largest
// length.
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

// writeWhole writes the bytes of a file.
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
		if err := f.Chmod(d.mode); err != nil { // what the umask took from it
			return reason(errors.Join(err, f.Close(), os.Remove(f.Name())))
		}
	}
	return reason(atomicfile.Replace(f, d.path, data, true))
}

// reason returns a file system error without the operation and the file name, which may be a temporary one.
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
