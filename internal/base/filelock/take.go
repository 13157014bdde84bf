// Package filelock locks files against other programs, on systems with file locks.
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

// HeldError states that another program has the lock.
type HeldError struct {
	Holder string // text that the holder wrote: process, machine and time
}

func (e *HeldError) Error() string { return "another program has the lock: " + e.Holder }

// pause is the time between two attempts to lock.
const pause = 10 * time.Millisecond

// Take opens a file, which it creates with permissions perm if it is missing, and waits for its lock. It writes the
// process and machine into the file, for HeldError. If another program still has the lock after patience, Take returns a
// *HeldError. patience should be at least some tenths of a second, because the system releases the lock of a killed
// program with a delay. The lock ends when the file is closed or the program ends.
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
		file.WriteAt([]byte(text), 0) // errors such as a full disk are ignored
	}
	return file, nil
}

// wait tries to lock the file until it succeeds or patience has passed.
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

// holder returns the text that the holder of the lock wrote into the file.
func holder(file *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 200))
	if who := strings.TrimSpace(string(text)); err == nil && who != "" {
		return who
	}
	return "a process without a name"
}
