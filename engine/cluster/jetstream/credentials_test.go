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

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
)

// guarded starts a server with keys for three agents of run r, one of run other, and a worker. The files of credentials are by
// whose they are.
func guarded(t *testing.T) (*jetstream.Server, map[string]string) {
	dir := t.TempDir()
	keys := makeKeys(t, dir, jetstream.KeyOptions{Run: "other", Agents: 1})
	for who, file := range makeKeys(t, dir, jetstream.KeyOptions{Run: "r", Agents: 3, Workers: 1}) {
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

// rewrite makes a file of credentials out of parts of another. Token changes the claims and signs them; nil keeps the token. A
// seed that is nil stays as well.
func rewrite(t *testing.T, from string, token func(*jwt.UserClaims) string, seed []byte) string {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	// three parts: the token, the seed, and the certificate of the authority
	i := bytes.Index(text, []byte("-----BEGIN CERTIFICATE"))
	old, err := jwt.ParseDecoratedJWT(text[:i])
	if err != nil {
		t.Fatal(err)
	}
	if seed == nil {
		key, err := jwt.ParseDecoratedUserNKey(text[:i])
		if err != nil {
			t.Fatal(err)
		}
		seed, _ = key.Seed()
	}
	if token != nil {
		claims, err := jwt.DecodeUserClaims(old)
		if err != nil {
			t.Fatal(err)
		}
		old = token(claims)
	}
	first, err := jwt.DecorateJWT(old)
	if err != nil {
		t.Fatal(err)
	}
	second, err := jwt.DecorateSeed(seed)
	if err != nil {
		t.Fatal(err)
	}
	made := append(first, second...)
	file := filepath.Join(t.TempDir(), "made.creds")
	if err := os.WriteFile(file, append(append(made, '\n'), text[i:]...), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// signedWith returns a function that signs claims with the key of a file, or a new one. Without a file the claims are of users
// whom no server knows. Change may be nil.
func signedWith(t *testing.T, seedFile string, change func(*jwt.UserClaims)) func(*jwt.UserClaims) string {
	return func(c *jwt.UserClaims) string {
		key, err := nkeys.CreateAccount()
		if seedFile != "" {
			var seed []byte
			if seed, err = os.ReadFile(seedFile); err == nil {
				key, err = nkeys.FromSeed(seed)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		if change != nil {
			change(c)
		}
		text, err := c.Encode(key)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
}

// Six kinds of wrong credentials, each with its own sentence; the permissions of the right user are
// the last kind, in TestPermissions.
func TestWrongCredentials(t *testing.T) {
	s, keys := guarded(t)
	agent := keys["agent 2 of run r"]
	// each of them may speak for itself
	t.Run("the right ones", func(t *testing.T) {
		for who, file := range keys {
			if who != "worker 1" {
				publishAs(t, join(t, s.URL(), file), who)
			} else {
				join(t, s.URL(), file)
			}
		}
	})
	t.Run("none", func(t *testing.T) {
		refused(t, s.URL(), "", jetstream.NoCredentials, "nobody without credentials", "--creds FILE")
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
		refused(t, s.URL(), file, jetstream.BadCredentials, file, "no token")
	})
	t.Run("unknown user", func(t *testing.T) {
		// signed by an account that nobody knows
		file := rewrite(t, agent, signedWith(t, "", nil), nil)
		refused(t, s.URL(), file, jetstream.UnknownUser, "does not know the user", file)
	})
	t.Run("wrong signature", func(t *testing.T) {
		key, _ := nkeys.CreateUser()
		seed, _ := key.Seed()
		file := rewrite(t, agent, nil, seed)
		refused(t, s.URL(), file, jetstream.BadCredentials, "its seed is the one of another user")
		// The server does not believe it either.
		text, _ := os.ReadFile(agent)
		nc, err := nats.Connect(s.URL(), authority(t, agent), nats.UserJWT(func() (string, error) { return jwt.ParseDecoratedJWT(text) }, key.Sign))
		if err == nil {
			nc.Close()
			t.Error("the server takes a signature of another seed")
		}
	})
	t.Run("the token was changed", func(t *testing.T) {
		text, _ := os.ReadFile(agent)
		i := bytes.Index(text, []byte("eyJ0eXAi")) + 150
		// a bit of the claims
		text[i] ^= 1
		file := filepath.Join(t.TempDir(), "x.creds")
		os.WriteFile(file, text, 0o600)
		refused(t, s.URL(), file, jetstream.BadCredentials, "its token was changed")
	})
	t.Run("the key of another server", func(t *testing.T) {
		other := makeKeys(t, t.TempDir(), jetstream.KeyOptions{Run: "r", Agents: 3})
		refused(t, s.URL(), other["agent 2 of run r"], jetstream.WrongServer, "not signed by the authority", other["agent 2 of run r"])
	})
	// claims that have ended, signed by the right key
	t.Run("ended", func(t *testing.T) {
		file := rewrite(t, agent, signedWith(t, filepath.Join(s.Folder(), "keys", "account.seed"), func(c *jwt.UserClaims) { c.Expires = time.Now().Add(-time.Hour).Unix() }), nil)
		refused(t, s.URL(), file, jetstream.EndedCredentials, "agent 2 of run r", "ended on", "UTC")
	})
	t.Run("no TLS", func(t *testing.T) {
		plain := serve(t, t.TempDir(), jetstream.ServeOptions{})
		refused(t, plain.URL(), agent, jetstream.NoTLS, "does not use TLS", "not sent in the clear")
	})
	t.Run("a name that the certificate lacks", func(t *testing.T) {
		// 127.0.0.2 is this machine, too, and not among its own addresses.
		dir := t.TempDir()
		mine := makeKeys(t, dir, jetstream.KeyOptions{})
		s := serve(t, dir, jetstream.ServeOptions{Listen: "127.0.0.2:0"})
		refused(t, s.URL(), mine["the owner"], jetstream.WrongServer, "--host")
		s.Close()
		makeKeys(t, dir, jetstream.KeyOptions{Hosts: []string{"127.0.0.2"}})
		join(t, serve(t, dir, jetstream.ServeOptions{Listen: "127.0.0.2:0"}).URL(), mine["the owner"])
	})
	t.Run("taken back", func(t *testing.T) {
		x := join(t, s.URL(), agent)
		publishAs(t, x, "agent 2 of run r")
		time.Sleep(1100 * time.Millisecond) // NATS compares whole seconds
		if _, err := jetstream.Keys(t.Context(), s.Folder(), jetstream.KeyOptions{Revoke: []string{agent}}); err != nil {
			t.Fatal(err)
		}
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
		refused(t, s.URL(), agent+".revoked", jetstream.RevokedCredentials, "taken back", "agent 2 of run r")
		again := makeKeys(t, s.Folder(), jetstream.KeyOptions{Run: "r", Agents: 3})
		publishAs(t, join(t, s.URL(), again["agent 2 of run r"]), "agent 2 of run r")
	})
}

// A connection ends when its credentials do.
func TestEndingCredentials(t *testing.T) {
	s, keys := guarded(t)
	var login *jetstream.LoginError
	// a short life, or a longer one where the machine needs more to join
	for life := 3 * time.Second; ; life *= 3 {
		file := rewrite(t, keys["agent 1 of run r"], signedWith(t, filepath.Join(s.Folder(), "keys", "account.seed"), func(c *jwt.UserClaims) { c.Expires = time.Now().Add(life).Unix() }), nil)
		x, err := jetstream.Dial(t.Context(), s.URL(), jetstream.DialOptions{Credentials: file, Wait: limit})
		if errors.As(err, &login) && login.Cause == jetstream.EndedCredentials && life < limit {
			t.Logf("a life of %v was over before the machine had joined", life)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		ctx := patiently(t)
		for range x.Read(ctx, "other-things") {
		}
		for i := 0; err == nil && ctx.Err() == nil; i++ {
			err = x.Publish(ctx, cluster.Fact{Run: "r", Round: 100 + i, Name: "agent-1"})
			time.Sleep(50 * time.Millisecond)
		}
		if !errors.As(err, &login) || login.Cause != jetstream.EndedCredentials {
			t.Errorf("a live connection ended with %v", err)
		}
		return
	}
}

// publishAs publishes a fact that whoever it is may publish: an agent its message, and the owner a run.
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
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, text[bytes.Index(text, []byte("-----BEGIN CERTIFICATE")):], 0o600); err != nil {
		t.Fatal(err)
	}
	return nats.RootCAs(ca)
}

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

// Credentials are made while the operator's key is elsewhere, and the authority stays as it is; to start the server and to
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
		if err == nil || !strings.Contains(err.Error(), "a key cannot be read, and nothing else signs in its place: open "+seed+": no such file") {
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

// Credentials that several programs take back at the same time are all taken back, and one folder has
// one authority whoever makes its keys first.
func TestKeysAtTheSameTime(t *testing.T) {
	dir := t.TempDir()
	// all six make keys of a new folder at once, and then each takes one file back
	const n = 6
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if _, err := jetstream.Keys(t.Context(), dir, jetstream.KeyOptions{Workers: n}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	files := makeKeys(t, dir, jetstream.KeyOptions{Workers: n})
	for i := range n {
		all.Go(func() {
			if _, err := jetstream.Keys(t.Context(), dir, jetstream.KeyOptions{Revoke: []string{files[fmt.Sprint("worker ", i+1)]}}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	s := serve(t, dir, jetstream.ServeOptions{Listen: "127.0.0.1:0"})
	join(t, s.URL(), files["the owner"])
	for i := range n {
		_, err := jetstream.Dial(t.Context(), s.URL(), jetstream.DialOptions{Credentials: files[fmt.Sprint("worker ", i+1)] + ".revoked"})
		if e := (*jetstream.LoginError)(nil); !errors.As(err, &e) || e.Cause != jetstream.RevokedCredentials {
			t.Errorf("worker %d: %v", i+1, err)
		}
	}
}

// A server takes over the facts of a version whose users came in by the account that signs. Their
// credentials are refused with a sentence, and the same command makes them again.
func TestKeysOfAnEarlierVersion(t *testing.T) {
	dir := t.TempDir()
	keys := makeKeys(t, dir, jetstream.KeyOptions{Run: "r", Agents: 1})
	file := keys["agent 1 of run r"]
	s := serve(t, dir, jetstream.ServeOptions{})
	// facts under the account of now, and below they are moved to where the earlier version had them
	fact := cluster.Fact{Run: "r", Name: "run", Body: []byte("opened")}
	if err := join(t, s.URL(), keys["the owner"]).Publish(t.Context(), fact); err != nil {
		t.Fatal(err)
	}
	s.Close()
	signer := ""
	old := rewrite(t, file, signedWith(t, filepath.Join(dir, "keys", "account.seed"), func(c *jwt.UserClaims) {
		// the token names no account, and has rights of its own
		signer, c.IssuerAccount = c.Issuer, ""
		c.Permissions.Pub.Allow.Add(">")
	}), nil)
	text, err := os.ReadFile(old)
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	stores, _ := filepath.Glob(filepath.Join(dir, "store", "jetstream", "A*"))
	// the folder of the streams is called by the key that signs
	for _, store := range stores {
		if _, e := os.Stat(filepath.Join(store, "streams", "COPE")); e == nil {
			err = errors.Join(err, os.Rename(store, filepath.Join(filepath.Dir(store), signer)))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	s = serve(t, dir, jetstream.ServeOptions{})
	refused(t, s.URL(), file, jetstream.UnknownUser, "agent 1 of run r", "made by an earlier version", "gonb-cope cluster keys")
	agent := join(t, s.URL(), makeKeys(t, dir, jetstream.KeyOptions{Run: "r", Agents: 1})["agent 1 of run r"])
	// the fact is still there
	none(t, agent, "r", fact)
}

// Keys that cannot be looked at are no missing keys: none are made in their place, and nobody is let in without credentials.
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
	if _, err := jetstream.Keys(t.Context(), dir, jetstream.KeyOptions{Workers: 1}); err == nil || !strings.Contains(err.Error(), claims) {
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
