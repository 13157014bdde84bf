// Package filelock locks files between programs, where the system has such locks.
package filelock

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
)

// HeldError says that another program has a lock.
type HeldError struct {
	Holder string // what it wrote into the file: its process, the machine and the time
}

func (e *HeldError) Error() string { return "another program has the lock: " + e.Holder }

// pause lies between two attempts.
const pause = 10 * time.Millisecond

// Take waits for the lock of a file, which it makes with these permissions, and writes into it who
// holds it, for people. Patience should be some tenths of a second at least: a holder may just have
// been killed, and the system lets go of a dead program's lock only after some milliseconds. After
// that the error is a *HeldError. The lock ends when the file is closed or the program ends, however
// it ends.
func Take(ctx context.Context, path string, perm os.FileMode, patience time.Duration) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, perm)
	if err != nil {
		return nil, err
	}
	if err := wait(ctx, file, patience); err != nil {
		file.Close()
		return nil, err
	}
	host, _ := os.Hostname()
	text := fmt.Sprintf("process %d on %s since %s\n", os.Getpid(), host, time.Now().Format(time.DateTime))
	if err := file.Truncate(0); err == nil {
		file.WriteAt([]byte(text), 0) // a full disk must not stop what fits
	}
	return file, nil
}

// wait tries until the lock is taken.
func wait(ctx context.Context, file *os.File, patience time.Duration) error {
	for deadline := time.Now().Add(patience); ; {
		if ok, err := Try(file); ok || err != nil {
			return err
		}
		if time.Now().After(deadline) {
			return &HeldError{holder(file)}
		}
		if err := await.Pause(ctx, pause); err != nil {
			return err
		}
	}
}

// holder returns what the holder of the lock wrote into it.
func holder(file *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 200))
	if who := strings.TrimSpace(string(text)); err == nil && who != "" {
		return who
	}
	return "a process without a name"
}
