//go:build unix && !linux

package host

import "syscall"

// attributes give a process a group of its own. That the kernel ends it notices by
// its sockets, see bridge.Serve.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
