package main

import (
	"os/exec"
	"syscall"
)

// endWithParent has the system end a command when this program ends in whatever way: an agent that
// comes back asks for the same pulls. A command that was told to end takes its process group with it.
func endWithParent(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
