package await

import (
	"context"
	"fmt"
	"runtime/debug"
	"time"
)

// Patience says how long a computation is waited for after its context has ended.
type Patience struct {
	Grace time.Duration
	Keeps func() bool // asked after Grace: there is something to wait for all the same; nil says no
}

// Result returns what compute does. When the context has ended and compute has not returned
// within the patience, it returns the error of the context, and compute goes on in the background:
// so compute must change nothing that others see. A panic of compute is one of the caller.
func Result[T any](ctx context.Context, p Patience, compute func() (T, error)) (T, error) {
	ended := make(chan outcome[T], 1) // nobody may be left to receive
	go func() {
		var o outcome[T]
		defer func() {
			if p := recover(); p != nil {
				o.panicked = fmt.Sprintf("%v\n%s", p, debug.Stack())
			}
			ended <- o
		}()
		o.value, o.err = compute()
	}()
	var none T
	select {
	case o := <-ended:
		return o.get()
	case <-ctx.Done():
	}
	timer := time.NewTimer(p.Grace)
	defer timer.Stop()
	select {
	case o := <-ended:
		return o.get()
	case <-timer.C:
	}
	if p.Keeps != nil && p.Keeps() {
		o := <-ended
		return o.get()
	}
	return none, ctx.Err()
}

// outcome holds what a computation returned.
type outcome[T any] struct {
	value    T
	err      error
	panicked string
}

func (o outcome[T]) get() (T, error) {
	if o.panicked != "" {
		panic(o.panicked)
	}
	return o.value, o.err
}
