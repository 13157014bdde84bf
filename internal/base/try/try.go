// Package try ends functions at the first error, where every step may have one and none is handled there:
//
//	func F(ctx context.Context) (out T, err error) {
//		defer try.Caught(&err)
//		a := try.Of(first(ctx))
//		try.To(second(ctx, a))
//		return third(a)
//	}
//
// Functions within a package may leave it to their callers to begin with Caught, as numerics do whose memory may be short and
// whose context may have ended at any step; what a package exports begins with it, so that no panic leaves a package. Nor does one
// leave a goroutine: what is run there returns its errors.
package try

import "fmt"

// Failure is what ends functions: panic with one where the compiler is to know that nothing follows.
type Failure struct{ Err error }

// Of returns the value, or ends the function with the error.
func Of[T any](value T, err error) T {
	To(err)
	return value
}

// Two works like Of with two values.
func Two[T, U any](first T, second U, err error) (T, U) {
	To(err)
	return first, second
}

// To ends the function where there is an error.
func To(err error) {
	if err != nil {
		panic(Failure{err})
	}
}

// Caught, deferred, returns the error that ended the function, after what was being done, if that is said; the other results are what
// they were until then. Panics of other kinds go on.
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

// Returning returns f as a function that returns the error by which f ended.
func Returning[T any](f func() T) func() (T, error) {
	return func() (value T, err error) {
		defer Caught(&err)
		return f(), nil
	}
}
