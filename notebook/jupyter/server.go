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

// Server holds the sockets of a kernel.
type Server struct {
	session   *Session
	listeners []net.Listener
	inbox     map[Channel]chan *Message
	closing   chan struct{}
	rejected  func(error)

	mu     sync.Mutex
	routes map[route][]*peer
	seen   signatures
	open   map[route][]sentByName   // unanswered messages that were sent to all connections of an identity
	peers  map[*peer]bool           // all connections
	subs   map[*peer]map[string]int // iopub connection → topic prefix → number of subscriptions
	joined chan struct{}            // receives a token whenever a subscription begins
	fresh  int                      // number of identities that the server has assigned
}

// Listen opens the sockets of a connection. Messages with a wrong signature and repeated messages are dropped, and
// rejected is called with the reason. Without a key, Listen only accepts addresses that other machines cannot reach.
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
			_ = os.Remove(address) // left by an earlier process
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

// Session returns the session that creates the kernel's messages.
func (s *Server) Session() *Session { return s.session }

// Messages returns the channel with incoming requests of ch, in order. The caller must keep reading it.
func (s *Server) Messages(ch Channel) <-chan *Message { return s.inbox[ch] }

// Close closes all sockets. It waits until queued messages have been sent, for at most linger.
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

// accept accepts connections until the listener is closed. Each connection is handled by its own goroutine.
func (s *Server) accept(l net.Listener, handle func(net.Conn)) {
	for {
		conn, err := l.Accept()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // for example, no free file descriptors
			time.Sleep(50 * time.Millisecond)
			continue
		}
		go handle(conn)
	}
}

// handshakeTime limits the duration of a handshake.
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

// serveHeartbeat sends each message back. It reads the next message only after sending, so a client that does not read
// uses no memory.
func (s *Server) serveHeartbeat(conn net.Conn) {
	s.serve(conn, zmtp.Rep, func(p *peer, frames [][]byte) error { return errors.Join(p.conn.Send(frames), p.conn.Flush()) })
}

// serve calls take for each message of a connection, until the connection ends or take returns an error.
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

// refuse reports that a connection was closed because of err. It ignores errors of connections that ended normally.
func (s *Server) refuse(err error) {
	if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
		s.rejected(err)
	}
}
