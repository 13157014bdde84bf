package jetstream

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
)

// serverName is how servers of Serve call themselves.
const serverName = "gonb-cope"

// Exchange is a connection to a server that keeps facts. It is safe for concurrent use. A connection that breaks is
// made again alone, and every call continues by the new one, or says why there is none.
type Exchange struct {
	nc         *nats.Conn          // the connection
	js         jetstream.JetStream // JetStream by this connection
	login      login               // who the program is; zero without credentials
	violations *violations         // those who wait for answers that the server may refuse
	ours       bool                // whether it is a server of Serve; which makes readers when asked
	link       link                // whether the connection is there
	silence    silence             // whether anybody answers for the stream
}

var _ cluster.Exchange = (*Exchange)(nil)

const (
	step  = 5 * time.Second        // longest wait for one answer, before the question is asked again
	elect = 30 * time.Second       // longest time that a cluster of servers has no leader; 5-9 s were measured
	pause = 100 * time.Millisecond // between two attempts
)

// Close implements cluster.Exchange. Whoever waits gets an error. Published facts stay.
func (x *Exchange) Close() error {
	x.nc.Close()
	return nil
}

// prepared returns the Exchange when its server keeps facts, in three copies if it is a cluster that can. Credentials of Keys are for a
// server of Serve, which is not a cluster.
func (x *Exchange) prepared(ctx context.Context, url string, o DialOptions) (*Exchange, error) {
	x, err := x.ready(ctx)
	if err != nil || x.login.role.Kind != "" || x.nc.ConnectedClusterName() == "" {
		return x, err
	}
	if k := x.moreCopies(ctx); k.asked > 0 && k.current < copies && o.Notice != nil {
		o.Notice("the cluster at " + Redacted(url) + " " + k.String())
	}
	return x, nil
}

// ready waits until the server keeps facts, and makes its streams where that is allowed. After an error the connection is
// closed. Credentials of Keys cannot make streams: their server has made them.
func (x *Exchange) ready(ctx context.Context) (*Exchange, error) {
	probe := "cope.x.0.run" // which all others may ask for
	if x.login.role.Kind == Agent {
		probe = "cope." + x.login.role.Run + ".0.run"
	}
	// the first question is asked alone, as its answer reports whether there are streams at all
	first, stop := context.WithTimeout(ctx, step) // a server that ends just now never answers
	defer stop()
	asked, forget := x.violations.watch(first, directGet+"."+probe)
	_, err := x.nc.RequestWithContext(asked, directGet+"."+probe, nil)
	refused := context.Cause(asked)
	forget()
	// the stream's own subject has no listener: most likely it is not there yet
	if silent(err) && x.login.role.Kind == "" {
		err = x.until(ctx, "$JS.API.STREAM.CREATE."+factStream, func(ctx context.Context) error {
			return makeStream(ctx, x.js, x.nc.ConnectedClusterName() != "")
		})
		if p := (*PermissionError)(nil); errors.As(err, &p) {
			_, err = x.last(ctx, probe) // the server makes them itself, as soon as it can
		}
	} else {
		// the usual case, and a cluster without a leader: until waits for an answer
		_, err = x.last(ctx, probe)
	}
	// a refusal says more than whatever came of the second question
	if p := (*PermissionError)(nil); errors.As(refused, &p) {
		err = p
	}
	if err != nil {
		at := Redacted(x.nc.ConnectedUrl())
		x.nc.Close()
		return nil, fmt.Errorf("the server at %s cannot be used: %w", at, err)
	}
	// from now on a silent server is waited for
	x.silence.served.Store(true)
	return x, nil
}

// Traffic returns the messages and bytes that went through the connection so far.
func (x *Exchange) Traffic() (sent, received, bytesSent, bytesReceived uint64) {
	s := x.nc.Stats()
	return s.OutMsgs, s.InMsgs, s.OutBytes, s.InBytes
}

// until asks again and again until it is answered, the answer is final, or the context ends. The
// subject is the one that permissions are about. See silence for the case that no server answers. Ask makes one attempt, in the
// time of a step, and may be called many times: it must not matter that it happens twice. The errors are the one of the context,
// a *PermissionError, the one in a definite, ErrFull, ErrNoStream, and why there will be no connection any more.
func (x *Exchange) until(ctx context.Context, subject string, ask func(context.Context) error) error {
	// the time since which the streams give no answer; zero if the last attempt had an answer
	var silentSince time.Time
	for {
		// without a connection an attempt would only use up its time
		if err := x.link.up(ctx, x.nc); err != nil {
			return err
		}
		err := x.once(ctx, subject, ask)
		var refused *PermissionError
		switch {
		case err == nil:
			x.silence.ended()
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case errors.As(err, &refused), errors.As(err, new(definite)):
			return err
		}
		if f := final(err); f != nil {
			return f
		}
		// a disk that has failed looks like a slow server
		if errors.Is(err, context.DeadlineExceeded) {
			if t := trouble(ctx, x.nc); t != nil {
				return t
			}
		}
		switch {
		// something answered, if not well
		case !silent(err):
			silentSince = time.Time{}
		case silentSince.IsZero():
			silentSince = time.Now()
		case x.silence.long(silentSince):
			// streams that were never there, or were deleted, will not be made while this waits
			if !x.silence.served.Load() || x.missing(ctx) {
				return ErrNoStream
			}
			x.silence.waits()
			silentSince = time.Now()
		}
		// the end of ctx is met at the head of the loop
		_ = await.Pause(ctx, pause)
	}
}

// once asks once and gives the server the time of a step. The refusal of a permission ends the attempt as soon as the server states so.
func (x *Exchange) once(ctx context.Context, subject string, ask func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, step)
	defer stop()
	ctx, forget := x.violations.watch(ctx, subject)
	defer forget()
	err := ask(ctx)
	if refused := (*PermissionError)(nil); err != nil && errors.As(context.Cause(ctx), &refused) {
		return refused
	}
	return err
}

// definite is an answer that asking again does not change. The function until returns the error in it.
type definite struct{ error }

func (d definite) Unwrap() error { return d.error }

// answered is an answer of the server of Serve. JetStream itself writes errors in this form, too.
type answered struct {
	Name  string              `json:"name,omitempty"`  // name of the consumer; "" with an error
	Error *jetstream.APIError `json:"error,omitempty"` // nil if there is none
}

// asked asks the server of Serve for a consumer, and returns its name. Question is the body that makeReader reads.
func (x *Exchange) asked(ctx context.Context, subject, question string) (name string, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		var a answered
		err := x.request(ctx, subject, []byte(question), &a)
		name = a.Name
		return err
	})
	return name, err
}

// request asks once, and reads the answer, which may be an error of JetStream. An answer is read twice: for the error that it
// may be, and into answer, a pointer.
func (x *Exchange) request(ctx context.Context, subject string, question []byte, answer any) error {
	m, err := x.nc.RequestWithContext(ctx, subject, question)
	if err != nil {
		return err
	}
	var failed answered
	if err := json.Unmarshal(m.Data, &failed); err != nil {
		return err
	}
	if failed.Error != nil {
		return failed.Error
	}
	return json.Unmarshal(m.Data, answer)
}

// stateSubject is where a server of Serve reports whether it can write. JetStream does not answer at all
// once its disk has failed, so that the cause would look like a slow network.
const stateSubject = "cope-ask.state"

// trouble asks the server whether it can write, after an answer did not come. It is nil if the server can write, and where
// that is not known. The words of a full disk make it ErrFull.
func trouble(ctx context.Context, nc *nats.Conn) error {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	m, err := nc.RequestWithContext(ctx, stateSubject, nil)
	if err != nil || len(m.Data) == 0 {
		return nil // a server of others, or nothing is known
	}
	if text := string(m.Data); !strings.Contains(text, "no space left") {
		return fmt.Errorf("the server cannot write to its disk (%s). Nothing was recorded. Repair the disk and start the server again", text)
	}
	return fmt.Errorf("%w; then start the server again", ErrFull)
}

// silence handles a server that is there while its streams give no answer: a cluster elects a leader, or the server that has the only copy
// is away. If the streams were never there, it is an error after a while; later it is reported, and waited for. It is safe for concurrent
// use once its first three fields are set.
type silence struct {
	limit  time.Duration     // how long it may take before it is said; elect if it is 0
	notice func(text string) // never nil
	at     string            // the URLs, without secrets
	served atomic.Bool       // the streams were there
	said   atomic.Bool       // whether it was said, and its end was not
}

// long reports whether the silence is long enough to be reported.
func (s *silence) long(since time.Time) bool { return time.Since(since) > cmp.Or(s.limit, elect) }

// waits states that an answer is waited for, once for each silence. Several calls may wait at once, and one of them reports it.
func (s *silence) waits() {
	if s.said.CompareAndSwap(false, true) {
		s.notice("no server that has the messages at " + s.at +
			" has answered for half a minute. The servers cannot elect a leader, or the one with the only copy is down. The request is repeated")
	}
}

// ended states that there are answers again.
func (s *silence) ended() {
	// the first look costs nothing, as nearly every call ends here
	if s.said.Load() && s.said.CompareAndSwap(true, false) {
		s.notice("the messages at " + s.at + " can be reached again")
	}
}

// missing reports whether the servers state that the stream does not exist now. It is called after a long silence. Where
// nothing is known it is false, so that the waiting continues.
func (x *Exchange) missing(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, step)
	defer stop()
	_, err := x.stream(ctx)
	return errors.Is(err, jetstream.ErrStreamNotFound)
}

// stream asks for the present state of the stream. The answer is never older than the call.
func (x *Exchange) stream(ctx context.Context) (*jetstream.StreamInfo, error) {
	ctx, forget := x.violations.watch(ctx, "$JS.API.STREAM.INFO."+factStream)
	defer forget()
	s, err := x.js.Stream(ctx, factStream)
	if err != nil {
		return nil, err
	}
	return s.CachedInfo(), nil
}

// copies is the number of servers of a cluster that keep each fact: any of them may be lost. Three is the least
// where one may be lost and the others still elect a leader.
const copies = 3

// askCopies is the time for which a new server asks its cluster for more copies.
const askCopies = 2 * time.Second

// replication states how many copies a cluster keeps: asked for, and up to date. Zero means that nothing is known.
type replication struct{ asked, current int }

// moreCopies asks a cluster of servers for three copies if it keeps fewer: the stream was made while a server was away, or before the
// cluster had three. It reports how many there will be and how many are up to date, after waiting a little; 0 if that is unknown. A client
// without the right to change streams only reads that.
func (x *Exchange) moreCopies(ctx context.Context) replication {
	ctx, stop := context.WithTimeout(ctx, askCopies)
	defer stop()
	info, err := x.stream(ctx)
	if err != nil {
		return replication{}
	}
	// a cluster that has three servers by now gives the copies when it is asked again
	if c := info.Config; c.Replicas < copies {
		c.Replicas = copies
		change, forget := x.violations.watch(ctx, "$JS.API.STREAM.UPDATE."+factStream)
		defer forget()
		s, err := x.js.UpdateStream(change, c)
		if err != nil {
			return copiesIn(info) // the cluster has too few servers now, or it is not for us to say
		}
		info = s.CachedInfo()
	}
	// new copies need a moment; after askCopies it is said how far they are
	for {
		if k := copiesIn(info); k.current >= k.asked || await.Pause(ctx, pause) != nil {
			return k
		}
		if now, err := x.stream(ctx); err == nil {
			info = now
		}
	}
}

// copiesIn reads how many copies of a stream there are. The leader is one of them, and the others are in the list of replicas.
func copiesIn(info *jetstream.StreamInfo) replication {
	k := replication{info.Config.Replicas, 1}
	if info.Cluster != nil {
		k.current += lists.Count(info.Cluster.Replicas, func(r *jetstream.PeerInfo) bool { return r.Current && !r.Offline })
	}
	return k
}

// String returns the sentence about a cluster that keeps fewer copies than three. It continues "the cluster at URL". It is not
// called if all copies are present.
func (k replication) String() string {
	if k.asked >= copies {
		are := "are"
		if k.current == 1 {
			are = "is"
		}
		return fmt.Sprintf("keeps %d copies of every message; %d %s up to date. Do not stop another server before all are", k.asked,
			k.current, are)
	}
	n := "one copy"
	if k.asked > 1 {
		n = fmt.Sprintf("%d copies", k.asked)
	}
	return "keeps " + n + " of every message. If the server that has it stops, the run waits; if its disk is lost, messages are lost. " +
		"With three servers present when the first client joins, it keeps three copies, and any one may fail. Two servers are not " +
		"safer than one, because electing a leader needs both"
}
