// Package try ends a function at its first error, where every step may have one and none is handled there:
//
//	func f(ctx context.Context) (out T, err error) {
//		defer try.Caught(&err)
//		a := try.Of(first(ctx))
//		try.To(second(ctx, a))
//		return third(a)
//	}
//
// A function that calls Of, Two or To begins with Caught, so that no panic leaves it.
package try

import "fmt"

// failure is what Of, Two and To panic with.
type failure struct{ error }

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
		panic(failure{err})
	}
}

// Caught, deferred, returns the error that ended the function, after what was being done, if that is said; the other results are what
// they were until then.
func Caught(err *error, doing ...string) {
	switch r := recover().(type) {
	case nil:
	case failure:
		*err = r.error
		for _, what := range doing {
			*err = fmt.Errorf("%s: %w", what, *err)
		}
	default:
		panic(r)
	}
}
