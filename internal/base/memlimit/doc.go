// Package memlimit knows how much memory the process may still take, and is asked before much of it
// is allocated: a slice that the system refuses ends a Go program with a trace, and nothing can
// catch it.
//
// The limits are, the smallest first to bind: the one that a context carries (Within, Named), GOMEMLIMIT,
// the address space (ulimit -v), the one of the control group, and what the machine has available. A
// limit that cannot be found out does not count.
package memlimit
