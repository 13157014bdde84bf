package kernel

import (
	"context"
	"fmt"
	"html"
	"runtime"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
)

// each hands the messages of a channel on as they come.
func (k *kernel) each(ctx context.Context, ch jupyter.Channel, do func(*jupyter.Message)) {
	for {
		select {
		case <-ctx.Done():
			return
		case m := <-k.server.Messages(ch):
			do(m)
		}
	}
}

// interrupt stops the cell that runs, on either side. What it has finished stays.
func (k *kernel) interrupt() {
	k.mu.Lock()
	cancel := k.cancel
	k.mu.Unlock()
	if cancel != nil {
		k.golang.noteBusy()
		cancel()
		k.golang.interrupt()
	}
}

// begin makes the context of a request, which interrupt ends until the returned function is called.
func (k *kernel) begin(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	k.mu.Lock()
	k.cancel = cancel
	k.mu.Unlock()
	return ctx, func() {
		k.mu.Lock()
		k.cancel = nil
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
		k.reply(ch, m, reply)
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
			// Our mode if it is installed (see package kernelspec), else Go's.
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
	return c.Ports()
}

// debugReply states that there is no debugger, in the form of its protocol.
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
	for id, target := range c.open {
		if content.Target == "" || content.Target == target {
			found[id] = map[string]string{"target_name": target}
		}
	}
	return map[string]any{"status": "ok", "comms": found}
}

// meter shows the progress of a cell, in one display that it replaces: how far it is
// and how long it may still take. When all is done, the display is gone. A cell that is
// quick shows nothing.
type meter struct {
	cell *cell
	id   string

	mu      sync.Mutex
	now     dsl.Activity
	began   time.Time // of the activity
	shown   time.Time // when the display was last replaced; zero before it was there
	stopped bool
}

const (
	meterPatience = 400 * time.Millisecond // what is over sooner has no meter
	meterInterval = 200 * time.Millisecond // between two replacements
)

// update shows how far an activity is.
func (m *meter) update(a dsl.Activity) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if a.Label != m.now.Label || a.Total != m.now.Total || a.Done < m.now.Done {
		m.began = now
	}
	m.now = a
	if m.stopped || now.Sub(m.began) < meterPatience && m.shown.IsZero() || now.Sub(m.shown) < meterInterval {
		return
	}
	m.replace(now)
}

// finish takes the display away. more states that the cell will still put something out.
func (m *meter) finish(more bool) { m.end(func() { m.cell.again(more) }) }

// stop shows how far the last activity came, if it was shown at all.
func (m *meter) stop() { m.end(func() { m.replace(time.Now()) }) }

// end stops the meter, and does something with a display that is there.
func (m *meter) end(do func()) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	shows := !m.stopped && !m.shown.IsZero()
	if m.stopped = true; shows {
		do()
	}
}

// replace draws the meter again.
func (m *meter) replace(now time.Time) {
	msgType := "update_display_data"
	if m.shown.IsZero() {
		msgType = "display_data"
	}
	m.shown = now
	text := m.text(now)
	page := fmt.Sprintf(`<div class="cope-progress"><progress value="%.4g" max="%d"></progress> %s</div>`, float64(m.now.Done)+m.now.Share,
		max(m.now.Total, 1), html.EscapeString(text))
	if m.stopped {
		page = fmt.Sprintf(`<div class="cope-progress" style="opacity:.7">%s</div>`, html.EscapeString(text))
	}
	m.cell.send(msgType, m.cell.displayed(msgType, m.id, map[string]any{"text/plain": text, "text/html": page},
		map[string]any{"gonb_cope": map[string]any{"progress": true}}))
}

// text states how far the activity is.
func (m *meter) text(now time.Time) string {
	passed := now.Sub(m.began)
	text := fmt.Sprintf("%s: %d of %d", m.now.Label, m.now.Done, m.now.Total)
	switch {
	case m.now.Note == "":
	case m.now.Total == 1:
		text = m.now.Label + ": " + m.now.Note
	default:
		text += " (" + m.now.Note + ")"
	}
	switch {
	case m.stopped && m.now.Done >= m.now.Total:
		return fmt.Sprintf("%s in %s", text, duration(passed))
	case m.stopped:
		return fmt.Sprintf("%s, stopped after %s", text, duration(passed))
	}
	if remaining, known := m.now.Remaining(passed); known {
		return fmt.Sprintf("%s, %s left", text, duration(remaining))
	}
	return text
}

// duration prints a time to two figures or so.
func duration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}
