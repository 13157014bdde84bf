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
	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
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
// for work done; so the time left is before the bar.
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

// partial keeps the notebook beside its report while cells run, in a new file: one that is there
// already may be all that is left of an earlier run, or the very notebook that is executed, and is
// neither replaced nor removed.
type partial struct {
	stem string // path of the report without ending; "" keeps nothing
	path string // "" before the first cell
}

// newPartial finds out, before anything is executed, whether the cells of a report can
// be kept, and says where when files of earlier runs are in the way.
func newPartial(target string, log io.Writer) (*partial, error) {
	p := &partial{stem: strings.TrimSuffix(target, filepath.Ext(target))}
	if target == "" {
		return p, nil
	}
	name := p.free()
	if err := report.Writable(name); err != nil {
		return nil, fmt.Errorf("%w; it is where finished cells are kept: give the report another name with -o", err)
	}
	if first := p.name(1); name != first {
		fmt.Fprintf(log, "%s of an earlier run stays; cells are kept in %s\n", first, name)
	}
	return p, nil
}

func (p *partial) name(i int) string {
	if i == 1 {
		return p.stem + ".partial.ipynb"
	}
	return fmt.Sprintf("%s.partial-%d.ipynb", p.stem, i)
}

// free returns the first name that no file has.
func (p *partial) free() string {
	for i := 1; ; i++ {
		if _, err := os.Lstat(p.name(i)); err != nil {
			return p.name(i)
		}
	}
}

// claim makes the file, which another report may be trying to make too.
func (p *partial) claim() error {
	for {
		name := p.free()
		f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("cannot keep finished cells: %w", err)
		}
		p.path = name
		return f.Close()
	}
}

// save keeps what is finished: the file is whole at any time.
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
		_ = os.Remove(p.path) // what is left is said by its name
	}
}

// where says where the cells that were executed are.
func (p *partial) where() error {
	if p.path == "" {
		return nil
	}
	return fmt.Errorf("what was executed is kept in %s", p.path)
}
