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
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// serverName is the NATS server name of servers started by Serve.
const serverName = "gonb-cope"

// Exchange is a connection to a server that stores facts. It is safe for concurrent use. A broken connection is restored
// automatically. Each call continues on the new connection, or returns why there is none.
type Exchange struct {
	nc         *nats.Conn          // the connection to NATS
	js         jetstream.JetStream // JetStream through this connection
	login      login               // identity of the program; zero without credentials
	violations *violations         // callers that wait for replies that the server may refuse
	ours       bool                // the server was started by Serve, and creates readers on request
	link       link                // state of the connection
	silence    silence             // state of the stream's replies
}

var _ cluster.Exchange = (*Exchange)(nil)

const (
	step  = 5 * time.Second        // longest wait for one reply before the request is repeated
	elect = 30 * time.Second       // longest time that a cluster has no leader; 5-9 s were measured
	pause = 100 * time.Millisecond // pause between two attempts
)

// Close implements cluster.Exchange. Waiting calls return an error. Published facts remain.
func (x *Exchange) Close() error {
	x.nc.Close()
	return nil
}

// prepared waits until the server stores facts, and then asks a cluster for three copies. Credentials of Keys are only for
// servers of Serve, which are not clusters. prepared gives a notice if the cluster has fewer copies.
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

// ready waits until the server stores facts. It makes the stream if it is missing and the credentials permit this; a
// server with keys has made it itself. After an error the connection is closed.
func (x *Exchange) ready(ctx context.Context) (*Exchange, error) {
	probe := "cope.x.0.run" // a fact that all other roles may read
	if x.login.role.Kind == Agent {
		probe = "cope." + x.login.role.Run + ".0.run"
	}
	// the first request is sent without repetition: its error shows whether the stream exists
	first, stop := context.WithTimeout(ctx, step) // a server that is stopping never replies
	defer stop()
	asked, forget := x.violations.watch(first, directGet+"."+probe)
	_, err := x.nc.RequestWithContext(asked, directGet+"."+probe, nil)
	refused := context.Cause(asked)
	forget()
	// no listener for the stream's subject: it probably does not exist yet
	if silent(err) && x.login.role.Kind == "" {
		err = x.until(ctx, "$JS.API.STREAM.CREATE."+factStream, func(ctx context.Context) error {
			return makeStream(ctx, x.js, x.nc.ConnectedClusterName() != "")
		})
		if p := (*PermissionError)(nil); errors.As(err, &p) {
			_, err = x.message(ctx, probe) // not permitted: the server makes the stream itself
		}
	} else {
		// the usual case, or a cluster without a leader: until waits for a reply
		_, err = x.message(ctx, probe)
	}
	// a refusal is more informative than the result of the second request
	if p := (*PermissionError)(nil); errors.As(refused, &p) {
		err = p
	}
	if err != nil {
		at := Redacted(x.nc.ConnectedUrl())
		x.nc.Close()
		return nil, fmt.Errorf("the server at %s cannot be used: %w", at, err)
	}
	// from now on, until waits for a silent server
	x.silence.served.Store(true)
	return x, nil
}

// Traffic returns the messages and bytes that went through the connection so far.
func (x *Exchange) Traffic() (sent, received, bytesSent, bytesReceived uint64) {
	s := x.nc.Stats()
	return s.OutMsgs, s.InMsgs, s.OutBytes, s.InBytes
}

// until repeats a request until it succeeds, fails for good, or the context ends. ask makes one attempt within step; it
// may be called many times, and must tolerate that. subject is the subject whose permission is needed. If no server
// replies, silence decides how long to wait.
//
// The error is that of the context, a *PermissionError, the error in a definite, or the result of final or trouble. It is
// ErrNoStream if the stream is missing. If the connection is lost for good, it is the reason.
func (x *Exchange) until(ctx context.Context, subject string, ask func(context.Context) error) error {
	// time since which the stream has not replied; zero if the last attempt had a reply
	var silentSince time.Time
	for {
		// without a connection, an attempt would only waste its time
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
		// a failed disk looks like a slow server
		if errors.Is(err, context.DeadlineExceeded) {
			if t := trouble(ctx, x.nc); t != nil {
				return t
			}
		}
		switch {
		// there was a reply, although an error
		case !silent(err):
			silentSince = time.Time{}
		case silentSince.IsZero():
			silentSince = time.Now()
		case x.silence.long(silentSince):
			// a stream that never existed, or was deleted, will not appear
			if !x.silence.served.Load() || x.missing(ctx) {
				return ErrNoStream
			}
			x.silence.waits()
			silentSince = time.Now()
		}
		// the loop checks the end of ctx
		_ = await.Pause(ctx, pause)
	}
}

// once makes one attempt within step. It returns early with a *PermissionError if the server refuses the subject.
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

// definite is an error that a repetition would not change. until returns it immediately.
type definite struct{ error }

func (d definite) Unwrap() error { return d.error }

// answered is a reply of a server of Serve. JetStream errors have the same form.
type answered struct {
	Name  string              `json:"name,omitempty"`  // name of the consumer; "" with an error
	Error *jetstream.APIError `json:"error,omitempty"` // error of the server; nil on success
}

// asked requests a consumer from a server of Serve, and returns its name. question is the body that makeReader parses.
func (x *Exchange) asked(ctx context.Context, subject, question string) (name string, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		var a answered
		err := x.request(ctx, subject, []byte(question), &a)
		name = a.Name
		return err
	})
	return name, err
}

// request makes one request, and decodes the reply into the pointer answer. If the reply is a JetStream error, it returns
// this error.
func (x *Exchange) request(ctx context.Context, subject string, question []byte, answer any) (err error) {
	defer try.Caught(&err)
	m := try.Of(x.nc.RequestWithContext(ctx, subject, question))
	var failed answered
	try.To(json.Unmarshal(m.Data, &failed))
	if failed.Error != nil {
		return failed.Error
	}
	return json.Unmarshal(m.Data, answer)
}

// stateSubject is where a server of Serve replies whether it can write. After a disk failure JetStream does not reply,
// which would look like a slow network.
const stateSubject = "cope-ask.state"

// trouble asks the server whether it can write, after a missing reply. It returns nil if it can, or if that is unknown. If
// the disk is full, the error wraps ErrFull.
func trouble(ctx context.Context, nc *nats.Conn) error {
	ctx, stop := context.WithTimeout(ctx, time.Second)
	defer stop()
	m, err := nc.RequestWithContext(ctx, stateSubject, nil)
	if err != nil || len(m.Data) == 0 {
		return nil // another server, or the state is unknown
	}
	if text := string(m.Data); !strings.Contains(text, "no space left") {
		return fmt.Errorf("the server cannot write to its disk (%s). Nothing was recorded. Repair the disk and start the server again", text)
	}
	return fmt.Errorf("%w; then start the server again", ErrFull)
}

// silence handles a reachable server whose stream does not reply: a cluster is electing a leader, or the server with the
// only copy is down. If the stream has never replied, until fails after a while. Otherwise a notice is given, and until
// waits. It is safe for concurrent use after limit, notice and at are set.
type silence struct {
	limit  time.Duration     // duration of silence before a notice; 0 means elect
	notice func(text string) // gives a notice; never nil
	at     string            // URLs, without secrets
	served atomic.Bool       // the stream has replied before
	said   atomic.Bool       // a notice was given, and the end of the silence was not reported
}

// long reports whether the silence since a time is long enough for a notice.
func (s *silence) long(since time.Time) bool { return time.Since(since) > cmp.Or(s.limit, elect) }

// waits gives a notice that a reply is awaited, once for each silence, even if several calls wait.
func (s *silence) waits() {
	if s.said.CompareAndSwap(false, true) {
		s.notice("no server that has the messages at " + s.at +
			" has answered for half a minute. The servers cannot elect a leader, or the one with the only copy is down. The request is repeated")
	}
}

// ended gives a notice that there are replies again, if waits gave one.
func (s *silence) ended() {
	// Load first, because nearly every call ends here
	if s.said.Load() && s.said.CompareAndSwap(true, false) {
		s.notice("the messages at " + s.at + " can be reached again")
	}
}

// missing reports whether the server states that the stream does not exist. It is called after a long silence. If that is
// unknown, it returns false, and the wait continues.
func (x *Exchange) missing(ctx context.Context) bool {
	ctx, stop := context.WithTimeout(ctx, step)
	defer stop()
	_, err := x.stream(ctx)
	return errors.Is(err, jetstream.ErrStreamNotFound)
}

// stream requests the present state of the stream.
func (x *Exchange) stream(ctx context.Context) (*jetstream.StreamInfo, error) {
	ctx, forget := x.violations.watch(ctx, "$JS.API.STREAM.INFO."+factStream)
	defer forget()
	s, err := x.js.Stream(ctx, factStream)
	if err != nil {
		return nil, err
	}
	return s.CachedInfo(), nil
}

// copies is the number of servers in a cluster that store each fact. Three is the smallest number for which one may be
// lost and the others can still elect a leader.
const copies = 3

// askCopies is how long a new client asks a cluster for more copies.
const askCopies = 2 * time.Second

// replication is the number of copies in a cluster: requested, and up to date. The zero value means unknown.
type replication struct{ asked, current int }

// moreCopies requests three copies from a cluster that stores fewer, because a server was down when the stream was made,
// or the cluster was smaller. It waits up to askCopies, and returns the requested copies and those up to date; zero if
// unknown. A client without the right to change streams only reads these numbers.
func (x *Exchange) moreCopies(ctx context.Context) replication {
	ctx, stop := context.WithTimeout(ctx, askCopies)
	defer stop()
	info, err := x.stream(ctx)
	if err != nil {
		return replication{}
	}
	// a cluster that now has three servers accepts the change
	if c := info.Config; c.Replicas < copies {
		c.Replicas = copies
		change, forget := x.violations.watch(ctx, "$JS.API.STREAM.UPDATE."+factStream)
		defer forget()
		s, err := x.js.UpdateStream(change, c)
		if err != nil {
			return copiesIn(info) // too few servers, or no right to change streams
		}
		info = s.CachedInfo()
	}
	// new copies need a moment; after askCopies, return the present state
	for {
		if k := copiesIn(info); k.current >= k.asked || await.Pause(ctx, pause) != nil {
			return k
		}
		if now, err := x.stream(ctx); err == nil {
			info = now
		}
	}
}

// copiesIn returns the copies of a stream. The leader is one; the list of replicas has the others.
func copiesIn(info *jetstream.StreamInfo) replication {
	k := replication{info.Config.Replicas, 1}
	if info.Cluster != nil {
		k.current += lists.Count(info.Cluster.Replicas, func(r *jetstream.PeerInfo) bool { return r.Current && !r.Offline })
	}
	return k
}

// String returns a sentence on a cluster with fewer up-to-date copies than three. It continues "the cluster at URL".
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
