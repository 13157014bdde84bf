package notebookkernel

import (
	"strings"
	"sync"
	"time"
)

// holder keeps the end of a program's stderr back for a moment when it looks like the text with
// which Go ends a program: the error of the cell will say it, and once is enough.
type holder struct {
	send func(text string)

	mu    sync.Mutex
	text  string // held back; it begins a line
	open  bool   // what was sent last has not ended its line
	timer *time.Timer
}

// holdTime is how long a text is held back: a program that panics ends at once, and one that only
// prints such a line goes on.
const holdTime = time.Second

// endings begin the lines with which Go and GoNB end a program.
var endings = []string{"panic: ", "fatal error: ", "exit status ", "signal: ", "^C"}

// add takes a piece of the stream.
func (h *holder) add(text string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	held := h.text != ""
	h.text += text
	if !held {
		at := h.suspect()
		h.pass(at)
	}
	if h.text != "" && h.timer == nil {
		h.timer = time.AfterFunc(holdTime, h.release)
	}
}

// suspect returns where the first line begins that an ending may begin.
func (h *holder) suspect() int {
	at := 0
	for line := range strings.SplitAfterSeq(h.text, "\n") {
		for _, e := range endings {
			n := min(len(e), len(line))
			if line != "" && line[:n] == e[:n] && !(at == 0 && h.open) {
				return at
			}
		}
		at += len(line)
	}
	return at
}

// pass sends the first bytes of the text.
func (h *holder) pass(n int) {
	if n == 0 {
		return
	}
	h.open = h.text[n-1] != '\n'
	h.send(h.text[:n])
	h.text = h.text[n:]
}

// release sends all: the program goes on.
func (h *holder) release() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.timer = nil
	h.pass(len(h.text))
}

// rest returns what is held back at the end, without what the failure says: of a panic all, else the
// lines that say how the program ended.
func (h *holder) rest(failed *failure) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.timer != nil {
		h.timer.Stop()
		h.timer = nil
	}
	text := h.text
	h.text = ""
	switch {
	case failed == nil:
		return text
	case failed.Name == "Panic":
		return ""
	}
	var out strings.Builder
	for line := range strings.SplitAfterSeq(text, "\n") {
		switch s := strings.TrimSpace(line); {
		case s == failed.Value, failed.Name == "Interrupted" &&
			(s == "^C" || strings.HasPrefix(s, "signal: ") || strings.HasPrefix(s, "exit status ")):
		default:
			out.WriteString(line)
		}
	}
	return out.String()
}

// joiner joins the pieces of a stream that come in quick succession: a program that
// prints 200,000 lines makes thousands of messages, which front ends render one by
// one. Nothing is dropped, and what comes alone is sent at once.
type joiner struct {
	send func(name, text string)

	mu    sync.Mutex
	name  string
	text  strings.Builder
	last  time.Time // when something was sent
	timer *time.Timer
}

const (
	joinTime = 25 * time.Millisecond
	joinSize = 512 << 10
)

// add takes a piece of the stream name.
func (j *joiner) add(name, text string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.name != name {
		j.flushLocked()
		j.name = name
	}
	j.text.WriteString(text)
	wait := joinTime - time.Since(j.last)
	if wait <= 0 || j.text.Len() >= joinSize {
		j.flushLocked()
		return
	}
	if j.timer == nil {
		j.timer = time.AfterFunc(wait, j.flush)
	}
}

// flush sends what waits.
func (j *joiner) flush() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.flushLocked()
}

func (j *joiner) flushLocked() {
	if j.timer != nil {
		j.timer.Stop()
		j.timer = nil
	}
	if j.text.Len() == 0 {
		return
	}
	j.send(j.name, j.text.String())
	j.text.Reset()
	j.last = time.Now()
}
