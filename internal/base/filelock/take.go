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

// HeldError reports that another program has the lock.
type HeldError struct {
	Holder string // the text of the holder: its process, the machine and the time
}

func (e *HeldError) Error() string { return "another program has the lock: " + e.Holder }

// pause is the time between two attempts.
const pause = 10 * time.Millisecond

// Take creates the file if needed, with these permissions, waits for its lock, and writes the process and host into it, for people. If
// another program still has the lock when patience has passed, the error is a *HeldError. Patience should be at least some tenths of a
// second: the system releases the lock of a killed program only after some milliseconds. The lock ends when the file is closed or the
// program ends for any reason.
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

// wait tries to lock the file until patience has passed.
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
