//go:build unix

// Zoo runs methods with fixed budgets on many tables and writes their simple regret into docs/explanation/benchmark-suite.md and
// tools/zoo/measured. Runs are kept in the cache; only missing runs are made. README.md says how to add a method or a table.
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// settings are what the command line says.
type settings struct {
	root, cache, results string
	tables, methods      string
	against              string
	runs                 int
	limit                time.Duration
	into, job, version   string
	list, never          bool
}

func main() {
	var s settings
	flag.StringVar(&s.root, "root", ".", "folder of the repository")
	flag.StringVar(&s.cache, "cache", defaultCache(), "folder of tables of packages, of other projects' environment and of runs")
	flag.StringVar(&s.results, "results", "", "folder of runs (default results in the cache)")
	flag.StringVar(&s.tables, "tables", "", "tables, with commas between; tuning or held for a half (default all)")
	flag.StringVar(&s.methods, "methods", "", "methods, with commas between; ours or others (default all)")
	flag.StringVar(&s.against, "against", "", "another folder of runs, to print paired differences from")
	flag.IntVar(&s.runs, "runs", 100, "runs of each method on each table; ten times as many of methods that stop by themselves")
	flag.DurationVar(&s.limit, "limit", 20*time.Second, "processor time after which a method begins no further run of a table; 0 makes none")
	flag.StringVar(&s.into, "into", "", "file to write the page to; without it the counts are printed")
	flag.StringVar(&s.job, "job", "", "only make the runs of TABLE|METHOD, in this process")
	flag.StringVar(&s.version, "version", "", "version of the program, which is noted with every run")
	flag.BoolVar(&s.never, "never", false, "compare samples: CoTestFC, all tasks together, each agent alone")
	flag.BoolVar(&s.list, "list", false, "only list tables and methods")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := s.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "zoo:", err)
		os.Exit(1)
	}
}

// defaultCache is a folder of this user for what can be made again.
func defaultCache() string {
	base, err := os.UserCacheDir()
	if err != nil {
		base = os.TempDir()
	}
	return filepath.Join(base, "gonb-cope", "zoo")
}

func (s settings) run(ctx context.Context) (err error) {
	defer try.Caught(&err)
	s.results = cmp.Or(s.results, filepath.Join(s.cache, "results"))
	all, missing := try.Two(tables(s.root, s.cache))
	if s.job != "" {
		name, method, _ := strings.Cut(s.job, "|")
		s.tables, s.methods = name, method
	}
	chosen, err := among(s.tables, all, table.is)
	if err != nil {
		return fmt.Errorf("-tables: %w", err)
	}
	every := methods(s.root, s.cache)
	if s.never {
		every = testers()
	}
	columns, err := among(s.methods, every, method.is)
	if err != nil {
		return fmt.Errorf("-methods: %w", err)
	}
	switch {
	case s.list:
		return list(chosen, columns, missing)
	case s.job != "":
		return job{chosen[0], columns[0], s.version}.run(ctx, s.results, s.runs, s.limit)
	}
	if s.limit > 0 {
		try.To(s.jobs(ctx, chosen, columns))
	}
	z := try.Of(gather(s.results, chosen, columns, s.runs))
	z.Missing = missing
	switch {
	case s.never:
		z.never(os.Stdout)
		return nil
	case s.against != "":
		return z.compare(os.Stdout, s.against)
	case s.into != "":
		return z.write(s.into, filepath.Join(s.root, "tools/zoo/measured"))
	}
	z.counts(os.Stdout)
	return nil
}

// jobs makes the runs that are missing, small tables first.
func (s settings) jobs(ctx context.Context, chosen []table, columns []method) (err error) {
	defer try.Caught(&err)
	arguments := []string{
		"-root", s.root, "-cache", s.cache, "-results", s.results,
		"-runs", fmt.Sprint(s.runs), "-limit", s.limit.String(), "-version", s.version, fmt.Sprintf("-never=%v", s.never),
	}
	small := slices.SortedStableFunc(slices.Values(chosen), func(a, b table) int { return a.world(0).problem.N() - b.world(0).problem.N() })
	for _, m := range columns {
		for _, t := range small {
			j := job{t, m, s.version}
			if !try.Of(j.missing(s.results, s.runs, s.limit)) {
				continue
			}
			if err := j.spawn(ctx, arguments, s.limit, os.Stderr); err != nil {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				fmt.Fprintf(os.Stderr, "%s on %q: %v\n", m.Name, t.Name, err)
			}
		}
	}
	return nil
}

// missing reports whether the method is tried on the table, has fewer runs there than are wanted, and time for more.
func (j job) missing(results string, runs int, limit time.Duration) (bool, error) {
	if !j.method.tried(j.table, j.table.world(0).problem.N()) {
		return false, nil
	}
	k, _, err := readKept(keptPath(results, j.table.Name, j.method.Name))
	if err != nil || !k.head.equal(j.headOf()) {
		return err == nil, err
	}
	lacking, spent := false, 0.0
	for run := range j.method.wanted(runs) {
		l, made := k.runs[run]
		lacking = lacking || !made
		spent += l.CPU
	}
	return lacking && spent < limit.Seconds(), nil
}

// list prints names, sizes and what is not for tuning.
func list(chosen []table, columns []method, missing []string) error {
	for _, t := range chosen {
		use, p := "tuning", t.world(0).problem
		if t.Held() {
			use = "held"
		}
		fmt.Printf("%-7s %-22s %3d tasks %4d cells  %-10s %s\n", use, t.Name, p.V(), p.N(), t.Truth, t.About)
	}
	for _, m := range columns {
		fmt.Printf("%-12s %s\n", m.Name, m.About)
	}
	if len(missing) > 0 {
		return errors.New("not in the cache: " + strings.Join(missing, ", "))
	}
	return nil
}
