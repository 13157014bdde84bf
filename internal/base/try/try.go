// Package try ends a function at the first error, if every step may fail and none handles its error:
//
//	func F(ctx context.Context) (out T, err error) {
//		defer try.Caught(&err)
//		a := try.Of(first(ctx))
//		try.To(second(ctx, a))
//		return third(a)
//	}
//
// Internal functions may leave Caught to their callers; numerical code does so, as memory or the context may end at any step.
// Exported functions and goroutines must begin with Caught, so that no panic leaves them.
package try

import "fmt"

// Failure is the panic value that ends a function. Panic with it directly if the compiler must know that nothing follows.
type Failure struct{ Err error }

// Of returns the value, or ends the function with the error.
func Of[T any](value T, err error) T {
	To(err)
	return value
}

// Two is Of with two values.
func Two[T, U any](first T, second U, err error) (T, U) {
	To(err)
	return first, second
}

// To ends the function if there is an error.
func To(err error) {
	if err != nil {
		panic(Failure{err})
	}
}

// Caught, deferred, returns the error that ended the function, prefixed with doing, if given; other results keep their values.
// Other panics continue.
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

// Returning wraps f so that the error that ended it is returned.
func Returning[T any](f func() T) func() (T, error) {
	return func() (value T, err error) {
		defer Caught(&err)
		return f(), nil
	}
}
