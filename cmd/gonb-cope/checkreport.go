package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gonb-cope/gonb-cope/internal/front/export"
)

// checkMarkdown executes the notebook of a report in Markdown again and says what differs in text and
// pictures. Provenance differs always, and is not compared.
func (o *reportOptions) checkMarkdown(ctx context.Context, path string) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, source := export.Outputs(string(old))
	if source == "" {
		return fmt.Errorf("%s is no report in Markdown: its last line does not name the notebook that it is of", path)
	}
	folder, err := os.MkdirTemp("", "cope-check-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	again := *o
	again.check, again.output = false, filepath.Join(folder, filepath.Base(path))
	if err := again.run(ctx, filepath.Join(filepath.Dir(path), filepath.FromSlash(source))); err != nil {
		return err
	}
	now, err := os.ReadFile(again.output)
	if err != nil {
		return err
	}
	after, _ := export.Outputs(string(now))
	differences := 0
	if line, x, y := differentLine(before, after); line > 0 {
		fmt.Printf("%s, line %d\n  - %.200s\n  + %.200s\n", path, line, x, y)
		differences++
	}
	names, err := differentFiles(sideFolder(path), sideFolder(again.output))
	for _, name := range names {
		fmt.Println(filepath.Join(sideFolder(path), name) + " differs")
	}
	switch differences += len(names); {
	case err != nil:
		return err
	case differences > 0:
		return fmt.Errorf("gonb-cope: %s is stale: gonb-cope report %s -o %s writes it again", path,
			quote(filepath.Join(filepath.Dir(path), source)), quote(path))
	}
	fmt.Println("all outputs are the same")
	return nil
}

// sideFolder returns the folder of the pictures of a report.
func sideFolder(report string) string {
	return strings.TrimSuffix(report, filepath.Ext(report)) + "_files"
}

// differentLine returns the first line, from 1, in which two texts differ; 0 when they are the same.
func differentLine(a, b string) (line int, x, y string) {
	p, q := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range max(len(p), len(q)) {
		x, y = "(nothing)", "(nothing)"
		if i < len(p) {
			x = p[i]
		}
		if i < len(q) {
			y = q[i]
		}
		if x != y {
			return i + 1, x, y
		}
	}
	return 0, "", ""
}

// differentFiles returns the names of the files that are not the same in two folders. A folder that
// does not exist has none.
func differentFiles(a, b string) ([]string, error) {
	var names []string
	for _, folder := range []string{a, b} {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			if !slices.Contains(names, e.Name()) {
				names = append(names, e.Name())
			}
		}
	}
	slices.Sort(names)
	var out []string
	for _, name := range names {
		x, errX := os.ReadFile(filepath.Join(a, name))
		y, errY := os.ReadFile(filepath.Join(b, name))
		if errX != nil || errY != nil || !bytes.Equal(x, y) {
			out = append(out, name)
		}
	}
	return out, nil
}
