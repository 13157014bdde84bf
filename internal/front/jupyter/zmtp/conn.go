package zmtp

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
)

// Conn is a connection after its handshake. One goroutine may receive while others
// send.
type Conn struct {
	conn     net.Conn
	in       *bufio.Reader
	identity string

	mu  sync.Mutex // keeps the frames of a message together
	out *bufio.Writer
}

// Open makes the handshake, as a socket of a kind; the identity has at most 255 bytes
// and may be empty. A deadline is the caller's to set. After an error the connection
// is closed.
func Open(c net.Conn, kind Kind, identity string) (*Conn, error) {
	peer, name, err := open(c, kind, identity)
	if err != nil {
		_ = c.Close() // the first error says more
		return nil, err
	}
	if !kind.fits(peer) {
		_ = c.Close()
		return nil, fmt.Errorf("zmtp: a socket of type %.20q cannot be connected to one of type %s", peer, kind)
	}
	return &Conn{conn: c, in: bufio.NewReader(c), out: bufio.NewWriter(c), identity: name}, nil
}

func open(c net.Conn, kind Kind, identity string) (Kind, string, error) {
	if err := greet(c); err != nil {
		return "", "", err
	}
	return introduce(c, kind, identity)
}

// Identity returns the name that the peer gave itself, or "".
func (c *Conn) Identity() string { return c.identity }

// Close closes the connection.
func (c *Conn) Close() error { return c.conn.Close() }

// Receive returns the frames of the next message, of at most limit bytes together; a
// frame counts 32 bytes more than its content. After an error nothing more can be
// received. A ping is answered, and other commands are passed over.
func (c *Conn) Receive(limit int) ([][]byte, error) {
	var frames [][]byte
	for {
		flags, body, err := readFrame(c.in, limit-frameCost)
		if err != nil {
			return nil, err
		}
		if flags&command != 0 {
			if err := c.obey(body); err != nil {
				return nil, err
			}
			continue
		}
		limit -= frameCost + len(body)
		frames = append(frames, body)
		if flags&more == 0 {
			return frames, nil
		}
	}
}

// obey answers PING (time to live of 2 bytes, context) by PONG (context).
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

// Send writes a message, which has one frame or more, to the buffer.
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

// Flush sends what is in the buffer.
func (c *Conn) Flush() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.Flush()
}

// The flags of a frame.
const (
	more    = 1 // another frame of the same message follows
	long    = 2 // the length has 8 bytes, not 1
	command = 4 // of the protocol, not of a message
)

// commandLimit is the largest command, in bytes. The one of a handshake has about 300
// when the identity has the 255 that are allowed.
const commandLimit = 512

// frameCost is the number of bytes that a frame counts beside its content, so that empty frames
// without end reach a limit, too.
const frameCost = 32

// atOnce limits the memory that is taken for a frame before anything of it has arrived.
const atOnce = 64 << 10

// readFrame reads one frame, of at most limit bytes if it belongs to a message.
func readFrame(r io.Reader, limit int) (flags byte, body []byte, err error) {
	var head [9]byte
	if _, err := io.ReadFull(r, head[:2]); err != nil {
		return 0, nil, err
	}
	flags = head[0]
	size := uint64(head[1])
	if flags&long != 0 {
		if _, err := io.ReadFull(r, head[2:]); err != nil {
			return 0, nil, unfinished(err)
		}
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
	body, err = readBody(r, int(size))
	return flags, body, err
}

// readBody reads size bytes. What has arrived at most doubles the memory.
func readBody(r io.Reader, size int) ([]byte, error) {
	body := make([]byte, 0, min(size, atOnce))
	for len(body) < size {
		if len(body) == cap(body) {
			body = slices.Grow(body, min(len(body), size-len(body)))
		}
		n, err := io.ReadFull(r, body[len(body):min(cap(body), size)])
		body = body[:len(body)+n]
		if err != nil {
			return nil, unfinished(err)
		}
	}
	return body, nil
}

// unfinished returns the error of a connection that ended within a frame.
func unfinished(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// writeFrame writes one frame.
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
