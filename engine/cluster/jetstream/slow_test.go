package jetstream_test

import (
	"fmt"
	"net"
	"net/url"
	"runtime"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/engine/cluster"
	"github.com/gonb-cope/gonb-cope/engine/cluster/jetstream"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Connections ask for the longest facts again and again, and read nothing that they are sent. The server keeps little for each and drops
// it; a client that reads its answers is served all the while.
func TestSlowReaders(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits until the server has given up readers")
	}
	s := serve(t, t.TempDir(), jetstream.ServeOptions{})
	x := join(t, s.URL(), "")
	body := make([]byte, 500<<10) // near the longest fact
	for name := range 3 {
		try.To(x.Publish(t.Context(), cluster.Fact{Run: "r", Round: 1, Name: fmt.Sprint("agent-", name+1), Body: body}))
	}
	at := try.Of(url.Parse(s.URL()))
	// as programs without this package, in the words of NATS itself
	const silent = 12
	before := heap()
	gone := make(chan error, silent)
	for range silent {
		c := try.Of(net.Dial("tcp", at.Host))
		t.Cleanup(func() { c.Close() })
		// little room on this side, so that what is not read fills the server
		try.To(c.(*net.TCPConn).SetReadBuffer(1 << 10))
		go func() {
			_, err := fmt.Fprint(c, "CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\nSUB _INBOX.silent 1\r\n")
			for err == nil {
				_, err = fmt.Fprint(c, "PUB $JS.API.DIRECT.GET.COPE.cope.r.1.agent-1 _INBOX.silent 0\r\n\r\n")
				time.Sleep(5 * time.Millisecond) // so that what waits within the server is little
			}
			// the server has closed the connection
			gone <- err
		}()
	}
	most := uint64(0)
	for dropped, begin := 0, time.Now(); dropped < silent; {
		select {
		case <-gone:
			dropped++
		case <-time.After(20 * time.Millisecond):
			most = max(most, heap())
			if time.Since(begin) > 5*time.Minute {
				t.Fatalf("%d of %d silent connections are still served", silent-dropped, silent)
			}
			// a client that reads is served
			read := 0
			for _, err := range x.Read(t.Context(), "r") {
				if err != nil {
					t.Fatal(err)
				}
				if read++; read == 3 {
					break
				}
			}
		}
	}
	// far above mostPending, as what the heap has is measured roughly
	if grown := (most - min(before, most)) >> 20; grown > 50*silent {
		t.Errorf("%d silent connections took %d MB", silent, grown)
	} else {
		t.Logf("%d silent connections took %d MB", silent, grown)
	}
}

// heap returns the bytes that the program uses.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
