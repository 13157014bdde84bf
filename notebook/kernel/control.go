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

// each calls do for each message of a channel, one at a time, until ctx ends.
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

// interrupt interrupts the running cell, whether script or Go. Finished results are kept.
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

// begin returns a context for one request, which interrupt cancels. The returned function ends the request: it cancels the
// context and makes later interrupts ignore it.
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

// shutdown stops the kernel. It stores the reply in k.farewell, which Run sends after GoNB has ended.
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
			// Front ends use our syntax mode if it is installed (package kernelspec), and otherwise Go's.
			"codemirror_mode": map[string]any{"name": "gonb-cope", "mime": "text/x-go"},
		},
		"help_links":         []any{},
		"debugger":           false,
		"supported_features": []string{},
	}
}

// ports returns the content of connect_reply: the ports of the connection file.
func (k *kernel) ports() any {
	c, _ := jupyter.ReadConnection(k.opt.ConnectionFile) // no error: the file was read when the kernel started
	return c.Ports()
}

// debugReply returns a response of the Debug Adapter Protocol that says that this kernel has no debugger.
func debugReply(m *jupyter.Message) any {
	var content struct {
		Seq     int    `json:"seq"`
		Command string `json:"command"`
	}
	_ = m.Decode(&content)
	return map[string]any{"type": "response", "request_seq": content.Seq, "success": false, "command": content.Command,
		"message": "this kernel has no debugger"}
}

// comms records which comms (the channels of widgets) are open, because GoNB does not answer comm_info_request.
type comms struct {
	mu   sync.Mutex
	open map[string]string // comm ID → target name
}

// see records that a message opens or closes a comm. It is called for messages in both directions.
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

// answer returns the content of comm_info_reply: the open comms, limited to the requested target if there is one.
func (c *comms) answer(m *jupyter.Message) any {
	var content struct {
		Target string `json:"target_name"`
	}
	_ = m.Decode(&content) // if the content has no target, all comms are returned
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

// meter shows the progress of a cell in one display, which it replaces: the finished steps and the estimated remaining
// time. The display appears only after meterPatience, and finish removes it. A nil meter shows nothing.
type meter struct {
	cell *cell
	id   string

	mu      sync.Mutex
	now     dsl.Activity
	began   time.Time // when the current activity began
	shown   time.Time // when the display was last replaced; zero if it has not been shown
	stopped bool
}

const (
	meterPatience = 400 * time.Millisecond // an activity that ends sooner is not shown
	meterInterval = 200 * time.Millisecond // between two replacements
)

// update sets the progress of an activity and replaces the display if it is due.
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

// finish removes the display if it was shown. Set more if the cell will send more output afterwards.
func (m *meter) finish(more bool) { m.end(func() { m.cell.again(more) }) }

// stop replaces the display with the final state of the last activity, if the display was shown. Later updates are
// ignored.
func (m *meter) stop() { m.end(func() { m.replace(time.Now()) }) }

// end stops the meter and then calls do if the display was shown. A second call does nothing.
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

// replace sends the display with its state at time now. The first time it creates the display.
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

// text returns the progress as one line, with the remaining time if it is known or with the time spent if the meter has
// stopped.
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

// duration formats a time to 0.1 s below 10 s, to 1 s below an hour, and otherwise to a minute.
func duration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d < time.Hour:
		return d.Round(time.Second).String()
	}
	return d.Round(time.Minute).String()
}
