// Package filelock locks files between programs, if the system has file locks.
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

// HeldError means that another program has a lock.
type HeldError struct {
	Holder string // the text of the holder: its process, the machine and the time
}

func (e *HeldError) Error() string { return "another program has the lock: " + e.Holder }

// pause is the time between two attempts.
const pause = 10 * time.Millisecond

// Take waits for the lock of a file, which it creates with these permissions, and writes the holder into it, for people. Patience
// should be at least some tenths of a second: the system releases the lock of a killed program only after some milliseconds. Then
// the error is a *HeldError. The lock ends when the file is closed or the program ends for any reason.
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
		file.WriteAt([]byte(text), 0) // a full disk must not prevent the lock
	}
	return file, nil
}

// wait tries until it has the lock.
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

// holder returns the text that the holder of the lock wrote.
func holder(file *os.File) string {
	text, err := io.ReadAll(io.NewSectionReader(file, 0, 200))
	if who := strings.TrimSpace(string(text)); err == nil && who != "" {
		return who
	}
	return "a process without a name"
}
