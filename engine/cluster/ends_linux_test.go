package cluster_test

import "syscall"

// endsWithTest lets a program end when the test that started it does.
func endsWithTest() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
