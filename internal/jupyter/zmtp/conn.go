package zmtp

import (
	"bufio"
	"fmt"
	"net"
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
