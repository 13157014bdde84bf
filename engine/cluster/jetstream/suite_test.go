package jetstream_test

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/exchangetest"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// serve starts a server for the time of a test.
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
	x, err := jetstream.Dial(t.Context(), url, jetstream.DialOptions{Credentials: credentials, Patience: exchangetest.Patience})
	if err != nil {
		t.Fatalf("joining %s: %v", url, err)
	}
	t.Cleanup(func() { x.Close() })
	return x
}

func TestExchange(t *testing.T) {
	t.Parallel() // it waits for servers
	if !testing.Short() {
		testOpenExchange(t)
	}
	t.Run("TLS and credentials", func(t *testing.T) {
		exchangetest.Run(t, func(t *testing.T) func() cluster.Exchange {
			dir := t.TempDir()
			keys := makeKeys(t, dir, jetstream.KeyOptions{})
			s := serve(t, dir, jetstream.ServeOptions{})
			return func() cluster.Exchange { return join(t, s.URL(), keys["the owner"]) }
		})
	})
}

// testOpenExchange runs the suite without credentials: what differs is how an exchange is reached.
func testOpenExchange(t *testing.T) {
	t.Run("in process", func(t *testing.T) {
		exchangetest.Run(t, func(t *testing.T) func() cluster.Exchange {
			s := serve(t, t.TempDir(), jetstream.ServeOptions{Listen: jetstream.Nowhere})
			return func() cluster.Exchange {
				x, err := s.Dial(t.Context(), jetstream.DialOptions{Patience: exchangetest.Patience})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { x.Close() })
				return x
			}
		})
	})
	t.Run("loopback", func(t *testing.T) {
		exchangetest.Run(t, func(t *testing.T) func() cluster.Exchange {
			s := serve(t, t.TempDir(), jetstream.ServeOptions{})
			return func() cluster.Exchange { return join(t, s.URL(), "") }
		})
	})
}

// makeKeys returns the files of credentials by whose they are.
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
