package jetstream

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
)

// plain starts a NATS server that gonb-cope has not made.
func plain(t *testing.T) (*server.Server, server.JetStreamConfig) {
	t.Helper()
	had := server.JetStreamConfig{StoreDir: t.TempDir(), MaxMemory: 64 << 20, MaxStore: 1 << 30}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true, JetStream: true, StoreDir: had.StoreDir, JetStreamMaxMemory: had.MaxMemory, JetStreamMaxStore: had.MaxStore})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("the server is not ready")
	}
	return s, had
}

// Where nobody answers for the streams for a long time, who was served before says so and waits: what was
// to be published is there when the server answers again.
func TestLongSilence(t *testing.T) {
	s, had := plain(t)
	said := make(chan string, 10)
	x, err := Dial(t.Context(), s.ClientURL(), DialOptions{Notice: func(text string) { said <- text }})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	x.silence.limit = 200 * time.Millisecond
	next := func() string {
		select {
		case text := <-said:
			return text
		case <-time.After(time.Minute):
			t.Fatal("nothing was noticed")
		}
		return ""
	}
	if err := s.DisableJetStream(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		done <- x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 1, Name: "agent-0", Body: []byte("a")})
	}()
	if text := next(); !strings.HasPrefix(text, "nobody has answered for the facts at nats://127.0.0.1:") {
		t.Errorf("noticed %q", text)
	}
	select {
	case err := <-done:
		t.Fatalf("it was published at nobody: %v", err)
	default:
	}
	if err := s.EnableJetStream(&had); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if text := next(); !strings.HasSuffix(text, "can be reached again") {
		t.Errorf("noticed %q", text)
	}
	if f, ok, err := x.Find(t.Context(), "r", 1, "agent-0"); !ok || err != nil || string(f.Body) != "a" {
		t.Errorf("found %q, %t, error %v", f.Body, ok, err)
	}
}

// Streams that somebody has deleted are an error, and not waited for.
func TestStreamsThatAreGone(t *testing.T) {
	s, _ := plain(t)
	x, err := Dial(t.Context(), s.ClientURL(), DialOptions{Notice: func(text string) { t.Errorf("noticed %q", text) }})
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	x.silence.limit = 200 * time.Millisecond
	if err := x.js.DeleteStream(t.Context(), factStream); err != nil {
		t.Fatal(err)
	}
	if err := x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 2, Name: "agent-0"}); !errors.Is(err, ErrNoStream) {
		t.Errorf("published in a stream that is gone: error %v", err)
	}
}
