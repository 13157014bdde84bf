package zmtp

import (
	"bytes"
	"encoding/binary"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// script is a connection whose peer says what was written down before.
type script struct {
	net.Conn
	in  io.Reader
	out bytes.Buffer
}

func (s *script) Read(b []byte) (int, error)  { return s.in.Read(b) }
func (s *script) Write(b []byte) (int, error) { return s.out.Write(b) }
func (s *script) Close() error                { return nil }

func says(parts ...string) *script { return &script{in: strings.NewReader(strings.Join(parts, ""))} }

// libzmq is the greeting of libzmq 4.3, and dealer what follows it.
const (
	libzmq = "\xff\x00\x00\x00\x00\x00\x00\x00\x01\x7f\x03\x01NULL\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00" +
		"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"
	dealer = "\x04\x2a\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER\x08Identity\x00\x00\x00\x01a"
)

func TestHandshake(t *testing.T) {
	s := says(libzmq, "\x04\x2b", dealer[2:], "b")
	if _, err := Open(s, Router, ""); err == nil {
		t.Error("a byte after the properties is no error")
	}
	s = says(libzmq, dealer)
	c, err := Open(s, Router, "")
	if err != nil || c.Identity() != "a" {
		t.Fatalf("identity %v, error %v", c, err)
	}
	want := "\xff\x00\x00\x00\x00\x00\x00\x00\x00\x7f\x03\x00NULL" + strings.Repeat("\x00", 48) +
		"\x04\x29\x05READY\x0bSocket-Type\x00\x00\x00\x06ROUTER\x08Identity\x00\x00\x00\x00"
	if got := s.out.String(); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

func TestRefusedHandshakes(t *testing.T) {
	other := func(at int, with string) string { return libzmq[:at] + with + libzmq[at+len(with):] }
	for _, c := range []struct{ name, said, want string }{
		{"nothing", "", "EOF"},
		{"half a greeting", libzmq[:40], "unexpected EOF"},
		{"another protocol", "GET / HTTP/1.1\r\n", "does not speak ZeroMQ's protocol"},
		{"version 2", other(10, "\x01"), "version 1 of the protocol; 3 is the least"},
		{"another mechanism", other(12, "PLAIN"), `asks for the mechanism "PLAIN"`},
		{"a message", libzmq + "\x00\x05hello", "malformed command"},
		{"an error", libzmq + "\x04\x09\x05ERROR\x02no", "does not say READY"},
		{"an empty command", libzmq + "\x04\x00", "malformed command"},
		{"a name that is cut off", libzmq + "\x04\x03\x05REA", "malformed command"},
		{"half a command", libzmq + dealer[:20], "unexpected EOF"},
		{"a property without a value", libzmq + "\x04\x09\x05READY\x02ab", "a property is cut off"},
		{"a property of 2^32-1 bytes", libzmq + "\x04\x0e\x05READY\x02ab\xff\xff\xff\xffx", `the property "ab" is cut off`},
		{"no kind", libzmq + "\x04\x06\x05READY", `type "" cannot be connected`},
		{"another kind", libzmq + strings.Replace(dealer, "DEALER", "PUSHER", 1), `type "PUSHER" cannot be connected to one of type ROUTER`},
		{"513 bytes", libzmq + "\x06\x00\x00\x00\x00\x00\x00\x02\x01" + strings.Repeat("x", 513), "a frame of 513 bytes, where 512 are allowed"},
		{"2^45 bytes", libzmq + "\x06\x00\x00\x20\x00\x00\x00\x00\x00x", "a frame of 35184372088832 bytes, where 512 are allowed"},
	} {
		if _, err := Open(says(c.said), Router, ""); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// opened returns a connection to a peer that says something after the handshake.
func opened(t testing.TB, said string) (*Conn, *script) {
	t.Helper()
	s := says(libzmq, dealer, said)
	s.in = iotest.OneByteReader(s.in) // nothing comes in one piece
	c := try.Of(Open(s, Router, ""))
	s.out.Reset()
	return c, s
}

func TestMessages(t *testing.T) {
	const atOnce = 64 << 10 // see await.Exactly
	sizes := []int{0, 1, 255, 256, atOnce - 1, atOnce, atOnce + 1, 5*atOnce + 7}
	var frames [][]byte
	for _, size := range sizes {
		frames = append(frames, bytes.Repeat([]byte{byte(size)}, size))
	}
	out, s := opened(t, "")
	try.To(out.Send(frames))
	try.To(out.Flush())
	in, _ := opened(t, s.out.String())
	got, err := in.Receive(1 << 20)
	if err != nil || len(got) != len(frames) {
		t.Fatalf("%d frames, error %v", len(got), err)
	}
	for i := range got {
		if !bytes.Equal(got[i], frames[i]) {
			t.Errorf("frame %d of %d bytes came as one of %d", i, len(frames[i]), len(got[i]))
		}
	}
	if _, err := in.Receive(1 << 20); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestRefusedMessages(t *testing.T) {
	for _, c := range []struct{ name, said, want string }{
		{"an unknown flag", "\x08\x00", "flags 0x8"},
		{"a command with more to come", "\x05\x00", "flags 0x5"},
		{"too long", "\x02\x00\x00\x00\x00\x00\x00\x10\x00", "a frame of 4096 bytes, where 968 are allowed"},
		{"too long together", "\x01\xff" + strings.Repeat("x", 255) + "\x02\x00\x00\x00\x00\x00\x00\x03\x00", "a frame of 768 bytes, where 681 are allowed"},
		{"empty frames without end", strings.Repeat("\x01\x00", 1000) + "\x00\x01", "a frame of 1 bytes, where 0 are allowed"},
		{"a command of 513 bytes", "\x06\x00\x00\x00\x00\x00\x00\x02\x01", "513 bytes, where 512"},
		{"a cut command", "\x04\x02\x09P", "malformed command"},
		{"half a length", "\x02\x00\x00", "unexpected EOF"},
		{"half a frame", "\x00\x05abc", "unexpected EOF"},
	} {
		in, _ := opened(t, c.said)
		if _, err := in.Receive(1000); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// What is announced takes no memory until it arrives, whatever the limit.
func TestMemoryGrowsWithWhatArrives(t *testing.T) {
	const arrives = 1 << 20
	head := binary.BigEndian.AppendUint64([]byte{long}, 1<<30-frameCost)
	in, _ := opened(t, string(head)+strings.Repeat("x", arrives))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := in.Receive(1 << 30)
	runtime.ReadMemStats(&after)
	if err != io.ErrUnexpectedEOF {
		t.Errorf("error %v", err)
	}
	// Each doubling leaves what it copied: at most four times, and the last as much again.
	if took := after.TotalAlloc - before.TotalAlloc; took > 6*arrives {
		t.Errorf("%d bytes for %d that arrived", took, arrives)
	}
}

// A ping is answered between messages, and also between the frames of one.
func TestPing(t *testing.T) {
	in, s := opened(t, "\x01\x01a\x04\x0a\x04PING\x00\x09ctx\x04\x04\x03ABC\x00\x01b")
	frames, err := in.Receive(1000)
	if err != nil || string(bytes.Join(frames, []byte(","))) != "a,b" {
		t.Errorf("frames %q, error %v", frames, err)
	}
	if got, want := s.out.String(), "\x04\x08\x04PONGctx"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

// Whatever a peer says, it is refused or read within the limit, and what was read
// comes back when it is sent.
func FuzzPeer(f *testing.F) {
	for _, said := range []string{
		"", libzmq, libzmq + dealer, libzmq + dealer + "\x01\x01a\x04\x0a\x04PING\x00\x09ctx\x00\x01b", libzmq + dealer + "\x02\x00\x00\x00\x00\x00\x00\x01\x00" + strings.Repeat("x", 256),
		libzmq + dealer + "\x02\x00\x00\x20\x00\x00\x00\x00\x00x", libzmq + "\x06\x00\x00\x00\x20\x00\x00\x00\x00x",
	} {
		f.Add([]byte(said))
	}
	const limit = 1 << 12
	f.Fuzz(func(t *testing.T, said []byte) {
		s := says(string(said))
		c, err := Open(s, Router, "")
		for err == nil {
			var frames [][]byte
			if frames, err = c.Receive(limit); err != nil {
				break
			}
			size := 0
			for _, b := range frames {
				size += len(b) + frameCost
			}
			if size > limit || len(frames) == 0 {
				t.Fatalf("%d frames of %d bytes, the limit is %d", len(frames), size, limit)
			}
			out, sent := opened(t, "")
			if out.Send(frames) != nil || out.Flush() != nil {
				t.Fatal("it cannot be sent")
			}
			back, _ := opened(t, sent.out.String())
			again, err := back.Receive(limit)
			if err != nil || !bytes.Equal(bytes.Join(again, []byte("|")), bytes.Join(frames, []byte("|"))) {
				t.Fatalf("%q came back as %q, %v", frames, again, err)
			}
		}
	})
}
