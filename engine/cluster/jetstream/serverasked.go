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
)

// answer answers what the server itself is asked, at addresses that are inboxes: another account's is one that NATS makes. A client gives
// an address for the answer, which could be any subject: only inboxes are answered, so that no client has the server publish elsewhere.
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
		// errors of JetStream are passed on; of others the answer does not come
		if a.Name, err = makeReader(x.js, m); err != nil && !errors.As(err, &a.Error) {
			return // who asks asks again
		}
		text, _ := json.Marshal(a)
		_ = m.Respond(text)
	})
	return err
}

// inbox reports whether an address of an answer is nothing but that. Clients of the server's own account have inboxes as NATS
// names them, and users of other accounts have addresses that NATS makes.
func inbox(reply string) bool {
	return strings.HasPrefix(reply, "_R_.") || strings.HasPrefix(reply, "_INBOX.")
}

// forwarders is the number of connections that forward facts with their senders: no more than mostPending may wait for
// one of them, and the longest plans of 32 agents, which come at the same time, are twice that.
const forwarders = 8

// forward publishes the facts that many roles may publish at one address, with the name of the sender. NATS names the sender in a header
// which it writes itself instead of any other, and which streams drop. Other headers are left out: readers would treat some of them as
// answers of the server. It runs until the server is closed.
func (s *Server) forward(ctx context.Context) error {
	for range forwarders {
		x, err := s.Dial(ctx, DialOptions{})
		if err != nil {
			return err
		}
		// closed with the server, also after an error
		s.forwarders = append(s.forwarders, x)
		if err := forward(x.nc); err != nil {
			return err
		}
	}
	return nil
}

// forward takes a share of these facts. The stream's answer goes to who asked, whose address is the end of the
// one that the stream gets: NATS takes no address of another account. Connections share the work: each fact goes to one of them.
// Two forwarders cannot disturb each other's answers, whose beginnings are random.
func forward(nc *nats.Conn) error {
	// an answer of the stream comes to answers and the address of who asked
	answers := nc.NewInbox() + "."
	_, err := nc.Subscribe(answers+">", func(m *nats.Msg) {
		_ = nc.Publish(strings.TrimPrefix(m.Subject, answers), m.Data)
	})
	if err != nil {
		return err
	}
	// one of the connections gets each message
	_, err = nc.QueueSubscribe(saySubject+".>", "forward", func(m *nats.Msg) {
		if !inbox(m.Reply) {
			return
		}
		// with nothing of the message but its body
		out, err := withSender(m)
		if err == nil {
			// the stream answers there, by the subscription above
			out.Reply = answers + m.Reply
			err = nc.PublishMsg(out)
		}
		// what no stream would take is answered here
		if err != nil {
			text, _ := json.Marshal(answered{Error: wrong})
			_ = m.Respond(text)
		}
	})
	return err
}

// withSender returns the fact that a message to saySubject asks for. The error states that it is not a fact, or that its sender is unknown.
func withSender(m *nats.Msg) (*nats.Msg, error) {
	subject := "cope" + strings.TrimPrefix(m.Subject, saySubject)
	f, err := factAt(subject)
	f.Body = m.Data
	if err = errors.Join(err, cluster.CheckFact(f)); err != nil {
		return nil, err
	}
	// NATS writes this header itself, and drops one that the sender has written
	var who struct {
		Account string `json:"acc"`
	}
	if err := json.Unmarshal([]byte(m.Header.Get(server.ClientInfoHdr)), &who); err != nil {
		return nil, err
	}
	// accounts without a name among readers, as the owner's, have no business here
	r, _ := roleOfAccount(who.Account)
	if r.sender() == "" {
		return nil, errors.New("unknown account " + who.Account)
	}
	out := nats.NewMsg(subject)
	out.Data = m.Data
	out.Header.Set(senderHeader, r.sender())
	// the first fact of the subject is kept, as with every other one
	out.Header.Set(jetstream.ExpectedLastSubjSeqHeader, "0")
	return out, nil
}

// makeReader makes the reader that is asked for, and returns its name. An error of JetStream goes to who asked. A question that is none
// is answered by wrong.
func makeReader(js jetstream.JetStream, m *nats.Msg) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), step)
	defer stop()
	// cope-ask.read.RUN or cope-ask.read.RUN.NAME, see the constants
	part := strings.Split(m.Subject, ".")
	if len(part) < 3 || len(part) > 4 || part[0]+"."+part[1] != readSubject {
		return "", wrong
	}
	run, name := part[2], strings.Join(part[3:], "")
	// the place to read from is the body
	from, err := strconv.ParseUint(string(m.Data), 10, 64)
	// the name may be empty
	if err != nil || cluster.CheckFact(cluster.Fact{Run: run, Name: name + "x"}) != nil {
		return "", wrong
	}
	reader, c := readerOf(run, name, from)
	_, err = js.CreateConsumer(ctx, factStream, c)
	return reader, err
}

// wrong answers a question that programs of this version do not ask.
var wrong = &jetstream.APIError{Code: 400, Description: "it does not know the request, because the program and its server have " +
	"different versions"}

// logger takes warnings and errors of the server. The server calls it from any goroutine.
type logger struct {
	hear  func(string) // may be nil
	mu    sync.Mutex   // guards the fields below
	last  string       // the last error
	fatal bool         // it was the end of the server; so that waiting for it is in vain
	disk  string       // why nothing can be written any more; "" while it can
}

// writeFailed matches the server's message about a disk that fails. It does not try again. The second group is the system's own words.
var writeFailed = regexp.MustCompile(`(?i)critical write error: (.*: )?(.*)$`)

// trouble returns why nothing can be written any more, empty if it can.
func (l *logger) trouble() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.disk
}

// say passes a sentence to the listener, if there is one.
func (l *logger) say(text string) {
	if l.hear != nil {
		l.hear(text)
	}
}

// fault notes an error, and what it says about the disk.
func (l *logger) fault(text string) {
	l.mu.Lock()
	l.last = text
	if m := writeFailed.FindStringSubmatch(text); m != nil {
		l.disk = m[2]
	}
	l.mu.Unlock()
	l.say(text)
}

// end notes the error that ends the server.
func (l *logger) end(text string) {
	l.fault(text)
	l.mu.Lock()
	l.fatal = true
	l.mu.Unlock()
}

// Methods of the server's own interface.
func (l *logger) Noticef(string, ...any) {}
func (l *logger) Warnf(format string, v ...any) {
	if text := fmt.Sprintf(format, v...); !strings.HasPrefix(text, "Plaintext passwords") { // made for one start
		l.say(text)
	}
}
func (l *logger) Fatalf(format string, v ...any) { l.end(fmt.Sprintf(format, v...)) }
func (l *logger) Errorf(format string, v ...any) { l.fault(fmt.Sprintf(format, v...)) }
func (l *logger) Debugf(string, ...any)          {}
func (l *logger) Tracef(string, ...any)          {}
