// Package host is the kernel's side of package bridge: a socket to which Go cells
// connect, and the processes of the Go functions that cells have bound.
//
//	session := &host.Session{Lock: &mu, Session: own, Display: publish}
//	h, err := host.Listen(session, folder)
//	cell.Env = append(os.Environ(), h.Env()...)
//	…
//	h.Interrupt() // with the cell that runs
//	h.Fault()     // why values of a Go function were NaN, after a cell that failed
//	h.Close()     // ends the processes of functions, removes the socket
//
// A connection (cell.go) asks for names and values of the session and binds new ones.
// A ledger records the answers (cell.go). When it binds a Go function, the host copies the cell's
// program, starts it, plays the ledger back to it until it has come to the same place, and from
// then on asks it for values (process.go). The copy is kept for as long as anything uses the
// function, so that a process that ended, by a mistake in the function or an interrupt, is started
// again when the function is needed again.
package host
