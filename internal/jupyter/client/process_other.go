//go:build !unix

package client

import (
	"os"
	"syscall"
)

func ownGroup() *syscall.SysProcAttr { return nil }

// interrupt does nothing where there are no signals: only kernels whose interrupt_mode is message
// can be interrupted.
func (p *process) interrupt() {}

func (p *process) terminate() { _ = p.cmd.Process.Signal(os.Kill) }

func (p *process) kill() { _ = p.cmd.Process.Kill() }
