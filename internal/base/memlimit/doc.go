// Package memlimit estimates how much memory the process may still allocate. Callers ask before a large allocation: if the system
// refuses a slice, a Go program ends with a trace that nothing can catch.
//
// The smallest of these limits applies: the one in the context (Within, Named), GOMEMLIMIT, the address space (ulimit -v), the
// control group, and the machine's available memory. Unknown limits are ignored.
package memlimit
