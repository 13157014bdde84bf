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

// progress shows a progress bar if the output is a terminal.
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

// update shows the progress of an activity. The time left is computed here, because the bar's own estimate
// would count results read from a store as work done.
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
	_ = p.bar.Set(done)     // a failed write to the terminal loses only the bar
	_ = p.bar.RenderBlank() // shows a new description even if the bar is unchanged
}

// percents is the length of the bar of a single step, which shows the fraction that is done.
const percents = 100

func newBar(out *os.File, a dsl.Activity) *progressbar.ProgressBar {
	total, extent := a.Total, []progressbar.Option{progressbar.OptionShowCount(), progressbar.OptionSetWidth(30)}
	if total == 1 {
		// leave the rest of the line to the note
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

// say writes a line to standard error, whether or not it is a terminal.
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

// partial saves the notebook next to its report while cells run, always in a new file. An existing file may
// be the only result of an earlier run, or the executed notebook itself, so it is kept.
type partial struct {
	stem string // path of the report without ending; "" keeps nothing
	path string // "" before the first cell
}

// newPartial checks, before any cell runs, that finished cells can be saved. It logs the name of the file if
// files of earlier runs exist.
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

// freeName returns the first name without a file.
func (p *partial) freeName() string {
	for i := 1; ; i++ {
		if _, err := os.Lstat(p.name(i)); err != nil {
			return p.name(i)
		}
	}
}

// claim creates the file. Another report may try to create the same one.
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

// save saves the finished cells. The file is complete at any time.
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
		_ = os.Remove(p.path) // a file that is left has a telling name
	}
}

// nameFile returns an error that names the file with the executed cells.
func (p *partial) nameFile() error {
	if p.path == "" {
		return nil
	}
	return fmt.Errorf("executed cells are saved in %s", p.path)
}
