//go:build unix && !linux

package client

import "syscall"

// ownGroup puts a child into its own process group. These systems cannot tell it when we die; it is
// told our process number instead (JPY_PARENT_PID).
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
