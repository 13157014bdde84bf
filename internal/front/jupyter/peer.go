package jupyter

import (
	"net"
	"sync"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/zmtp"
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
// dropped, as ZeroMQ's publishers do, and the peer is told; a peer that has let the
// second pile up is disconnected.
const (
	dropLimit  = 64 << 20
	closeLimit = 256 << 20
)

// Limits of a message that arrives, in bytes. Whoever can connect can send, so that
// only a message that was signed makes room for large ones.
const (
	plainLimit    = 4 << 10 // heartbeats and subscriptions, which nobody signs
	unprovenLimit = 4 << 20 // as long as nothing that was signed has come by the connection
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
	size := 0
	for _, f := range frames {
		size += len(f) + 9
	}
	return size
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

// takeDropped returns how many messages were dropped since it last did, once there
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

// receive returns the frames of the next message, of at most limit bytes.
func (p *peer) receive(limit int) ([][]byte, error) { return p.conn.Receive(limit) }

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
