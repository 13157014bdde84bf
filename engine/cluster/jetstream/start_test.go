//go:build !nocluster

package jetstream

import (
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Credentials that are taken back while a server starts, after it has read its keys, are taken back as those that are while it runs.
func TestTakenBackAtTheStart(t *testing.T) {
	dir := t.TempDir()
	made := try.Of(Keys(t.Context(), dir, KeyOptions{Run: "r", Agents: 1}))
	g := try.Of(newGuard(dir))
	try.Of(Keys(t.Context(), dir, KeyOptions{Revoke: []string{made[len(made)-1].Path}}))
	if g.review(); len(g.members) != 1 { // the owner
		t.Errorf("%d members, want 1", len(g.members))
	}
}
