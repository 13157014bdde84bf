package jupyter

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
)

// Server is the sockets of a kernel.
type Server struct {
	session   *Session
	listeners []net.Listener
	inbox     map[Channel]chan *Message
	closing   chan struct{}
	rejected  func(error)

	mu     sync.Mutex
	routes map[Channel]map[string]*peer // by identity
	early  map[route][][][]byte         // what waits for a socket of a front end that is still connecting
	peers  map[*peer]bool               // all
	subs   map[*peer]map[string]int     // subscriptions of the peers on iopub
	joined chan struct{}                // one token whenever a subscription begins
	fresh  int                          // counts identities given
}

// route is the socket of a front end.
type route struct {
	channel  Channel
	identity string
}

// Listen opens the sockets that a connection names. Messages that are not signed
// with its key are not delivered; rejected, if not nil, is told of them.
func Listen(c Connection, rejected func(error)) (*Server, error) {
	s := &Server{
		session: NewSession(c.Key), inbox: map[Channel]chan *Message{}, closing: make(chan struct{}), rejected: rejected,
		routes: map[Channel]map[string]*peer{}, early: map[route][][][]byte{}, peers: map[*peer]bool{}, subs: map[*peer]map[string]int{}, joined: make(chan struct{}, 1),
	}
	if s.rejected == nil {
		s.rejected = func(error) {}
	}
	serve := map[int]func(net.Conn){c.IOPub: s.serveSubscriber, c.Heartbeat: s.serveHeartbeat}
	for _, ch := range []Channel{ShellChannel, ControlChannel, StdinChannel} {
		s.inbox[ch], s.routes[ch] = make(chan *Message, 64), map[string]*peer{}
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

// Messages are the requests that arrive on a channel, in order. The caller must
// keep reading.
func (s *Server) Messages(ch Channel) <-chan *Message { return s.inbox[ch] }

// Send sends a message to the front end that its identities name; one that has
// gone gets nothing. A front end that can already ask on one socket may still be
// connecting another: then the message waits for it.
func (s *Server) Send(ch Channel, m *Message) {
	if len(m.Identities) == 0 {
		return
	}
	reply := *m
	reply.Identities = m.Identities[1:]
	frames, to := s.session.encode(&reply), route{ch, string(m.Identities[0])}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch p := s.routes[ch][to.identity]; {
	case p != nil:
		p.send(frames, false)
	case s.connected(to.identity):
		s.early[to] = append(s.early[to], frames)
	}
}

// connected tells whether a front end has a socket.
func (s *Server) connected(identity string) bool {
	for _, peers := range s.routes {
		if peers[identity] != nil {
			return true
		}
	}
	return false
}

// Close closes the sockets, after what was sent has left or linger is over.
func (s *Server) Close(linger time.Duration) {
	s.mu.Lock()
	select {
	case <-s.closing:
	default:
		close(s.closing)
	}
	var peers []*peer
	for p := range s.peers {
		peers = append(peers, p)
	}
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

// handshakeTime is how long a connection may take to say what it is.
const handshakeTime = 10 * time.Second

// join makes a connection a peer.
func (s *Server) join(conn net.Conn, kind zmq4.SocketType) (*peer, error) {
	_ = conn.SetDeadline(time.Now().Add(handshakeTime))
	p, err := newPeer(conn, kind, "", true)
	if err != nil {
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

// serveRequests is a ROUTER: it delivers what a front end sends, with the identity
// by which it is answered.
func (s *Server) serveRequests(ch Channel, conn net.Conn) {
	p, err := s.join(conn, zmq4.Router)
	if err != nil {
		return
	}
	defer s.leave(p)
	id := s.enter(ch, p)
	defer s.forget(ch, id, p)
	for {
		frames, err := p.receive()
		if err != nil {
			return
		}
		m, err := s.session.decode(append([][]byte{[]byte(id)}, frames...))
		if err != nil {
			s.rejected(err)
			continue
		}
		select {
		case s.inbox[ch] <- m:
		case <-s.closing:
			return
		}
	}
}

// enter registers a peer by its identity, or by one that is made up.
func (s *Server) enter(ch Channel, p *peer) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := p.conn.Peer.Meta["Identity"]
	if id == "" {
		s.fresh++
		id = fmt.Sprintf("\x00%08d", s.fresh)
	}
	s.routes[ch][id] = p
	for _, frames := range s.early[route{ch, id}] {
		p.send(frames, false)
	}
	delete(s.early, route{ch, id})
	return id
}

func (s *Server) forget(ch Channel, id string, p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.routes[ch][id] == p { // and not a connection that came after it
		delete(s.routes[ch], id)
	}
	if !s.connected(id) {
		for channel := range s.routes {
			delete(s.early, route{channel, id})
		}
	}
}

// serveHeartbeat sends back what comes.
func (s *Server) serveHeartbeat(conn net.Conn) {
	p, err := s.join(conn, zmq4.Rep)
	if err != nil {
		return
	}
	defer s.leave(p)
	for {
		frames, err := p.receive()
		if err != nil {
			return
		}
		p.send(frames, false)
	}
}
