package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// progress shows a progress bar on out, if out is a terminal.
type progress struct {
	mu    sync.Mutex
	out   *os.File
	bar   *progressbar.ProgressBar
	now   dsl.Activity
	began time.Time // when the activity began
}

func newProgress(out *os.File) *progress {
	if !term.IsTerminal(int(out.Fd())) {
		out = nil
	}
	return &progress{out: out}
}

// update shows the progress of an activity. It computes the remaining time itself, because the bar would count results
// from a store as work done.
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
	if remaining, known := a.Remaining(time.Since(p.began)); known && a.Done < a.Total {
		words += ", " + remaining.Round(time.Second).String() + " left"
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
	_ = p.bar.Set(done)     // an error loses only the bar
	_ = p.bar.RenderBlank() // redraw even if only the description changed
}

// percents is the length of the bar for an activity of one step. The bar then shows the finished percentage of the step.
const percents = 100

func newBar(out *os.File, a dsl.Activity) *progressbar.ProgressBar {
	total, extent := a.Total, []progressbar.Option{progressbar.OptionShowCount(), progressbar.OptionSetWidth(30)}
	if total == 1 {
		// Leave the rest of the line for the note.
		total, extent = percents, []progressbar.Option{progressbar.OptionSetWidth(10)}
	}
	return progressbar.NewOptions(total, append(extent,
		progressbar.OptionSetWriter(out), progressbar.OptionSetDescription(a.Label),
		progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionClearOnFinish(),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false))...)
}

// clear removes the bar from the terminal.
func (p *progress) clear() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
}

// say writes a line to standard error. It first removes the bar, which the next update draws again.
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

// partial saves the executed cells beside the report while further cells run. It always creates a new file. An existing
// file may be the only result of an earlier run, or the executed notebook itself.
type partial struct {
	stem string // path of the report without its extension; "" saves nothing
	path string // path of the new file; "" before the first cell
}

// newPartial checks, before any cell runs, that finished cells can be saved. If an earlier run left such a file, it writes
// the new file's name to log.
func newPartial(target string, log io.Writer) (*partial, error) {
	p := &partial{stem: strings.TrimSuffix(target, filepath.Ext(target))}
	if target == "" {
		return p, nil
	}
	name := p.freeName()
	if err := report.Writable(name); err != nil {
		return nil, fmt.Errorf("%w. Finished cells are saved there. Give the report another name with -o", err)
	}
	if first := p.name(1); name != first {
		fmt.Fprintf(log, "%s of an earlier run is kept; finished cells are saved in %s\n", first, name)
	}
	return p, nil
}

func (p *partial) name(i int) string {
	if i == 1 {
		return p.stem + ".partial.ipynb"
	}
	return fmt.Sprintf("%s.partial-%d.ipynb", p.stem, i)
}

// freeName returns the first name that no file has yet.
func (p *partial) freeName() string {
	for i := 1; ; i++ {
		if _, err := os.Lstat(p.name(i)); err != nil {
			return p.name(i)
		}
	}
}

// claim creates the file and sets p.path. It tries the next name if another process creates the file first.
func (p *partial) claim() error {
	for {
		name := p.freeName()
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("cannot save finished cells: %w", err)
		}
		p.path = name
		return f.Close()
	}
}

// save writes the executed cells to the file. The file never contains a part of a notebook.
func (p *partial) save(n *notebook.Notebook) error {
	if p.stem == "" {
		return nil
	}
	if p.path == "" {
		if err := p.claim(); err != nil {
			return err
		}
	}
	return report.WriteFile(p.path, func(w io.Writer) error { return notebook.Write(w, n) })
}

func (p *partial) remove() {
	if p.path != "" {
		_ = os.Remove(p.path) // if this fails, the file's name still says what it is
	}
}

// nameFile returns an error that says in which file the executed cells are; nil if there is none.
func (p *partial) nameFile() error {
	if p.path == "" {
		return nil
	}
	return fmt.Errorf("executed cells are saved in %s", p.path)
}
