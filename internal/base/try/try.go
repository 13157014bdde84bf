// Package try ends a function at the first error. It is for functions in which each step may fail and no step handles errors:
//
//	func F(ctx context.Context) (out T, err error) {
//		defer try.Caught(&err)
//		a := try.Of(first(ctx))
//		try.To(second(ctx, a))
//		return third(a)
//	}
//
// Internal functions may leave Caught to their callers. Numerical code does so, because each step may exceed the memory or find
// that the context has ended.
// Exported functions and goroutines must begin with Caught, so that no panic leaves them.
//
// Tests use Of, Two and To without Caught where an error can only be a fault of the test: the panic ends it and prints the error.
package try

import "fmt"

// Failure is the panic value that carries an error to Caught. Use panic(Failure{err}) directly where the compiler must
// know that the function ends.
type Failure struct{ Err error }

// Error is the text that Go prints if nothing recovers the Failure.
func (f Failure) Error() string { return f.Err.Error() }

// Of returns the value. If err is not nil, it panics with a Failure.
func Of[T any](value T, err error) T {
	To(err)
	return value
}

// Two is Of for two values.
func Two[T, U any](first T, second U, err error) (T, U) {
	To(err)
	return first, second
}

// To panics with a Failure if err is not nil.
func To(err error) {
	if err != nil {
		panic(Failure{err})
	}
}

// Caught must be deferred. It recovers a Failure and stores its error in *err, with the prefixes doing. Other results keep
// their values. Other panics continue.
func Caught(err *error, doing ...string) {
	switch r := recover().(type) {
	case nil:
	case Failure:
		*err = r.Err
		for _, what := range doing {
			*err = fmt.Errorf("%s: %w", what, *err)
		}
	default:
		panic(r)
	}
}

// Returning returns a function that calls f and returns the error of a Failure.
func Returning[T any](f func() T) func() (T, error) {
	return func() (value T, err error) {
		defer Caught(&err)
		return f(), nil
	}
}
