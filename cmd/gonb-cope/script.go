package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// source is the text of a script and its origin.
type source struct {
	name   string // path as given; "<stdin>" for "-"
	folder string // folder that relative paths start from
	text   string
}

// maxScript limits how many bytes of a script are read. It exceeds the limit of the language, whose error message is
// clearer.
const maxScript = 32 << 20

// readSource reads a script from a file, a pipe or standard input ("-"). It stops when the context ends.
func readSource(ctx context.Context, path string) (source, error) {
	if path == "-" {
		text, err := await.All(ctx, os.Stdin, maxScript)
		if err != nil {
			return source{}, fmt.Errorf("cannot read standard input: %w", orInterrupted(err))
		}
		return source{"<stdin>", ".", string(text)}, nil
	}
	switch strings.ToLower(filepath.Ext(path)) {
	case ".csv", ".tsv":
		return source{}, fmt.Errorf("%s is a table, not a script; gonb-cope best %s recommends its best options", path, shell.Quote(path))
	case ".ipynb":
		return source{}, fmt.Errorf("%s is a notebook, not a script; gonb-cope report %s makes a report of it, and Jupyter runs it", path,
			shell.Quote(path))
	}
	text, err := await.File(ctx, path, maxScript)
	if err != nil {
		return source{}, unreadable("script", path, err)
	}
	return source{path, filepath.Dir(path), string(text)}, nil
}

// sourceWith reads a script, and returns an error for wrong values of --set.
func sourceWith(ctx context.Context, path string, set []string) (source, error) {
	if err := checkSet(set); err != nil {
		return source{}, err
	}
	return readSource(ctx, path)
}

// parse parses the script. It stops when the context ends.
func (s source) parse(ctx context.Context) (*dsl.Script, error) {
	script, err := await.Result(ctx, await.Patience{}, func() (*dsl.Script, error) {
		script, errs := dsl.Parse(s.name, s.text)
		if len(errs) > 0 {
			return nil, errs
		}
		return script, nil
	})
	return script, orInterrupted(err)
}

// file returns the path of the script; "" for standard input.
func (s source) file() string {
	if s.name == "<stdin>" {
		return ""
	}
	return s.name
}

// errInterrupted is what users see instead of context.Canceled.
var errInterrupted = errors.New("interrupted")

// unreadable returns an error that says why a file given on the command line cannot be read. kind describes the file. For
// a missing file, it suggests a similar name in the same folder.
func unreadable(kind, path string, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cannot read the %s: %w", kind, orInterrupted(err))
	}
	folder, name := filepath.Split(path)
	entries, listed := os.ReadDir(cmp.Or(folder, "."))
	if errors.Is(listed, fs.ErrNotExist) {
		return fmt.Errorf("cannot read the %s %s: there is no folder %s", kind, path, filepath.Clean(folder))
	}
	stem := func(name string) string { return strings.TrimSuffix(name, filepath.Ext(name)) }
	named := lists.Where(entries, func(e fs.DirEntry) bool { return !e.IsDir() && filepath.Ext(e.Name()) != "" })
	hint, near := "", lists.Nearest(stem(name), lists.Map(named, func(e fs.DirEntry) string { return stem(e.Name()) }))
	if e, found := lists.First(named, func(e fs.DirEntry) bool { return stem(e.Name()) == near }); found {
		hint = "; did you mean " + folder + e.Name() + "?"
	}
	return fmt.Errorf("cannot read the %s: there is no file %s%s", kind, path, hint)
}

// orInterrupted returns errInterrupted if err is context.Canceled, and otherwise err.
func orInterrupted(err error) error {
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	return err
}

func checkCommand() *cobra.Command {
	var set []string
	c := &cobra.Command{
		Use:   "check SCRIPT|-",
		Short: "Check a script for errors without running it",
		Long: "Check a script for errors without running it or reading its data. You get at most five errors\nat a time, on " +
			"standard error, each with its place and a hint.",
		Args: arguments(1, 1, "one script (or - for standard input)"),
		RunE: func(c *cobra.Command, args []string) error { return checkScript(c.Context(), args[0], set) },
	}
	c.Flags().StringArrayVar(&set, "set", nil, "replace the value of a name in the script: `NAME=VALUE` (repeatable)")
	return c
}

// checkScript prints ok if the script has no errors, and otherwise returns the errors.
func checkScript(ctx context.Context, path string, set []string) (err error) {
	defer try.Caught(&err)
	src := try.Of(sourceWith(ctx, path, set))
	script := try.Of(src.parse(ctx))
	_, err = await.Result(ctx, await.Patience{}, func() (any, error) {
		if errs := script.Check(dsl.Options{Folder: src.folder, Set: set, Script: src.file()}); len(errs) > 0 {
			return nil, errs
		}
		return nil, nil
	})
	if err == nil {
		fmt.Printf("%s: ok\n", src.name)
	}
	return orInterrupted(err)
}
