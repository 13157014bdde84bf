package design

import "context"

// stopper lets the end of a context end long loops. A check costs nanoseconds, and is made at
// least every few million operations.
type stopper struct{ ctx context.Context } // nil never ends

// ended is what a check panics with, to leave loops within loops at once; the functions that others
// call return its error.
type ended struct{ err error }

func (s stopper) check() {
	if s.ctx == nil {
		return
	}
	if err := s.ctx.Err(); err != nil {
		panic(ended{err})
	}
}

// caught, deferred, turns the panic of a check into an error.
func caught(err *error) {
	switch r := recover().(type) {
	case nil:
	case ended:
		*err = r.err
	default:
		panic(r)
	}
}
