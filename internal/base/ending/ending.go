// Package ending tests whether functions stop when their context ends.
package ending

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"
)

// Context is a context that is cancelled after a given number of calls of Err. Several goroutines may use it.
type Context struct {
	context.Context
	asked atomic.Int64
	ends  int64
}

// After returns a context that is cancelled after the given number of calls of Err.
func After(calls int) *Context { return &Context{Context: context.Background(), ends: int64(calls)} }

// Never returns a context that is never cancelled and counts the calls of Err.
func Never() *Context { return After(math.MaxInt) }

// Err counts the call. It returns context.Canceled if the number of calls exceeds the limit.
func (c *Context) Err() error {
	if c.asked.Add(1) > c.ends {
		return context.Canceled
	}
	return nil
}

// Asked returns the number of calls of Err.
func (c *Context) Asked() int { return int(c.asked.Load()) }

// Check tests do with contexts that end at several calls of Err. It fails if do does not return the context's error, or if
// do calls Err more than slack times after the end. It returns the number of calls of Err in an uninterrupted run.
func Check(t testing.TB, name string, slack int, do func(context.Context) error) int {
	t.Helper()
	whole := Never()
	if err := do(whole); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	n := whole.Asked()
	if n < 2 {
		t.Errorf("%s: asks its context only %d times", name, n)
	}
	for _, ends := range []int{0, 1, n / 10, n / 4, n / 2, n - 1} {
		ctx := After(ends)
		if err := do(ctx); !errors.Is(err, context.Canceled) || ctx.Asked() > ends+slack {
			t.Errorf("%s: the context ended after %d of %d questions: asked %d times, %v", name, ends, n, ctx.Asked(), err)
		}
	}
	return n
}
