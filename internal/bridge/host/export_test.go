package host

import "net"

// Abandon stops listening and leaves everything where it is, as the end of a process
// does.
func Abandon(h *Host) {
	l := h.listener.(*net.UnixListener)
	l.SetUnlinkOnClose(false)
	_ = l.Close()
}
