package notebookkernel

import (
	"fmt"
	"html"
	"sync"
	"time"

	"github.com/gonb-cope/gonb-cope/dsl"
)

// meter shows what a cell is doing, in one display that it replaces: how far it is
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

func newMeter(c *cell, id string) *meter { return &meter{cell: c, id: id} }

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

// finish takes the display away. more says that the cell will still put something out.
func (m *meter) finish(more bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.stopped && !m.shown.IsZero() {
		m.cell.again(more)
	}
	m.stopped = true
}

// stop shows how far the last activity came, if it was shown at all.
func (m *meter) stop() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.stopped && !m.shown.IsZero() {
		m.stopped = true
		m.replace(time.Now())
	}
	m.stopped = true
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

// text says how far the activity is.
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
	if left, known := m.now.Left(passed); known {
		return fmt.Sprintf("%s, %s left", text, duration(left))
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
