// Package warden runs a command and leaves no process behind, however the command,
// the warden's parent or anything that was started below the command ends.
//
// The warden is a separate process between a kernel and GoNB. On Linux it adopts what its
// descendants leave behind (PR_SET_CHILD_SUBREAPER), so that a shell command that moved to the
// background is still below it. The parent holds the warden's standard input: a line says what to
// do, and its end, which comes with the parent's end however that came about, means that all must
// go. A warden that is itself killed takes the command with it (on Linux, PR_SET_PDEATHSIG), and
// its parent ends the rest by Clean.
package warden
