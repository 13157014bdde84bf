package jupyter

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/notebook/jupyter/zmtp"
)

// Server is the sockets of a kernel.
type Server struct {
	session   *Session
	listeners []net.Listener
	inbox     map[Channel]chan *Message
	closing   chan struct{}
	rejected  func(error)

	mu     sync.Mutex
	routes map[route][]*peer
	seen   signatures
	open   map[route][]sentByName   // what went by name and is not answered
	peers  map[*peer]bool           // all
	subs   map[*peer]map[string]int // subscriptions of the peers on iopub
	joined chan struct{}            // one token whenever a subscription begins
	fresh  int                      // counts identities given
}

// Listen opens the sockets that a connection names. Messages that are not signed with its key, or
// that come again, are not delivered; rejected receives an error for each. Without a
// key only this machine may be listened to.
func Listen(c Connection, rejected func(error)) (*Server, error) {
	if err := c.guarded(); err != nil {
		return nil, fmt.Errorf("jupyter: cannot listen: %w", err)
	}
	s := &Server{
		session: NewSession(c.Key), inbox: map[Channel]chan *Message{}, closing: make(chan struct{}), rejected: rejected,
		routes: map[route][]*peer{}, open: map[route][]sentByName{}, peers: map[*peer]bool{}, subs: map[*peer]map[string]int{},
		joined: make(chan struct{}, 1),
	}
	serve := map[int]func(net.Conn){c.IOPub: s.serveSubscriber, c.Heartbeat: s.serveHeartbeat}
	for _, ch := range requests {
		s.inbox[ch] = make(chan *Message, 64)
		serve[c.port(ch)] = func(conn net.Conn) { s.serveRequests(ch, conn) }
	}
	for port, handle := range serve {
		network, address := c.address(port)
		if network == "unix" {
			_ = os.Remove(address) // left by a process that died
		}
		l, err := net.Listen(network, address)
		if err != nil {
			s.Close(0)
			return nil, fmt.Errorf("jupyter: cannot listen: %w", err)
		}
		s.listeners = append(s.listeners, l)
		go s.accept(l, handle)
	}
	return s, nil
}

// Session makes the messages of the kernel.
func (s *Server) Session() *Session { return s.session }

// Messages returns the requests that arrive on a channel, in order. The caller must keep reading.
func (s *Server) Messages(ch Channel) <-chan *Message { return s.inbox[ch] }

// Close closes the sockets, after what was sent has left or linger is over.
func (s *Server) Close(linger time.Duration) {
	s.mu.Lock()
	select {
	case <-s.closing:
	default:
		close(s.closing)
	}
	peers := slices.Collect(maps.Keys(s.peers))
	s.mu.Unlock()
	for _, l := range s.listeners {
		_ = l.Close()
	}
	timeout := time.After(linger)
	for _, p := range peers {
		p.finish()
	}
	for _, p := range peers {
		select {
		case <-p.done:
		case <-timeout:
			timeout = time.After(0)
		}
		p.close()
	}
}

// accept hands each connection to a goroutine.
func (s *Server) accept(l net.Listener, handle func(net.Conn)) {
	for {
		conn, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // out of file descriptors, for instance
			time.Sleep(50 * time.Millisecond)
			continue
		}
		go handle(conn)
	}
}

// handshakeTime limits the time that a connection takes to state what it is.
const handshakeTime = 10 * time.Second

func (s *Server) join(conn net.Conn, kind zmtp.Kind) (*peer, error) {
	_ = conn.SetDeadline(time.Now().Add(handshakeTime))
	p, err := newPeer(conn, kind, "")
	if err != nil {
		s.refuse(err)
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	s.mu.Lock()
	s.peers[p] = true
	s.mu.Unlock()
	return p, nil
}

func (s *Server) leave(p *peer) {
	s.mu.Lock()
	delete(s.peers, p)
	delete(s.subs, p)
	s.mu.Unlock()
	p.close()
}

// serveHeartbeat sends back what comes. It reads on when that has left, so that a peer
// that does not read holds no memory.
func (s *Server) serveHeartbeat(conn net.Conn) {
	s.serve(conn, zmtp.Rep, func(p *peer, frames [][]byte) error { return errors.Join(p.conn.Send(frames), p.conn.Flush()) })
}

// serve handles the messages of a connection until it ends or take returns an error.
func (s *Server) serve(conn net.Conn, kind zmtp.Kind, take func(*peer, [][]byte) error) {
	p, err := s.join(conn, kind)
	if err != nil {
		return
	}
	defer s.leave(p)
	for {
		frames, err := p.conn.Receive(plainLimit)
		if err == nil {
			err = take(p, frames)
		}
		if err != nil {
			s.refuse(err)
			return
		}
	}
}

// refuse reports a connection that was closed for what it sent, not one that ended.
func (s *Server) refuse(err error) {
	if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		s.rejected(err)
	}
}
