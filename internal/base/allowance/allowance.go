// Package allowance limits the memory and the time that untrusted input can take. For example, a small file can demand
// gigabytes of memory. A reader or converter asks its Allowance before each allocation and at each step. The first refusal
// is an error that ends the work.
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

// Allowance limits the bytes and steps of one piece of work. Several goroutines may use it.
type Allowance struct {
	ctx          context.Context
	what         string
	bytes, steps int64 // limits
	made, taken  atomic.Int64
	rest         *Allowance // for a share: the allowance that it uses when its own is used up
}

// NoLimit as a limit of bytes means only the limit of the process. As a limit of steps it means no limit.
const NoLimit = math.MaxInt64

// New returns an allowance for one piece of work, which must stop when ctx ends. what names the input in errors, such as
// "the table runs.parquet".
func New(ctx context.Context, what string, bytes, steps int64) *Allowance {
	return &Allowance{ctx: ctx, what: what, bytes: bytes, steps: steps}
}

// Share returns an allowance for a part of the work, such as one of several texts. The part first uses its own bytes and
// steps, and then what remains of a. So an expensive part does not reduce the own shares of other parts.
func (a *Allowance) Share(bytes, steps int64) *Allowance {
	return &Allowance{ctx: a.ctx, what: a.what, bytes: bytes, steps: steps, rest: a}
}

// Error states that a limit was reached.
type Error struct {
	What  string // name of the input
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

// Ended reports whether an error means that a limit was reached or the context ended.
func Ended(err error) bool {
	var limit *Error
	var memory *memlimit.Error
	return errors.As(err, &limit) || errors.As(err, &memory) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Make counts n bytes that the caller is about to allocate. It returns the context's error, an *Error if the limit is
// exceeded, or a *memlimit.Error if the process may not use so much memory.
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
			a.rest.made.Add(-over) // the caller will not allocate them
			a.made.Add(-n)
			return err
		}
	}
	if before := made - n; before/claimEach != made/claimEach {
		// A growing buffer is copied, so the next allocation may have half of the size so far.
		return memlimit.Grow(a.ctx, a.what, float64(max(n, made/2)))
	}
	return nil
}

// claimEach is the number of bytes after which Make checks the limit of the process again.
const claimEach = 1 << 24

// Ask returns an error if n more bytes would not be allowed; it does not count them. It is for short-lived allocations and
// for known future allocations.
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

// AskFor returns an error if count objects of the given size in bytes would not fit into memory. In contrast to Ask, it
// ignores the limit of a. The error states how many would fit; of is the plural of the objects' name.
func (a *Allowance) AskFor(count int64, bytes float64, of string) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	return memlimit.Claim(a.ctx, memlimit.Need{What: a.what, Bytes: float64(count) * bytes, Count: int(count), Of: of})
}

// Step counts n more steps. It returns the context's error, or an *Error if the limit is exceeded.
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
		a.rest.taken.Add(-over) // the caller will not take them
		a.taken.Add(-n)
	}
	return err
}

// Writer returns a writer that counts the bytes with Make before it writes them to w.
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
