package cluster

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"
)

// A Fact is something that was said once and stands for ever. Run, Round and Name are its address.
type Fact struct {
	Run   string // see CheckRun
	Round int    // 0 is before the first
	Name  string // who says it or what it is: "agent-3", "plan", "run", "result-..." of a worker; see CheckFact
	Body  []byte // at most MaxBody bytes
	Seq   uint64 // its place among all facts of the exchange, given by Publish; 0 before
	// whose credentials published it, "agent-3" or "worker-2", as the server says; "" where the server keeps
	// none, or its address is of one role alone
	Sender string
}

// MaxBody is the most bytes that a fact has. What is longer is published in pieces, see Keep.
const MaxBody = 512 << 10

// Address returns run, round and name with slashes between.
func (f Fact) Address() string { return fmt.Sprintf("%s/%d/%s", f.Run, f.Round, f.Name) }

// Facts is the part of an Exchange that a run of agents needs. It is safe for concurrent use.
type Facts interface {
	// Publish says a fact; it is on the disk of the server, where there is one, when Publish returns
	// nil. Where a fact of that address stands already, both are compared: the same body of the same
	// sender is a replay and no error, anything else is a *ConflictError. While the server cannot be
	// reached Publish tries again until the context ends.
	Publish(ctx context.Context, f Fact) error
	// Read gives the facts of a run from the first on, in the order in which they were published,
	// and then waits for more, until the context ends or the loop is left. The pieces of files
	// are not among them. An error is final.
	Read(ctx context.Context, run string) iter.Seq2[Fact, error]
	// Find returns the fact of an address; ok is false where there is none so far.
	Find(ctx context.Context, run string, round int, name string) (f Fact, ok bool, err error)
	// Keep stores the content of a file with the run and returns its SHA-256 in hexadecimal. What is
	// there already is not sent again.
	Keep(ctx context.Context, run string, content []byte) (hash string, err error)
	// Fetch returns a file by its hash, which it has checked. It is an ErrNoFile where there is none.
	Fetch(ctx context.Context, run, hash string) ([]byte, error)
	// Runs lists the runs that have facts, in the order of their first.
	Runs(ctx context.Context) ([]string, error)
}

// An Exchange keeps facts, and hands out work to whoever asks first.
type Exchange interface {
	Facts
	// Offer puts a piece of work into the queue of a run, at most MaxBody bytes, once for each id:
	// an id that was offered before is left as it is, finished or not.
	Offer(ctx context.Context, run string, w Work) error
	// Take hands out a piece of work of any of the runs, or of any run at all where none is named.
	// It waits for one until the context ends. What is not acknowledged within Patience after the
	// last sign of life is handed out again.
	Take(ctx context.Context, runs ...string) (Taken, error)
	// Withdraw takes what is left of a run's work out of the queue and forgets the ids, which may
	// then be offered as at first. Work that is in somebody's hands is not interrupted.
	Withdraw(ctx context.Context, run string) error
	// Close lets go of the exchange. What was published stays.
	Close() error
}

// Patience is how long work stays with somebody who gives no sign of life, unless an exchange is
// told otherwise.
const Patience = 30 * time.Second

// Work is a piece of work in a queue.
type Work struct {
	Run  string
	ID   string // see CheckWork; once for each run
	Body []byte
}

// Taken is a piece of work that was handed out.
type Taken interface {
	Work() Work
	// Attempt counts how often it was handed out, this time included.
	Attempt() int
	// Alive says that the work goes on.
	Alive(ctx context.Context) error
	// Done takes the work out of the queue for ever; it has happened when Done returns nil. The
	// result is published before.
	Done(ctx context.Context) error
	// Back puts the work back for somebody else.
	Back(ctx context.Context) error
}

// ErrNoFile is wrapped by errors of Fetch where nobody has kept the file.
var ErrNoFile = errors.New("no such file")

// ConflictError is two different things said at one address, or the same by two senders: two programs that
// take themselves for the same agent, or a replica that drifted.
type ConflictError struct {
	Said, Stands Fact // the one that was refused, and the one that stands
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("run %s, round %d, %s: something else was said there before (%d bytes against %d now)", e.Stands.Run,
		e.Stands.Round, e.Stands.Name, len(e.Stands.Body), len(e.Said.Body))
}
