package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

const (
	directGet  = "$JS.API.DIRECT.GET." + factStream
	directDone = "$JS.API.DIRECT.GET." + workStream
)

// Find implements cluster.Facts.
func (x *Exchange) Find(ctx context.Context, run string, round int, name string) (f cluster.Fact, ok bool, err error) {
	f = cluster.Fact{Run: run, Round: round, Name: name}
	if err := cluster.CheckFact(f); err != nil {
		return cluster.Fact{}, false, err
	}
	m, err := x.last(ctx, factSubject(f))
	if m == nil || err != nil {
		return cluster.Fact{}, false, err
	}
	f.Body, f.Seq, f.Sender = m.Data, sequence(m), m.Header.Get(senderHeader)
	return f, true, nil
}

// last returns the message of a subject, nil where it has none.
func (x *Exchange) last(ctx context.Context, subject string) (*nats.Msg, error) {
	return x.direct(ctx, directGet+"."+subject, nil)
}

// firstOf returns the first message of the subjects that match, nil where there is none.
func (x *Exchange) firstOf(ctx context.Context, subjects string) (*nats.Msg, error) {
	question, err := json.Marshal(map[string]any{"seq": 1, "next_by_subj": subjects})
	if err != nil {
		return nil, err
	}
	return x.direct(ctx, directGet, question)
}

func (x *Exchange) direct(ctx context.Context, subject string, question []byte) (found *nats.Msg, err error) {
	err = x.until(ctx, subject, func(ctx context.Context) error {
		found = nil
		m, err := x.nc.RequestWithContext(ctx, subject, question)
		if err != nil {
			return err
		}
		switch status := m.Header.Get("Status"); {
		case status == "" || m.Header.Get(jetstream.SequenceHeader) != "": // what has a place, whatever headers it has
			found = m
			return nil
		case status == "404":
			return nil
		default:
			return fmt.Errorf("the server answers %s: %s", status, m.Header.Get("Description"))
		}
	})
	return found, err
}

// sequence returns the place of a message that direct returned.
func sequence(m *nats.Msg) uint64 {
	n, _ := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
	return n
}
