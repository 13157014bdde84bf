package jupyter

import (
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/notebook/jupyter/zmtp"
)

// requests are the channels on which front ends send requests.
var requests = []Channel{ShellChannel, ControlChannel, StdinChannel}

// route identifies a front end's socket by channel and identity.
type route struct {
	channel  Channel
	identity string
}

// origin is the connection on which a request arrived. It is zero for a message created on this side.
type origin struct {
	channel Channel
	peer    *peer
}

// sentByName is a message that was sent to all connections of an identity, with the ID of its request.
type sentByName struct {
	request string
	frames  [][]byte
}

// Send sends a message to the front end that sent its request. An answer uses the connection on which the request arrived,
// even if other connections claim the same identity.
//
// If the channel differs, as for a question for input, or if that connection has ended, the message goes to all
// connections with this identity. Connections that claim the identity before the request is answered also get it, because
// a front end may still be connecting. So no connection can take a message from another.
func (s *Server) Send(ch Channel, m *Message) {
	if len(m.Identities) == 0 {
		return
	}
	reply := *m
	reply.Identities = m.Identities[1:]
	frames, identity := s.session.encode(&reply), string(m.Identities[0])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen.add(signatureOf(frames))
	if m.origin.channel == ch && s.peers[m.origin.peer] {
		m.origin.peer.send(frames, false)
		s.dropAnswered(identity, m.Parent.ID)
		return
	}
	to := route{ch, identity}
	for _, p := range s.routes[to] {
		p.send(frames, false)
	}
	if s.connected(identity) {
		s.open[to] = append(s.open[to], sentByName{m.Parent.ID, frames})
	}
}

// dropAnswered drops the stored messages of a request that has been answered.
func (s *Server) dropAnswered(identity, request string) {
	for _, channel := range requests {
		to := route{channel, identity}
		remaining := slices.DeleteFunc(s.open[to], func(q sentByName) bool { return q.request == request })
		if s.open[to] = remaining; len(remaining) == 0 {
			delete(s.open, to)
		}
	}
}

// connected reports whether a front end with this identity is connected on any channel.
func (s *Server) connected(identity string) bool {
	return slices.ContainsFunc(requests, func(ch Channel) bool { return len(s.routes[route{ch, identity}]) > 0 })
}

// serveRequests serves one connection of a ROUTER socket. It delivers the requests that arrive, with the connection's
// identity, until the connection ends.
func (s *Server) serveRequests(ch Channel, conn net.Conn) {
	p, err := s.join(conn, zmtp.Router)
	if err != nil {
		return
	}
	defer s.leave(p)
	id := s.enter(ch, p)
	defer s.forget(ch, id, p)
	limit := unprovenLimit
	for {
		frames, err := p.conn.Receive(limit)
		if err != nil {
			s.refuse(err)
			return
		}
		m, err := s.accepted(ch, append([][]byte{[]byte(id)}, frames...))
		if err != nil {
			s.rejected(err)
			continue
		}
		limit, m.origin = provenLimit, origin{ch, p}
		select {
		case s.inbox[ch] <- m:
		case <-s.closing:
			return
		}
	}
}

// accepted decodes the frames of a message. It returns an error if the signature is wrong or the message has been seen
// before.
func (s *Server) accepted(ch Channel, frames [][]byte) (*Message, error) {
	m, err := s.session.decode(frames)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.seen.add(signatureOf(frames)) {
		// the message is a repetition or was signed by this side
		return nil, fmt.Errorf("jupyter: message that is not new: %.40q", m.Header.Type)
	}
	if ch == StdinChannel { // this answers the stored question
		delete(s.open, route{ch, string(frames[0])})
	}
	return m, nil
}

// enter registers a connection under its identity, or under a new one if it has none. It sends the stored messages for
// this identity.
func (s *Server) enter(ch Channel, p *peer) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := p.conn.Identity()
	if id == "" || strings.HasPrefix(id, "\x00") { // the protocol reserves identities with a leading zero byte for the server
		s.fresh++
		id = fmt.Sprintf("\x00%08d", s.fresh)
	}
	to := route{ch, id}
	s.routes[to] = append(s.routes[to], p)
	for _, q := range s.open[to] {
		p.send(q.frames, false)
	}
	return id
}

func (s *Server) forget(ch Channel, id string, p *peer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := route{ch, id}
	if s.routes[to] = slices.DeleteFunc(s.routes[to], func(q *peer) bool { return q == p }); len(s.routes[to]) == 0 {
		delete(s.routes, to)
	}
	if !s.connected(id) {
		for _, channel := range requests {
			delete(s.open, route{channel, id})
		}
	}
}

// Joined returns a channel that receives a token after a front end has subscribed to iopub.
func (s *Server) Joined() <-chan struct{} { return s.joined }

// Publish sends a message to all subscribers of iopub. It never waits, so a subscriber that does not read delays no other.
// Such a subscriber first loses stream messages.
func (s *Server) Publish(m *Message) {
	out := *m
	out.Identities = [][]byte{[]byte("kernel." + s.session.id + "." + m.Header.Type)}
	frames := s.session.encode(&out)
	stream := m.Header.Type == "stream"
	s.mu.Lock()
	defer s.mu.Unlock()
	// A published comm message is also a valid request. Recording its signature prevents its replay as a request.
	if strings.HasPrefix(m.Header.Type, "comm_") {
		s.seen.add(signatureOf(frames))
	}
	for p, topics := range s.subs {
		if !subscribed(topics, string(out.Identities[0])) {
			continue
		}
		if n := p.takeDropped(); n > 0 {
			p.send(s.notice(n, &out), false)
		}
		p.send(frames, stream)
	}
}

// notice returns a stream message that informs a subscriber about n dropped messages.
func (s *Server) notice(n int, m *Message) [][]byte {
	text := fmt.Sprintf("\n[%d messages of output are missing here: this front end read too slowly]\n", n)
	notice := s.session.New("stream", nil, map[string]string{"name": "stderr", "text": text})
	notice.Identities, notice.Parent, notice.parent = m.Identities, m.Parent, m.parent
	return s.session.encode(notice)
}

// serveSubscriber serves one connection of a PUB socket. A message that begins with byte 1 subscribes to the topics with
// the following prefix; byte 0 unsubscribes.
func (s *Server) serveSubscriber(conn net.Conn) {
	s.serve(conn, zmtp.Pub, func(p *peer, frames [][]byte) error {
		if len(frames) != 1 || len(frames[0]) == 0 {
			return nil
		}
		return s.subscribe(p, frames[0][0] == 1, string(frames[0][1:]))
	})
}

// topicLimit limits the subscriptions of one connection. Jupyter's front ends subscribe once, to all topics.
const topicLimit = 1000

func (s *Server) subscribe(p *peer, begin bool, topic string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.subs[p] == nil {
		s.subs[p] = map[string]int{}
	}
	switch {
	case begin && len(s.subs[p]) >= topicLimit:
		return fmt.Errorf("jupyter: a front end subscribes to more than %d topics", topicLimit)
	case begin:
		s.subs[p][topic]++
		select {
		case s.joined <- struct{}{}:
		default:
		}
	case s.subs[p][topic] > 1:
		s.subs[p][topic]--
	default:
		delete(s.subs[p], topic)
	}
	return nil
}

func subscribed(topics map[string]int, topic string) bool {
	for prefix := range topics {
		if strings.HasPrefix(topic, prefix) {
			return true
		}
	}
	return false
}
