//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package sim

import (
	"errors"
	"os"
	"syscall"
)

// lock takes the file for this open file alone, until it is closed or the program
// ends, however it ends. It does not wait.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errInUse
	}
	return err
}
