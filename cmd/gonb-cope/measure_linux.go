package main

import (
	"os/exec"
	"syscall"
)

// endWithParent has the system end a command when this program ends in whatever way: an agent that
// comes back asks for the same pulls. A command that is no longer wanted is told to end (SIGTERM), with
// its process group; see endRest.
func endWithParent(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGTERM) }
}

// endRest ends what a command has left of its process group.
func endRest(c *exec.Cmd) {
	if c.Process != nil {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL) // there may be nothing left
	}
}
