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

// idle is how long the server keeps a consumer without requests. An active reader sends a request every few seconds, so
// that only readers whose program or connection has ended are removed.
const idle = time.Minute

// heartbeat is the interval of the server's heartbeats while there are no new facts. If none arrives within twice this
// time, the reader starts again at its last position.
const heartbeat = 2 * time.Second

// most is the largest number of facts in a batch, and batchBytes their total size. A batch can hold the longest fact, and
// eight readers of one connection together do not exceed mostPending. With mostPending half as large, four readers lost
// messages repeatedly: 20 MB took 5 s instead of 0.1 s.
const (
	most       = 100
	batchBytes = mostPending / 8
)

// Read implements cluster.Facts. Each name has its own reader, so that the server sends no other facts. Facts of one name
// come in order; different names do not wait for each other.
func (x *Exchange) Read(ctx context.Context, run string, names ...string) iter.Seq2[cluster.Fact, error] {
	if len(names) == 0 {
		return x.read(ctx, run, "")
	}
	// read is a fact or an error from one reader.
	type read struct {
		fact cluster.Fact
		err  error
	}
	return func(yield func(cluster.Fact, error) bool) {
		// the readers end with the loop
		ctx, stop := context.WithCancel(ctx)
		out := make(chan read)
		// deferred calls run in reverse order: stop the readers, then wait for them
		var readers sync.WaitGroup
		defer readers.Wait()
		defer stop()
		for _, name := range names {
			readers.Go(func() {
				for f, err := range x.read(ctx, run, name) {
					// after the loop ends, nobody receives
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

// read yields the facts of a run, or of one name if it is not "".
func (x *Exchange) read(ctx context.Context, run, name string) iter.Seq2[cluster.Fact, error] {
	return func(yield func(cluster.Fact, error) bool) {
		err := cluster.CheckRun(run)
		// a stretch ends if a message is missing, for example after a lost connection; the next stretch begins there
		for next := uint64(1); err == nil; {
			next, err = x.stretch(ctx, run, name, next, func(f cluster.Fact) bool { return yield(f, nil) })
		}
		// leaving the loop and the end of the context are not errors
		if err != errLeft && ctx.Err() == nil {
			yield(cluster.Fact{}, fmt.Errorf("run %s cannot be read: %w", run, err))
		}
	}
}

// errLeft is returned by stretch if the caller left the loop.
var errLeft = errors.New("the loop was left")

// stretch reads facts from a sequence number on until a message is missing, and returns the sequence number at which to
// continue. An error is final. Missing messages show in the consumer's numbers: the server numbers what it sends, and
// nothing is acknowledged.
func (x *Exchange) stretch(ctx context.Context, run, name string, from uint64, yield func(cluster.Fact) bool) (next uint64, err error) {
	reader, err := x.reader(ctx, run, name, from)
	if err != nil {
		return from, err
	}
	// a change of the connection ends the stretch
	_, changed, _ := x.link.now()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() { // the reader does not exist on the new connection
		select {
		case <-changed:
			stop()
		case <-ctx.Done():
		}
	}()
	next = from
	// read is the number of this consumer's next message, from 1
	for read, whole := uint64(1), true; whole; {
		whole = x.batch(ctx, reader, func(m *nats.Msg) bool {
			at, e := m.Metadata()
			if e != nil || at.Sequence.Consumer != read {
				return false // a message is missing
			}
			read, next = read+1, at.Sequence.Stream+1
			// messages with other subjects than facts are skipped
			if f, e := factOf(m); e == nil && !yield(f) {
				err = errLeft // ends the batch and the stretch
			}
			return err == nil
		})
	}
	if err == nil { // pause before the next attempt
		_ = await.Pause(ctx, pause/4)
	}
	return next, err
}

// batch requests the next messages, and calls take for each in order, until the batch is full or no message came for a
// while. take returns false if a message is missing or no more are wanted. whole is true if nothing is missing.
func (x *Exchange) batch(ctx context.Context, reader string, take func(*nats.Msg) bool) (whole bool) {
	// a new inbox, so that replies to an earlier batch are not mixed in
	inbox := x.nc.NewInbox()
	answers, err := x.nc.SubscribeSync(inbox)
	if err != nil {
		return false
	}
	defer answers.Unsubscribe()
	// the server reports the end of the batch, and sends heartbeats until then
	question := fmt.Appendf(nil, `{"batch":%d,"max_bytes":%d,"expires":%d,"idle_heartbeat":%d}`, most, batchBytes, 3*heartbeat, heartbeat)
	if err := x.nc.PublishRequest(nextFacts+"."+reader, inbox, question); err != nil {
		return false
	}
	for n := 0; n < most; {
		// no message for two heartbeats: the reader or the connection is lost
		patient, stop := context.WithTimeout(ctx, 2*heartbeat)
		m, err := answers.NextMsgWithContext(patient)
		stop()
		if err != nil {
			return false
		}
		// messages of the server have a status, and facts have metadata
		status := m.Header.Get("Status")
		if _, e := m.Metadata(); e == nil {
			status = "" // a fact, whatever headers it has
		}
		switch status {
		case "":
			if n++; !take(m) {
				return false
			}
		case "100": // heartbeat
		case "404", "408": // no further messages for now
			return true
		case "409":
			// the batch has reached its size limit; after any other 409 the reader starts again
			return m.Header.Get("Description") == "Message Size Exceeds MaxBytes"
		default:
			return false
		}
	}
	return true
}

// factOf returns the fact in a message. It returns an error if the subject is not that of a fact. Seq is 0 if the message
// did not come from a consumer.
func factOf(m *nats.Msg) (cluster.Fact, error) {
	f, err := factAt(m.Subject)
	f.Body, f.Sender = m.Data, m.Header.Get(senderHeader)
	if at, e := m.Metadata(); e == nil {
		f.Seq = at.Sequence.Stream
	}
	return f, err
}

// reader creates a consumer for the facts of a run from sequence number `from` on, and returns its random name. If name is
// not "", the consumer gets only facts of that name. A server of Serve creates the consumer on request; on other servers
// this program creates it. The server removes a consumer that is not read.
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

// readerOf returns a new random name of a consumer, and its configuration. With a name that others could guess, they could
// take its messages.
func readerOf(run, name string, from uint64) (string, jetstream.ConsumerConfig) {
	subjects := runSubjects(run)
	if name != "" {
		subjects = "cope." + run + ".*." + name
	}
	reader := rand.Text()
	return reader, jetstream.ConsumerConfig{
		Name:          reader,
		FilterSubject: subjects, // all rounds
		// from this sequence number on
		DeliverPolicy:     jetstream.DeliverByStartSequencePolicy,
		OptStartSeq:       from,
		AckPolicy:         jetstream.AckNonePolicy, // missing facts are requested again by sequence number
		InactiveThreshold: idle,                    // the server deletes unused readers
		MemoryStorage:     true,                    // a lost consumer is created again
		Replicas:          1,                       // one copy, also in a cluster
	}
}

// Runs implements cluster.Facts. It makes one request for all subjects and one for each run, which takes long on a large
// server.
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
		// runs are sorted by the sequence number of their first fact
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

// subjects returns the subjects of facts, each with its number of messages, which is 1.
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
