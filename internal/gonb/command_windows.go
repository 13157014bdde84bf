package gonb

import (
	"os"
	"syscall"
)

func attributes() *syscall.SysProcAttr { return nil }

// end ends a command.
func end(p *os.Process) error { return p.Kill() }
