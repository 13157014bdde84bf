package jetstream

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// started starts a NATS server that gonb-cope has not made.
func started(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	o.Host, o.Port, o.NoLog, o.NoSigs, o.JetStreamMaxMemory, o.JetStreamMaxStore = "127.0.0.1", server.RANDOM_PORT, true, true, 64<<20, 1<<30
	s := try.Of(server.NewServer(&o))
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(2 * time.Minute) {
		t.Fatal("the server is not ready")
	}
	return s
}

// If the streams give no answer for a long time, a client that was served before reports it and waits. Streams that were deleted meanwhile
// are an error.
func TestLongSilence(t *testing.T) {
	t.Parallel() // it waits for servers
	said := make(chan string, 10)
	x := try.Of(Dial(t.Context(), started(t, server.Options{JetStream: true, StoreDir: t.TempDir()}).ClientURL(), DialOptions{Notice: func(text string) { said <- text }}))
	defer x.Close()
	x.silence.limit = 200 * time.Millisecond // instead of half a minute
	next := func() string {
		select {
		case text := <-said:
			return text
		case <-time.After(2 * time.Minute):
			t.Fatal("nothing was noticed")
		}
		return ""
	}
	// whether the streams answer, as the test has it
	var answers atomic.Bool
	ask := func(context.Context) error {
		if answers.Load() {
			return nil
		}
		return nats.ErrNoResponders // as of a cluster without a leader
	}
	done := make(chan error, 1)
	// asked asks once, which may take until answers come
	asked := func() { done <- x.until(t.Context(), "", ask) }
	go asked()
	if text := next(); !strings.HasPrefix(text, "no server that has the messages at nats://127.0.0.1:") {
		t.Errorf("noticed %q", text)
	}
	// it has said so and goes on waiting
	select {
	case err := <-done:
		t.Fatalf("it was not waited for: %v", err)
	default:
	}
	answers.Store(true)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if text := next(); !strings.HasSuffix(text, "can be reached again") {
		t.Errorf("noticed %q", text)
	}
	// silent again, and this time a stream is deleted meanwhile
	answers.Store(false)
	go asked()
	next()
	try.To(x.js.DeleteStream(t.Context(), factStream))
	if err := <-done; !errors.Is(err, ErrNoStream) {
		t.Errorf("the stream is gone: error %v", err)
	}
	// who was never served does not wait
	x.silence.served.Store(false)
	if err := x.until(t.Context(), "", ask); !errors.Is(err, ErrNoStream) {
		t.Errorf("nobody was there before: error %v", err)
	}
}
