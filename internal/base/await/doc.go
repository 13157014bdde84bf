// Package await stops waiting when a context ends: for computations that cannot check a context, and for files that deliver
// nothing.
package await
