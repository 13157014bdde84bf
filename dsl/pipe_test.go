//go:build unix

package dsl

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// telling reports when it begins to read.
type telling struct {
	files
	begun chan struct{}
}

func (h telling) Load(path string, k kernels.Joint, opt problem.LoadOptions) (*problem.Problem, error) {
	h.begun <- struct{}{}
	return h.files.Load(path, k, opt)
}

// Reading waits for a pipe without a writer until an interrupt; nothing is written to one.
func TestPipes(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"pipe.csv", "pipe.json", "pipe.jsonl", "pipe.svg"} {
		if err := syscall.Mkfifo(filepath.Join(folder, name), 0o600); err != nil {
			t.Skip("no pipes here: ", err)
		}
	}
	begun := make(chan struct{}, 1)
	s := NewSession(Options{Folder: folder, Host: telling{begun: begun}})
	if err := stops(t, s, `problem("pipe.csv", kernel=identity())`, begun); !errors.Is(err, context.Canceled) {
		t.Errorf("a pipe as data: error %v", err)
	}
	s = NewSession(Options{Folder: folder})
	const before = "p = paper(case=1); r = fc(p)\n"
	// The last path goes through a device, which is not a folder.
	for src, want := range map[string]string{
		`save(p, "pipe.json")`:                         `save: cannot write to "pipe.json": it is a pipe, not a file`,
		`plot(r, file="pipe.svg")`:                     `plot: cannot write to "pipe.svg": it is a pipe, not a file`,
		`sweep(r, gap=[0.1, 0.2], store="pipe.jsonl")`: `sweep: cannot write to "pipe.jsonl": it is a pipe, not a file`,
		`save(p, "/dev/../dev/null/x.json")`:           `save: cannot write to "/dev/../dev/null/x.json": not a directory`,
	} {
		script, errs := Parse("demo.cope", before+src)
		if len(errs) == 0 {
			_, err := s.Eval(context.Background(), script)
			if !errors.As(err, &errs) || errs[0].Message != want {
				t.Errorf("%s: error %v, want %s", src, err, want)
			}
		}
	}
	// if no check came before it
	if _, err := (files{}).Store(filepath.Join(folder, "pipe.jsonl")); err == nil || !strings.Contains(err.Error(), "it is a pipe, not a file") {
		t.Errorf("a pipe as a store: error %v", err)
	}
}
