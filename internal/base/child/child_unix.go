//go:build unix

package child

import (
	"os"
	"syscall"
)

// Signal sends a signal to a child and its process group, even if the child itself has ended.
func Signal(p *os.Process, s syscall.Signal) error { return syscall.Kill(-p.Pid, s) }
