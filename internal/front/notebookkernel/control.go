package notebookkernel

import (
	"context"
	"maps"
	"runtime"
	"sync"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter"
)

// serveControl answers the control channel, while cells run.
func (k *kernel) serveControl(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-k.server.Messages(jupyter.ControlChannel):
			k.bracket(m, func() { k.serveEither(jupyter.ControlChannel, m) })
		}
	}
}

// interrupt stops the cell that runs, on either side. What it has finished stays.
func (k *kernel) interrupt() {
	k.mu.Lock()
	cancel := k.cancel
	k.mu.Unlock()
	if cancel != nil {
		cancel()
		k.golang.interrupt()
	}
}

// begin makes the context of a cell, which interrupt ends.
func (k *kernel) begin(ctx context.Context, m *jupyter.Message) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	k.mu.Lock()
	k.cancel, k.running = cancel, m
	k.mu.Unlock()
	return ctx, func() {
		k.mu.Lock()
		k.cancel, k.running = nil, nil
		k.mu.Unlock()
		cancel()
	}
}

// shutdown ends the kernel. The request is answered when GoNB has ended.
func (k *kernel) shutdown(ch jupyter.Channel, m *jupyter.Message) {
	var content struct {
		Restart bool `json:"restart"`
	}
	_ = m.Decode(&content)
	reply := map[string]any{"status": "ok", "restart": content.Restart}
	k.mu.Lock()
	k.farewell = func() {
		k.publish("shutdown_reply", m, reply)
		k.reply(ch, m, "shutdown_reply", reply)
		k.status(m, "idle")
	}
	k.mu.Unlock()
	k.stop()
}

// info returns the content of kernel_info_reply.
func (k *kernel) info() any {
	return map[string]any{
		"status": "ok", "protocol_version": jupyter.Version,
		"implementation": "gonb-cope", "implementation_version": k.opt.Version,
		"banner": "Go + CoPE (gonb-cope " + k.opt.Version + "): %%cope cells are scripts, all other cells are Go",
		"language_info": map[string]any{
			"name": "go", "version": runtime.Version(), "mimetype": "text/x-go", "file_extension": ".go",
			"pygments_lexer": "go", "nbconvert_exporter": "",
			// Our mode where it is installed (see package kernelspec), else Go's.
			"codemirror_mode": map[string]any{"name": "gonb-cope", "mime": "text/x-go"},
		},
		"help_links":         []any{},
		"debugger":           false,
		"supported_features": []string{},
	}
}

// ports returns the content of connect_reply.
func (k *kernel) ports() any {
	c, _ := jupyter.ReadConnection(k.opt.ConnectionFile) // it could be read when the kernel started
	return map[string]int{"shell_port": c.Shell, "iopub_port": c.IOPub, "stdin_port": c.Stdin, "hb_port": c.Heartbeat,
		"control_port": c.Control}
}

// debugReply says that there is no debugger, in the form of its protocol.
func debugReply(m *jupyter.Message) any {
	var content struct {
		Seq     int    `json:"seq"`
		Command string `json:"command"`
	}
	_ = m.Decode(&content)
	return map[string]any{"type": "response", "request_seq": content.Seq, "success": false, "command": content.Command,
		"message": "this kernel has no debugger"}
}

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
