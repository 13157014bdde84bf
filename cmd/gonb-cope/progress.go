package main

import (
	"fmt"
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

// update shows how far an activity is. The bar's own estimate would take what was read from a store
// for work done; so the time left stands before the bar.
func (p *progress) update(a dsl.Activity) {
	if p.out == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.bar == nil || p.now.Label != a.Label || p.now.Total != a.Total {
		p.erase()
		p.began = time.Now()
		p.bar = newBar(p.out, a)
	}
	p.now = a
	words := a.Label
	if left, known := a.Left(time.Since(p.began)); known && a.Done < a.Total {
		words += ", " + left.Round(time.Second).String() + " left"
	}
	if a.Total > 1 && a.Note != "" {
		words += ", " + a.Note
	}
	p.bar.Describe(words)
	done := a.Done
	if a.Total == 1 {
		done = int(percents * (float64(a.Done) + a.Share))
		if a.Note != "" {
			p.bar.Describe(a.Label + ": " + a.Note)
		}
	}
	_ = p.bar.Set(done)     // a terminal that cannot be written to loses only the bar
	_ = p.bar.RenderBlank() // with the new words, also where the bar stays
}

// percents is the length of the bar of a single step, which says where the step is and
// not how many are done.
const percents = 100

func newBar(out *os.File, a dsl.Activity) *progressbar.ProgressBar {
	total, extent := a.Total, []progressbar.Option{progressbar.OptionShowCount(), progressbar.OptionSetWidth(30)}
	if total == 1 {
		// the rest of the line is the note's
		total, extent = percents, []progressbar.Option{progressbar.OptionSetWidth(10)}
	}
	return progressbar.NewOptions(total, append(extent,
		progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(a.Label),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))...)
}

// clear removes the bar.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// say writes a line on standard error, also where that is no terminal.
func (p *progress) say(line string) {
	p.clear()
	fmt.Fprintln(os.Stderr, "gonb-cope: "+line)
}

func (p *progress) erase() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	}
}
