package jupyter

import (
	"strings"
	"sync"
)

// Calls delivers each message that arrives at a client to the request that caused it. While it is in use, no other code
// may read the client's channels.
type Calls struct {
	client *Client

	mu   sync.Mutex
	open map[string]*Call // request ID → call
}

// Call is a request together with the messages that it causes.
type Call struct {
	Request  *Message
	Arrivals chan Arrival
	Done     chan struct{} // closed by Drop: the caller no longer reads Arrivals
}

// Arrival is a message with the channel on which it arrived.
type Arrival struct {
	Channel Channel
	Message *Message
}

// Reply reports whether the message is the reply to the request.
func (a Arrival) Reply() bool {
	return a.Channel != IOPubChannel && strings.HasSuffix(a.Message.Header.Type, "_reply")
}

// Idle reports whether the message is the status idle, after which a request has no more output.
func (a Arrival) Idle() bool {
	var status struct {
		State string `json:"execution_state"`
	}
	return a.Channel == IOPubChannel && a.Message.Header.Type == "status" && a.Message.Decode(&status) == nil && status.State == "idle"
}

// NewCalls returns the Calls of a client.
func NewCalls(c *Client) *Calls { return &Calls{client: c, open: map[string]*Call{}} }

// Open registers a request that the caller sends afterwards. From then on, messages caused by the request arrive in the
// returned Call.
func (c *Calls) Open(m *Message) *Call {
	call := &Call{Request: m, Arrivals: make(chan Arrival, 64), Done: make(chan struct{})}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[m.Header.ID] = call
	return call
}

// Drop ends a call. Later messages for its request go to stray.
func (c *Calls) Drop(call *Call) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, call.Request.Header.ID)
	close(call.Done)
}

// Deliver delivers the messages of a channel until the connection ends. Messages without a registered call go to stray,
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
