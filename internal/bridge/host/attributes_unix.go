//go:build unix && !linux

package host

import "syscall"

// attributes puts a process into its own group. That the kernel ends it notices by its sockets, see
// bridge.Serve.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
