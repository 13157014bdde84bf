package zmtp

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// Conn is a connection after the handshake. One goroutine may receive while others send.
type Conn struct {
	conn     net.Conn
	in       *bufio.Reader
	identity string

	mu  sync.Mutex // keeps the frames of one message together
	out *bufio.Writer
}

// Open performs the handshake as a socket of the given kind. identity may be empty and has at most 255 bytes. The caller
// should set a deadline on c. On failure Open closes c.
func Open(c net.Conn, kind Kind, identity string) (*Conn, error) {
	peer, name, err := introduce(c, kind, identity)
	if err != nil {
		_ = c.Close() // err explains more than this error
		return nil, err
	}
	if !kind.fits(peer) {
		_ = c.Close()
		return nil, fmt.Errorf("zmtp: a socket of type %.20q cannot be connected to one of type %s", peer, kind)
	}
	return &Conn{conn: c, in: bufio.NewReader(c), out: bufio.NewWriter(c), identity: name}, nil
}

// Identity returns the peer's identity, or "".
func (c *Conn) Identity() string { return c.identity }

// Close closes the connection.
func (c *Conn) Close() error { return c.conn.Close() }

// Receive returns the frames of the next message. limit is the largest size in bytes of all frames together, and each
// frame counts frameCost bytes more than its content. Receive answers pings and ignores other commands. After an error the
// connection cannot be used for receiving.
func (c *Conn) Receive(limit int) (_ [][]byte, err error) {
	defer try.Caught(&err)
	var frames [][]byte
	for {
		flags, body := try.Two(readFrame(c.in, limit-frameCost))
		if flags&command != 0 {
			try.To(c.obey(body))
			continue
		}
		limit -= frameCost + len(body)
		frames = append(frames, body)
		if flags&more == 0 {
			return frames, nil
		}
	}
}

// obey answers PING (2 bytes of time to live, then context) with PONG (context). It ignores other commands.
func (c *Conn) obey(body []byte) error {
	name, rest, err := splitCommand(body)
	if err != nil || name != "PING" || len(rest) < 2 {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := writeFrame(c.out, command, append([]byte("\x04PONG"), rest[2:]...)); err != nil {
		return err
	}
	return c.out.Flush()
}

// Send writes a message of at least one frame to the buffer. Flush sends it.
func (c *Conn) Send(frames [][]byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, f := range frames {
		flags := byte(more)
		if i == len(frames)-1 {
			flags = 0
		}
		if err := writeFrame(c.out, flags, f); err != nil {
			return err
		}
	}
	return nil
}

// Flush sends the content of the buffer.
func (c *Conn) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Flush()
}

// These are the flags of a frame.
const (
	more    = 1 // another frame of the same message follows
	long    = 2 // the length has 8 bytes instead of 1
	command = 4 // the frame is a protocol command and not part of a message
)

// commandLimit is the largest size of a command in bytes. A handshake command has about 300 bytes if the identity has 255.
const commandLimit = 512

// frameCost is the number of bytes by which a frame counts more than its content. It makes an endless message of empty
// frames reach the limit.
const frameCost = 32

// readFrame reads one frame. A frame of a message has at most limit bytes, and a command at most commandLimit.
func readFrame(r io.Reader, limit int) (flags byte, body []byte, err error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:2]); err != nil {
		return 0, nil, err
	}
	flags = head[0]
	size := uint64(head[1])
	if flags&long != 0 {
		length, err := await.Exactly(r, 7)
		if err != nil {
			return 0, nil, err
		}
		copy(head[2:], length)
		size = binary.BigEndian.Uint64(head[1:])
	}
	switch {
	case flags&^(more|long|command) != 0 || flags&command != 0 && flags&more != 0:
		return 0, nil, fmt.Errorf("zmtp: a frame has flags %#x, which the protocol does not know", flags)
	case flags&command != 0:
		limit = commandLimit
	}
	if size > uint64(max(limit, 0)) {
		return 0, nil, fmt.Errorf("zmtp: a frame of %d bytes, where %d are allowed", size, max(limit, 0))
	}
	body, err = await.Exactly(r, int(size))
	return flags, body, err
}

func writeFrame(w io.Writer, flags byte, body []byte) error {
	head := append(make([]byte, 0, 9), flags, byte(len(body)))
	if len(body) > 255 {
		head = binary.BigEndian.AppendUint64(append(head[:0], flags|long), uint64(len(body)))
	}
	if _, err := w.Write(head); err != nil {
		return err
	}
	_, err := w.Write(body)
	return err
}

// Kind is a type of socket.
type Kind string

// These are the kinds of sockets that kernels and front ends use.
const (
	Router Kind = "ROUTER"
	Dealer Kind = "DEALER"
	Pub    Kind = "PUB"
	Sub    Kind = "SUB"
	Rep    Kind = "REP"
	Req    Kind = "REQ"
)

// fits reports whether a socket of kind k may be connected to a socket of kind peer.
func (k Kind) fits(peer Kind) bool {
	return slices.Contains(map[Kind][]Kind{
		Router: {Req, Dealer, Router},
		Dealer: {Rep, Dealer, Router},
		Pub:    {Sub, "XSUB"},
		Sub:    {Pub, "XPUB"},
		Rep:    {Req, Dealer},
		Req:    {Rep, Router},
	}[k], peer)
}

const (
	greetingSize = 64
	mechanism    = "NULL"
	ready        = "READY" // command that ends the handshake
)

// greet sends and checks the greeting, the first 64 bytes of a connection:
//
//	0-9    signature ff .. 7f
//	10-11  version
//	12-31  mechanism, filled with zeros
//	32     as-server, 0 for NULL
//	33-63  zeros
func greet(rw io.ReadWriter) (err error) {
	defer try.Caught(&err)
	var mine, theirs [greetingSize]byte
	mine[0], mine[9], mine[10] = 0xff, 0x7f, 3
	copy(mine[12:32], mechanism)
	try.Of(rw.Write(mine[:]))
	// The signature is read first: a peer with another protocol may wait for an answer before it sends 64 bytes.
	try.Of(io.ReadFull(rw, theirs[:10]))
	if theirs[0] != 0xff || theirs[9] != 0x7f {
		return errors.New("zmtp: the peer does not speak ZeroMQ's protocol")
	}
	try.Of(io.ReadFull(rw, theirs[10:]))
	if theirs[10] < 3 {
		return fmt.Errorf("zmtp: the peer speaks version %d of the protocol; 3 is the least", theirs[10])
	}
	if name := string(bytes.TrimRight(theirs[12:32], "\x00")); name != mechanism {
		return fmt.Errorf("zmtp: the peer asks for the mechanism %q; there is only %s", name, mechanism)
	}
	return nil
}

// introduce performs the handshake. It returns the kind and identity of the peer.
func introduce(rw io.ReadWriter, kind Kind, identity string) (_ Kind, _ string, err error) {
	defer try.Caught(&err)
	try.To(greet(rw))
	body := append([]byte{byte(len(ready))}, ready...)
	body = appendProperty(body, "Socket-Type", string(kind))
	body = appendProperty(body, "Identity", identity)
	try.To(writeFrame(rw, command, body))
	flags, theirs := try.Two(readFrame(rw, commandLimit))
	name, rest, err := splitCommand(theirs)
	switch {
	case err != nil:
		return "", "", err
	case flags&command == 0 || name != ready:
		return "", "", fmt.Errorf("zmtp: the peer does not say READY, but %.40q", theirs)
	}
	return properties(rest)
}

func appendProperty(b []byte, name, value string) []byte {
	b = append(append(b, byte(len(name))), name...)
	return append(binary.BigEndian.AppendUint32(b, uint32(len(value))), value...)
}

// splitCommand splits a command into its name and the rest.
func splitCommand(body []byte) (name string, rest []byte, err error) {
	if len(body) == 0 || int(body[0]) > len(body)-1 {
		return "", nil, fmt.Errorf("zmtp: malformed command %.40q", body)
	}
	n := 1 + int(body[0])
	return string(body[1:n]), body[n:], nil
}

// properties returns kind and identity from the properties of a READY command. Names of properties ignore case.
func properties(b []byte) (kind Kind, identity string, err error) {
	for len(b) > 0 {
		n := 1 + int(b[0])
		if len(b) < n+4 {
			return "", "", errors.New("zmtp: a property is cut off")
		}
		name, size := string(b[1:n]), binary.BigEndian.Uint32(b[n:])
		b = b[n+4:]
		if uint64(size) > uint64(len(b)) {
			return "", "", fmt.Errorf("zmtp: the property %.40q is cut off", name)
		}
		value := string(b[:size])
		b = b[size:]
		switch strings.ToLower(name) {
		case "socket-type":
			kind = Kind(value)
		case "identity":
			identity = value
		}
	}
	if len(identity) > 255 {
		return "", "", fmt.Errorf("zmtp: an identity of %d bytes, where 255 are allowed", len(identity))
	}
	return kind, identity, nil
}
