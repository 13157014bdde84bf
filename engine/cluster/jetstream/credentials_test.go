package jetstream_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
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
		refused(t, s.URL(), file, jetstream.BadCredentials, file, "no token")
	})
	t.Run("unknown user", func(t *testing.T) {
		// signed by an unknown account
		file := rewrite(t, agent, signedWith(t, "", nil), nil)
		refused(t, s.URL(), file, jetstream.UnknownUser, "does not know the user", file)
	})
	t.Run("wrong signature", func(t *testing.T) {
		key, _ := nkeys.CreateUser()
		seed, _ := key.Seed()
		file := rewrite(t, agent, nil, seed)
		refused(t, s.URL(), file, jetstream.BadCredentials, "the seed and the token in the file belong to different users")
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
		refused(t, s.URL(), file, jetstream.BadCredentials, "the token in the file was changed")
	})
	t.Run("the key of another server", func(t *testing.T) {
		other := makeKeys(t, t.TempDir(), jetstream.KeyOptions{Run: "r", Agents: 3})
		refused(t, s.URL(), other["agent 2 of run r"], jetstream.WrongServer, "did not sign the server's certificate", other["agent 2 of run r"])
	})
	// claims that have ended, signed by the right key
	t.Run("ended", func(t *testing.T) {
		file := rewrite(t, agent, signedWith(t, filepath.Join(s.Folder(), "keys", "account.seed"), func(c *jwt.UserClaims) { c.Expires = time.Now().Add(-time.Hour).Unix() }), nil)
		refused(t, s.URL(), file, jetstream.EndedCredentials, "agent 2 of run r", "expired on", "UTC")
	})
	t.Run("no TLS", func(t *testing.T) {
		plain := serve(t, t.TempDir(), jetstream.ServeOptions{})
		refused(t, plain.URL(), agent, jetstream.NoTLS, "does not use TLS", "not sent without encryption")
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
	t.Run("revoked", func(t *testing.T) {
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
		refused(t, s.URL(), agent+".revoked", jetstream.RevokedCredentials, "revoked", "agent 2 of run r")
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
