// Package allowance limits the work that is done on other people's bytes: a small file can ask for
// gigabytes of memory or hours of time. A reader or converter is given an Allowance and asks it before
// it makes something and at each step; the first refusal ends the work with an error.
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

// Allowance is how many bytes may be made and how many steps may be taken. It may be shared by goroutines.
type Allowance struct {
	ctx          context.Context
	what         string
	bytes, steps int64 // limits
	made, taken  atomic.Int64
	rest         *Allowance // of a share: what is taken from once its own is used up
}

// NoLimit stands for as many bytes as the process may take, or for any number of steps.
const NoLimit = math.MaxInt64

// New returns an allowance for one piece of work, which ends when the context does. What names the
// thing that is read or converted in errors, such as "the table runs.parquet".
func New(ctx context.Context, what string, bytes, steps int64) *Allowance {
	return &Allowance{ctx: ctx, what: what, bytes: bytes, steps: steps}
}

// Share returns an allowance for a part of the work, such as one text of many: so many bytes and steps of its own, and beyond
// them what a has left. So a part that takes too much leaves the own share of every other part.
func (a *Allowance) Share(bytes, steps int64) *Allowance {
	return &Allowance{ctx: a.ctx, what: a.what, bytes: bytes, steps: steps, rest: a}
}

// Error reports that a limit was reached.
type Error struct {
	What  string // the thing that is read or converted
	Limit int64
	Unit  string // "bytes" or "steps"
}

// Error returns the message for the user.
func (e *Error) Error() string {
	if e.Unit == "bytes" {
		return fmt.Sprintf("%s would take more than %d MB of memory, which is the limit; split it or make it smaller", e.What, e.Limit>>20)
	}
	return fmt.Sprintf("%s is too deep or too complicated: it takes more than %d steps, which is the limit; simplify it", e.What, e.Limit)
}

// Ended reports whether an error says that a limit was reached, or that the context ended.
func Ended(err error) bool {
	var limit *Error
	var memory *memlimit.Error
	return errors.As(err, &limit) || errors.As(err, &memory) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// Make asks before n more bytes are made, and counts them. It returns the context's error, an *Error above the limit, or a
// *memlimit.Error where the process may not take so much memory.
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
			a.rest.made.Add(-over) // which is not made
			a.made.Add(-n)
			return err
		}
	}
	if before := made - n; before/claimEach != made/claimEach {
		// What grows is copied: the next allocation may be as large as a good part of what is there.
		return memlimit.Grow(a.ctx, a.what, float64(max(n, made/2)))
	}
	return nil
}

// claimEach is after how many bytes the process's own limit is asked again.
const claimEach = 1 << 24

// Ask asks whether n more bytes would be allowed, without counting them: for what is made for a short time, and for what is
// known to come.
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

// AskFor asks whether count things of so many bytes each would fit into memory, as Ask, except for the limit of bytes made. The
// error says how many would. Of is their name in the plural.
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
		a.rest.taken.Add(-over) // which are not taken
		a.taken.Add(-n)
	}
	return err
}

// Writer returns a writer that asks before it passes bytes on to w.
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
