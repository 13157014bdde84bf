// Package host is the kernel's side of package bridge: a socket to which Go cells connect, and the processes of the Go
// functions that cells have defined.
//
//	session := &host.Session{Lock: &mu, Session: own, Display: publish}
//	h, err := host.Listen(session, folder)
//	cell.Env = append(os.Environ(), h.Env()...)
//	…
//	h.Interrupt() // when the running cell is interrupted
//	h.Fault()     // why values of a Go function are NaN, after a cell that failed
//	h.Close()     // ends the processes of functions and removes the socket
//
// On a connection (cell.go), a cell reads names and values of the session and defines new ones. A ledger records the
// answers. When a cell defines a Go function, the host copies the cell's program and starts it. The program gets the
// answers of the ledger until it reaches the same place. From then on the host requests values from it (process.go).
// The copy is kept as long as the function is in use. If a process has ended, by a mistake in the function or by an
// interrupt, it is started again when the function is needed.
package host
