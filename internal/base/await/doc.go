// Package await stops waiting when a context ends: for computations that cannot look at
// one, and for files that give nothing.
package await
