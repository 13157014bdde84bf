package host

import "syscall"

// attributes give a process a group of its own, and end it when the kernel ends in
// whatever way.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
