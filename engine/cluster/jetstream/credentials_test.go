package jetstream_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// guarded starts a server with keys for three agents of run r, and one of run other. The files of credentials are by
// whose they are.
func guarded(t *testing.T) (*jetstream.Server, map[string]string) {
	dir := t.TempDir()
	keys := makeKeys(t, dir, jetstream.KeyOptions{Run: "other", Agents: 1})
	for who, file := range makeKeys(t, dir, jetstream.KeyOptions{Run: "r", Agents: 3}) {
		keys[who] = file
	}
	return serve(t, dir, jetstream.ServeOptions{}), keys
}

// refused returns the error of a login that must fail for a cause. The error must be a LoginError of that cause, whose sentence
// has the words.
func refused(t *testing.T, url, credentials string, cause jetstream.LoginCause, words ...string) {
	t.Helper()
	x, err := jetstream.Dial(t.Context(), url, jetstream.DialOptions{Credentials: credentials, Wait: limit})
	if err == nil {
		x.Close()
		t.Fatal("the server let it in")
	}
	var login *jetstream.LoginError
	if !errors.As(err, &login) || login.Cause != cause {
		t.Errorf("refused with %v, a %T; wanted cause %d", err, err, cause)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the sentence lacks %q: %v", w, err)
		}
	}
}

// until changes when the credentials of a holder end, in the members of a server.
func until(t *testing.T, s *jetstream.Server, who string, ends time.Time) {
	t.Helper()
	file := filepath.Join(s.Folder(), "keys", "members")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var members map[string]map[string]any
	try.To(json.Unmarshal(text, &members))
	for _, m := range members {
		if fmt.Sprintf("agent %v of run %v", m["number"], m["run"]) == who {
			m["ends"] = ends
		}
	}
	if text, err = json.Marshal(members); err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// changed writes a copy of a file of credentials in which replacement replaces old.
func changed(t *testing.T, file, old, replacement string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil || !strings.Contains(string(text), old) {
		t.Fatalf("%s lacks %q: %v", file, old, err)
	}
	out := filepath.Join(t.TempDir(), "changed.creds")
	try.To(os.WriteFile(out, []byte(strings.Replace(string(text), old, replacement, 1)), 0o600))
	return out
}

// seedIn returns the seed in a file of credentials.
func seedIn(t *testing.T, file string) string {
	t.Helper()
	text := try.Of(os.ReadFile(file))
	return strings.Split(string(text), "\n")[1]
}

// Six kinds of wrong credentials, each with its own sentence; the permissions of the right user are
// the last kind, in TestPermissions.
func TestWrongCredentials(t *testing.T) {
	s, keys := guarded(t)
	agent := keys["agent 2 of run r"]
	// each of them may speak for itself
	t.Run("the right ones", func(t *testing.T) {
		for who, file := range keys {
			publishAs(t, join(t, s.URL(), file), who)
		}
	})
	t.Run("none", func(t *testing.T) {
		refused(t, s.URL(), "", jetstream.NoCredentials, "the server requires credentials", "--creds FILE")
		// without TLS in the URL it is the same sentence
		refused(t, strings.Replace(s.URL(), "tls:", "nats:", 1), "", jetstream.NoCredentials, "--creds FILE")
		// also a program of others that trusts the authority
		nc, err := nats.Connect(s.URL(), authority(t, agent))
		if err == nil {
			nc.Close()
			t.Error("the server itself lets in whoever trusts it")
		}
	})
	t.Run("no credentials at all in the file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "x.creds")
		os.WriteFile(file, []byte("hello"), 0o600)
		refused(t, s.URL(), file, jetstream.BadCredentials, file, "no seed")
		refused(t, s.URL(), changed(t, agent, "SU", "SUA"), jetstream.BadCredentials, "no seed")
		refused(t, s.URL(), changed(t, agent, "{", ""), jetstream.BadCredentials, "does not name the holder")
		refused(t, s.URL(), changed(t, agent, "BEGIN CERT", "BEGIN"), jetstream.BadCredentials, "no certificate")
	})
	t.Run("unknown key", func(t *testing.T) {
		key, _ := nkeys.CreateUser()
		seed, _ := key.Seed()
		refused(t, s.URL(), changed(t, agent, seedIn(t, agent), string(seed)), jetstream.RevokedCredentials, "were revoked")
	})
	t.Run("wrong signature", func(t *testing.T) {
		mine, _ := nkeys.FromSeed([]byte(seedIn(t, agent)))
		user, _ := mine.PublicKey()
		other, _ := nkeys.CreateUser()
		for what, sign := range map[string]nats.SignatureHandler{"another key": other.Sign, "none": func([]byte) ([]byte, error) { return nil, nil },
			"another challenge": func([]byte) ([]byte, error) { return mine.Sign([]byte("challenge")) }} {
			nc, err := nats.Connect(s.URL(), authority(t, agent), nats.Nkey(user, sign))
			if err == nil {
				nc.Close()
				t.Errorf("the server takes a signature of %s", what)
			}
		}
	})
	// what the file says about its holder gives no rights
	t.Run("another holder in the file", func(t *testing.T) {
		file := changed(t, agent, `"number":2`, `"number":1`)
		err := join(t, s.URL(), file).Publish(t.Context(), cluster.Fact{Run: "r", Round: 7, Name: "agent-1"})
		if !errors.As(err, new(*jetstream.PermissionError)) {
			t.Errorf("agent 2 speaks as agent 1: %v", err)
		}
	})
	t.Run("the key of another server", func(t *testing.T) {
		other := makeKeys(t, t.TempDir(), jetstream.KeyOptions{Run: "r", Agents: 3})
		refused(t, s.URL(), other["agent 2 of run r"], jetstream.WrongServer, "another certificate", other["agent 2 of run r"])
	})
	t.Run("ended", func(t *testing.T) {
		other := keys["agent 3 of run r"]
		text, _ := os.ReadFile(other)
		var m struct{ Ends string }
		try.To(json.Unmarshal(bytes.SplitN(text, []byte("\n"), 2)[0], &m))
		past := time.Now().Add(-time.Hour)
		until(t, s, "agent 3 of run r", past)
		file := changed(t, other, m.Ends, past.Format(time.RFC3339))
		for end := time.Now().Add(limit); ; time.Sleep(50 * time.Millisecond) { // until the server has read its members
			x, err := jetstream.Dial(t.Context(), s.URL(), jetstream.DialOptions{Credentials: file, Wait: limit})
			if err != nil || time.Now().After(end) {
				break
			}
			x.Close()
		}
		refused(t, s.URL(), file, jetstream.EndedCredentials, "agent 3 of run r", "expired on", "UTC")
	})
	t.Run("no TLS", func(t *testing.T) {
		plain := serve(t, t.TempDir(), jetstream.ServeOptions{})
		refused(t, plain.URL(), agent, jetstream.NoTLS, "does not use TLS", "not sent without encryption")
	})
	t.Run("any address of the server", func(t *testing.T) {
		// 127.0.0.2 is this machine, too, and its certificate does not name it
		dir := t.TempDir()
		mine := makeKeys(t, dir, jetstream.KeyOptions{})
		join(t, serve(t, dir, jetstream.ServeOptions{Listen: "127.0.0.2:0"}).URL(), mine["the owner"])
	})
	t.Run("revoked", func(t *testing.T) {
		x := join(t, s.URL(), agent)
		publishAs(t, x, "agent 2 of run r")
		try.Of(jetstream.Keys(t.Context(), s.Folder(), jetstream.KeyOptions{Revoke: []string{agent}}))
		// the file has another name, so that the next call makes a new one
		if _, err := os.Stat(agent); err == nil {
			t.Error("the file is still there")
		}
		// The connection ends, with the sentence and not with a timeout.
		ctx := patiently(t)
		// until the server has heard of it
		var err error
		for i := 0; err == nil && ctx.Err() == nil; i++ {
			err = x.Publish(ctx, cluster.Fact{Run: "r", Round: 100 + i, Name: "agent-2"})
			time.Sleep(50 * time.Millisecond)
		}
		var login *jetstream.LoginError
		if !errors.As(err, &login) || login.Cause != jetstream.RevokedCredentials {
			t.Errorf("a live connection ended with %v", err)
		}
		refused(t, s.URL(), agent+".revoked", jetstream.RevokedCredentials, "revoked", "agent 2 of run r")
		again := makeKeys(t, s.Folder(), jetstream.KeyOptions{Run: "r", Agents: 3})
		publishAs(t, join(t, s.URL(), again["agent 2 of run r"]), "agent 2 of run r")
	})
}

// A connection ends when its credentials do.
func TestEndingCredentials(t *testing.T) {
	s, keys := guarded(t)
	x := join(t, s.URL(), keys["agent 1 of run r"])
	until(t, s, "agent 1 of run r", time.Now().Add(3*time.Second))
	ctx := patiently(t)
	for range x.Read(ctx, "other-things") {
	}
	var err error
	for i := 0; err == nil && ctx.Err() == nil; i++ {
		err = x.Publish(ctx, cluster.Fact{Run: "r", Round: 100 + i, Name: "agent-1"})
		time.Sleep(50 * time.Millisecond)
	}
	// the file, which this test did not change, says another end
	if login := (*jetstream.LoginError)(nil); !errors.As(err, &login) {
		t.Errorf("a live connection ended with %v", err)
	}
}

// publishAs publishes a fact that the holder may publish: an agent its message, and the owner a run.
func publishAs(t *testing.T, x *jetstream.Exchange, who string) {
	t.Helper()
	f := cluster.Fact{Run: "r", Name: "run", Body: []byte("p")}
	if n, run, ok := strings.Cut(strings.TrimPrefix(who, "agent "), " of run "); ok {
		f.Run, f.Round, f.Name = run, 1, "agent-"+n
	}
	if err := x.Publish(t.Context(), f); err != nil {
		t.Errorf("%s: %v", who, err)
	}
}

// authority trusts the authority in a file of credentials.
func authority(t *testing.T, file string) nats.Option {
	t.Helper()
	text := try.Of(os.ReadFile(file))
	ca := filepath.Join(t.TempDir(), "ca.pem")
	try.To(os.WriteFile(ca, text[bytes.Index(text, []byte("-----BEGIN CERTIFICATE")):], 0o600))
	return nats.RootCAs(ca)
}
