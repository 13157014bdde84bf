package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/internal/base/await"
	"github.com/gonb-cope/gonb-cope/internal/base/lists"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/export"
	"github.com/gonb-cope/gonb-cope/notebook/gonb"
	"github.com/gonb-cope/gonb-cope/notebook/headless"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
	"github.com/gonb-cope/gonb-cope/report"
)

// reportOptions are the flags of the command report.
type reportOptions struct {
	output      string
	set         []string
	title       string
	kernel      string
	timeout     string
	hideCode    bool
	allowErrors bool
	check       bool
	paper       string
	anonymous   bool
	noExecute   bool
}

func reportCommand() *cobra.Command {
	var o reportOptions
	c := &cobra.Command{
		Use:   "report FILE.ipynb|FILE.cope|--check REPORT.md",
		Short: "Run a notebook or script from a fresh start and write a report",
		Long: `Run a notebook or script from a fresh start and write a report: a self-contained HTML page, or
PDF, Word (.docx), Markdown, LaTeX or the executed notebook.

The kernel that the notebook names runs it, such as python3; the kernel of gonb-cope need not be
installed. A notebook has all rights of your account: it can read, change and delete your files.
For a notebook that you do not trust, use --no-execute, which shows its saved outputs.

Without -o, the report is an HTML file next to the notebook. While cells run, finished cells are
saved in a new file next to the report, NAME.partial.ipynb. If an earlier run left a file of that
name, the new one is NAME.partial-2.ipynb.`,
		Example: `  gonb-cope report notebooks/quickstart.ipynb
  gonb-cope report notebooks/quickstart.ipynb --set delta=0.01 -o quickstart.pdf
  gonb-cope report notebooks/coupling.cope --hide-code -o coupling.html
  gonb-cope report stranger.ipynb --no-execute
  gonb-cope report --check executed.ipynb
  gonb-cope report --check docs/gallery/quickstart.md`,
		Args: arguments(1, 1, "one notebook (.ipynb) or script (.cope)"),
		RunE: func(c *cobra.Command, args []string) error {
			if o.noExecute {
				for _, name := range []string{"set", "kernel", "timeout", "allow-errors", "check"} {
					if c.Flags().Changed(name) {
						return usageError{fmt.Errorf("--no-execute and --%s exclude each other, because --%[1]s needs cells that run", name)}
					}
				}
			}
			return o.run(c.Context(), args[0])
		},
	}
	f := c.Flags()
	f.StringVarP(&o.output, "output", "o", "", "write to this `FILE`; its ending selects the format: "+strings.Join(export.Known(), " "))
	f.StringArrayVar(&o.set, "set", nil, "`NAME=VALUE` gives a parameter another value (repeatable)")
	f.StringVar(&o.title, "title", "", "`TITLE` of the report (default: the first heading)")
	f.StringVar(&o.kernel, "kernel", "", "`NAME` of the kernel to use instead of the notebook's own")
	f.StringVar(&o.timeout, "timeout", "0", "longest `TIME` for a cell, such as 90s or 10m (default: no limit)")
	f.StringVar(&o.paper, "paper", string(export.A4), "`SIZE` of the pages of PDF and LaTeX: "+strings.Join(export.Papers(), " or "))
	f.BoolVar(&o.hideCode, "hide-code", false, "leave the code out of the report")
	f.BoolVar(&o.anonymous, "no-provenance", false, "leave out the date, machine and versions with which the report was made")
	f.BoolVar(&o.allowErrors, "allow-errors", false, "continue after a cell that fails")
	f.BoolVar(&o.noExecute, "no-execute", false, "run nothing: show the saved outputs of the notebook")
	f.BoolVar(&o.check, "check", false,
		"run again and print the outputs that differ from the executed notebook or Markdown report; writes a report only with -o")
	return c
}

// limit returns the time limit for a cell. The flag is a duration or a number of seconds.
func (o *reportOptions) limit() (time.Duration, error) {
	if seconds, err := strconv.ParseFloat(o.timeout, 64); err == nil && seconds >= 0 && seconds < math.MaxInt64/1e9 {
		return time.Duration(seconds * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(o.timeout)
	if err != nil || d < 0 {
		return 0, usageError{fmt.Errorf("--timeout must be a time such as 90s or 10m, not %q", o.timeout)}
	}
	return d, nil
}

// target returns the path of the report; "" if --check only compares.
func (o *reportOptions) target(path string) (string, error) {
	if o.output == "" {
		if o.check {
			return "", nil
		}
		beside := strings.TrimSuffix(path, filepath.Ext(path)) + ".html"
		return beside, export.Writable(beside)
	}
	if ending := strings.ToLower(filepath.Ext(o.output)); !slices.Contains(export.Known(), ending) {
		return "", usageError{fmt.Errorf("-o %s: the ending selects the format and must be one of %s", o.output,
			strings.Join(export.Known(), " "))}
	}
	if sameFile(path, o.output) {
		return "", usageError{fmt.Errorf("-o %s is the notebook itself. Give the executed notebook another name", o.output)}
	}
	return o.output, export.Writable(o.output)
}

func sameFile(a, b string) bool {
	x, errX := os.Stat(a)
	y, errY := os.Stat(b)
	return errX == nil && errY == nil && os.SameFile(x, y)
}

func (o *reportOptions) run(ctx context.Context, path string) (err error) {
	defer try.Caught(&err)
	limit := try.Of(o.limit())
	if o.paper = strings.ToLower(o.paper); !slices.Contains(export.Papers(), o.paper) {
		return usageError{fmt.Errorf("--paper must be %s, not %q", strings.Join(export.Papers(), " or "), o.paper)}
	}
	if _, err := os.Stat(path); err != nil {
		return unreadable(map[bool]string{true: "notebook", false: "file"}[strings.EqualFold(filepath.Ext(path), ".ipynb")], path, err)
	}
	if o.check && strings.EqualFold(filepath.Ext(path), ".md") {
		return o.checkMarkdown(ctx, path)
	}
	isScript := strings.EqualFold(filepath.Ext(path), ".cope")
	if isScript && o.noExecute {
		return usageError{errors.New("--no-execute is for notebooks, because a script has no saved outputs; " +
			"gonb-cope run --no-write runs a script " +
			"that cannot write files")}
	}
	nb := try.Of(loadNotebook(ctx, path))
	target := try.Of(o.target(path))
	if o.noExecute {
		return o.write(ctx, target, path, nb, report.Provenance{Kept: true})
	}
	return o.execute(ctx, target, path, nb, isScript, limit)
}

// loadNotebook reads a notebook or a script. It stops when the context ends.
func loadNotebook(ctx context.Context, path string) (*notebook.Notebook, error) {
	nb, err := await.Result(ctx, await.Patience{}, func() (*notebook.Notebook, error) { return headless.Load(path) })
	return nb, orInterrupted(err)
}

// execute runs the notebook and writes a report of the cells that finished.
func (o *reportOptions) execute(ctx context.Context, target, path string, nb *notebook.Notebook, isScript bool,
	limit time.Duration) (err error) {
	defer try.Caught(&err)
	old, err := loadNotebook(ctx, path) // a second copy, for the comparison
	if err != nil {
		return err
	}
	given := try.Of(headless.Set(nb, isScript, o.set))
	if isScript {
		try.To(headless.CheckScript(path, o.set))
	}
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("report: cannot find its own program: %w", err)
	}
	document := try.Of(newPartial(target, os.Stderr))
	bar := newProgress(os.Stderr)
	provenance, failed := headless.Run(ctx, nb, headless.Options{
		Folder: filepath.Dir(path), Kernel: o.kernel, Self: []string{self, "kernel"}, Timeout: limit, AllowErrors: o.allowErrors,
		Stderr: os.Stderr,
		Saved:  document.save,
		Progress: func(done, cells int, _ time.Duration) {
			bar.update(dsl.Activity{Label: "cells", Done: done, Total: cells})
		},
	})
	bar.clear()
	if isScript {
		failed = headless.InScript(path, nb, failed)
	}
	if failed != nil && len(provenance.Cells) == 0 && !errors.As(failed, new(*client.CellError)) {
		return failed // no cell was executed, so there is nothing to report
	}
	if target != "" {
		provenance.Parameters = given
		if ctx.Err() != nil { // still report the cells that finished before the interrupt
			ctx = context.WithoutCancel(ctx)
		}
		if err := o.write(ctx, target, path, nb, provenance); err != nil {
			return errors.Join(failed, err, document.nameFile())
		}
		document.remove()
	}
	if failed == nil && o.check {
		failed = compareOutputs(old, nb)
	}
	return failed
}

// write writes the report. If the context ends first, an earlier report stays unchanged.
func (o *reportOptions) write(ctx context.Context, target, path string, nb *notebook.Notebook, p report.Provenance) error {
	opt := export.Options{Title: o.title, HideCode: o.hideCode, Paper: export.Paper(o.paper), Folder: filepath.Dir(path),
		Source: pathFrom(target, path), Notice: func(line string) { fmt.Fprintln(os.Stderr, line) }}
	if !o.anonymous {
		opt.Provenance = o.provenance(p, path)
	}
	if err := export.Save(ctx, target, nb, opt); err != nil {
		return orInterrupted(err)
	}
	fmt.Fprintf(os.Stderr, "wrote %s\n", target)
	return nil
}

// provenance returns p with the notebook, this program and this machine added.
func (o *reportOptions) provenance(p report.Provenance, path string) report.Provenance {
	b := buildOf()
	p.Notebook, p.NotebookSHA256 = filepath.Base(path), headless.Checksum(path)
	p.Version, p.Revision, p.Go, p.Platform, p.Command = b.version, b.revision, runtime.Version(), runtime.GOOS+"/"+runtime.GOARCH,
		o.command(path)
	p.Host, _ = os.Hostname() // "" if the machine has no name
	p.ModuleSum = moduleSum(filepath.Dir(path))
	return p
}

// moduleSum returns a checksum of the modules of this binary. For a release it is the checksum of the main module. For a
// build from a checkout it is the checksum of go.sum; start is where to look for it. Otherwise it is "".
func moduleSum(start string) string {
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Sum != "" {
		return info.Main.Sum
	}
	m, err := gonb.FindSource(context.Background(), start)
	if err != nil {
		return ""
	}
	text, err := os.ReadFile(filepath.Join(m.Source, "go.sum"))
	if err != nil {
		return ""
	}
	return fmt.Sprintf("go.sum sha256:%x", sha256.Sum256(text))
}

// command returns the command line that makes the same report again.
func (o *reportOptions) command(path string) string {
	paper := o.paper
	if paper == string(export.A4) {
		paper = "" // A4 is the default
	}
	line := shell.NewLine("report", path).With("--set", o.set...).With("--title", o.title).With("--kernel", o.kernel).With("--paper", paper)
	line = line.With("-o", o.output).On("--hide-code", o.hideCode).On("--no-provenance", o.anonymous).On("--allow-errors", o.allowErrors)
	return string(line.On("--no-execute", o.noExecute))
}

// pathFrom returns the path of a file relative to the folder of a report. It returns "" if there is no such path.
func pathFrom(report, path string) string {
	folder, err1 := filepath.Abs(filepath.Dir(report))
	path, err2 := filepath.Abs(path)
	path, err3 := filepath.Rel(folder, path)
	if cmp.Or(err1, err2, err3) != nil {
		return ""
	}
	return filepath.ToSlash(path)
}

// compareOutputs prints how the outputs of two executions differ, and returns an error if they do.
func compareOutputs(old, nb *notebook.Notebook) error {
	differences := headless.Compare(old, nb)
	for _, d := range differences {
		fmt.Println(d)
	}
	if len(differences) > 0 {
		return fmt.Errorf("gonb-cope: %d outputs differ", len(differences))
	}
	fmt.Println("all outputs are the same")
	return nil
}

// checkMarkdown runs the notebook of a Markdown report again, and prints how its text and pictures differ. It does not
// compare the provenance, which always differs.
func (o *reportOptions) checkMarkdown(ctx context.Context, path string) (err error) {
	defer try.Caught(&err)
	old := try.Of(os.ReadFile(path))
	before, source := export.Outputs(string(old))
	if source == "" {
		return fmt.Errorf("%s is not a Markdown report of this program: its last line does not name a notebook", path)
	}
	folder := try.Of(os.MkdirTemp("", "cope-check-"))
	defer os.RemoveAll(folder)
	again := *o
	again.check, again.output = false, filepath.Join(folder, filepath.Base(path))
	try.To(again.run(ctx, filepath.Join(filepath.Dir(path), filepath.FromSlash(source))))
	now := try.Of(os.ReadFile(again.output))
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
		return fmt.Errorf("gonb-cope: %s is out of date. To write it again, run gonb-cope report %s -o %s", path,
			shell.Quote(filepath.Join(filepath.Dir(path), source)), shell.Quote(path))
	}
	fmt.Println("all outputs are the same")
	return nil
}

// sideFolder returns the folder with the pictures of a report.
func sideFolder(report string) string {
	return strings.TrimSuffix(report, filepath.Ext(report)) + "_files"
}

// differentLine returns the number (from 1) and the text of the first line in which a and b differ. line is 0 if they are
// equal.
func differentLine(a, b string) (line int, x, y string) {
	p, q := strings.Split(a, "\n"), strings.Split(b, "\n")
	same := 0
	for same < min(len(p), len(q)) && p[same] == q[same] {
		same++
	}
	if same == len(p) && same == len(q) {
		return 0, "", ""
	}
	p, q = append(p, "(nothing)"), append(q, "(nothing)")
	return same + 1, p[same], q[same]
}

// differentFiles returns the names of files that differ between folders a and b, or are only in one of them. A folder that
// does not exist counts as empty.
func differentFiles(a, b string) ([]string, error) {
	var names []string
	for _, folder := range []string{a, b} {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, e := range entries {
			names = lists.Add(names, e.Name())
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
