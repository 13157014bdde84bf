package await

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
)

// Patience states how long to wait for a computation after its context has ended.
type Patience struct {
	Grace time.Duration
	Keeps func() bool // called after Grace; true means to wait until the computation ends; nil means false
}

// Result returns the result of compute. If the context ends and compute does not return within the patience, Result
// returns the context's error. compute then continues in the background, so it must have no visible side effects. A panic
// in compute is repeated in the caller.
func Result[T any](ctx context.Context, p Patience, compute func() (T, error)) (T, error) {
	ended := make(chan outcome[T], 1) // buffered, because the receiver may have left
	go func() {
		var o outcome[T]
		defer func() {
			if p := recover(); p != nil {
				o.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			ended <- o
		}()
		o.value, o.err = compute()
	}()
	var none T
	select {
	case o := <-ended:
		return o.get()
	case <-ctx.Done():
	}
	timer := time.NewTimer(p.Grace)
	defer timer.Stop()
	select {
	case o := <-ended:
		return o.get()
	case <-timer.C:
	}
	if p.Keeps != nil && p.Keeps() {
		o := <-ended
		return o.get()
	}
	return none, ctx.Err()
}

// outcome is the result of a computation, or its panic.
type outcome[T any] struct {
	value    T
	err      error
	panicked string
}

func (o outcome[T]) get() (T, error) {
	if o.panicked != "" {
		panic(o.panicked)
	}
	return o.value, o.err
}

// File reads a regular file or a pipe of at most limit bytes. It waits for the writer of a pipe until the context ends.
// For a device or folder it returns an error with the path.
func File(ctx context.Context, path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, opening(path, err)
	}
	if kind := info.Mode().Type(); kind != 0 && kind != fs.ModeNamedPipe {
		return nil, fmt.Errorf("%s is %s, not a file. Write the name of a file", path, kindOf(kind))
	}
	return Result(ctx, Patience{}, func() ([]byte, error) {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		data, err := sized(ctx, f, info.Size(), limit)
		if err == errLarge {
			err = &fs.PathError{Op: "read", Path: path, Err: fmt.Errorf("it has more than %d bytes, the limit", limit)}
		}
		return data, err
	})
}

// Regular returns an error if path is not a regular file or a link to one. A missing file is not an error.
func Regular(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return opening(path, err)
	case info.Mode().IsRegular():
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("it is %s, not a file", kindOf(info.Mode().Type()))}
}

// opening converts an error of os.Stat to the form of an error of os.Open.
func opening(path string, err error) error {
	if failed := (*fs.PathError)(nil); errors.As(err, &failed) {
		err = failed.Err
	}
	return &fs.PathError{Op: "open", Path: path, Err: err}
}

// All reads all of r, at most limit bytes, until the context ends. When the context ends, it does not wait for a read in
// progress.
func All(ctx context.Context, r io.Reader, limit int64) ([]byte, error) {
	return Result(ctx, Patience{}, func() ([]byte, error) { return all(ctx, r, limit) })
}

// sized reads a file of known size like all. For a large file, it checks the available memory before reading.
func sized(ctx context.Context, f *os.File, size, limit int64) ([]byte, error) {
	const large = 1 << 24
	switch {
	case size > limit:
		return nil, errLarge
	case size < large:
		return all(ctx, f, limit)
	}
	if err := memlimit.Grow(ctx, f.Name(), float64(size)); err != nil {
		return nil, err
	}
	b := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead)) // without MinRead, ReadFrom would double the buffer at the end
	_, err := b.ReadFrom(io.LimitReader(heeding{ctx, f}, limit+1))
	if err == nil && int64(b.Len()) > limit { // the file has grown
		err = errLarge
	}
	return b.Bytes(), err
}

func all(ctx context.Context, r io.Reader, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(heeding{ctx, r}, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = errLarge
	}
	return data, err
}

// Exactly reads size bytes. It doubles its buffer as bytes arrive, because the announced size may be wrong.
func Exactly(r io.Reader, size int) ([]byte, error) {
	const atOnce = 64 << 10
	content := make([]byte, 0, min(size, atOnce))
	for len(content) < size {
		if len(content) == cap(content) {
			content = slices.Grow(content, min(len(content), size-len(content)))
		}
		n, err := io.ReadFull(r, content[len(content):min(cap(content), size)])
		if content = content[:len(content)+n]; err == io.EOF {
			return nil, io.ErrUnexpectedEOF
		} else if err != nil {
			return nil, err
		}
	}
	return content, nil
}

// errLarge states that the input has more bytes than the limit.
var errLarge = errors.New("there is more to read than the limit")

// heeding is a reader that fails when its context has ended.
type heeding struct {
	ctx context.Context
	r   io.Reader
}

// Read reads from r, or returns the context's error.
func (h heeding) Read(b []byte) (int, error) {
	if err := h.ctx.Err(); err != nil {
		return 0, err
	}
	return h.r.Read(b)
}

// kindOf names a type of file that is not regular.
func kindOf(kind fs.FileMode) string {
	switch {
	case kind&fs.ModeDir != 0:
		return "a folder"
	case kind&fs.ModeNamedPipe != 0:
		return "a pipe"
	case kind&fs.ModeSocket != 0:
		return "a socket"
	case kind&fs.ModeDevice != 0:
		return "a device"
	}
	return "something special"
}

// Pause waits for the duration length. If the context ends first, it returns the context's error.
func Pause(ctx context.Context, length time.Duration) error {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// Every calls do repeatedly, with a pause before each call, until the context ends.
func Every(ctx context.Context, pause time.Duration, do func()) {
	for Pause(ctx, pause) == nil {
		do()
	}
}
