package gonb

import "syscall"

// attributes gives the command a process group, so that the compilers and linkers that go starts
// end with it; and let Linux end it when this process dies.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
