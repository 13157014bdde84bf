// Package kernel is the Jupyter kernel "Go + CoPE". It evaluates %%cope cells in its
// own process, where their values live from cell to cell, and hands every other
// cell to GoNB, a Go kernel that it starts when the first such cell comes.
//
//	front end ──shell──▶ queue ─▶ one request at a time ─┬─ %%cope: cope.go, with a dsl.Session
//	                                                     └─ Go:     golang.go, relayed to GoNB (child.go)
//	          ──control─▶ interrupt, shutdown: at once (control.go)
//	          ◀──iopub─── output of either side, under this kernel's counter and session (cell.go)
//
// GoNB leaves some requests of the protocol unanswered and some processes behind. The relay repairs
// what it can: is_complete, history, comm_info and the answers on the control channel come from this
// process; cells that wait are aborted after an error; an interrupt reaches compilers and shell
// commands, too; streams are joined before they are sent on; and GoNB runs under a warden (package
// internal/base/warden) that leaves no process behind.
//
// Requests to GoNB keep the bytes of their headers, so its outputs name the front
// end's request as their parent; they are sent on under this kernel's session.
package kernel
