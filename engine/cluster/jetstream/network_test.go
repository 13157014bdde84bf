package jetstream_test

import (
	"context"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// proxy passes connections on until it is cut.
type proxy struct {
	listener net.Listener // where clients connect
	to       string       // the address of the server
	cut      atomic.Bool  // nothing passes while it is set
	conns    sync.Map     // open connections of both sides, to be closed at the end
}

// newProxy starts a proxy before a server, and returns the URL that clients use.
func newProxy(t *testing.T, url string) (*proxy, string) {
	l := try.Of(net.Listen("tcp", "127.0.0.1:0"))
	p := &proxy{listener: l, to: url[strings.Index(url, "//")+2:]}
	t.Cleanup(func() { l.Close(); p.conns.Range(func(c, _ any) bool { c.(net.Conn).Close(); return true }) })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			s, err := net.Dial("tcp", p.to)
			if err != nil {
				c.Close()
				continue
			}
			p.conns.Store(c, nil)
			p.conns.Store(s, nil)
			go p.pass(c, s)
			go p.pass(s, c)
		}
	}()
	return p, "nats://" + l.Addr().String()
}

// pass copies, and holds everything back while the network is cut: both ends see no error, as when a cable is out.
func (p *proxy) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	b := make([]byte, 32<<10)
	for {
		n, err := from.Read(b)
		// what was read just now waits, too
		for p.cut.Load() {
			time.Sleep(5 * time.Millisecond)
		}
		if err != nil {
			return
		}
		if _, err := to.Write(b[:n]); err != nil {
			return
		}
	}
}

// The network is silent for longer than it takes the connection to notice (15 s); five minutes where
// GONB_COPE_FAULTS is set. Publisher and reader go on by themselves afterwards.
func TestNetworkCut(t *testing.T) {
	cut := time.Duration(tries(20, 300)) * time.Second
	if testing.Short() {
		cut = 2 * time.Second
	}
	t.Parallel()
	s := serve(t, t.TempDir(), jetstream.ServeOptions{})
	p, url := newProxy(t, s.URL())
	x, reader := join(t, url, ""), join(t, url, "")
	ctx, stop := context.WithTimeout(t.Context(), cut+2*time.Minute)
	defer stop()
	// half of the facts before the cut, half after it
	const facts = 40
	var rounds []int
	read := make(chan struct{})
	go func() {
		defer close(read)
		for f, err := range reader.Read(ctx, "r") {
			if err != nil {
				t.Error(err)
				return
			}
			if rounds = append(rounds, f.Round); len(rounds) == facts {
				return
			}
		}
	}()
	var after time.Time // when the network was there again
	for i := range facts {
		if i == facts/2 {
			p.cut.Store(true)
			time.AfterFunc(cut, func() { after = time.Now(); p.cut.Store(false) })
		}
		try.To(x.Publish(ctx, cluster.Fact{Run: "r", Round: i, Name: "agent-1", Body: []byte{byte(i)}}))
	}
	<-read
	for i, r := range rounds {
		if i != r {
			t.Fatalf("read the rounds %v", rounds)
		}
	}
	if len(rounds) != facts {
		t.Errorf("read %d facts of %d", len(rounds), facts)
	}
	// nothing was published twice, though its confirmation may have been lost
	none(t, join(t, s.URL(), ""), "r", allRounds(facts)...)
	t.Logf("a cut of %v; everything was published and read %v after it", cut, time.Since(after).Round(time.Millisecond))
}

// allRounds returns the facts that TestNetworkCut publishes.
func allRounds(n int) (all []cluster.Fact) {
	for i := range n {
		all = append(all, cluster.Fact{Run: "r", Round: i, Name: "agent-1", Body: []byte{byte(i)}})
	}
	return all
}
