package jetstream_test

import (
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/testport"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Users, passwords and tokens are left out of URLs, also of lists that cannot be read.
func TestRedacted(t *testing.T) {
	for _, c := range []struct{ urls, want string }{
		{"nats://host:4222", "nats://host:4222"},
		{"host:4222", "host:4222"},
		{"nats://ann:secret@host:4222", "nats://xxxxx@host:4222"},
		{"nats://secret@host", "nats://xxxxx@host"}, // a token
		{"ann:secret@host:4222", "xxxxx@host:4222"},
		// lists, with and without spaces
		{"nats://a:4222,tls://ann:secret@b,nats://bob:secret@c:1", "nats://a:4222,tls://xxxxx@b,nats://xxxxx@c:1"},
		{"nats://a:4222, tls://ann:secret@b", "nats://a:4222, tls://xxxxx@b"},
		{"ann:secret@a,nats://bob:secret@b", "xxxxx@a,nats://xxxxx@b"},
		// secrets that are not escaped: the text before the last @ is hidden
		{"nats://ann:sec/ret@host", "nats://xxxxx@host"},
		{"nats://ann:sec@ret@host", "nats://xxxxx@host"},
		{"nats://ann:sec,ret@host", "nats://xxxxx@host"},
		{"a,ann:sec,ret@host", "xxxxx@host"},
		{"", ""},
	} {
		if got := jetstream.Redacted(c.urls); got != c.want {
			t.Errorf("%q is shown as %q, want %q", c.urls, got, c.want)
		}
	}
}

// A password in a URL is in no notice and in no error: of a connection that breaks and comes back, of a wrong password, of a server that
// does not answer, and of a URL that cannot be read, which is reported at once.
func TestPasswordInURL(t *testing.T) {
	_, port := try.Two(net.SplitHostPort(testport.Address(t)))
	o := &server.Options{Host: "127.0.0.1", NoLog: true, NoSigs: true, JetStream: true, StoreDir: t.TempDir(), Username: "ann", Password: "secret"}
	o.Port = try.Of(strconv.Atoi(port))
	// it starts twice at one port, each time with options of its own, which a server changes
	start := func() *server.Server {
		own := *o
		s := try.Of(server.NewServer(&own))
		s.Start()
		if !s.ReadyForConnections(limit) {
			t.Fatal("the server is not ready")
		}
		return s
	}
	s := start()
	var mu sync.Mutex
	var said []string
	heard := make(chan struct{}, 10)
	url := "nats://ann:secret@127.0.0.1:" + port
	x := try.Of(jetstream.Dial(t.Context(), url, jetstream.DialOptions{Notice: func(text string) {
		mu.Lock()
		said = append(said, text)
		mu.Unlock()
		heard <- struct{}{}
	}}))
	defer x.Close()
	// the server ends and comes back: one notice of each
	s.Shutdown()
	s.WaitForShutdown()
	s = start()
	defer func() { s.Shutdown(); s.WaitForShutdown() }()
	for range 2 {
		select {
		case <-heard:
		case <-time.After(limit):
			t.Fatal("the connection did not break and come back")
		}
	}
	mu.Lock()
	all := strings.Join(said, "\n")
	mu.Unlock()
	if strings.Contains(all, "secret") || !strings.Contains(all, "the connection to nats://xxxxx@127.0.0.1:"+port+" broke") || !strings.Contains(all, "works again") {
		t.Errorf("noticed %q", all)
	}
	for _, c := range []struct{ url, want string }{
		// a wrong password, no server there, secrets that were not escaped, and URLs that cannot be
		{"nats://ann:secret2@127.0.0.1:" + port, "nats://xxxxx@127.0.0.1:" + port + " does not work out: the server refuses the user, password or token before the @"},
		{"nats://ann:secret@127.0.0.1:1", "no server answers at nats://xxxxx@127.0.0.1:1"},
		{"nats://ann:secret/x@127.0.0.1:" + port, "in a password before the @, write %2F for /"},
		{"nats://ann:secret,x@127.0.0.1:" + port, "in a password before the @, write %2F for /"},
		{"nats://ann:secret%zz@127.0.0.1:" + port, "%25 for %"},
		{"http://127.0.0.1:" + port, `must be like nats://host:4222 or tls://host:4222, got "http://127.0.0.1:`},
		{"127.0.0.1:1:1", `got "127.0.0.1:1:1"`},
		{"nats://127.0.0.1:66000", `got "nats://127.0.0.1:66000"`},
		{"nats://[::1]:1", "no server answers at nats://[::1]:1"},
		{"nats://127.0.0.1:1,", "URL 2 of 2 of the servers is empty"},
	} {
		// only a missing answer may take its time
		wait := limit // what is recorded at once does not take it
		if strings.HasPrefix(c.want, "no server answers") {
			wait = time.Second
		}
		began := time.Now()
		_, err := jetstream.Dial(t.Context(), c.url, jetstream.DialOptions{Wait: wait})
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.url, err, c.want)
		}
		if took := time.Since(began); wait == limit && took > limit*9/10 {
			t.Errorf("%s: told after %v", c.url, took)
		}
	}
}
