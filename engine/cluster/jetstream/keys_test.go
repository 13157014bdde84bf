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
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// Keys and certificates fit each other although keys cluster ended between the two files, the first time
// or when the certificate is made again for more hosts.
func TestKeysHalfMade(t *testing.T) {
	dir := t.TempDir()
	makeKeys(t, dir, jetstream.KeyOptions{})
	// the key must never change, since a crash may come between key and certificate
	read := func() []byte {
		key, err := os.ReadFile(filepath.Join(dir, "keys", "server.key"))
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	key := read()
	for what, change := range map[string]func() error{
		"ended before the certificate": func() error { return os.Remove(filepath.Join(dir, "keys", "server.pem")) },
		"made for another host":        func() error { return nil },
	} {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		made := makeKeys(t, dir, jetstream.KeyOptions{Hosts: []string{"lab.example"}})
		if !bytes.Equal(key, read()) {
			t.Errorf("%s: the key changed, and would not fit the certificate for a moment", what)
		}
		s := serve(t, dir, jetstream.ServeOptions{})
		join(t, s.URL(), made["the owner"])
		s.Close()
	}
}

// Credentials are made while the operator's key is elsewhere, and the authority stays unchanged; to start the server and to
// take credentials back needs it. Without the account's key nothing is made, and no other authority either.
func TestOperatorElsewhere(t *testing.T) {
	dir := t.TempDir()
	var seed, elsewhere string
	move := func(name string) {
		t.Helper()
		seed, elsewhere = filepath.Join(dir, "keys", name), filepath.Join(dir, name)
		if err := os.Rename(seed, elsewhere); err != nil {
			t.Fatal(err)
		}
	}
	back := func() {
		if err := os.Rename(elsewhere, seed); err != nil {
			t.Fatal(err)
		}
	}
	says := func(what string, err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "a key cannot be read, and no other key can sign for it: open "+seed+": no such file") {
			t.Errorf("%s without %s: %v", what, filepath.Base(seed), err)
		}
	}
	agents := func(n int) map[string]string { return makeKeys(t, dir, jetstream.KeyOptions{Run: "r", Agents: n}) }
	first := agents(1)["agent 1 of run r"]
	s := serve(t, dir, jetstream.ServeOptions{})

	move("operator.seed")
	second := agents(2)["agent 2 of run r"]
	join(t, s.URL(), first)
	join(t, s.URL(), second)
	_, err := jetstream.Keys(t.Context(), dir, jetstream.KeyOptions{Revoke: []string{second}})
	says("taking back", err)
	join(t, s.URL(), second)
	s.Close()
	_, err = jetstream.Serve(t.Context(), dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"})
	says("starting", err)
	back()

	move("account.seed")
	_, err = jetstream.Keys(t.Context(), dir, jetstream.KeyOptions{Run: "r", Agents: 3})
	says("making", err)
	back()

	s = serve(t, dir, jetstream.ServeOptions{})
	join(t, s.URL(), first)
	makeKeys(t, dir, jetstream.KeyOptions{Revoke: []string{second}})
	for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) {
		x, err := jetstream.Dial(t.Context(), s.URL(), jetstream.DialOptions{Credentials: second + ".revoked"})
		if err != nil {
			break
		}
		x.Close()
		if time.Now().After(end) {
			t.Fatal("what was taken back is let in")
		}
	}
	join(t, s.URL(), agents(3)["agent 3 of run r"]) // an account that is signed after that
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
	seed := filepath.Join(dir, "keys", "operator.seed")
	before, err := os.ReadFile(seed)
	if err != nil {
		t.Fatal(err)
	}
	// a link to itself; as root everybody may look into folders, so that permissions show nothing
	claims := filepath.Join(dir, "keys", "account.jwt")
	if err := errors.Join(os.Remove(claims), os.Symlink("account.jwt", claims)); err != nil {
		t.Skip(err)
	}
	if _, err := jetstream.Keys(t.Context(), dir, jetstream.KeyOptions{Run: "r", Agents: 1}); err == nil || !strings.Contains(err.Error(), claims) {
		t.Errorf("making keys: error %v, want one that names %s", err, claims)
	}
	if after, err := os.ReadFile(seed); err != nil || string(after) != string(before) {
		t.Errorf("the operator's key was replaced (%v)", err)
	}
	s, err := jetstream.Serve(t.Context(), dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"})
	if err == nil {
		s.Close()
		t.Error("served without keys")
	}
}
