package child

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
)

// Start starts a command, and calls ended with the result of Wait. The thread that started it stays until then: on Linux the
// signal that a child gets when whoever started it is gone (Attributes) is sent when that thread ends.
func Start(cmd *exec.Cmd, ended func(error)) error {
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			ended(cmd.Wait())
		}
	}()
	return <-started
}

// Copy copies a program to a file that is not there yet. What is not whole is removed.
func Copy(from, to string, perm os.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Close()); err != nil {
		_ = os.Remove(to)
	}
	return err
}
