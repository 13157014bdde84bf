package jetstream

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// Whoever has any credentials of a server can have an answer sent to an address where nobody has spoken
// yet, and nobody can speak there then (see genuine). Owner and agents speak beside such an address: at its
// subject with one more part, which only the holder of their seed can know before. What counts is the first
// genuine message beside the address that comes after the one that took it, which is the same for all.

// asideOf returns the fact whose address a subject is beside; ok is false of all other subjects.
func asideOf(subject string) (f cluster.Fact, ok bool) {
	dot := strings.LastIndexByte(subject, '.')
	if dot < 0 {
		return f, false
	}
	f, err := factAt(subject[:dot])
	return f, err == nil && hasAside(f.Name)
}

// hasAside reports whether facts of a name are said beside an address that is taken: what the owner and
// the agents of a run say, and not the results of work.
func hasAside(name string) bool {
	return name == "plan" || name == "run" || name == "stop" || strings.HasPrefix(name, "agent-")
}

// asideSubject returns the subject beside one that is taken; ok is false for those who have no seed.
func (l login) asideSubject(f cluster.Fact) (subject string, ok bool) {
	if l.role.Kind != Agent && l.role.Kind != Owner || len(l.seed) == 0 || !hasAside(f.Name) {
		return "", false
	}
	h := hmac.New(sha256.New, l.seed)
	fmt.Fprintf(h, "beside %s", factSubject(f))
	return factSubject(f) + "." + hex.EncodeToString(h.Sum(nil)[:16]), true
}

// publishAside publishes a fact beside its address, which a message that is none has taken.
func (x *Exchange) publishAside(ctx context.Context, f cluster.Fact, taken *nats.Msg) error {
	subject, ok := x.login.asideSubject(f)
	if !ok {
		return errNotSaid
	}
	if _, err := x.put(ctx, subject, f.Body); err != nil {
		return fmt.Errorf("%w; and beside it: %w", errNotSaid, err)
	}
	for {
		stands, ok, err := x.aside(ctx, f, sequence(taken))
		if err != nil {
			return err
		}
		if ok {
			return compare(f, stands)
		}
		if err := x.pausing(ctx); err != nil { // a server of a cluster that has not heard of it yet
			return err
		}
	}
}

// findAside returns the fact that was said beside an address, when that is taken by a message that is none.
func (x *Exchange) findAside(ctx context.Context, f cluster.Fact) (cluster.Fact, bool, error) {
	m, err := x.last(ctx, factSubject(f))
	if m == nil || err != nil || genuine(m.Header, factSubject(f), true) {
		return cluster.Fact{}, false, err
	}
	return x.aside(ctx, f, sequence(m))
}

// aside returns the first genuine message beside an address that was taken at a place of the stream.
func (x *Exchange) aside(ctx context.Context, f cluster.Fact, taken uint64) (cluster.Fact, bool, error) {
	next := taken + 1
	for {
		reader, err := x.reader(ctx, factSubject(f)+".*", next)
		if err != nil {
			return cluster.Fact{}, false, err
		}
		left := reader.CachedInfo().NumPending
		if left == 0 {
			return cluster.Fact{}, false, nil
		}
		batch, err := reader.Fetch(int(min(left, 100)), jetstream.FetchMaxWait(step))
		if err != nil {
			if err := x.pausing(ctx); err != nil {
				return cluster.Fact{}, false, err
			}
			continue
		}
		for m := range batch.Messages() {
			at, err := m.Metadata()
			if err != nil {
				continue
			}
			next = at.Sequence.Stream + 1
			if genuine(m.Headers(), m.Subject(), false) {
				f.Body, f.Seq = m.Data(), at.Sequence.Stream
				return f, true, nil
			}
		}
	}
}

// pausing waits between two attempts.
func (*Exchange) pausing(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(pause / 4):
		return nil
	}
}

// compare reports a fact that differs from the one that stands at its address.
func compare(said, stands cluster.Fact) error {
	if string(stands.Body) == string(said.Body) {
		return nil
	}
	return &cluster.ConflictError{Said: said, Stands: stands}
}
