package jupyter

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"sync"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/security/null"
)

// peer is one connection with a queue of its own for what is sent.
type peer struct {
	conn *zmq4.Conn
	wire *wire

	mu      sync.Mutex
	ready   *sync.Cond
	queue   [][][]byte
	pending int // bytes that wait to be sent
	dropped int // droppable messages that found the queue full
	closed  bool
	done    chan struct{} // closed when the writer has ended
}

// Limits of what waits for a peer that does not read. Output beyond the first is
// dropped, as ZeroMQ's publishers do, and the peer is told; a peer that has let the
// second pile up is disconnected.
const (
	dropLimit  = 64 << 20
	closeLimit = 256 << 20
)

// newPeer makes the handshake on a connection.
func newPeer(c net.Conn, kind zmq4.SocketType, identity string, server bool) (*peer, error) {
	w := &wire{Conn: c, in: bufio.NewReaderSize(c, 64<<10)}
	conn, err := zmq4.Open(w, null.Security(), kind, zmq4.SocketIdentity(identity), server, nil)
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	w.out = bufio.NewWriterSize(c, 64<<10)
	p := &peer{conn: conn, wire: w, done: make(chan struct{})}
	p.ready = sync.NewCond(&p.mu)
	go p.write()
	return p, nil
}

// wire buffers a connection: go-zeromq writes each frame in two parts.
type wire struct {
	net.Conn
	in  *bufio.Reader
	out *bufio.Writer // nil during the handshake
}

func (w *wire) Read(b []byte) (int, error) { return w.in.Read(b) }

func (w *wire) Write(b []byte) (int, error) {
	if w.out == nil {
		return w.Conn.Write(b)
	}
	return w.out.Write(b)
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
			if err := p.conn.SendMsg(zmq4.NewMsgFrom(frames...)); err != nil {
				p.close()
				return
			}
			p.mu.Lock()
			p.pending -= sizeOf(frames)
			p.mu.Unlock()
		}
		if p.wire.out.Flush() != nil {
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

// receive returns the frames of the next message.
func (p *peer) receive() (frames [][]byte, err error) {
	defer func() { // a length that no memory can hold
		if r := recover(); r != nil {
			err = fmt.Errorf("jupyter: malformed frame: %v", r)
		}
	}()
	m, err := p.conn.RecvMsg()
	return m.Frames, err
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
