//go:build unix && !linux

package child

import "syscall"

// Attributes give a child a process group of its own; see child_linux.go.
func Attributes(syscall.Signal) *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
