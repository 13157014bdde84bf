package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// idle is how long the server keeps a reader of which it hears nothing.
const idle = time.Minute

// heartbeat is how often the server tells a reader that nothing is new; after twice that time
// without it the reader asks again from where it was.
const heartbeat = 2 * time.Second

// Read implements cluster.Facts.
func (x *Exchange) Read(ctx context.Context, run string) iter.Seq2[cluster.Fact, error] {
	return x.read(ctx, run, runSubjects(run))
}

// read reads the facts of a run with some subjects.
func (x *Exchange) read(ctx context.Context, run, subjects string) iter.Seq2[cluster.Fact, error] {
	return func(yield func(cluster.Fact, error) bool) {
		err := cluster.CheckRun(run)
		beside := map[string]bool{} // addresses whose fact beside them was given
		for next := uint64(1); err == nil; {
			next, err = x.stretch(ctx, subjects, next, beside, func(f cluster.Fact) bool { return yield(f, nil) })
		}
		if err != errLeft && ctx.Err() == nil {
			yield(cluster.Fact{}, fmt.Errorf("run %s cannot be read: %w", run, err))
		}
	}
}

var errLeft = errors.New("the loop was left")

// stretch reads from a place on until something is missing, and returns the place of what comes
// next. An error is final.
func (x *Exchange) stretch(ctx context.Context, subjects string, from uint64, beside map[string]bool, yield func(cluster.Fact) bool) (next uint64, err error) {
	reader, err := x.reader(ctx, subjects, from)
	if err != nil {
		return from, err
	}
	changed := x.link.changes()
	messages, err := reader.Messages(jetstream.PullHeartbeat(heartbeat), jetstream.PullExpiry(3*heartbeat))
	if err != nil {
		return from, wait(ctx)
	}
	defer messages.Stop()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // a new connection has no reader of the old server
		select {
		case <-changed:
			stop()
		case <-ctx.Done():
		}
	}()
	next = from
	for read := uint64(1); ; read++ {
		m, err := messages.Next(jetstream.NextContext(ctx))
		if err != nil {
			return next, wait(ctx)
		}
		at, err := m.Metadata()
		if err != nil || at.Sequence.Consumer != read {
			return next, nil // one is missing
		}
		f, counts, err := x.factOf(ctx, m, at.Sequence.Stream, beside)
		if err != nil && ctx.Err() != nil {
			return next, wait(ctx) // the connection is another
		}
		if err != nil {
			return next, err
		}
		if next = at.Sequence.Stream + 1; !counts {
			continue
		}
		if !yield(f) {
			return next, errLeft
		}
	}
}

// factOf returns the fact that a message is, or that is said beside its address. Others are none.
func (x *Exchange) factOf(ctx context.Context, m jetstream.Msg, place uint64, beside map[string]bool) (f cluster.Fact, counts bool, err error) {
	if !genuine(m.Headers(), m.Subject(), false) {
		return f, false, nil // nobody can have said it
	}
	if f, err = factAt(m.Subject()); err == nil {
		f.Body, f.Seq = m.Data(), place
		return f, true, nil
	}
	f, is := asideOf(m.Subject())
	if !is || beside[f.Address()] {
		return f, false, nil
	}
	f, counts, err = x.findAside(ctx, f)
	beside[f.Address()] = beside[f.Address()] || counts
	return f, counts, err
}

// wait is a pause before the next attempt.
func wait(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-time.After(pause / 4):
	}
	return nil
}

// reader makes a consumer of facts from a place on. The server forgets it when it hears
// nothing of it.
func (x *Exchange) reader(ctx context.Context, subjects string, from uint64) (reader jetstream.Consumer, err error) {
	name := nuid.Next()
	subject := "$JS.API.CONSUMER.CREATE." + factStream + "." + name + "." + subjects
	err = x.until(ctx, subject, func(ctx context.Context) error {
		reader, err = x.js.CreateConsumer(ctx, factStream, jetstream.ConsumerConfig{
			Name:              name,
			FilterSubject:     subjects,
			DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
			OptStartSeq:       from,
			AckPolicy:         jetstream.AckNonePolicy,
			InactiveThreshold: idle,
			MemoryStorage:     true,
			Replicas:          1,
		})
		return err
	})
	return reader, err
}

// Runs implements cluster.Facts.
func (x *Exchange) Runs(ctx context.Context) ([]string, error) {
	subjects, err := x.subjects(ctx)
	if err != nil {
		return nil, fmt.Errorf("the runs cannot be listed: %w", err)
	}
	first := map[string]uint64{}
	for subject := range subjects {
		f, err := factAt(subject)
		if err != nil || first[f.Run] > 0 {
			continue
		}
		m, err := x.firstOf(ctx, runSubjects(f.Run))
		if err != nil {
			return nil, fmt.Errorf("the runs cannot be listed: %w", err)
		}
		if m != nil {
			first[f.Run] = sequence(m)
		}
	}
	return byPlace(first), nil
}

// subjects returns all subjects of facts.
func (x *Exchange) subjects(ctx context.Context) (all map[string]uint64, err error) {
	err = x.until(ctx, "$JS.API.STREAM.INFO."+factStream, func(ctx context.Context) error {
		s, err := x.js.Stream(ctx, factStream)
		if err != nil {
			return err
		}
		info, err := s.Info(ctx, jetstream.WithSubjectFilter("cope.>"))
		if err == nil {
			all = info.State.Subjects
		}
		return err
	})
	return all, err
}
