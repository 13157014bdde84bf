package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/gonb-cope/gonb-cope/dsl"
	"github.com/gonb-cope/gonb-cope/engine/campaign/folder"
	"github.com/gonb-cope/gonb-cope/internal/base/chromium"
	"github.com/gonb-cope/gonb-cope/internal/base/pandoc"
	"github.com/gonb-cope/gonb-cope/internal/base/shell"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/report"
	"github.com/gonb-cope/gonb-cope/report/save"
)

// maxSeed is the largest seed that a script can contain exactly, because its numbers are float64.
const maxSeed = 1 << 53

// seedOf parses a seed. It returns nil for "".
func seedOf(text string) (*uint64, error) {
	n, err := strconv.ParseUint(text, 10, 64)
	switch {
	case text == "":
		return nil, nil
	case err != nil || n > maxSeed:
		return nil, usageError{fmt.Errorf("--seed must be a whole number from 0 to %d, got %q", uint64(maxSeed), text)}
	}
	return &n, nil
}

// runOptions are the flags of the command run.
type runOptions struct {
	format  string
	output  string
	set     []string
	seed    string
	workers int
	noWrite bool
	shard   shardOptions
	// set by the command best, which runs a generated script: the path of its table, and its command line
	table, line string
	planned     bool // whether best proposes measurements
}

// runGroups are the flags of run, in the groups and the order of its help.
var runGroups = []flagGroup{
	{"Script and output", []string{"set", "seed", "output", "format", "workers", "no-write", "help"}},
	{"Keep results, and divide a sweep into parts", []string{"store", "extend", "shards", "on", "shard"}},
	{"Parts on Kubernetes", []string{"image", "volume", "manifest"}},
}

func runCommand() *cobra.Command {
	var o runOptions
	c := &cobra.Command{
		Use:   "run SCRIPT|-",
		Short: "Run a script and show or save its results",
		Long: `Run a script and show its results, as text, JSON, Markdown, HTML or LaTeX.

Relative paths in the script start from its folder (the current one for -). An interrupt
(Ctrl-C) stops after the current simulation runs and shows the finished results.

A script can read and write files wherever you can: save, plot(file=), sweep(store=) and
campaigns. Run a script that you do not trust with --no-write.

With --store, the results of all runs are kept in a folder. The same script shows them again
without making its runs. --shard K/N makes the runs of one part, so that any scheduler can
divide a sweep; gonb-cope store merge joins the folders of several machines. --shards N --on
SCHEDULER submits all parts, waits for them, and shows the results. The output is identical
to that without parts.`,
		Example: `  gonb-cope run notebooks/coupling.cope
  gonb-cope run notebooks/coupling.cope -o coupling.html
  gonb-cope run notebooks/coupling.cope --set runs=5 --format json
  gonb-cope run stranger.cope --no-write
  gonb-cope run sweep.cope --shards 16 --on slurm --store sweep.store
  echo 'bounds(paper(case=1, gap=0.1), xi=1e-6)' | gonb-cope run -`,
		Args: arguments(1, 1, "one script (or - for standard input)"),
		RunE: func(c *cobra.Command, args []string) (err error) {
			defer try.Caught(&err)
			try.To(o.shard.check(c, args[0], o.output != ""))
			if o.noWrite && o.shard.store != "" {
				return usageError{errors.New("--no-write and --store exclude each other, because results are written to the store")}
			}
			return o.run(c.Context(), args[0])
		},
	}
	f := c.Flags()
	f.StringVar(&o.format, "format", "", "`FORMAT` of the results: "+formatNames(false)+" (default: from the ending of -o, else text)")
	f.StringVarP(&o.output, "output", "o", "", "write to this `FILE` instead of standard output")
	f.StringArrayVar(&o.set, "set", nil, "replace the value of a name in the script: `NAME=VALUE` (repeatable)")
	f.StringVar(&o.seed, "seed", "", "`SEED` that replaces every seed of the script")
	f.IntVar(&o.workers, "workers", 0, "`NUMBER` of cores to use (default: all); results do not depend on it")
	f.BoolVar(&o.noWrite, "no-write", false,
		"reject, before it runs, a script that writes files (save, plot with file=, sweep with store=, campaigns)")
	o.shard.add(c)
	groupFlags(c, runGroups)
	return c
}

// check returns an error for flags that are wrong or contradict each other. It reads no files. seed is the value of
// --seed, or nil.
func (o *runOptions) check() (seed *uint64, err error) {
	if seed, err = seedOf(o.seed); err != nil {
		return nil, err
	}
	if o.workers < 0 {
		return nil, usageError{fmt.Errorf("--workers must be 0 or more, got %d", o.workers)}
	}
	if err := checkSet(o.set); err != nil {
		return nil, err
	}
	if o.format == "" {
		o.format = "text"
		if o.output != "" {
			o.format = strings.ToLower(strings.TrimPrefix(filepath.Ext(o.output), "."))
		}
	}
	if o.format == "txt" {
		o.format = "text"
	}
	if _, write := renderers(o.table != ""); write[o.format] == nil {
		hint := ""
		if o.format == "pdf" {
			hint = "; gonb-cope report SCRIPT.cope -o FILE.pdf makes a PDF, and browsers print pages (-o FILE.html)"
		} else if o.format == "" {
			hint = "; the ending of " + o.output + " selects no format: give --format"
		}
		return nil, usageError{fmt.Errorf("the format must be %s, got %q%s", formatNames(o.table != ""), o.format, hint)}
	}
	if _, err := pandoc.Find(); err != nil && o.format == "docx" {
		return nil, err
	}
	if _, err := chromium.Find(); err != nil && o.format == "pdf" {
		return nil, err
	}
	return seed, o.checkOutput()
}

// checkOutput returns an error if the output file cannot be written, before runs that may take hours. The output replaces
// the file, so the file must not be a device, a link or a folder.
func (o *runOptions) checkOutput() error {
	if o.output == "" {
		return nil
	}
	if info, err := os.Lstat(o.output); err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("cannot write %s: it exists and is not a regular file", o.output)
	}
	return report.Writable(o.output)
}

// checkOwn returns an error if the output file is the script itself.
func (o *runOptions) checkOwn(script string) error {
	if script != "-" && sameFile(script, o.output) {
		return usageError{fmt.Errorf("-o %s is the script itself. Give the output another name", o.output)}
	}
	return nil
}

// checkSet returns an error for a value of --set without a name.
func checkSet(set []string) error {
	for _, s := range set {
		if name, _, ok := strings.Cut(s, "="); !ok || strings.TrimSpace(name) == "" {
			return usageError{fmt.Errorf("--set needs NAME=VALUE, got %q", s)}
		}
	}
	return nil
}

// renderers returns the names of the output formats, text first, and a function that writes each. If answer is true, csv
// is one of them.
func renderers(answer bool) (names []string, write map[string]func(io.Writer, report.Document) error) {
	names = []string{"text"}
	write = map[string]func(io.Writer, report.Document) error{
		"text": func(w io.Writer, d report.Document) error { return report.Text(w, d, terminalOptions(w)) },
	}
	for _, f := range save.Formats() {
		if name := f.Ending[1:]; f.Holds == save.Documents && name != "txt" {
			names, write[name] = append(names, name), f.Write
		}
	}
	if answer {
		names, write["pdf"] = append(append(names, "pdf"), rowFormats...), save.Print
		write["csv"] = func(w io.Writer, d report.Document) error { return report.CSV(w, d.Displays[len(d.Displays)-1].Value) }
		write["xlsx"] = func(w io.Writer, d report.Document) error {
			return save.Workbook(w, d.Displays[len(d.Displays)-1].Value)
		}
	}
	return names, write
}

// rowFormats are the formats in which best writes rows for other programs.
var rowFormats = []string{"csv", "xlsx"}

// bookFormats are further formats for proposed measurements. They contain only the field book.
var bookFormats = []string{"docx", "pdf"}

// holdsRows reports whether the output contains rows for other programs, or a field book.
func (o *runOptions) holdsRows() bool {
	format := cmp.Or(o.format, strings.TrimPrefix(strings.ToLower(filepath.Ext(o.output)), "."))
	return slices.Contains(rowFormats, format) || o.planned && slices.Contains(bookFormats, format)
}

// formatNames returns the formats as text, for example "text, json, md, html or tex".
func formatNames(answer bool) string {
	names, _ := renderers(answer)
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}

// terminalOptions returns the width and colours for w if w is a terminal, and otherwise the zero value.
func terminalOptions(w io.Writer) report.TextOptions {
	f, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return report.TextOptions{}
	}
	width, _, _ := term.GetSize(int(f.Fd()))
	return report.TextOptions{Color: os.Getenv("NO_COLOR") == "", Width: width}
}

func (o *runOptions) run(ctx context.Context, path string) (err error) {
	defer try.Caught(&err)
	_, err = o.check()
	try.To(cmp.Or(err, o.checkOwn(path)))
	src := try.Of(readSource(ctx, path))
	if o.shard.shards > 0 {
		if err := o.runShards(ctx, src); err != nil || o.shard.manifest != "" {
			return err
		}
	}
	return o.evaluate(ctx, src)
}

// evaluate runs a script and writes its results to standard output or to the output file.
func (o *runOptions) evaluate(ctx context.Context, src source) (err error) {
	defer try.Caught(&err)
	seed := try.Of(o.check())
	script := try.Of(src.parse(ctx))
	started := time.Now()
	bar := newProgress(os.Stderr)
	var store dsl.Store
	var kept *scriptStore
	if o.shard.store != "" {
		by := madeBy{Script: scriptIdentity(src, o.set, o.seed), Name: src.name}
		kept = try.Of(openScriptStore(o.shard.store, by, o.shard.part, o.shard.extend))
		defer kept.Close() // each result is already written
		store = kept
	}
	var noted []string
	session := dsl.NewSession(dsl.Options{Folder: src.folder, Script: src.file(), Output: o.output, Set: o.set, Seed: seed,
		ReadOnly: o.noWrite, Campaigns: folder.Keeper(dsl.MakeProtocol),
		Workers: o.workers, Store: store, Shard: o.shard.part, Progress: bar.update, Notice: bar.say,
		Noted: func(line string) { noted = append(noted, line) }})
	displays, failed := session.Eval(ctx, script)
	bar.clear()
	for _, line := range noted {
		if failed != nil || o.format == "json" || o.holdsRows() {
			bar.say("note: " + line) // on standard error, because a program may read standard output
		}
	}
	if failed == nil && kept != nil {
		failed = kept.finish()
	}
	if failed != nil && len(displays) == 0 {
		return failed
	}
	if o.shard.shard != "" {
		fmt.Printf("part %s of %s is finished; its results are in %s\n", o.shard.part, src.name, o.shard.store)
		return nil
	}
	if names := script.Names(); failed == nil && len(displays) == 0 && len(names) > 0 && !slices.Contains(script.Reads(), "save") {
		last := names[len(names)-1]
		bar.say(fmt.Sprintf("the script ran, but shows nothing. To see a value, write its name on a line of its own: %s", last))
	}
	d := report.Document{Displays: displays}
	if failed == nil && len(noted) > 0 && o.format != "json" && !o.holdsRows() {
		d.Displays = append(d.Displays, report.Display{Value: report.Notes(noted)})
	}
	if o.table != "" {
		src.name = o.table
	}
	if o.table != "" && (o.format == "text" || o.holdsRows()) { // the user wrote a command; do not show the generated statement
		for k := range d.Displays {
			d.Displays[k].Name, d.Displays[k].Source = "", ""
		}
	}
	if o.format != "json" && (o.table == "" || o.format != "text") {
		d.Title = strings.TrimSuffix(filepath.Base(src.name), filepath.Ext(src.name))
	}
	if o.format == "html" || o.format == "md" || o.format == "tex" {
		d.Script = src.text
		d.Provenance = o.provenance(src, session.Sources(), started)
	}
	return errors.Join(failed, o.write(d))
}

// write writes the document to standard output or to the output file. The file changes only if the whole document is
// written.
func (o *runOptions) write(d report.Document) error {
	_, write := renderers(o.table != "")
	if o.output == "" {
		return write[o.format](os.Stdout, d)
	}
	if err := report.WriteFile(o.output, func(w io.Writer) error { return write[o.format](w, d) }); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "wrote %s\n", o.output)
	return nil
}

func (o *runOptions) provenance(src source, data []report.DataFile, started time.Time) *report.Provenance {
	b := buildOf()
	p := &report.Provenance{
		Version: b.version, Revision: b.revision, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
		Script: src.name, ScriptSHA256: fmt.Sprintf("%x", sha256.Sum256([]byte(src.text))),
		Data: data, Command: o.command(src.name),
		Started: started, Duration: time.Since(started), Workers: o.workers,
	}
	p.Workers = cmp.Or(p.Workers, runtime.GOMAXPROCS(0))
	if o.seed != "" {
		p.Seeds = []string{o.seed}
	}
	return p
}

// command returns the command line that makes the same report again.
func (o *runOptions) command(script string) string {
	if o.line != "" {
		return o.line
	}
	line := shell.NewLine("run", script).With("--set", o.set...).With("--seed", o.seed).With("--store", o.shard.store).With("-o", o.output).
		On("--no-write", o.noWrite)
	if o.output == "" {
		line = line.With("--format", o.format)
	}
	return string(line)
}
