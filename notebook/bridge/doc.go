// Package bridge lets a Go cell of a notebook read and define the names that %%cope cells use. A Go cell is a separate
// process, which ends with the cell. The values are in the kernel's process. A Unix socket connects the two.
//
//	Go cell ─session─▶ Client ─frames over a socket─▶ host.Host ───▶ dsl.Session
//
// This package has what both sides need: frames (frame.go), the encoding of values (value.go, data.go), and kernels
// that the other process evaluates (remote.go requests values, rows.go computes them). The cell's side is Client, and
// the kernel's side is package host. A cell is linked each time it runs, so this package does not import the script
// language or figures. The cell does not compile a formula of a script: the notebook kernel evaluates it, one row at a
// time.
//
// # Functions
//
// A Go function that a cell defines in the session must outlive the cell. The kernel keeps a copy of the cell's program
// and starts it again, as the process of the function. The program runs as before until it reaches the same Put, and
// there it serves requests (client.go). Until then it gets the same answers as the cell, so the function is the same
// even if the session has changed. The process has two sockets. On one the kernel requests rows and rewards, and on the
// other the program repeats the cell's requests.
//
// # Trust
//
// The socket is in a folder that only its user can access. The first frame must contain a key, which the kernel puts
// into the environment of its cells. Frames have a size limit. An invalid frame gets an error as its answer and never
// causes a panic.
package bridge
