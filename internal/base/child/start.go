package child

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"runtime"
)

// Start starts a command and later calls ended with the result of Wait. It keeps the thread that started the command until
// then, because Linux signals the child when this thread ends (see Attributes).
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

// Copy copies a program to a new file. It removes an incomplete copy.
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
