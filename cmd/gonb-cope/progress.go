package main

import (
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// progress shows what is under way on a terminal, and nothing anywhere else.
type progress struct {
	mu    sync.Mutex
	out   *os.File
	bar   *progressbar.ProgressBar
	label string
	total int
}

func newProgress(out *os.File) *progress {
	if !term.IsTerminal(int(out.Fd())) {
		out = nil
	}
	return &progress{out: out}
}

// update is told that done of total steps are finished.
func (p *progress) update(label string, done, total int) {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar == nil || p.label != label || p.total != total {
		p.erase()
		p.label, p.total = label, total
		p.bar = progressbar.NewOptions(total,
			progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription(label), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(true))
	}
	_ = p.bar.Set(done) // a terminal that cannot be written to loses only the bar
}

// clear removes the bar.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

func (p *progress) erase() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
