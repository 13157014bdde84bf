package jetstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
)

// idle is the time for which the server keeps a silent reader. A reader that asks is heard every few seconds, so only
// one whose program or connection has ended is forgotten.
const idle = time.Minute

// heartbeat is the interval of the server's signs that nothing is new; after twice that time without one the reader asks again from its
// last position.
const heartbeat = 2 * time.Second

// most is the number of facts that a reader gets at a time, and batchBytes their size together: the longest fact,
// and so little that eight readers of one connection have no more on their way than may wait for it. With half
// of this room, four of them lost messages again and again: 20 MB took them 5 s instead of 0.1 s.
const (
	most       = 100
	batchBytes = mostPending / 8
)

// Read implements cluster.Facts. Each name has a reader of its own, so that the server sends nothing else. Facts of one name
// come in their order, and names do not wait for each other.
func (x *Exchange) Read(ctx context.Context, run string, names ...string) iter.Seq2[cluster.Fact, error] {
	if len(names) == 0 {
		return x.read(ctx, run, "")
	}
	// read is one fact or error from one of the readers.
	type read struct {
		fact cluster.Fact
		err  error
	}
	return func(yield func(cluster.Fact, error) bool) {
		// the readers end with the loop
		ctx, stop := context.WithCancel(ctx)
		out := make(chan read)
		// deferred calls run in reverse: the readers are ended, and then waited for
		var readers sync.WaitGroup
		defer readers.Wait()
		defer stop()
		for _, name := range names {
			readers.Go(func() {
				for f, err := range x.read(ctx, run, name) {
					// it is no longer received once the loop is left
					select {
					case out <- read{f, err}:
					case <-ctx.Done():
						return
					}
				}
			})
		}
		for {
			select {
			case <-ctx.Done():
				return
			case r := <-out:
				if !yield(r.fact, r.err) {
					return
				}
			}
		}
	}
}

// read reads the facts of a run, of one name where one is given.
func (x *Exchange) read(ctx context.Context, run, name string) iter.Seq2[cluster.Fact, error] {
	return func(yield func(cluster.Fact, error) bool) {
		err := cluster.CheckRun(run)
		// a stretch ends where something is missing, as after a lost connection; the next one begins at that place
		for next := uint64(1); err == nil; {
			next, err = x.stretch(ctx, run, name, next, func(f cluster.Fact) bool { return yield(f, nil) })
		}
		// the loop was left, or its context has ended: that is not an error of the run
		if err != errLeft && ctx.Err() == nil {
			yield(cluster.Fact{}, fmt.Errorf("run %s cannot be read: %w", run, err))
		}
	}
}

// errLeft ends a stretch whose caller wants no more.
var errLeft = errors.New("the loop was left")

// stretch reads from a place on until something is missing, and returns the place of the fact that comes
// next. An error is final. What is missing shows in the numbers of the reader: the server counts what it has sent, and nothing
// is acknowledged.
func (x *Exchange) stretch(ctx context.Context, run, name string, from uint64, yield func(cluster.Fact) bool) (next uint64, err error) {
	reader, err := x.reader(ctx, run, name, from)
	if err != nil {
		return from, err
	}
	// a connection that changes ends the stretch
	_, changed, _ := x.link.now()
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
	// read is the number that the next message of this reader has, from 1
	for read, whole := uint64(1), true; whole; {
		whole = x.batch(ctx, reader, func(m *nats.Msg) bool {
			at, e := m.Metadata()
			if e != nil || at.Sequence.Consumer != read {
				return false // one is missing
			}
			read, next = read+1, at.Sequence.Stream+1
			// a message that is not a fact is skipped: another party's subject
			if f, e := factOf(m); e == nil && !yield(f) {
				err = errLeft // ends the batch, and by err the reading
			}
			return err == nil
		})
	}
	if err == nil { // a pause before the next attempt
		_ = await.Pause(ctx, pause/4)
	}
	return next, err
}

// batch asks for what comes next, and hands it on until enough has come or nothing came for a while. It
// reports whether nothing is missing. Take is called for each message in its order, and returns false if no more is wanted or
// one is missing.
func (x *Exchange) batch(ctx context.Context, reader string, take func(*nats.Msg) bool) (whole bool) {
	// an inbox for each batch, so that answers of an earlier one are not treated as its own
	inbox := x.nc.NewInbox()
	answers, err := x.nc.SubscribeSync(inbox)
	if err != nil {
		return false
	}
	defer answers.Unsubscribe()
	// the server says by itself when the batch is over, and before that every heartbeat that it is there
	question := fmt.Appendf(nil, `{"batch":%d,"max_bytes":%d,"expires":%d,"idle_heartbeat":%d}`, most, batchBytes, 3*heartbeat, heartbeat)
	if err := x.nc.PublishRequest(nextFacts+"."+reader, inbox, question); err != nil {
		return false
	}
	for n := 0; n < most; {
		// two heartbeats without a word: the reader is gone, or the connection
		patient, stop := context.WithTimeout(ctx, 2*heartbeat)
		m, err := answers.NextMsgWithContext(patient)
		stop()
		if err != nil {
			return false
		}
		// words of the server have a status, and facts a place in the stream
		status := m.Header.Get("Status")
		if _, e := m.Metadata(); e == nil {
			status = "" // a fact, whatever headers it has
		}
		switch status {
		case "":
			if n++; !take(m) {
				return false
			}
		case "100": // a heartbeat
		case "404", "408": // nothing more for now
			return true
		case "409":
			// the batch is as long as it may be; every other 409 is a reason to begin again
			return m.Header.Get("Description") == "Message Size Exceeds MaxBytes"
		default:
			return false
		}
	}
	return true
}

// factOf returns the fact in a message of its subject. An error states that it is none. The place is 0 of a message that was not
// read by a consumer.
func factOf(m *nats.Msg) (cluster.Fact, error) {
	f, err := factAt(m.Subject)
	f.Body, f.Sender = m.Data, m.Header.Get(senderHeader)
	if at, e := m.Metadata(); e == nil {
		f.Seq = at.Sequence.Stream
	}
	return f, err
}

// reader creates a consumer for the facts of a run from sequence number from on, and returns the random name of the consumer. If name is
// not empty, the consumer gets only facts of that name. The server drops a consumer that is not read. A server that Serve started creates
// the consumer; on other servers this program does.
func (x *Exchange) reader(ctx context.Context, run, name string, from uint64) (reader string, err error) {
	if !x.ours {
		reader, c := readerOf(run, name, from)
		subject := "$JS.API.CONSUMER.CREATE." + factStream + "." + c.Name + "." + c.FilterSubject
		return reader, x.until(ctx, subject, func(ctx context.Context) error {
			_, err := x.js.CreateConsumer(ctx, factStream, c)
			return err
		})
	}
	// without a name the subject ends with the run
	subject := strings.TrimSuffix(readSubject+"."+run+"."+name, ".")
	return x.asked(ctx, subject, strconv.FormatUint(from, 10))
}

// readerOf returns a new name of a reader, which others cannot guess, and its settings. With a guessed name others could take the reader's
// messages.
func readerOf(run, name string, from uint64) (string, jetstream.ConsumerConfig) {
	subjects := runSubjects(run)
	if name != "" {
		subjects = "cope." + run + ".*." + name
	}
	reader := rand.Text()
	return reader, jetstream.ConsumerConfig{
		Name:          reader,
		FilterSubject: subjects, // of all rounds
		// from this sequence number on, whatever was read before
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       from,
		AckPolicy:         jetstream.AckNonePolicy, // missing facts are requested again by sequence number
		InactiveThreshold: idle,                    // readers need not be deleted
		MemoryStorage:     true,                    // a lost consumer is created again
		Replicas:          1,                       // also in a cluster
	}
}

// Runs implements cluster.Facts. It costs a question for each run, and one for all subjects: a large server has many.
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
		// the run's first fact has the place by which runs are sorted
		m, err := x.direct(ctx, directGet, fmt.Appendf(nil, `{"seq":1,"next_by_subj":%q}`, runSubjects(f.Run)))
		if err != nil {
			return nil, fmt.Errorf("the runs cannot be listed: %w", err)
		}
		if m != nil {
			first[f.Run] = sequence(m)
		}
	}
	return slices.SortedFunc(maps.Keys(first), func(a, b string) int { return cmp.Compare(first[a], first[b]) }), nil
}

// subjects returns the subjects that have facts, with their number of messages, which is 1.
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
