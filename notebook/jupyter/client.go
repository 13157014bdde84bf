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

// peer is one connection with its own send queue.
type peer struct {
	conn *zmtp.Conn

	mu      sync.Mutex
	ready   *sync.Cond
	queue   [][][]byte
	pending int // bytes in the queue
	dropped int // number of messages dropped because the queue was full
	closed  bool
	done    chan struct{} // closed when the writing goroutine has ended
}

// These limits, in bytes, apply to the queue of a peer that does not read. Above dropLimit, droppable messages are
// dropped, as in ZeroMQ, and the peer later gets a notice. Above closeLimit, the peer is disconnected.
const (
	dropLimit  = 64 << 20
	closeLimit = 256 << 20
)

// These limits, in bytes, apply to an incoming message. Any program that can connect can send messages. Therefore only a
// connection that has sent a signed message may send large ones.
const (
	plainLimit    = 4 << 10 // for heartbeats and subscriptions, which are not signed
	unprovenLimit = 4 << 20 // until a signed message has arrived on the connection
	provenLimit   = 1 << 30
)

// newPeer performs the handshake on a connection and starts the writing goroutine.
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

// send queues a message and never waits. A droppable message is dropped if the queue is full.
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

// sizeOf returns the size of a message in bytes, including the frame headers.
func sizeOf(frames [][]byte) int {
	return lists.Sum(frames, func(f []byte) int { return len(f) + 9 })
}

// write sends queued messages until the peer is closed and the queue is empty.
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

// takeDropped returns the number of dropped messages since its last call, and resets it. It returns 0 while the queue is
// more than half full.
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

// finish closes the peer after the queued messages have been sent. It does not wait.
func (p *peer) finish() {
	p.mu.Lock()
	p.closed = true
	p.ready.Broadcast()
	p.mu.Unlock()
}

// close closes the connection immediately.
func (p *peer) close() {
	p.finish()
	_ = p.conn.Close()
}

// Client holds the sockets of a front end.
type Client struct {
	session *Session
	peers   map[Channel]*peer
	inbox   map[Channel]chan *Message
	closing chan struct{}
	once    sync.Once
}

// Dial connects to a kernel. The kernel may still be starting, so Dial tries until the context ends. All sockets have the
// same identity, because some kernels answer on another socket: GoNB answers control requests on its shell socket.
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
			p.send([][]byte{{1}}, false) // subscribes to all topics
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

// read delivers the messages of a connection to inbox until the connection or the client is closed. Messages that cannot
// be decoded are dropped.
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

// Session returns the session that creates the client's requests.
func (c *Client) Session() *Session { return c.session }

// Messages returns the channel with incoming messages of ch, in order. It is closed when the connection ends. The caller
// must keep reading all channels.
func (c *Client) Messages(ch Channel) <-chan *Message { return c.inbox[ch] }

// Send sends a message on a channel. The message includes its identities, which a kernel returns with the answer.
func (c *Client) Send(ch Channel, m *Message) { c.peers[ch].send(c.session.encode(m), false) }

// Close closes all connections. It always returns nil.
func (c *Client) Close() error {
	c.once.Do(func() {
		close(c.closing)
		for _, p := range c.peers {
			p.close()
		}
	})
	return nil
}
