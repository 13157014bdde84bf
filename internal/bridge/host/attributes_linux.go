package host

import "syscall"

// attributes puts a process into its own group, and ends it when the kernel ends in whatever way.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
