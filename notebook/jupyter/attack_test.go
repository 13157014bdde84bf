package jupyter

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// waitLimit is far above what anything takes, also on a busy machine.
const waitLimit = 3 * time.Minute

// stranger connects to a port of a server and sends the given bytes.
func stranger(t *testing.T, c Connection, port int, say ...[]byte) net.Conn {
	t.Helper()
	network, address := c.address(port)
	conn := try.Of(net.Dial(network, address))
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(waitLimit))
	for _, b := range say {
		_, _ = conn.Write(b) // the server may have closed it already
	}
	return conn
}

// greeting returns the first 64 bytes of ZMTP 3.0 with the mechanism NULL.
func greeting() []byte {
	b := make([]byte, 64)
	b[0], b[9], b[10] = 0xff, 0x7f, 3
	copy(b[12:], "NULL")
	return b
}

// readyCommand ends the handshake.
func readyCommand(kind, identity string) []byte {
	body := []byte("\x05READY")
	for _, p := range [][2]string{{"Socket-Type", kind}, {"Identity", identity}} {
		body = append(append(body, byte(len(p[0]))), p[0]...)
		body = append(binary.BigEndian.AppendUint32(body, uint32(len(p[1]))), p[1]...)
	}
	return append([]byte{4, byte(len(body))}, body...)
}

// announce returns the head of a long frame, with the first byte of its content.
func announce(flags byte, size uint64) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{flags}, size), 'x')
}

// sockets returns the ports of a server with the type of socket that they serve.
func sockets(c Connection) map[string]struct {
	port int
	kind string
} {
	return map[string]struct {
		port int
		kind string
	}{
		"shell": {c.Shell, "DEALER"}, "control": {c.Control, "DEALER"}, "stdin": {c.Stdin, "DEALER"}, "iopub": {c.IOPub, "SUB"}, "heartbeat": {c.Heartbeat, "REQ"},
	}
}

// A length is only believed as its bytes arrive: no announcement, by whomever and at
// whatever moment, takes memory.
func TestAnnouncedLengths(t *testing.T) {
	s, c, conn := pair(t)
	const message, command = 2, 6
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for name, socket := range sockets(conn) {
		for _, size := range []uint64{1 << 31, 1 << 33, 1 << 36, 1 << 37, 1 << 45, 1 << 62, 1<<63 - 1, 1<<64 - 1} {
			for _, flags := range []byte{message, command} {
				for when, hello := range map[string][]byte{"before": greeting(), "after": append(greeting(), readyCommand(socket.kind, "")...)} {
					raw := stranger(t, conn, socket.port, hello, announce(flags, size))
					if _, err := io.Copy(io.Discard, raw); err != nil && os.IsTimeout(err) {
						t.Errorf("%s: a frame of %d bytes (flags %d) %s the handshake: the connection is open after %v", name, size, flags, when, waitLimit)
					}
				}
			}
		}
	}
	runtime.ReadMemStats(&after)
	// 160 connections with their buffers; the smallest length above is 2048 MiB.
	if grown := (after.TotalAlloc - before.TotalAlloc) >> 20; grown > 64 {
		t.Errorf("announced lengths took %d MiB", grown)
	}
	answers(t, s, c)
}

// answers fails the test unless a front end gets an answer.
func answers(t *testing.T, s *Server, c *Client) {
	t.Helper()
	ask := c.Session().New("kernel_info_request", nil, struct{}{})
	c.Send(ShellChannel, ask)
	s.Send(ShellChannel, s.Session().New("kernel_info_reply", next(t, s.Messages(ShellChannel)), struct{}{}))
	if reply := next(t, c.Messages(ShellChannel)); reply.Parent.ID != ask.Header.ID {
		t.Errorf("the answer is to %q, not to %q", reply.Parent.ID, ask.Header.ID)
	}
}

// Connections that never finish their greeting do not delay the answers to others.
func TestHalfOpenConnections(t *testing.T) {
	s, c, conn := pair(t)
	for i := range 1000 {
		ports := []int{conn.Shell, conn.Control, conn.Stdin, conn.IOPub, conn.Heartbeat}
		stranger(t, conn, ports[i%5], greeting()[:i%64])
	}
	answers(t, s, c)
	answers(t, s, dialTest(t, conn))
}

// What names the identity of another front end gets none of its replies.
func TestIdentityOfAnother(t *testing.T) {
	s, c, conn := pair(t)
	answers(t, s, c)
	thief := stranger(t, conn, conn.Shell, greeting(), readyCommand("DEALER", c.Session().ID()))
	letIn(t, thief)
	for range 3 {
		answers(t, s, c)
	}
	_ = thief.Close()
	answers(t, s, c)
}

// A question for input reaches the front end that asked, even if another one names its identity on
// that socket before or after it. It is forgotten when it is answered.
func TestQuestionsReachWhoAsked(t *testing.T) {
	s, c, conn := pair(t)
	squat := func() { letIn(t, stranger(t, conn, conn.Stdin, greeting(), readyCommand("DEALER", c.Session().ID()))) }
	squat()
	ask := c.Session().New("execute_request", nil, struct{}{})
	c.Send(ShellChannel, ask)
	request := next(t, s.Messages(ShellChannel))
	squat()
	for _, answer := range []func(question *Message){
		func(question *Message) {
			c.Send(StdinChannel, c.Session().New("input_reply", question, struct{}{}))
			next(t, s.Messages(StdinChannel))
		},
		func(*Message) { s.Send(ShellChannel, s.Session().New("execute_reply", request, struct{}{})) },
	} {
		s.Send(StdinChannel, s.Session().New("input_request", request, struct{}{}))
		m := next(t, c.Messages(StdinChannel))
		if m.Parent.ID != ask.Header.ID {
			t.Errorf("the question belongs to %q, not to %q", m.Parent.ID, ask.Header.ID)
		}
		answer(m)
		s.mu.Lock()
		if len(s.open) != 0 {
			t.Errorf("%v is kept after the answer", s.open)
		}
		s.mu.Unlock()
	}
}

// letIn waits until a server has said READY, which has its socket type.
func letIn(t *testing.T, conn net.Conn) {
	t.Helper()
	for said := []byte{}; !bytes.Contains(said, []byte("ROUTER")); {
		b := make([]byte, 256)
		n, err := conn.Read(b)
		if err != nil {
			t.Fatalf("the server said %q: %v", said, err)
		}
		said = append(said, b[:n]...)
	}
}

// A signed message is delivered once. Messages that the kernel signed are never delivered to it.
func TestSignedMessageAgain(t *testing.T) {
	s, c, conn := pair(t)
	waitForSubscribers(t, s, 1)
	ask, last := c.Session().New("execute_request", nil, struct{}{}), c.Session().New("execute_request", nil, struct{}{})
	c.Send(ShellChannel, ask)
	request := next(t, s.Messages(ShellChannel))
	s.Publish(s.Session().New("comm_msg", nil, struct{}{}))
	s.Send(ShellChannel, s.Session().New("execute_reply", request, struct{}{}))
	again := []*Message{ask, next(t, c.Messages(IOPubChannel)), next(t, c.Messages(ShellChannel))}
	for _, from := range []*Client{c, dialTest(t, conn)} {
		for _, m := range again {
			m.Identities = nil
			from.Send(ShellChannel, m)
		}
	}
	c.Send(ShellChannel, last)
	if m := next(t, s.Messages(ShellChannel)); m.Header.ID != last.Header.ID {
		t.Errorf("%s was delivered again", m.Header.Type)
	}
}

func TestSignaturesAreBounded(t *testing.T) {
	var s signatures
	for i := range 5 * rememberedSignatures {
		if !s.add(fmt.Sprint(i)) {
			t.Fatalf("signature %d is not new", i)
		}
		if i >= rememberedSignatures && s.add(fmt.Sprint(i-rememberedSignatures+1)) {
			t.Fatalf("one of the last %d signatures was forgotten after %d", rememberedSignatures, i)
		}
	}
	if n := len(s.now) + len(s.before); n > 2*rememberedSignatures {
		t.Errorf("%d signatures are remembered, the limit is %d", n, 2*rememberedSignatures)
	}
}

// Large messages are for those who have shown that they know the key.
func TestLargeMessages(t *testing.T) {
	dir := try.Of(os.MkdirTemp("", "wire"))
	defer os.RemoveAll(dir)
	conn, refused := LocalConnection(dir), make(chan error, 1)
	s := try.Of(Listen(conn, func(err error) { refused <- err }))
	defer s.Close(0)
	large := func(c *Client) *Message {
		return c.Session().New("execute_request", nil, map[string]string{"code": strings.Repeat("x", unprovenLimit+1)})
	}
	c := dialTest(t, conn)
	answers(t, s, c)
	c.Send(ShellChannel, large(c))
	if m := next(t, s.Messages(ShellChannel)); len(m.Content) < unprovenLimit {
		t.Errorf("%d bytes of content", len(m.Content))
	}
	unknown := dialTest(t, conn)
	unknown.Send(ShellChannel, large(unknown))
	select {
	case err := <-refused:
		if !strings.Contains(err.Error(), "are allowed") {
			t.Errorf("refused with %v", err)
		}
	case <-time.After(waitLimit):
		t.Fatal("a large message of a connection that has signed nothing was not refused")
	}
	answers(t, s, c)
}

// Who subscribes without end is disconnected.
func TestTopicsWithoutEnd(t *testing.T) {
	_, _, conn := pair(t)
	raw := stranger(t, conn, conn.IOPub, greeting(), readyCommand("SUB", ""))
	for i := range topicLimit + 1 {
		_, _ = fmt.Fprintf(raw, "\x00\x05\x01%04d", i) // it may be closed already
	}
	if _, err := io.Copy(io.Discard, raw); err != nil && os.IsTimeout(err) {
		t.Errorf("it is connected after %v", waitLimit)
	}
}

// Without a key, everybody who can connect can execute: only this machine may.
func TestEmptyKey(t *testing.T) {
	for ip, want := range map[string]string{
		"0.0.0.0": `the key is empty, and other machines can reach ip "0.0.0.0"`, "192.0.2.1": "the key is empty, and other machines can reach ip", "example.org": "the key is empty, and other machines can reach ip", "": "the key is empty, and other machines can reach ip",
		"127.0.0.1": "", "127.1.2.3": "", "localhost": "", "::1": "",
	} {
		s, err := Listen(Connection{Transport: "tcp", IP: ip}, func(error) {}) // ports 0: any that are free
		switch {
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%q: error %v, want %q", ip, err, want)
		case want == "" && err != nil && strings.Contains(err.Error(), "key"):
			t.Errorf("%q: %v", ip, err)
		}
		if s != nil {
			s.Close(0)
		}
	}
}
