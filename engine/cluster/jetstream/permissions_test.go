package jetstream_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The server refuses what a role does not include, and the refusal is a sentence at once, not a
// timeout.
func TestPermissions(t *testing.T) {
	s, keys := guarded(t)
	owner := join(t, s.URL(), keys["the owner"])
	agent := join(t, s.URL(), keys["agent 1 of run r"])
	// two runs, one of them with the agent and a file
	ctx := patiently(t)
	for _, f := range []cluster.Fact{{Run: "r", Name: "run"}, {Run: "other", Name: "run"}} {
		try.To(owner.Publish(ctx, f))
	}
	hash := try.Of(owner.Keep(ctx, "r", []byte("data")))
	// what is tried, as functions without arguments
	publish := func(x *jetstream.Exchange, f cluster.Fact) func() error {
		return func() error { return x.Publish(ctx, f) }
	}
	read := func(x *jetstream.Exchange, run string) func() error {
		return func() error {
			for _, err := range x.Read(ctx, run) {
				return err
			}
			return nil
		}
	}
	find := func(x *jetstream.Exchange, run string) func() error {
		return func() error { _, _, err := x.Find(ctx, run, 0, "run"); return err }
	}
	// by role: what it may, and then what it may not
	for _, c := range []struct {
		name string
		act  func() error
		who  string // refused with this name; empty for what is allowed
	}{
		{"agent speaks for itself", publish(agent, cluster.Fact{Run: "r", Round: 1, Name: "agent-1"}), ""},
		{"agent proposes a plan", publish(agent, cluster.Fact{Run: "r", Round: 1, Name: "plan"}), ""},
		{"agent reads its run", read(agent, "r"), ""},
		{"agent finds in its run", find(agent, "r"), ""},
		{"agent fetches a file", func() error { _, err := agent.Fetch(ctx, "r", hash); return err }, ""},
		{"owner speaks for an agent", publish(owner, cluster.Fact{Run: "r", Round: 1, Name: "agent-2"}), "the owner"},
		{"owner proposes a plan", publish(owner, cluster.Fact{Run: "r", Round: 2, Name: "plan"}), "the owner"},
		{"agent speaks for another", publish(agent, cluster.Fact{Run: "r", Round: 1, Name: "agent-2"}), "agent 1 of run r"},
		{"agent opens a run", publish(agent, cluster.Fact{Run: "r", Round: 1, Name: "run"}), "agent 1 of run r"},
		{"agent stops a run", publish(agent, cluster.Fact{Run: "r", Round: 0, Name: "stop"}), "agent 1 of run r"},
		{"agent speaks in another run", publish(agent, cluster.Fact{Run: "other", Round: 1, Name: "agent-1"}), "agent 1 of run r"},
		{"agent reads another run", read(agent, "other"), "agent 1 of run r"},
		{"agent finds in another run", find(agent, "other"), "agent 1 of run r"},
		{"agent fetches from another run", func() error { _, err := agent.Fetch(ctx, "other", hash); return err }, "agent 1 of run r"},
		{"agent keeps a file", func() error { _, err := agent.Keep(ctx, "r", []byte("x")); return err }, ""},
		{"agent keeps a file of another run", func() error { _, err := agent.Keep(ctx, "other", []byte("x")); return err }, "agent 1 of run r"},
		{"agent lists runs", func() error { _, err := agent.Runs(ctx); return err }, "agent 1 of run r"},
	} {
		t.Run(c.name, func(t *testing.T) {
			begin := time.Now()
			err := c.act()
			// a refusal comes at once, and would otherwise come with the time of a step
			for try := 0; c.who != "" && time.Since(begin) > 4*time.Second; try++ { // on a busy machine, not each time
				if try == 5 {
					t.Error("refusals take as long as a timeout")
					break
				}
				begin = time.Now()
				err = c.act()
			}
			if c.who == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			// the error names whose credentials were not enough
			var p *jetstream.PermissionError
			if !errors.As(err, &p) || p.Who != c.who {
				t.Errorf("refused with %v, wanted a refusal of %s", err, c.who)
			}
		})
	}
}

// raw joins a server without this package, with the rights of credentials. A file of "" is a program without credentials. Errors of
// permissions are returned when a subscription is read.
func raw(t *testing.T, s *jetstream.Server, file string) *nats.Conn {
	t.Helper()
	if file == "" {
		nc := try.Of(nats.Connect(s.URL()))
		t.Cleanup(nc.Close)
		return nc
	}
	key := try.Of(nats.NkeyOptionFromSeed(file))
	nc := try.Of(nats.Connect(s.URL(), authority(t, file), key, nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), nats.PermissionErrOnSubscribe(true)))
	t.Cleanup(nc.Close)
	return nc
}

// Programs that do not use this package cannot change stored facts. With keys this holds for every role, and without keys for every program
// that reaches loopback.
func TestTampering(t *testing.T) {
	t.Parallel() // it waits for servers
	for _, c := range []struct {
		name  string
		start func(*testing.T) (*jetstream.Server, map[string]string)
		whos  []string
	}{
		{"keys", guarded, []string{"the owner", "agent 1 of run r"}},
		{"loopback", func(t *testing.T) (*jetstream.Server, map[string]string) {
			return serve(t, t.TempDir(), jetstream.ServeOptions{}), map[string]string{}
		}, []string{"the owner"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, keys := c.start(t)
			all := joinAll(t, s, keys)
			fact := cluster.Fact{Run: "r", Round: 1, Name: "agent-2", Body: []byte("true")}
			try.To(all.Publish(t.Context(), fact))
			for _, who := range c.whos {
				nc := raw(t, s, keys[who])
				// deleting, purging, changing, making and copying streams
				for _, q := range []struct{ subject, body string }{
					{"$JS.API.STREAM.MSG.DELETE.COPE", `{"seq":1}`},
					{"$JS.API.STREAM.PURGE.COPE", `{}`},
					{"$JS.API.STREAM.DELETE.COPE", ``},
					{"$JS.API.STREAM.UPDATE.COPE", `{"name":"COPE","subjects":["cope.>"],"max_msgs":1}`},
					{"$JS.API.STREAM.CREATE.EVIL", `{"name":"EVIL","subjects":["evil"]}`},
					{"$JS.API.STREAM.SNAPSHOT.COPE", `{"deliver_subject":"x"}`},
				} {
					// a refused request gets no answer
					m, err := nc.Request(q.subject, []byte(q.body), 300*time.Millisecond)
					if err == nil && !strings.Contains(string(m.Data), `"error"`) {
						t.Errorf("%s: %s was answered with %s", who, q.subject, m.Data)
					}
				}
				// A second message at an address, without the header that forbids it.
				m, err := nc.Request("cope.r.1.agent-2", []byte("forged"), 300*time.Millisecond)
				if err == nil && !strings.Contains(string(m.Data), `"error"`) {
					t.Errorf("%s: a second message was answered with %s", who, m.Data)
				}
			}
			none(t, all.Exchange, "r", fact)
		})
	}
}

// No role receives messages for others, because inboxes belong to an account. An agent tries subjects of others, and then an inbox of
// everything, which is its own.
func TestInboxes(t *testing.T) {
	s, keys := guarded(t)
	people := joinAll(t, s, keys)
	nc := raw(t, s, keys["agent 1 of run r"])
	for _, subject := range []string{"_R_.>", ">", "cope.>", "cope.r.1.agent-2", "cope-ask.>", "$JS.>"} {
		sub, err := nc.SubscribeSync(subject)
		if err == nil {
			_, err = sub.NextMsg(limit) // which ends with the refusal
		}
		if !errors.Is(err, nats.ErrPermissionViolation) {
			t.Errorf("subscribing to %s: %v", subject, err)
		}
	}
	// it hears the answers to its own questions alone
	all := try.Of(nc.SubscribeSync("_INBOX.>"))
	fact := cluster.Fact{Run: "r", Round: 1, Name: "agent-2", Body: []byte("mine")}
	try.To(people.Publish(t.Context(), fact))
	for _, who := range []string{"the owner", "agent 2 of run r"} {
		none(t, people.of(who), "r", fact)
	}
	if m, err := all.NextMsg(10 * time.Millisecond); err == nil {
		t.Errorf("it hears %s %q", m.Subject, m.Data)
	}
}

// A refusal names the credentials that have the permission, if the subject identifies them. Its subject is the one that the server names.
func TestWhichCredentials(t *testing.T) {
	for _, c := range []struct {
		e    jetstream.PermissionError
		want string
	}{
		{jetstream.PermissionError{Subject: "cope.wells.0.agent-1"}, ": it takes agent-1.creds of run wells"},
		{jetstream.PermissionError{Subject: "cope.wells.12.agent-30"}, ": it takes agent-30.creds of run wells"},
		{jetstream.PermissionError{Subject: "cope.wells.0.run"}, ": it takes owner.creds"},
		{jetstream.PermissionError{Subject: "cope.wells.0.stop"}, ": it takes owner.creds"},
		{jetstream.PermissionError{Subject: "$JS.API.STREAM.DELETE.COPE"}, "to $JS.API.STREAM.DELETE.COPE"},
		{jetstream.PermissionError{Subject: "cope.wells.0.agent-1", Reading: true}, "read cope.wells.0.agent-1"},
	} {
		c.e.Who = "agent 2 of run wells"
		if got := c.e.Error(); !strings.HasSuffix(got, c.want) || !strings.HasPrefix(got, "the credentials of agent 2 of run wells do not allow to ") {
			t.Errorf("%s: %q, want %q", c.e.Subject, got, c.want)
		}
	}
}
