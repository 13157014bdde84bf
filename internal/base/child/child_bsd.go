//go:build unix && !linux

package child

import "syscall"

// Attributes gives a child its own process group. It ignores the signal, because only Linux can
// send one when the parent ends (child_linux.go).
func Attributes(syscall.Signal) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
