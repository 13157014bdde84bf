// Package allowance limits the work on untrusted bytes: a small file can demand gigabytes of memory or hours of time. A reader or
// converter has an Allowance and asks it before each allocation and at each step; the first refusal ends the work with an error.
package allowance

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"sync/atomic"

	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
)

// Allowance limits the bytes and the steps of a piece of work. Goroutines may share it.
type Allowance struct {
	ctx          context.Context
	what         string
	bytes, steps int64 // limits
	made, taken  atomic.Int64
	rest         *Allowance // for a share: the allowance that it draws on when its own is used up
}

// NoLimit means as many bytes as the process may use, or any number of steps.
const NoLimit = math.MaxInt64

// New returns an allowance for one piece of work, which ends with the context. what names the input in errors, such as "the table
// runs.parquet".
func New(ctx context.Context, what string, bytes, steps int64) *Allowance {
	return &Allowance{ctx: ctx, what: what, bytes: bytes, steps: steps}
}

// Share returns an allowance for a part of the work, such as one text of many. It has its own bytes and steps, and then draws on
// what a has left. A part that needs too much thus leaves the own shares of other parts.
func (a *Allowance) Share(bytes, steps int64) *Allowance {
	return &Allowance{ctx: a.ctx, what: a.what, bytes: bytes, steps: steps, rest: a}
}

// Error reports that a limit was reached.
type Error struct {
	What  string // what is read or converted
	Limit int64
	Unit  string // "bytes" or "steps"
}

// Error returns the message for the user.
func (e *Error) Error() string {
	if e.Unit == "bytes" {
		return fmt.Sprintf("%s would need more than %d MB of memory, the limit. Split it or make it smaller", e.What, e.Limit>>20)
	}
	return fmt.Sprintf("%s is too complex: it needs more than %d steps, the limit. Simplify it", e.What, e.Limit)
}

// Ended reports whether an error is about a limit, or the end of the context.
func Ended(err error) bool {
	var limit *Error
	var memory *memlimit.Error
	return errors.As(err, &limit) || errors.As(err, &memory) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Make asks before n more bytes are allocated, and counts them. It returns the context's error, an *Error above the limit, or a
// *memlimit.Error if the process may not use so much memory.
func (a *Allowance) Make(n int64) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	made := a.made.Add(n)
	switch over := min(n, made-a.bytes); {
	case made < 0 || over > 0 && a.rest == nil:
		return &Error{a.what, a.bytes, "bytes"}
	case over > 0:
		if err := a.rest.Make(over); err != nil {
			a.rest.made.Add(-over) // not allocated
			a.made.Add(-n)
			return err
		}
	}
	if before := made - n; before/claimEach != made/claimEach {
		// A growing buffer is copied: the next allocation may be a large part of what exists.
		return memlimit.Grow(a.ctx, a.what, float64(max(n, made/2)))
	}
	return nil
}

// claimEach is the number of bytes after which the limit of the process is asked again.
const claimEach = 1 << 24

// Ask reports whether n more bytes would be allowed, without counting them: for short-lived allocations, and for known future ones.
func (a *Allowance) Ask(n int64) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	left := a.bytes - a.made.Load()
	if n > left && a.rest != nil {
		return a.rest.Ask(n - max(left, 0))
	}
	if n > left {
		return &Error{a.what, a.bytes, "bytes"}
	}
	if n < claimEach {
		return nil
	}
	return memlimit.Grow(a.ctx, a.what, float64(n))
}

// AskFor reports whether count things of some bytes each would fit into memory, like Ask, but without the limit on allocated bytes.
// The error states how many would fit; of is their name in the plural.
func (a *Allowance) AskFor(count int64, bytes float64, of string) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	return memlimit.Claim(a.ctx, memlimit.Need{What: a.what, Bytes: float64(count) * bytes, Count: int(count), Of: of})
}

// Step counts n more steps. It returns the context's error, or an *Error above the limit.
func (a *Allowance) Step(n int64) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	over := min(n, a.taken.Add(n)-a.steps)
	switch {
	case over <= 0:
		return nil
	case a.rest == nil:
		return &Error{a.what, a.steps, "steps"}
	}
	err := a.rest.Step(over)
	if err != nil {
		a.rest.taken.Add(-over) // not used
		a.taken.Add(-n)
	}
	return err
}

// Writer returns a writer that asks before it passes bytes to w.
func (a *Allowance) Writer(w io.Writer) io.Writer { return writer{a, w} }

type writer struct {
	a *Allowance
	w io.Writer
}

func (w writer) Write(b []byte) (int, error) {
	if err := w.a.Make(int64(len(b))); err != nil {
		return 0, err
	}
	return w.w.Write(b)
}
