package child

import (
	"os"
	"syscall"
)

// Attributes returns nil: there are no process groups.
func Attributes(syscall.Signal) *syscall.SysProcAttr { return nil }

// Signal ends a child, except for an interrupt, which does not exist here.
func Signal(p *os.Process, s syscall.Signal) error {
	if s == syscall.SIGINT {
		return nil
	}
	return p.Kill()
}
