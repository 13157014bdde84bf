package jetstream_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// serve starts a server for the time of a test. The address is a free port of loopback, unless one is given.
func serve(t testing.TB, dir string, o jetstream.ServeOptions) *jetstream.Server {
	t.Helper()
	if o.Listen == "" {
		o.Listen = "127.0.0.1:0"
	}
	s, err := jetstream.Serve(t.Context(), dir, o)
	if err != nil {
		t.Fatalf("serving: %v", err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// join joins a server for the time of a test.
func join(t testing.TB, url, credentials string) *jetstream.Exchange {
	t.Helper()
	x, err := jetstream.Dial(t.Context(), url, jetstream.DialOptions{Credentials: credentials})
	if err != nil {
		t.Fatalf("joining %s: %v", url, err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

// everybody is the owner's exchange, by which each fact is published with its author's credentials. So tests that publish as
// anybody do the same on servers with keys and without.
type everybody struct {
	*jetstream.Exchange
	of func(who string) *jetstream.Exchange // the exchange of a holder, or the owner's if there are no such credentials
}

// joinAll joins a server with credentials, by whose they are.
func joinAll(t testing.TB, s *jetstream.Server, keys map[string]string) everybody {
	t.Helper()
	var mu sync.Mutex
	joined := map[string]*jetstream.Exchange{}
	e := everybody{Exchange: join(t, s.URL(), keys["the owner"])}
	// each joins when it is needed first
	e.of = func(who string) *jetstream.Exchange {
		mu.Lock()
		defer mu.Unlock()
		if joined[who] == nil && keys[who] != "" {
			joined[who] = join(t, s.URL(), keys[who])
		} else if joined[who] == nil {
			return e.Exchange
		}
		return joined[who]
	}
	return e
}

// Publish publishes with the credentials that may: agents for themselves, agent 1 for plans, and else the owner.
func (e everybody) Publish(ctx context.Context, f cluster.Fact) error {
	agent, isAgent := strings.CutPrefix(f.Name, "agent-")
	switch {
	case isAgent:
		return e.of(fmt.Sprintf("agent %s of run %s", agent, f.Run)).Publish(ctx, f)
	case f.Name == "plan":
		return e.of("agent 1 of run "+f.Run).Publish(ctx, f)
	}
	return e.Exchange.Publish(ctx, f)
}

// The exchange of a server does what every exchange must: within the process, over loopback, and over TLS with credentials.
func TestExchange(t *testing.T) {
	t.Parallel() // it waits for servers
	if !testing.Short() {
		testOpenExchange(t)
	}
	t.Run("TLS and credentials", func(t *testing.T) {
		// keys of all runs of the suite are made once, and copied to each server's folder
		made, keys := t.TempDir(), map[string]string{}
		for _, run := range []string{"r", "a", "b", "c"} {
			maps.Copy(keys, makeKeys(t, made, jetstream.KeyOptions{Run: run, Agents: 8}))
		}
		conforms(t, func(t *testing.T) func() cluster.Exchange {
			dir := t.TempDir()
			try.To(os.CopyFS(dir, os.DirFS(made)))
			s := serve(t, dir, jetstream.ServeOptions{})
			return func() cluster.Exchange { return joinAll(t, s, keys) }
		})
	})
}

// testOpenExchange runs the suite without credentials: what differs is how an exchange is reached.
func testOpenExchange(t *testing.T) {
	t.Run("in process", func(t *testing.T) {
		conforms(t, func(t *testing.T) func() cluster.Exchange {
			s := serve(t, t.TempDir(), jetstream.ServeOptions{Listen: jetstream.Nowhere})
			return func() cluster.Exchange {
				x := try.Of(s.Dial(t.Context(), jetstream.DialOptions{}))
				t.Cleanup(func() { x.Close() })
				return x
			}
		})
	})
	t.Run("loopback", func(t *testing.T) {
		conforms(t, func(t *testing.T) func() cluster.Exchange {
			s := serve(t, t.TempDir(), jetstream.ServeOptions{})
			return func() cluster.Exchange { return join(t, s.URL(), "") }
		})
	})
}

// makeKeys returns the files of credentials by whose they are. They are called as KeyFile.Who calls them.
func makeKeys(t testing.TB, dir string, o jetstream.KeyOptions) map[string]string {
	t.Helper()
	made, err := jetstream.Keys(t.Context(), dir, o)
	if err != nil {
		t.Fatalf("making keys: %v", err)
	}
	files := map[string]string{}
	for _, k := range made {
		files[k.Who] = k.Path
	}
	return files
}
