package notebookkernel

import (
	"maps"
	"sync"

	"github.com/gonb-cope/gonb-cope/internal/jupyter"
)

// comms remembers which comms (the channels of widgets) are open, since GoNB does
// not answer comm_info.
type comms struct {
	mu   sync.Mutex
	open map[string]string // target by id
}

// see notes a comm message that passes, in either direction.
func (c *comms) see(m *jupyter.Message) {
	var content struct {
		ID     string `json:"comm_id"`
		Target string `json:"target_name"`
	}
	if m.Decode(&content) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch m.Header.Type {
	case "comm_open":
		if c.open == nil {
			c.open = map[string]string{}
		}
		c.open[content.ID] = content.Target
	case "comm_close":
		delete(c.open, content.ID)
	}
}

// answer returns the content of comm_info_reply.
func (c *comms) answer(m *jupyter.Message) any {
	var content struct {
		Target string `json:"target_name"`
	}
	_ = m.Decode(&content) // without a target: all
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string]any{}
	for id, target := range maps.All(c.open) {
		if content.Target == "" || content.Target == target {
			found[id] = map[string]string{"target_name": target}
		}
	}
	return map[string]any{"status": "ok", "comms": found}
}
