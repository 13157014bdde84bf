//go:build !nocluster

package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// answer answers what the server itself is asked, at addresses that are inboxes: another account's is one
// that NATS makes.
func (s *Server) answer(x *Exchange, log *logger) error {
	_, err := x.nc.Subscribe("cope-ask.>", func(m *nats.Msg) {
		if run, ok := strings.CutPrefix(m.Subject, wokenSubject+"."); ok {
			_ = x.nc.Publish(wakeSubject(run), nil)
			return
		}
		if !inbox(m.Reply) {
			return
		}
		if m.Subject == stateSubject {
			_ = m.Respond([]byte(log.trouble()))
			return
		}
		var a answered
		var err error
		if a.Name, err = x.make(m); err != nil && !errors.As(err, &a.Error) {
			return // who asks asks again
		}
		text, _ := json.Marshal(a)
		_ = m.Respond(text)
	})
	return err
}

// inbox reports whether an address of an answer is nothing but that.
func inbox(reply string) bool {
	return strings.HasPrefix(reply, "_R_.") || strings.HasPrefix(reply, "_INBOX.")
}

// forwarders is how many connections forward facts with their senders: no more than mostPending may wait for
// one of them, and the longest plans of 32 agents, which come at the same time, are twice that.
const forwarders = 8

// forward publishes the facts that many roles may publish at one address, with the name of the sender. NATS tells the server
// who that is by a header which it writes itself in place of any other, and which streams drop. Other headers
// are left out: readers would take some of them for answers of the server.
func (s *Server) forward(ctx context.Context) error {
	for range forwarders {
		x, err := s.Dial(ctx, DialOptions{})
		if err != nil {
			return err
		}
		s.forwarders = append(s.forwarders, x)
		if err := x.forward(); err != nil {
			return err
		}
	}
	return nil
}

// forward takes a share of these facts. The stream's answer goes to who asked, whose address is the end of the
// one that the stream gets: NATS takes no address of another account.
func (x *Exchange) forward() error {
	answers := x.nc.NewInbox() + "."
	_, err := x.nc.Subscribe(answers+">", func(m *nats.Msg) {
		_ = x.nc.Publish(strings.TrimPrefix(m.Subject, answers), m.Data)
	})
	if err != nil {
		return err
	}
	_, err = x.nc.QueueSubscribe(saySubject+".>", "forward", func(m *nats.Msg) {
		if !inbox(m.Reply) {
			return
		}
		out, err := withSender(m)
		if err == nil {
			out.Reply = answers + m.Reply
			err = x.nc.PublishMsg(out)
		}
		if err != nil {
			text, _ := json.Marshal(answered{Error: wrong})
			_ = m.Respond(text)
		}
	})
	return err
}

// withSender returns the fact that a message to saySubject asks for.
func withSender(m *nats.Msg) (*nats.Msg, error) {
	subject := "cope" + strings.TrimPrefix(m.Subject, saySubject)
	f, err := factAt(subject)
	f.Body = m.Data
	if err = errors.Join(err, cluster.CheckFact(f)); err != nil {
		return nil, err
	}
	var who struct {
		Account string `json:"acc"`
	}
	if err := json.Unmarshal([]byte(m.Header.Get(server.ClientInfoHdr)), &who); err != nil {
		return nil, err
	}
	r, _ := roleOfAccount(who.Account)
	if r.sender() == "" {
		return nil, errors.New("nobody has the account " + who.Account)
	}
	out := nats.NewMsg(subject)
	out.Data = m.Data
	out.Header.Set(senderHeader, r.sender())
	out.Header.Set(jetstream.ExpectedLastSubjSeqHeader, "0")
	return out, nil
}

// make makes the consumer that is asked for, and returns its name.
func (x *Exchange) make(m *nats.Msg) (string, error) {
	ctx, stop := context.WithTimeout(context.Background(), step)
	defer stop()
	part := strings.Split(m.Subject, ".")
	if len(part) < 3 || cluster.CheckRun(part[2]) != nil {
		return "", wrong
	}
	run := part[2]
	switch subject := part[0] + "." + part[1]; {
	case subject == readSubject && len(part) <= 4:
		name := ""
		if len(part) == 4 {
			name = part[3]
		}
		from, err := strconv.ParseUint(string(m.Data), 10, 64)
		if err != nil || cluster.CheckFact(cluster.Fact{Run: run, Name: name + "x"}) != nil {
			return "", wrong
		}
		reader, c := readerOf(run, name, from)
		_, err = x.js.CreateConsumer(ctx, factStream, c)
		return reader, err
	case subject == queueSubject && len(part) == 3:
		patience, err := time.ParseDuration(string(m.Data))
		if err != nil || patience <= 0 {
			return "", wrong
		}
		_, err = x.js.CreateConsumer(ctx, workStream, queueOf(run, patience))
		if errors.Is(err, jetstream.ErrConsumerExists) {
			err = nil // with the patience of whoever made it
		}
		return run, err
	}
	return "", wrong
}

// wrong answers a question that programs of this version do not ask.
var wrong = &jetstream.APIError{Code: 400, Description: "it does not know the question: the program and its server have different versions"}
