//go:build unix

package gonb

import (
	"os"
	"syscall"
)

// end ends a command with the processes that it started.
func end(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGTERM) }
