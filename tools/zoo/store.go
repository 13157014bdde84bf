//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// kept is a file of the runs of one method on one table: a line that says which, and a line a run. It only grows. A
// line that was cut short when a program ended is dropped.
type kept struct {
	head head
	runs map[int]line
	file *os.File // nil where it is only read
}

// head says what the runs are of; runs of another head are not kept.
type head struct {
	Table    string `json:"table"`
	Method   string `json:"method"`
	Revision string `json:"revision"` // of the method
	Digest   string `json:"digest"`   // of the table
	Budgets  []int  `json:"budgets"`  // pulls of each task
}

// line is one run: for each budget what its picks lose.
type line struct {
	Run       int       `json:"run"`
	Units     []float64 `json:"units"` // reward units, mean of the tasks
	Share     []float64 `json:"share"` // of a random arm's loss
	Right     []float64 `json:"right"` // share of tasks whose pick is best
	Pulls     []int     `json:"pulls"` // all tasks together
	Decisions int       `json:"decisions"`
	CPU       float64   `json:"cpu"`               // seconds, all budgets together
	Peak      float64   `json:"peak"`              // MB of the process that chose, at the end of the run
	Version   string    `json:"version,omitempty"` // of the program that made the run
	Refusal   string    `json:"refusal,omitempty"`
	Decided   bool      `json:"decided,omitempty"` // of methods that stop by themselves
	Wrong     bool      `json:"wrong,omitempty"`   // some pick is worse than the best by more than epsilon
}

func (h head) equal(other head) bool { return fmt.Sprint(h) == fmt.Sprint(other) }

// keptPath is where the runs of a method on a table are kept.
func keptPath(results, table, method string) string {
	plain := func(s string) string {
		return strings.Map(func(r rune) rune {
			if strings.ContainsRune(" /,", r) {
				return '-'
			}
			return r
		}, s)
	}
	return filepath.Join(results, plain(table), plain(method)+".jsonl")
}

// readKept reads what is kept; a missing file has no runs.
func readKept(path string) (*kept, int, error) {
	k := &kept{runs: map[int]line{}}
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return k, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	whole := 0
	for n := 0; ; n++ {
		end := bytes.IndexByte(text[whole:], '\n')
		if end < 0 {
			return k, whole, nil
		}
		l, into := line{}, any(&k.head)
		if n > 0 {
			into = &l
		}
		if err := json.Unmarshal(text[whole:whole+end], into); err != nil {
			return nil, 0, fmt.Errorf("%s:%d: not a run of the zoo: %w; remove the file to make its runs again", path, n+1, err)
		}
		if n > 0 {
			k.runs[l.Run] = l
		}
		whole += end + 1
	}
}

// openKept opens the runs of a head for more of them; runs of another head are removed.
func openKept(results string, h head) (*kept, error) {
	path := keptPath(results, h.Table, h.Method)
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return nil, err
	}
	k, whole, err := readKept(path)
	if err != nil {
		return nil, err
	}
	if !k.head.equal(h) {
		k, whole = &kept{head: h, runs: map[int]line{}}, 0
	}
	if k.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return nil, err
	}
	if err := errors.Join(k.file.Truncate(int64(whole)), seekEnd(k.file)); err != nil {
		return nil, errors.Join(err, k.file.Close())
	}
	if whole == 0 {
		return k, k.write(h)
	}
	return k, nil
}

func seekEnd(f *os.File) error {
	_, err := f.Seek(0, 2)
	return err
}

// add keeps a run.
func (k *kept) add(l line) error {
	k.runs[l.Run] = l
	return k.write(l)
}

func (k *kept) write(value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = k.file.Write(append(text, '\n'))
	return err
}
