//go:build !nocluster

package jetstream

import "testing"

// Credentials that are taken back while a server starts, after it has read its keys, are taken back as those that are while it runs.
func TestTakenBackAtTheStart(t *testing.T) {
	dir := t.TempDir()
	made, err := Keys(t.Context(), dir, KeyOptions{Run: "r", Agents: 1})
	if err != nil {
		t.Fatal(err)
	}
	g, err := newGuard(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Keys(t.Context(), dir, KeyOptions{Revoke: []string{made[len(made)-1].Path}}); err != nil {
		t.Fatal(err)
	}
	if g.review(); len(g.members) != 1 { // the owner
		t.Errorf("%d members, want 1", len(g.members))
	}
}
