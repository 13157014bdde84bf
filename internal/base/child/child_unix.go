//go:build unix

package child

import (
	"os"
	"syscall"
)

// Signal sends a signal to a child and its process group, also after the child itself has ended.
func Signal(p *os.Process, s syscall.Signal) error { return syscall.Kill(-p.Pid, s) }
