package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/zmtp"
)

// pair starts a server and a client of it.
func pair(t *testing.T) (*Server, *Client, Connection) {
	t.Helper()
	dir := try.Of(os.MkdirTemp("", "wire"))
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := LocalConnection(dir)
	s := try.Of(Listen(c, func(error) {}))
	t.Cleanup(func() { s.Close(0) })
	return s, dialTest(t, c), c
}

func dialTest(t *testing.T, c Connection) *Client {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitLimit)
	defer cancel()
	cl := try.Of(Dial(ctx, c))
	t.Cleanup(func() { _ = cl.Close() })
	return cl
}

func next(t *testing.T, from <-chan *Message) *Message {
	t.Helper()
	select {
	case m, ok := <-from:
		if !ok {
			t.Fatal("connection closed")
		}
		return m
	case <-time.After(waitLimit):
		t.Fatalf("no message came within %v", waitLimit)
	}
	return nil
}

func TestRequestAndReply(t *testing.T) {
	s, c, _ := pair(t)
	for _, ch := range []Channel{ShellChannel, ControlChannel} {
		ask := c.Session().New("execute_request", nil, map[string]string{"code": "1 < 2 && é"})
		ask.Buffers = [][]byte{{0, 1, 2}}
		c.Send(ch, ask)
		got := next(t, s.Messages(ch))
		if got.Header != ask.Header || !bytes.Equal(got.Content, ask.Content) || len(got.Buffers) != 1 || got.Buffers[0][2] != 2 {
			t.Fatalf("%s: sent %+v, got %+v", ch, ask, got)
		}
		s.Send(ch, s.Session().New("execute_reply", got, map[string]string{"status": "ok"}))
		reply := next(t, c.Messages(ch))
		if reply.Parent != ask.Header || reply.Header.Session != s.Session().ID() {
			t.Fatalf("%s: reply %+v to %+v", ch, reply, ask.Header)
		}
	}
}

// A relay must not change the bytes of headers: front ends compare parents.
func TestRelayKeepsBytes(t *testing.T) {
	s := NewSession("key")
	header := json.RawMessage(`{"msg_id": "a",  "unknown": [1.50], "msg_type":"x", "session":"q","username":"","date":"","version":"5.3"}`)
	parts := [][]byte{header, []byte("{ }"), []byte(`{"m":1}`), []byte(`{"c": 1e3}`)}
	frames := append([][]byte{[]byte("id"), delimiter, s.signature(parts)}, parts...)
	m := try.Of(s.decode(frames))
	for i, f := range s.encode(m) {
		if !bytes.Equal(f, frames[i]) {
			t.Errorf("frame %d: %q became %q", i, frames[i], f)
		}
	}
	if child := s.New("y", m, struct{}{}); !bytes.Equal(child.parent, header) {
		t.Errorf("parent %q, want %q", child.parent, header)
	}
}

func TestWrongSignatureIsIgnored(t *testing.T) {
	dir := t.TempDir()
	c := LocalConnection(dir)
	rejected := make(chan error, 1)
	s := try.Of(Listen(c, func(err error) { rejected <- err }))
	defer s.Close(0)
	forged := c
	forged.Key = "another"
	f := dialTest(t, forged)
	f.Send(ShellChannel, f.Session().New("shutdown_request", nil, struct{}{}))
	select {
	case err := <-rejected:
		if !errors.Is(err, ErrSignature) {
			t.Errorf("rejected with %v", err)
		}
	case <-time.After(waitLimit):
		t.Fatalf("nothing was rejected within %v", waitLimit)
	}
	honest := dialTest(t, c)
	honest.Send(ShellChannel, honest.Session().New("kernel_info_request", nil, struct{}{}))
	if m := next(t, s.Messages(ShellChannel)); m.Header.Type != "kernel_info_request" {
		t.Errorf("delivered %q", m.Header.Type)
	}
}

func TestGarbageOnTheWire(t *testing.T) {
	s, c, conn := pair(t)
	network, address := conn.address(conn.Shell)
	for _, junk := range []string{"", "GET / HTTP/1.1\r\n\r\n", strings.Repeat("\xff", 200)} {
		raw := try.Of(net.Dial(network, address))
		_, _ = raw.Write([]byte(junk))
		_ = raw.Close()
	}
	// A frame that claims 2^62 bytes, after a proper handshake.
	raw := try.Of(net.Dial(network, address))
	p := try.Of(newPeer(raw, zmtp.Dealer, "liar"))
	_, _ = raw.Write([]byte{2, 0x40, 0, 0, 0, 0, 0, 0, 0})
	defer p.close()
	c.Send(ShellChannel, c.Session().New("kernel_info_request", nil, struct{}{}))
	next(t, s.Messages(ShellChannel))
}

// One front end that has stopped reading must not hold up another, nor make the kernel's memory
// grow without end: it misses output and learns how much.
func TestStalledSubscriber(t *testing.T) {
	s, quick, conn := pair(t)
	network, address := conn.address(conn.IOPub)
	stalled := try.Of(net.Dial(network, address))
	p := try.Of(newPeer(stalled, zmtp.Sub, "stalled"))
	p.send([][]byte{{1}}, false)
	waitForSubscribers(t, s, 2)
	text := strings.Repeat("x", 1<<20)
	messages := 200
	if testing.Short() {
		messages = 100 // the stalled one keeps two thirds of them
	}
	for range messages {
		s.Publish(s.Session().New("stream", nil, map[string]string{"name": "stdout", "text": text}))
		next(t, quick.Messages(IOPubChannel)) // the quick one misses nothing
	}
	s.Publish(s.Session().New("status", nil, map[string]string{"execution_state": "idle"}))
	s.mu.Lock()
	worst := 0
	for p := range s.subs {
		p.mu.Lock()
		worst = max(worst, p.pending)
		p.mu.Unlock()
	}
	s.mu.Unlock()
	if worst > dropLimit+2<<20 {
		t.Errorf("%d bytes wait for the stalled subscriber, the limit is %d", worst, dropLimit)
	}
	// It reads again: what was kept, then, with the next message, how much is missing.
	kept := 0
	for range 2000 {
		frames := try.Of(p.conn.Receive(provenLimit))
		m := try.Of(NewSession(conn.Key).decode(frames))
		if m.Header.Type == "status" {
			break
		}
		kept++
	}
	s.Publish(s.Session().New("status", nil, map[string]string{"execution_state": "busy"}))
	frames := try.Of(p.conn.Receive(provenLimit))
	if want := fmt.Sprintf("[%d messages of output are missing", messages-kept); !strings.Contains(string(bytes.Join(frames, nil)), want) {
		t.Errorf("after %d of %d messages: %.300q, want %q", kept, messages, frames, want)
	}
}

func waitForSubscribers(t *testing.T, s *Server, n int) {
	t.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		s.mu.Lock()
		have := len(s.subs)
		s.mu.Unlock()
		if have == n {
			return
		}
	}
	t.Fatalf("%d subscribers did not come within %v", n, waitLimit)
}

func TestCloseSendsWhatIsQueued(t *testing.T) {
	s, c, _ := pair(t)
	waitForSubscribers(t, s, 1)
	for range 100 {
		s.Publish(s.Session().New("stream", nil, map[string]string{"text": strings.Repeat("y", 10000)}))
	}
	s.Close(waitLimit)
	got := 0
	for range c.Messages(IOPubChannel) {
		got++
	}
	if got != 100 {
		t.Errorf("%d of 100 messages left", got)
	}
}

func TestConnectionFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kernel-1.json")
	c := LocalConnection("/run/x")
	try.To(c.WriteFile(path))
	back, err := ReadConnection(path)
	if err != nil || back != c {
		t.Errorf("%+v became %+v (%v)", c, back, err)
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o600 {
		t.Errorf("the key can be read by others: %v", info.Mode())
	}
	for text, want := range map[string]string{
		`{`:                   "unexpected end",
		`{"transport":"udp"}`: "transport must be tcp or ipc",
		`{"key":"k","signature_scheme":"hmac-md5","shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4,"hb_port":5}`: "hmac-sha256",
		`{"shell_port":1,"iopub_port":2,"stdin_port":3,"control_port":4}`:                                                     "hb_port must be a port, not 0",
	} {
		_ = os.WriteFile(path, []byte(text), 0o600)
		if _, err := ReadConnection(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
}
