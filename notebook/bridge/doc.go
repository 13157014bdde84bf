// Package bridge lets a Go cell of a notebook read and bind the names that %%cope cells share. A Go
// cell is a separate process that ends with the cell; the values are in the kernel's process.
// Between the two is a unix socket.
//
//	Go cell ─session─▶ Client ─frames over a socket─▶ host.Host ───▶ dsl.Session
//
// This package holds what both sides need: frames (frame.go), values as bytes (value.go,
// data.go), and kernels that are evaluated in the other process (remote.go asks, rows.go answers).
// The cell's side is Client; the kernel's side is package host. A cell is linked every time it
// runs, so this package imports neither the language nor figures: a formula of a script is not
// compiled again in the cell, but evaluated by the kernel, a row at a time.
//
// # Functions
//
// A Go func that a cell binds to a name must outlive the cell. The kernel keeps a
// copy of the cell's program and starts it again, as the process of the function: it
// runs as before up to the same Put, and serves there (client.go). On the way it is
// given the answers that the cell got, so that it is the same function however the
// session has changed. It has two sockets: over one the kernel asks it for rows and
// rewards, over the other it repeats what the cell asked the kernel.
//
// # Trust
//
// The socket is in a folder that only its user can enter, and the first frame must
// hold a key from the environment that the kernel gave to its cells. Frames have a
// limit, and bytes that mean nothing are an answer that states so, never a panic.
package bridge
