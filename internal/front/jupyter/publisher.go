package jupyter

import (
	"fmt"
	"net"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/zmtp"
)

// Joined receives a token after a front end has subscribed to iopub.
func (s *Server) Joined() <-chan struct{} { return s.joined }

// Publish sends a message to all subscribers of iopub. It never waits: a subscriber
// that does not read holds up no other, and loses streams first.
func (s *Server) Publish(m *Message) {
	out := *m
	out.Identities = [][]byte{[]byte("kernel." + s.session.id + "." + m.Header.Type)}
	frames := s.session.encode(&out)
	stream := m.Header.Type == "stream"
	s.mu.Lock()
	defer s.mu.Unlock()
	// of all that is published, only this would also be a request
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

// notice tells a subscriber that it missed output.
func (s *Server) notice(n int, m *Message) [][]byte {
	text := fmt.Sprintf("\n[%d messages of output are missing here: this front end read too slowly]\n", n)
	notice := s.session.New("stream", nil, map[string]string{"name": "stderr", "text": text})
	notice.Identities, notice.Parent, notice.parent = m.Identities, m.Parent, m.parent
	return s.session.encode(notice)
}

// serveSubscriber serves one connection of a PUB socket: a message that begins with 1 subscribes to
// the topics that begin with its rest, one that begins with 0 ends that.
func (s *Server) serveSubscriber(conn net.Conn) {
	p, err := s.join(conn, zmtp.Pub)
	if err != nil {
		return
	}
	defer s.leave(p)
	for {
		frames, err := p.receive(plainLimit)
		if err == nil && len(frames) == 1 && len(frames[0]) > 0 {
			err = s.subscribe(p, frames[0][0] == 1, string(frames[0][1:]))
		}
		if err != nil {
			s.refuse(err)
			return
		}
	}
}

// topicLimit limits the topics that a front end subscribes to. Jupyter's subscribe to one, which is
// everything.
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
		if len(topic) >= len(prefix) && topic[:len(prefix)] == prefix {
			return true
		}
	}
	return false
}
