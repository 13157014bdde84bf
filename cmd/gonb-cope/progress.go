package main

import (
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/gonb-cope/gonb-cope/dsl"
)

// progress shows what is under way on a terminal, and nothing anywhere else.
type progress struct {
	mu    sync.Mutex
	out   *os.File
	bar   *progressbar.ProgressBar
	now   dsl.Activity
	began time.Time // of the activity
}

func newProgress(out *os.File) *progress {
	if !term.IsTerminal(int(out.Fd())) {
		out = nil
	}
	return &progress{out: out}
}

// update is told how far an activity is. The bar's own estimate would take what was
// read from a store for work done; so the time left stands before the bar.
func (p *progress) update(a dsl.Activity) {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar == nil || p.now.Label != a.Label || p.now.Total != a.Total {
		p.erase()
		p.began = time.Now()
		p.bar = progressbar.NewOptions(a.Total,
			progressbar.OptionSetWriter(p.out), progressbar.OptionSetDescription(a.Label), progressbar.OptionShowCount(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(), progressbar.OptionSetWidth(30),
			progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))
	}
	p.now = a
	if left, known := a.Left(time.Since(p.began)); known && a.Done < a.Total {
		p.bar.Describe(a.Label + ", " + left.Round(time.Second).String() + " left")
	}
	_ = p.bar.Set(a.Done) // a terminal that cannot be written to loses only the bar
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
