package child

import "syscall"

// Attributes give a child a process group of its own. Linux sends the signal to the child when the thread that started it ends, for
// any reason; so the parent must keep that thread (runtime.LockOSThread). Other systems cannot do this.
func Attributes(end syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: end}
}
