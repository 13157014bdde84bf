// Package lists makes lists by a function.
package lists

// Map returns f of each value, in order; never nil.
func Map[T, U any](values []T, f func(T) U) []U {
	return Make(len(values), func(i int) U { return f(values[i]) })
}

// Make returns f(0), …, f(n-1).
func Make[T any](n int, f func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = f(i)
	}
	return out
}
