package child

import "syscall"

// Attributes give a child a process group of its own. Linux sends it the signal when the thread that started it ends,
// in whichever way: whoever starts it keeps that thread (runtime.LockOSThread). Other systems cannot.
func Attributes(end syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: end}
}
