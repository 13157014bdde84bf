package client

import "syscall"

// ownGroup puts a child into its own process group and has it signalled when this process dies, in
// whichever way.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}
