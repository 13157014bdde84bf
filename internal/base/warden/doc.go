// Package warden runs a command and leaves no process behind, however the command, the warden's parent or a descendant of the
// command ends.
//
// The warden is a separate process between a kernel and GoNB. On Linux it adopts orphaned descendants (PR_SET_CHILD_SUBREAPER), so
// that a shell command in the background stays below it. The parent holds the warden's standard input: each line is an order, and
// its end, which comes when the parent ends for any reason, means that all processes must end. If the warden itself is killed, the
// command ends with it (on Linux, PR_SET_PDEATHSIG), and the parent ends the other processes with Clean.
package warden
