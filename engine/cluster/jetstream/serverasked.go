//go:build !nocluster

package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// answer replies to requests to the server itself. A client chooses the reply subject of its request. The server replies
// only to inboxes, so that a client cannot make it publish elsewhere. NATS makes the reply subjects for other accounts.
func (s *Server) answer(x *Exchange, log *logger) error {
	_, err := x.nc.Subscribe("cope-ask.>", func(m *nats.Msg) {
		if !inbox(m.Reply) {
			return
		}
		if m.Subject == stateSubject {
			_ = m.Respond([]byte(log.trouble()))
			return
		}
		var a answered
		var err error
		// JetStream errors are sent as replies; after other errors there is none
		if a.Name, err = makeReader(x.js, m); err != nil && !errors.As(err, &a.Error) {
			return // the client repeats the request
		}
		text, _ := json.Marshal(a)
		_ = m.Respond(text)
	})
	return err
}

// inbox reports whether a reply subject is an inbox: one of a client in the server's account, or one that NATS made for
// another account.
func inbox(reply string) bool {
	return strings.HasPrefix(reply, "_R_.") || strings.HasPrefix(reply, "_INBOX.")
}

// forwarders is the number of connections that forward plans. At most mostPending may wait for one connection, and the
// longest plans of 32 agents, which come at the same time, need twice that.
const forwarders = 8

// forward starts the connections that publish plans together with the name of their sender. Many agents may publish at the
// address of a plan. NATS states the sender in a header that clients cannot forge, and that streams drop. Other headers of
// the message are left out, because readers would treat some as replies of the server. It runs until the server is closed.
func (s *Server) forward(ctx context.Context) (err error) {
	defer try.Caught(&err)
	for range forwarders {
		x := try.Of(s.Dial(ctx, DialOptions{}))
		// Close closes it, also after an error
		s.forwarders = append(s.forwarders, x)
		try.To(forward(x.nc))
	}
	return nil
}

// forward handles a share of the plans on one connection. The stream's reply must reach the original sender, but NATS
// accepts no reply subject of another account. forward therefore puts the sender's reply subject after the prefix of an
// inbox of its own. Each plan goes to one of the connections, and their random inboxes do not collide.
func forward(nc *nats.Conn) error {
	// a reply of the stream arrives at answers + the reply subject of the sender
	answers := nc.NewInbox() + "."
	_, err := nc.Subscribe(answers+">", func(m *nats.Msg) {
		_ = nc.Publish(strings.TrimPrefix(m.Subject, answers), m.Data)
	})
	if err != nil {
		return err
	}
	// each message goes to one of the connections
	_, err = nc.QueueSubscribe(saySubject+".>", "forward", func(m *nats.Msg) {
		if !inbox(m.Reply) {
			return
		}
		// only the body of the message is kept
		out, err := withSender(m)
		if err == nil {
			// the stream's reply arrives at the subscription above
			out.Reply = answers + m.Reply
			err = nc.PublishMsg(out)
		}
		// an invalid fact gets its reply here
		if err != nil {
			text, _ := json.Marshal(answered{Error: wrong})
			_ = m.Respond(text)
		}
	})
	return err
}

// withSender returns the message to store for a message to saySubject, with its sender as a header. It returns an error if
// the message is not a fact, or its sender is unknown.
func withSender(m *nats.Msg) (_ *nats.Msg, err error) {
	defer try.Caught(&err)
	subject := "cope" + strings.TrimPrefix(m.Subject, saySubject)
	f, err := factAt(subject)
	f.Body = m.Data
	try.To(errors.Join(err, cluster.CheckFact(f)))
	// NATS writes this header itself, and drops one written by the client
	var who struct {
		Account string `json:"acc"`
	}
	try.To(json.Unmarshal([]byte(m.Header.Get(server.ClientInfoHdr)), &who))
	// only agents have a sender; other accounts may not use saySubject
	sender := senderOf(who.Account)
	if sender == "" {
		return nil, errors.New("unknown account " + who.Account)
	}
	out := nats.NewMsg(subject)
	out.Data = m.Data
	out.Header.Set(senderHeader, sender)
	// like every fact, it is stored only if the subject has no message
	out.Header.Set(jetstream.ExpectedLastSubjSeqHeader, "0")
	return out, nil
}

// makeReader creates the requested consumer, and returns its name. It returns wrong for an invalid request, and otherwise
// errors of JetStream.
func makeReader(js jetstream.JetStream, m *nats.Msg) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), step)
	defer stop()
	// cope-ask.read.RUN or cope-ask.read.RUN.NAME, see readSubject
	part := strings.Split(m.Subject, ".")
	if len(part) < 3 || len(part) > 4 || part[0]+"."+part[1] != readSubject {
		return "", wrong
	}
	run, name := part[2], strings.Join(part[3:], "")
	// the body is the sequence number to read from
	from, err := strconv.ParseUint(string(m.Data), 10, 64)
	// name may be ""; with "x" appended CheckFact accepts it
	if err != nil || cluster.CheckFact(cluster.Fact{Run: run, Name: name + "x"}) != nil {
		return "", wrong
	}
	reader, c := readerOf(run, name, from)
	_, err = js.CreateConsumer(ctx, factStream, c)
	return reader, err
}

// wrong is the reply to a request that programs of this version do not send.
var wrong = &jetstream.APIError{Code: 400, Description: "it does not know the request, because the program and its server have " +
	"different versions"}

// logger receives warnings and errors of the NATS server, which calls it from any goroutine.
type logger struct {
	hear  func(string) // may be nil
	mu    sync.Mutex   // guards the fields below
	last  string       // the last error
	fatal bool         // the error ended the server
	disk  string       // why nothing can be written any more; "" if it can
}

// writeFailed matches the server's message about a failed disk, after which it does not try again. The second group is the
// error of the system.
var writeFailed = regexp.MustCompile(`(?i)critical write error: (.*: )?(.*)$`)

// trouble returns why nothing can be written any more; "" if the server can write.
func (l *logger) trouble() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.disk
}

// say passes a text to hear, if it is not nil.
func (l *logger) say(text string) {
	if l.hear != nil {
		l.hear(text)
	}
}

// fault records an error, and whether the disk has failed.
func (l *logger) fault(text string) {
	l.mu.Lock()
	l.last = text
	if m := writeFailed.FindStringSubmatch(text); m != nil {
		l.disk = m[2]
	}
	l.mu.Unlock()
	l.say(text)
}

// end records the error that ends the server.
func (l *logger) end(text string) {
	l.fault(text)
	l.mu.Lock()
	l.fatal = true
	l.mu.Unlock()
}

// Methods of the NATS logger interface.
func (l *logger) Noticef(string, ...any) {}
func (l *logger) Warnf(format string, v ...any) {
	if text := fmt.Sprintf(format, v...); !strings.HasPrefix(text, "Plaintext passwords") { // the password exists only for this start
		l.say(text)
	}
}
func (l *logger) Fatalf(format string, v ...any) { l.end(fmt.Sprintf(format, v...)) }
func (l *logger) Errorf(format string, v ...any) { l.fault(fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
