package client

import "syscall"

// ownGroup puts a child into a process group of its own and has it told when we die,
// in whichever way.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
