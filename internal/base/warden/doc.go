// Package warden runs a command and ends all its processes, however the command, the warden's parent or a child process
// ends.
//
// The warden is a separate process between a kernel and GoNB. On Linux it adopts orphaned child processes
// (PR_SET_CHILD_SUBREAPER), so that a shell command in the background remains below it. The parent writes orders to the
// warden's standard input, one per line. The input ends when the parent ends for any reason, and the warden then ends all
// processes. If the warden itself is killed, the command ends with it (on Linux, PR_SET_PDEATHSIG), and the parent ends
// the other processes with Clean.
package warden
