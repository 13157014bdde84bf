// Package child has what programs that start others have in common: a process group for each child, which ends with
// whoever started it.
package child
