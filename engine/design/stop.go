package design

import (
	"context"

	"github.com/gonb-cope/gonb-cope/internal/memlimit"
)

// stopper lets the end of a context end long loops. A check costs nanoseconds, and is made at
// least every few million operations.
type stopper struct{ ctx context.Context } // nil never ends

// ended carries the error with which a check panics, to leave nested loops at once; the functions
// that others call return its error.
type ended struct{ err error }

func (s stopper) check() {
	if s.ctx == nil {
		return
	}
	if err := s.ctx.Err(); err != nil {
		panic(ended{err})
	}
}

// claim asks for the memory of the given numbers for a design over n arms, before they are
// allocated.
func (s stopper) claim(n int, numbers ...int) {
	ctx := s.ctx
	if ctx == nil {
		ctx = context.Background()
	}
	total := 0.0
	for _, k := range numbers {
		total += 8 * float64(k)
	}
	if err := memlimit.Claim(ctx, memlimit.Need{What: "the design", Bytes: total, Count: n, Of: "arms"}); err != nil {
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
