// Package kernel is the Jupyter kernel "Go + CoPE". It evaluates %%cope cells in its own process, which keeps their
// values between cells. It passes all other cells to GoNB, a kernel for Go, which it starts when the first such cell
// arrives.
//
//	front end ──shell──▶ queue ─▶ one request at a time ─┬─ %%cope: cope.go, with a dsl.Session
//	                                                     └─ Go:     golang.go, relayed to GoNB (child.go)
//	          ──control─▶ interrupt, shutdown: immediately (control.go)
//	          ◀──iopub─── output of both, with this kernel's counter and session (cell.go)
//
// GoNB does not answer some requests of the protocol and does not end some processes. This kernel corrects that:
//
//   - It answers is_complete, history, comm_info and the control channel itself.
//   - After an error it aborts the waiting cells.
//   - An interrupt also reaches compilers and shell commands.
//   - Streams are joined before they are sent on.
//   - GoNB runs under a warden (package internal/base/warden), which ends all its processes.
//
// Requests that are forwarded to GoNB keep the bytes of their headers, so GoNB's outputs refer to the front end's
// request. This kernel sends these outputs on under its own session.
package kernel
