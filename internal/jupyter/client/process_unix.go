//go:build unix

package client

import "syscall"

// interrupt sends what ^C sends, to the kernel and to what it started, as Jupyter does.
func (p *process) interrupt() { p.signal(syscall.SIGINT) }

// terminate asks the process and what it started to end.
func (p *process) terminate() { p.signal(syscall.SIGTERM) }

// kill ends the process and what it started; also after the process itself has ended.
func (p *process) kill() { p.signal(syscall.SIGKILL) }

func (p *process) signal(s syscall.Signal) { _ = syscall.Kill(-p.cmd.Process.Pid, s) }
