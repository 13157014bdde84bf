// Package memlimit estimates how much memory the process may still allocate. Callers ask before a large allocation. If the
// system refused the allocation itself, the Go program would crash.
//
// Of all known limits, the smallest applies. They are the limit in the context (Within, Named), GOMEMLIMIT, the address
// space (ulimit -v), the control group, and the machine's available memory.
package memlimit
