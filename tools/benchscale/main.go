//go:build unix

// Benchscale measures whole commands on problems of 10³ to 10⁵ arms and of 10² to 10⁴ tasks, one run each, and writes
// what they take and how that grows into tools/benchscale/many-arms.md. With -tables it writes the problems of many arms.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/internal/manyarms"
)

func main() {
	tables := flag.String("tables", "", "only write the tables of the problems into this folder")
	command := flag.String("command", "", "the program to measure")
	into := flag.String("into", "", "file with the section to replace; without it the section is printed")
	only := flag.String("only", "", "pattern of the operations to measure")
	largest := flag.Int("largest", 100_000, "largest number of arms or tasks")
	limit := flag.Duration("limit", 5*time.Minute, "CPU time after which a command is ended, and larger sizes are left out")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	err := errors.New("give -command PROGRAM, or -tables FOLDER")
	switch {
	case *tables != "":
		err = writeTables(*tables, []int{60, 250, 500, 1000, 3000, 10_000, 30_000, 100_000})
	case *command != "":
		err = benchmark(ctx, *command, *into, *only, *largest, *limit)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "benchscale:", err)
		os.Exit(1)
	}
}

// writeTables writes the table of each size.
func writeTables(folder string, sizes []int) (err error) {
	defer try.Caught(&err)
	for _, n := range sizes {
		try.To(writeTable(tablePath(folder, n), manyarms.Write, n))
	}
	return nil
}

// writeTable writes the table of size n.
func writeTable(path string, table func(io.Writer, int) error, n int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(table(f, n), f.Close())
}

func tablePath(folder string, n int) string { return filepath.Join(folder, fmt.Sprintf("%d.csv", n)) }

// benchmark measures the operations and puts the section into a file.
func benchmark(ctx context.Context, command, into, only string, largest int, limit time.Duration) (err error) {
	defer try.Caught(&err)
	chosen := try.Of(regexp.Compile(only))
	folder := try.Of(os.MkdirTemp("", "benchscale"))
	defer os.RemoveAll(folder)
	var rows []row
	for _, o := range operations() {
		if !chosen.MatchString(o.name) || ctx.Err() != nil { // what was measured before an interrupt is written
			continue
		}
		r := row{operation: o}
		for _, n := range o.sizes {
			if n > largest {
				break
			}
			path := tablePath(folder, n)
			try.To(writeTable(path, o.table, n))
			c, err := measure(ctx, command, fmt.Sprintf(o.script, path), limit)
			if ctx.Err() != nil {
				break
			}
			if err != nil {
				return fmt.Errorf("%s, %d %s: %w", o.name, n, o.unit, err)
			}
			c.size = n
			fmt.Fprintf(os.Stderr, "%s, %d %s: %s\n", o.name, n, o.unit, c)
			r.cells = append(r.cells, c)
			if c.failed() {
				break
			}
		}
		rows = append(rows, r)
	}
	text := section(rows, limit)
	if into == "" {
		fmt.Print(text)
		return nil
	}
	return replace(into, text)
}

// The lines of a file that enclose the section.
const (
	begin = "<!-- make bench-scale writes from here -->"
	end   = "<!-- to here -->"
)

// replace puts the section between the two lines of a file.
func replace(path, text string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(data), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		return fmt.Errorf("%s has no lines %q and %q", path, begin, end)
	}
	return os.WriteFile(path, []byte(before+begin+"\n"+text+end+after), 0o644)
}
