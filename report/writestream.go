//go:build !js

package report

import (
	"errors"
	"os"
	"syscall"
)

// writeStream writes data to a device or a named pipe. It returns an error for a pipe that no program reads, where an
// ordinary open would block.
func writeStream(path string, data []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENXIO) {
		return errors.New("no program reads from this pipe")
	}
	if err != nil {
		return reason(err)
	}
	_, err = f.Write(data)
	return reason(errors.Join(err, f.Close()))
}
