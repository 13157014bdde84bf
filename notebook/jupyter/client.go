package jupyter

import (
	"context"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/zmtp"
)

// peer is one connection with its own queue for what is sent.
type peer struct {
	conn *zmtp.Conn

	mu      sync.Mutex
	ready   *sync.Cond
	queue   [][][]byte
	pending int // bytes that wait to be sent
	dropped int // droppable messages that found the queue full
	closed  bool
	done    chan struct{} // closed when the writer has ended
}

// Limits of output that waits for a peer that does not read. Output beyond the first is
// dropped, as ZeroMQ's publishers do, and the peer gets a notice; a peer that has let the second
// pile up is disconnected.
const (
	dropLimit  = 64 << 20
	closeLimit = 256 << 20
)

// Limits of a message that arrives, in bytes. Any peer that can connect can send, so that only a
// message that was signed makes room for large ones.
const (
	plainLimit    = 4 << 10 // heartbeats and subscriptions, which are not signed
	unprovenLimit = 4 << 20 // until a signed message has arrived on the connection
	provenLimit   = 1 << 30
)

// newPeer makes the handshake on a connection.
func newPeer(c net.Conn, kind zmtp.Kind, identity string) (*peer, error) {
	conn, err := zmtp.Open(c, kind, identity)
	if err != nil {
		return nil, err
	}
	p := &peer{conn: conn, done: make(chan struct{})}
	p.ready = sync.NewCond(&p.mu)
	go p.write()
	return p, nil
}

// send queues a message; it never waits.
func (p *peer) send(frames [][]byte, droppable bool) {
	size := sizeOf(frames)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.closed:
		return
	case droppable && p.pending > 0 && p.pending+size > dropLimit:
		p.dropped++
		return
	case p.pending > closeLimit:
		p.closed = true
		_ = p.conn.Close()
	}
	p.queue, p.pending = append(p.queue, frames), p.pending+size
	p.ready.Signal()
}

// sizeOf counts the bytes of a message, with what the wire adds.
func sizeOf(frames [][]byte) int {
	return lists.Sum(frames, func(f []byte) int { return len(f) + 9 })
}

// write sends what is queued until the peer is closed.
func (p *peer) write() {
	defer close(p.done)
	for {
		p.mu.Lock()
		for len(p.queue) == 0 && !p.closed {
			p.ready.Wait()
		}
		batch := p.queue
		p.queue = nil
		p.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, frames := range batch {
			if err := p.conn.Send(frames); err != nil {
				p.close()
				return
			}
			p.mu.Lock()
			p.pending -= sizeOf(frames)
			p.mu.Unlock()
		}
		if p.conn.Flush() != nil {
			p.close()
			return
		}
	}
}

// takeDropped returns the number of messages that were dropped since its last call, once there
// is room again.
func (p *peer) takeDropped() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.pending > dropLimit/2 {
		return 0
	}
	n := p.dropped
	p.dropped = 0
	return n
}

// finish lets the writer send what is queued, then ends it.
func (p *peer) finish() {
	p.mu.Lock()
	p.closed = true
	p.ready.Broadcast()
	p.mu.Unlock()
}

// close ends the connection at once.
func (p *peer) close() {
	p.finish()
	_ = p.conn.Close()
}

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
		if await.Pause(ctx, 2*time.Millisecond) != nil {
			return nil, fmt.Errorf("jupyter: no kernel answers on %s: %w", address, err)
		}
	}
}

// read delivers what arrives on a connection until the connection ends.
func (c *Client) read(inbox chan<- *Message, p *peer) {
	defer close(inbox)
	for {
		frames, err := p.conn.Receive(provenLimit)
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

// Messages returns the incoming messages of a channel, in order; it is closed when the connection ends. The
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
