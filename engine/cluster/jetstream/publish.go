package jetstream

import (
	"context"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Publish implements cluster.Facts.
func (x *Exchange) Publish(ctx context.Context, f cluster.Fact) error {
	if err := cluster.CheckFact(f); err != nil {
		return err
	}
	subject := factSubject(f)
	there, err := x.put(ctx, subject, f.Body)
	if err != nil {
		return fmt.Errorf("run %s, round %d, %s is not published: %w", f.Run, f.Round, f.Name, err)
	}
	if !there {
		return nil
	}
	stands, err := x.standing(ctx, subject)
	if err != nil {
		return fmt.Errorf("run %s, round %d, %s: something was said there before and cannot be read: %w", f.Run, f.Round, f.Name, err)
	}
	old := f
	old.Body, old.Seq, old.Sender = stands.Data, sequence(stands), stands.Header.Get(senderHeader)
	if string(old.Body) != string(f.Body) || old.Sender != "" && old.Sender != x.login.role.sender() {
		return &cluster.ConflictError{Said: f, Stands: old}
	}
	return nil
}

// put stores the first message of a subject. It reports that there is one already, be it the same:
// the answer to an earlier attempt may have been lost.
func (x *Exchange) put(ctx context.Context, subject string, body []byte) (there bool, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		_, err := x.js.Publish(ctx, subject, body, jetstream.WithExpectLastSequencePerSubject(0))
		there = alreadyThere(err)
		if there {
			return nil
		}
		return err
	})
	return there, err
}

// standing returns the message of a subject that has one. Another server of a cluster may not
// have heard of it yet.
func (x *Exchange) standing(ctx context.Context, subject string) (*nats.Msg, error) {
	for {
		m, err := x.last(ctx, subject)
		if m != nil || err != nil {
			return m, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(pause / 4):
		}
	}
}
