package notebookkernel

import (
	"strings"
	"sync"
	"time"
)

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
