package child

import "syscall"

// Attributes gives a child its own process group. Linux sends the signal end to the child when the thread that started it
// ends, for any reason. Therefore the parent must keep this thread (runtime.LockOSThread). Other systems lack this
// feature.
func Attributes(end syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: end}
}
