package jupyter

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/zmtp"
)

// Client is the sockets of a front end.
type Client struct {
	session *Session
	peers   map[Channel]*peer
	inbox   map[Channel]chan *Message
	closing chan struct{}
	once    sync.Once
}

// Dial connects to a kernel, which may still be starting: it tries until the context
// ends. All three request sockets carry the same identity, so that an answer is
// found on whichever socket the kernel sends it (GoNB answers control requests on
// its shell socket).
func Dial(ctx context.Context, c Connection) (*Client, error) {
	s := NewSession(c.Key)
	cl := &Client{session: s, peers: map[Channel]*peer{}, inbox: map[Channel]chan *Message{}, closing: make(chan struct{})}
	for _, ch := range []Channel{IOPubChannel, ShellChannel, ControlChannel, StdinChannel} {
		kind := zmtp.Dealer
		if ch == IOPubChannel {
			kind = zmtp.Sub
		}
		p, err := dial(ctx, c, ch, kind, s.id)
		if err != nil {
			_ = cl.Close()
			return nil, err
		}
		cl.peers[ch], cl.inbox[ch] = p, make(chan *Message, 256)
		if ch == IOPubChannel {
			p.send([][]byte{{1}}, false) // subscribe to everything
		}
	}
	for ch, p := range cl.peers {
		go cl.read(cl.inbox[ch], p)
	}
	return cl, nil
}

func dial(ctx context.Context, c Connection, ch Channel, kind zmtp.Kind, identity string) (*peer, error) {
	network, address := c.address(c.port(ch))
	var d net.Dialer
	for {
		conn, err := d.DialContext(ctx, network, address)
		if err == nil {
			_ = conn.SetDeadline(time.Now().Add(handshakeTime))
			var p *peer
			if p, err = newPeer(conn, kind, identity); err == nil {
				_ = conn.SetDeadline(time.Time{})
				return p, nil
			}
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("jupyter: no kernel answers on %s: %w", address, err)
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// read delivers what arrives on a connection until the connection ends.
func (c *Client) read(inbox chan<- *Message, p *peer) {
	defer close(inbox)
	for {
		frames, err := p.receive(provenLimit)
		if err != nil {
			return
		}
		m, err := c.session.decode(frames)
		if err != nil {
			continue
		}
		select {
		case inbox <- m:
		case <-c.closing:
			return
		}
	}
}

// Session makes the requests of the front end.
func (c *Client) Session() *Session { return c.session }

// Messages returns what arrives on a channel, in order; it is closed when the connection ends. The
// caller must keep reading all channels.
func (c *Client) Messages(ch Channel) <-chan *Message { return c.inbox[ch] }

// Send sends a message. Its identities go along: a kernel sends them back with the
// answer.
func (c *Client) Send(ch Channel, m *Message) { c.peers[ch].send(c.session.encode(m), false) }

// Close ends the connections.
func (c *Client) Close() error {
	c.once.Do(func() {
		close(c.closing)
		for _, p := range c.peers {
			p.close()
		}
	})
	return nil
}
