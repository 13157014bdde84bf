package jetstream_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The certificate of a server is unchanged when keys are made again, also if the first attempt was interrupted. So all files stay
// valid.
func TestKeysHalfMade(t *testing.T) {
	dir := t.TempDir()
	first := makeKeys(t, dir, jetstream.KeyOptions{Run: "r", Agents: 1})
	try.To(os.Remove(filepath.Join(dir, "keys", "members")))
	old, _ := os.ReadFile(first["the owner"])
	made := makeKeys(t, dir, jetstream.KeyOptions{Run: "r", Agents: 2})
	if now, _ := os.ReadFile(made["the owner"]); bytes.Equal(old, now) {
		t.Error("a file whose key is unknown was kept")
	}
	s := serve(t, dir, jetstream.ServeOptions{})
	for _, file := range made {
		join(t, s.URL(), file)
	}
	makeKeys(t, dir, jetstream.KeyOptions{Run: "r", Agents: 3})
	join(t, s.URL(), made["agent 2 of run r"])
}

// Credentials that several programs take back at the same time are all taken back, and one folder has one authority if several programs
// make its keys at once.
func TestKeysAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	// all six make keys of a new folder at once, and then each takes one file back
	const n = 6
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if _, err := jetstream.Keys(t.Context(), dir, jetstream.KeyOptions{Run: "r", Agents: n}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	files := makeKeys(t, dir, jetstream.KeyOptions{Run: "r", Agents: n})
	for i := range n {
		all.Go(func() {
			if _, err := jetstream.Keys(t.Context(), dir, jetstream.KeyOptions{Revoke: []string{files[fmt.Sprintf("agent %d of run r", i+1)]}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := serve(t, dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"})
	join(t, s.URL(), files["the owner"])
	for i := range n {
		_, err := jetstream.Dial(t.Context(), s.URL(), jetstream.DialOptions{Credentials: files[fmt.Sprintf("agent %d of run r", i+1)] + ".revoked"})
		if e := (*jetstream.LoginError)(nil); !errors.As(err, &e) || e.Cause != jetstream.RevokedCredentials {
			t.Errorf("agent %d: %v", i+1, err)
		}
	}
}

// Unreadable keys do not count as missing: no new ones are made, and no program is let in without credentials.
func TestKeysThatCannotBeLookedAt(t *testing.T) {
	dir := t.TempDir()
	makeKeys(t, dir, jetstream.KeyOptions{})
	owner := filepath.Join(dir, "credentials", "owner.creds")
	before, err := os.ReadFile(owner)
	if err != nil {
		t.Fatal(err)
	}
	// a link to itself; as root everybody may look into folders, so that permissions show nothing
	members := filepath.Join(dir, "keys", "members")
	if err := errors.Join(os.Remove(members), os.Symlink("members", members)); err != nil {
		t.Skip(err)
	}
	if _, err := jetstream.Keys(t.Context(), dir, jetstream.KeyOptions{Run: "r", Agents: 1}); err == nil || !strings.Contains(err.Error(), members) {
		t.Errorf("making keys: error %v, want one that names %s", err, members)
	}
	if after, err := os.ReadFile(owner); err != nil || string(after) != string(before) {
		t.Errorf("the owner's credentials were replaced (%v)", err)
	}
	s, err := jetstream.Serve(t.Context(), dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"})
	if err == nil {
		s.Close()
		t.Error("served without keys")
	}
}
