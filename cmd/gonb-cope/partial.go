package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/front/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

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
