package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// taken is one handing out of a piece of work.
type taken struct {
	x       *Exchange
	work    cluster.Work
	reply   string // where the server hears of it
	attempt int
	link    int // the connection by which it came
}

func (t *taken) Work() cluster.Work {
	w := t.work
	w.Body = bytes.Clone(w.Body)
	return w
}

func (t *taken) Attempt() int { return t.attempt }

// Done implements cluster.Taken. That the work is done is on the server's disk, which its
// acknowledgement is a little later only.
func (t *taken) Done(ctx context.Context) error {
	if _, err := t.x.put(ctx, doneSubject(t.work.Run, t.work.ID), nil); err != nil {
		return fmt.Errorf("work %s of run %s: %w", t.work.ID, t.work.Run, err)
	}
	return t.say(ctx, "+ACK")
}

// Alive implements cluster.Taken.
func (t *taken) Alive(ctx context.Context) error { return t.say(ctx, "+WPI") }

// Back implements cluster.Taken. The server waits a moment, so that work which nobody can do does
// not go round at full speed.
func (t *taken) Back(ctx context.Context) error {
	err := t.say(ctx, fmt.Sprintf(`-NAK {"delay": %d}`, 50*time.Millisecond))
	_ = t.x.nc.Publish(wakeSubject(t.work.Run), nil)
	return err
}

// say tells the server that handed the work out, and no later one: a server that was killed may not
// remember that it did, and would take an acknowledgement for a reason to skip everything before.
// A later one hands the work out again, if it is not done.
func (t *taken) say(ctx context.Context, word string) error {
	err := t.x.until(ctx, t.reply, func(ctx context.Context) error {
		if word != "+WPI" && t.x.link.connection() != t.link {
			return nil
		}
		_, err := t.x.nc.RequestWithContext(ctx, t.reply, []byte(word))
		if errors.Is(err, nats.ErrNoResponders) && len(t.x.knownQueue(ctx, t.work.Run)) == 0 {
			return nil // the work was withdrawn
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("work %s of run %s: %w", t.work.ID, t.work.Run, err)
	}
	return nil
}
