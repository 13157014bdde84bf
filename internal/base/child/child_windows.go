package child

import (
	"os"
	"syscall"
)

// Attributes returns nil, because Windows has no process groups.
func Attributes(syscall.Signal) *syscall.SysProcAttr { return nil }

// Signal kills the child. It ignores SIGINT, which does not exist on Windows.
func Signal(p *os.Process, s syscall.Signal) error {
	if s == syscall.SIGINT {
		return nil
	}
	return p.Kill()
}
