package jupyter

import (
	"strings"
	"sync"
)

// Calls hands what arrives at a client on to the requests that caused it. Nobody else reads the client's channels then.
type Calls struct {
	client *Client

	mu   sync.Mutex
	open map[string]*Call // by the id of the request
}

// Call is a request, and what arrives because of it.
type Call struct {
	Request  *Message
	Arrivals chan Arrival
	Done     chan struct{} // closed when the caller waits no longer
}

// Arrival is a message with the channel on which it came.
type Arrival struct {
	Channel Channel
	Message *Message
}

// Reply reports whether the message answers a request.
func (a Arrival) Reply() bool {
	return a.Channel != IOPubChannel && strings.HasSuffix(a.Message.Header.Type, "_reply")
}

// Idle reports whether this is the message after which a request has no more output.
func (a Arrival) Idle() bool {
	var status struct {
		State string `json:"execution_state"`
	}
	return a.Channel == IOPubChannel && a.Message.Header.Type == "status" && a.Message.Decode(&status) == nil && status.State == "idle"
}

// NewCalls hands on what arrives at this client.
func NewCalls(c *Client) *Calls { return &Calls{client: c, open: map[string]*Call{}} }

// Open begins to collect what a request causes, which the caller sends afterwards.
func (c *Calls) Open(m *Message) *Call {
	call := &Call{Request: m, Arrivals: make(chan Arrival, 64), Done: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[m.Header.ID] = call
	return call
}

// Drop ends what Open began.
func (c *Calls) Drop(call *Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, call.Request.Header.ID)
	close(call.Done)
}

// Deliver hands on what arrives on a channel until the connection ends. Messages without a waiting call go to stray,
// which may be nil.
func (c *Calls) Deliver(ch Channel, stray func(*Message)) {
	for m := range c.client.Messages(ch) {
		c.mu.Lock()
		call := c.open[m.Parent.ID]
		c.mu.Unlock()
		switch {
		case call != nil:
			select {
			case call.Arrivals <- Arrival{ch, m}:
			case <-call.Done:
			}
		case stray != nil:
			stray(m)
		}
	}
}
