package testport_test

import (
	"net"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/testport"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// A server may listen at the address, on all hosts, too, and again after a server with a connection has
// ended; no other process answers there meanwhile.
func TestAddress(t *testing.T) {
	address := testport.Address(t)
	_, port, err := net.SplitHostPort(address)
	if err != nil || !strings.HasPrefix(address, "127.0.0.1:") || port == "0" {
		t.Fatalf("address %q, %v", address, err)
	}
	for _, listen := range []string{address, "0.0.0.0:" + port, address} {
		if c, err := net.Dial("tcp", address); err == nil {
			c.Close()
			t.Fatal("somebody answers at an address where nobody listens")
		}
		l := try.Of(net.Listen("tcp", listen))
		mine := try.Of(net.Dial("tcp", address))
		other := try.Of(l.Accept())
		l.Close()
		other.Close() // the server's end first, as when it is killed
		mine.Close()
	}
}
