package jetstream_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// stranger starts a NATS server that Serve has not made. It listens at a free port of loopback and keeps its data as long as the test.
func stranger(t *testing.T, o server.Options) string {
	t.Helper()
	o.Host, o.Port, o.NoLog, o.NoSigs, o.StoreDir = "127.0.0.1", server.RANDOM_PORT, true, true, t.TempDir()
	s := try.Of(server.NewServer(&o))
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(limit) {
		t.Fatal("the server is not ready")
	}
	return s.ClientURL()
}

// A server of others does all that ours does; the streams are made by who joins first.
func TestServerOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("a second suite over servers is for the full run")
	}
	t.Parallel() // it waits for servers
	conforms(t, func(t *testing.T) func() cluster.Exchange {
		url := stranger(t, server.Options{JetStream: true})
		return func() cluster.Exchange { return join(t, url, "") }
	})
}

// Joining a server that lacks something gives a sentence about it, not a timeout.
func TestWhatAServerLacks(t *testing.T) {
	for _, c := range []struct {
		name    string
		options server.Options
		prepare func(*nats.Conn) // nil if nothing is to be there before
		words   string           // in the error
	}{
		{"no JetStream", server.Options{}, nil, "runs without JetStream"},
		{"short messages", server.Options{JetStream: true, MaxPayload: 64 << 10}, nil, "at most 65536 bytes, but"},
		// a stream of the right name that forgets facts after an hour
		{"a stream that loses what is said", server.Options{JetStream: true}, func(nc *nats.Conn) {
			js, _ := natsjs.New(nc)
			try.Of(js.CreateStream(t.Context(), natsjs.StreamConfig{Name: "COPE", Subjects: []string{"cope.>"}, MaxAge: time.Hour}))
		}, "stream COPE that gonb-cope did not make. It may lose or replace messages"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := stranger(t, c.options)
			if c.prepare != nil {
				nc := try.Of(nats.Connect(url))
				defer nc.Close()
				c.prepare(nc)
			}
			x, err := jetstream.Dial(t.Context(), url, jetstream.DialOptions{Wait: limit})
			if err == nil {
				x.Close()
				t.Fatal("the server was joined")
			}
			if !strings.Contains(err.Error(), c.words) {
				t.Errorf("the sentence lacks %q: %v", c.words, err)
			}
		})
	}
	t.Run("nobody", func(t *testing.T) {
		if _, err := jetstream.Dial(t.Context(), "nats://127.0.0.1:1", jetstream.DialOptions{Wait: 200 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "no server answers at nats://127.0.0.1:1") {
			t.Errorf("nobody is there: %v", err)
		}
	})
}

// The facts of a server have no age, no window in which repetitions are known, and nothing else that
// a clock decides: only the ends of credentials do. A server of others, since the settings are made by who joins first.
func TestNothingRestsOnClocks(t *testing.T) {
	url := stranger(t, server.Options{JetStream: true})
	x := join(t, url, "")
	nc := try.Of(nats.Connect(url))
	defer nc.Close()
	js := try.Of(natsjs.New(nc))
	{
		const name = "COPE"
		s := try.Of(js.Stream(t.Context(), name))
		c := s.CachedInfo().Config
		if c.MaxAge != 0 || c.MaxMsgs > 0 || c.MaxBytes > 0 || c.AllowMsgTTL || c.MaxMsgsPerSubject != 1 || c.Discard != natsjs.DiscardNew || !c.DiscardNewPerSubject || !c.DenyDelete {
			t.Errorf("%s may forget: %+v", name, c)
		}
		// With a window that has ended long ago, the second message is refused all the same.
		c.Duplicates = 100 * time.Millisecond
		try.Of(js.UpdateStream(t.Context(), c))
	}
	// repeated after the window is over: still the same fact, and still a conflict with another body
	f := cluster.Fact{Run: "r", Round: 1, Name: "plan", Body: []byte("p")}
	for range 3 {
		if err := x.Publish(t.Context(), f); err != nil {
			t.Error(err)
		}
		time.Sleep(300 * time.Millisecond)
	}
	f.Body = []byte("q")
	if err := x.Publish(t.Context(), f); !errors.As(err, new(*cluster.ConflictError)) {
		t.Errorf("another body: %v", err)
	}
}
