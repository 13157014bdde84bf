// Package leave ends functions that call each other by an error, which none of them has among its results. It is for
// numerics, where memory may be short or the context may have ended at any step: the function that others call returns
// the error. Goroutines are not left: what they run returns its errors.
package leave

// leaving carries the error.
type leaving struct{ err error }

// With ends the functions up to the one that has Caught deferred; without an error it does nothing.
func With(err error) {
	if err != nil {
		panic(leaving{err})
	}
}

// Must returns a value, or leaves with the error.
func Must[T any](value T, err error) T {
	With(err)
	return value
}

// Caught, deferred, returns the error by which functions were left. Other panics go on.
func Caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case leaving:
		*err = r.err
	default:
		panic(r)
	}
}

// Returning returns f as a function that returns the error by which f is left.
func Returning[T any](f func() T) func() (T, error) {
	return func() (value T, err error) {
		defer Caught(&err)
		return f(), nil
	}
}
