package jetstream_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// attacked are addresses at which an answer would be a request, a fact, or another's letter. Streams and consumers of
// JetStream come first, then the server's own questions, facts and inboxes.
var attacked = []string{
	"$JS.API.STREAM.DELETE.COPE", "$JS.API.STREAM.PURGE.COPE",
	"$JS.API.STREAM.UPDATE.COPE", "$JS.API.STREAM.CREATE.EVIL", "$JS.API.STREAM.MSG.DELETE.COPE", "$JS.API.STREAM.MSG.GET.COPE",
	"$JS.API.STREAM.SNAPSHOT.COPE", "$JS.API.STREAM.RESTORE.COPE", "$JS.API.STREAM.LEADER.STEPDOWN.COPE", "$JS.API.STREAM.PEER.REMOVE.COPE",
	"$JS.API.CONSUMER.CREATE.COPE.spy.cope.r.>", "$JS.API.CONSUMER.DURABLE.CREATE.COPE.spy", "$JS.API.CONSUMER.DELETE.COPE.spy", "$JS.API.CONSUMER.PAUSE.COPE.spy",
	"$JS.API.CONSUMER.RESET.COPE.spy", "$JS.API.CONSUMER.UNPIN.COPE.spy", "$JS.ACK.COPE.spy.1.1.1.0.0",
	"$JS.API.ACCOUNT.PURGE.x", "$JS.API.META.LEADER.STEPDOWN", "$JS.API.SERVER.REMOVE", "$SYS.REQ.SERVER.PING",
	"cope-say.r.2.plan", "cope-say.other.2.plan", "cope-file.third.x.size", "cope-ask.evil",
	"cope.r.0.stop", "cope.r.0.agent-2", "cope.r.2.agent-2", "cope.r.2.plan.x", "cope.other.2.agent-2", "_INBOX.victim", "_R_.victim",
}

// Every role tries to have the server speak for it, in every way in which it is answered: it names as the address of an answer a subject
// that it may not publish to itself. It also publishes there by itself, has messages traced to it, and wants facts delivered to it. Nothing
// is deleted, purged, changed or stored, and no role reads what it may not.
func TestAttackReplyAddresses(t *testing.T) {
	if testing.Short() {
		t.Skip("half a second of processor time or more")
	}
	t.Parallel() // it waits for servers
	asks := []string{"cope.r.1.agent-1", "cope-ask.read.r", "$JS.API.STREAM.INFO.COPE", "$JS.API.DIRECT.GET.COPE.cope.r.1.agent-1"}
	own := []string{"cope-file.", "cope-ask.read", "$JS.API.CONSUMER.MSG.NEXT."}
	for _, c := range []struct {
		who   string
		asks  []string // what it may ask, so that it is answered
		own   []string // the beginnings of subjects that it may publish to
		reads bool     // whether it may read run r
	}{
		// each role with what it may ask, and with what it may publish by itself
		{"agent 1 of run r", []string{"cope.r.1.agent-1", "cope.r.1.plan", "cope-ask.read.r", "cope-ask.read.r.plan", "$JS.API.CONSUMER.MSG.NEXT.COPE.x", "$JS.API.DIRECT.GET.COPE.cope.r.1.agent-1"}, nil, true},
		{"agent 1 of run other", []string{"cope.other.1.agent-1", "cope.other.1.plan", "cope-ask.read.other", "$JS.API.CONSUMER.MSG.NEXT.COPE.x", "$JS.API.DIRECT.GET.COPE.cope.other.1.agent-1"}, nil, false},
		{"the owner", asks, append(own, "cope.r.0.stop"), true},
		{"anybody on this machine", asks, append(own, "cope."), true},
	} {
		t.Run(c.who, func(t *testing.T) {
			s, keys := guarded(t)
			if c.who == "anybody on this machine" {
				s, keys = serve(t, t.TempDir(), jetstream.ServeOptions{}), nil
			}
			owner := joinAll(t, s, keys)
			look := raw(t, s, keys["the owner"])
			// a request that would make a consumer of all facts of run r, deliver them to the spy, and is also a body
			request, _ := json.Marshal(map[string]any{"stream_name": "COPE", "action": "create", "config": map[string]any{
				"name": "spy", "deliver_subject": "_INBOX.spy", "filter_subject": "cope.r.>", "ack_policy": "none", "deliver_policy": "all"}})
			// facts for the answers to have in them
			for _, f := range []cluster.Fact{
				{Run: "r", Name: "run", Body: request}, {Run: "r", Round: 1, Name: "agent-1", Body: request}, {Run: "other", Round: 1, Name: "agent-1", Body: request},
				{Run: "r", Round: 1, Name: "agent-2", Body: []byte("secret")},
				{Run: "r", Round: 1, Name: "plan", Body: request}, {Run: "other", Round: 1, Name: "plan", Body: request},
			} {
				try.To(owner.Publish(t.Context(), f))
			}
			// whose letters the attacker wants
			other := raw(t, s, keys["agent 2 of run r"])
			victim, err := other.SubscribeSync("_INBOX.victim")
			if err != nil {
				t.Fatal(err)
			}
			evil := raw(t, s, keys[c.who])
			// where the attacker reads what it gets
			spy, err := evil.SubscribeSync("_INBOX.spy")
			if err != nil || other.Flush() != nil || evil.Flush() != nil {
				t.Fatal(err)
			}
			before, tries := holdings(t, look), 0
			for _, target := range attacked {
				// publishing to its own subjects is not an attack
				if slices.ContainsFunc(c.own, func(begin string) bool { return strings.HasPrefix(target, begin) }) {
					continue
				}
				// by itself, as a consumer that delivers there, and as the address of every answer
				_ = evil.PublishRequest(target, "_INBOX.spy", request)
				create, _ := json.Marshal(map[string]any{"stream_name": "COPE", "action": "create", "config": map[string]any{
					"name": fmt.Sprint("evil", tries), "deliver_subject": target, "filter_subject": "cope.>", "ack_policy": "none", "deliver_policy": "all"}})
				_ = evil.PublishRequest(fmt.Sprintf("$JS.API.CONSUMER.CREATE.COPE.evil%d.cope.>", tries), "_INBOX.spy", create)
				for _, ask := range append(c.asks, "cope-ask.state") {
					m := nats.NewMsg(ask)
					m.Reply, m.Data = target, []byte("1")
					// NATS can be asked to trace a message to an address
					m.Header.Set("Nats-Trace-Dest", target)
					_ = evil.PublishMsg(m)
					_ = evil.PublishRequest(ask, target, []byte("1"))
					tries++
				}
			}
			_ = evil.Flush()
			time.Sleep(500 * time.Millisecond) // the server has no word for it that nothing comes
			if after := holdings(t, look); after != before {
				t.Errorf("%d tries: the server held\n%s\nand holds\n%s", tries, before, after)
			}
			if m, err := victim.NextMsg(time.Millisecond); err == nil && keys != nil {
				t.Errorf("another's inbox got %q", m.Data)
			}
			// only readers of run r may have got what agent 2 said
			for m, err := spy.NextMsg(time.Millisecond); err == nil; m, err = spy.NextMsg(time.Millisecond) {
				if strings.Contains(string(m.Data), "secret") && !c.reads {
					t.Errorf("it reads %s %q", m.Subject, m.Data)
				}
			}
			t.Logf("%d tries", tries)
		})
	}
}

// No publisher can hide later facts by the headers of a fact, which readers would take for an answer of the server, and read the same again
// and again. A plan has no headers of its publisher. A server with keys; the facts are published without this package.
func TestAttackHeaders(t *testing.T) {
	s, keys := guarded(t)
	people := joinAll(t, s, keys)
	agent := raw(t, s, keys["agent 1 of run r"])
	m := nats.NewMsg("cope.r.1.plan")
	m.Data = []byte("true")
	// a word of the server, a sender, and headers by which JetStream replaces or forgets
	for name, value := range map[string]string{"Status": "404", "Cope-Sender": "agent-2", "Nats-Rollup": "sub", "Nats-Msg-Id": "1", "Nats-TTL": "1s"} {
		m.Header.Set(name, value)
	}
	try.Of(agent.RequestMsg(m, limit))
	own := nats.NewMsg("cope.r.1.agent-1")
	own.Header.Set("Status", "404")
	try.Of(agent.RequestMsg(own, limit))
	// what comes after must not be hidden
	after := cluster.Fact{Run: "r", Round: 1, Name: "agent-2"}
	try.To(people.Publish(t.Context(), after))
	said := cluster.Fact{Run: "r", Round: 1, Name: "agent-1"}
	none(t, people.of("agent 2 of run r"), "r", cluster.Fact{Run: "r", Round: 1, Name: "plan", Body: m.Data}, said, after)
	if _, ok, err := people.Find(t.Context(), "r", 1, "agent-1"); !ok || err != nil {
		t.Errorf("found %t, error %v", ok, err)
	}
	f, ok, err := people.Find(t.Context(), "r", 1, "plan")
	if !ok || err != nil || f.Sender != "agent-1" {
		t.Errorf("found %t, of %q, error %v", ok, f.Sender, err)
	}
}

// holdings returns what the streams hold and how they are set, and the consumers except for readers of facts. Two calls give the
// same text if nothing has changed.
func holdings(t *testing.T, nc *nats.Conn) (all string) {
	t.Helper()
	for _, q := range [][2]string{
		{"$JS.API.STREAM.INFO.COPE", `{"subjects_filter":">"}`}, {"$JS.API.STREAM.INFO.EVIL", ""},
	} {
		m, err := nc.Request(q[0], []byte(q[1]), limit)
		if err != nil {
			t.Fatalf("%s: %v", q[0], err)
		}
		var text struct {
			Config    map[string]any
			State     struct{ Subjects map[string]int }
			Consumers []string
			Error     any
		}
		try.To(json.Unmarshal(m.Data, &text))
		out, _ := json.Marshal(text)
		all += string(out) + "\n"
	}
	return all
}
