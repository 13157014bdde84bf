//go:build !nocluster

package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

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
		if !strings.HasPrefix(m.Reply, "_R_.") && !strings.HasPrefix(m.Reply, "_INBOX.") {
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
