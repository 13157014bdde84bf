//go:build unix && !linux

package gonb

import "syscall"

// attributes gives the command a process group, so that the compilers and linkers that go starts
// end with it.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
