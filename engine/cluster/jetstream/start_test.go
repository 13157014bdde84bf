//go:build !nocluster

package jetstream

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// Credentials that are taken back while a server starts, after it has read its keys, are taken back as those that are while it runs.
func TestTakenBackAtTheStart(t *testing.T) {
	dir := t.TempDir()
	made, err := Keys(t.Context(), dir, KeyOptions{Run: "r", Agents: 1})
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{dir: dir}
	if _, err := s.signed(new(server.Options)); err != nil {
		t.Fatal(err)
	}
	if _, err := Keys(t.Context(), dir, KeyOptions{Revoke: []string{made[len(made)-1].Path}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	s.done.Go(func() { s.watchKeys(ctx) })
	defer s.done.Wait()
	defer cancel()
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		s.accounts.mu.Lock()
		n := len(s.accounts.keys.claims.Revocations)
		s.accounts.mu.Unlock()
		if n == 1 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%d of 1 taken back", n)
		}
	}
}
