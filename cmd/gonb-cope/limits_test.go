//go:build linux

package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// mega is how large each of the worst inputs is at most, in bytes.
const mega = 1_000_000

// columns writes a Parquet file of batches of rows, the same each time.
func columns[T any](t *testing.T, rows []T, batches int) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.Compression(&zstd.Codec{}), parquet.PageBufferSize(1<<20))
	for range batches {
		try.Of(w.Write(rows))
	}
	try.To(w.Close())
	return b.String()
}

// packed returns a text packed with gzip: a beginning, and a word some times.
func packed(head, word string, times int) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(head)) // a buffer takes it
	each := []byte(strings.Repeat(word, mega))
	for range times / mega {
		_, _ = w.Write(each)
	}
	_ = w.Close()
	return b.String()
}

// worst lists, by name, the file that is read, its content and what reads it. FILE represents its path, and a script may
// replace the arguments.
func worst(t *testing.T) []struct{ name, file, content, script, input string } {
	type row struct {
		Task string  `parquet:"task,dict"`
		Arm  string  `parquet:"arm,dict"`
		Y    float64 `parquet:"y,dict"`
	}
	same := make([]row, 100_000)
	for k := range same {
		same[k] = row{"u", "a", 1}
	}
	long := make([]row, 1000)
	for k := range long {
		long[k] = row{strings.Repeat("u", mega/5), "a", 1}
	}
	counted := func(head, format string) string {
		var b strings.Builder
		b.WriteString(head)
		for i := 0; b.Len() < mega-100; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	square := func() string {
		const n = 700
		var b strings.Builder
		for i := range n {
			row := bytes.Repeat([]byte("0,"), n)
			row[2*i], row[2*n-1] = '1', '\n'
			b.Write(row)
		}
		return b.String()
	}
	const (
		wide = `p = problem("FILE", kernel=identity(), noise=1)`
		rows = `p = problem(data="FILE", task="task", arm="arm", reward="y")`
		gram = `k = task(table("FILE"))`
	)
	head := "task,arm,y\nu,a,1\n"
	frame := func(content string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(content), content) }
	return []struct{ name, file, content, script, input string }{
		{"commas", "t.csv", head + strings.Repeat(",", mega), wide, ""},
		{"a header of commas", "t.csv", strings.Repeat(",", mega) + "\n" + head, rows, ""},
		{"columns", "t.csv", counted("task,arm,mean", ",x_%d") + "\n", wide, ""},
		{"features", "t.csv", counted("task,arm,mean", ",x_%d") + "\nu,a,1" + strings.Repeat(",", 100_000), wide, ""},
		{"a packed file of rows", "t.csv.gz", packed(head, "u,a,1\n", 15*mega), rows, ""},
		{"a packed file of one cell", "t.csv.gz", packed(head+"u,a,", "0", 900*mega), rows, ""},
		{"quotes", "t.csv", head + "u,\"" + strings.Repeat(`""`, mega/2), wide, ""},
		{"lines", "t.csv", head + strings.Repeat("\n", mega), rows, ""},
		{"arms", "t.csv", counted("task,arm,mean\n", "u,a%d,1\n"), wide, ""},
		{"tasks", "t.csv", counted("task,arm,y\n", "t%d,a,1\n"), rows, ""},
		{"measurements", "t.csv", head + strings.Repeat("u,a,1\nu,b,2\n", mega/12), rows, ""},
		{"texts in place of numbers", "t.csv", head + counted("", "u,a,%d no\n"), rows, ""},
		{"a Gram matrix of one row", "g.csv", strings.Repeat("1,", mega/2) + "1\n", gram, ""},
		{"a Gram matrix of one column", "g.csv", strings.Repeat("1\n", mega/2), gram, ""},
		{"a Gram matrix", "g.csv", square(), gram, ""},
		{"rows of one value", "t.parquet", columns(t, same, 60), rows, ""},
		{"long texts in a dictionary", "t.parquet", columns(t, long, 1), rows, ""},
		{"lists in lists", "s.ipynb", `{"cells":` + strings.Repeat("[", mega/2) + strings.Repeat("]", mega/2) + "}", "", ""},
		{"JSON-RPC: lists in lists", "", "", "", frame(`{"jsonrpc":"2.0","id":"x","method":"call","params":{"function":"show","args":` +
			strings.Repeat("[", mega/2) + strings.Repeat("]", mega/2) + `}}`)},
		{"JSON-RPC: names to release", "", "", "", frame(`{"jsonrpc":"2.0","id":"x","method":"release","params":{"names":["a"` +
			strings.Repeat(`,"a"`, mega/4) + `]}}`)},
		{"JSON-RPC: arguments", "", "", "", frame(`{"jsonrpc":"2.0","id":"x","method":"call","params":{"function":"show","args":[[1` +
			strings.Repeat(",1", mega/2) + `]]}}`)},
		{"JSON-RPC: cancels of nothing", "", "", "", strings.Repeat(frame(`{"jsonrpc":"2.0","method":"cancel","params":{"id":"x"}}`), mega/80)},
		{"JSON-RPC: blocks", "", "", "", strings.Repeat("Content-Length: 1\r\nBlock: 1\r\n\r\na", mega/34)},
	}
}

// Each reader of what others wrote is given 1 MB of its worst: it ends by itself within 200 MB and 5 s of processor time, and soon
// after an interrupt. The memory is stated, as a user would who has no more.
func TestFaultLargeInputs(t *testing.T) {
	folder := t.TempDir()
	for k, c := range worst(t) {
		t.Run(c.name, func(t *testing.T) {
			args, dir := []string{"serve", "--stdio"}, filepath.Join(folder, fmt.Sprint(k))
			try.To(os.Mkdir(dir, 0o755))
			if c.file != "" {
				if len(c.content) > 2*mega {
					t.Fatalf("%d bytes", len(c.content))
				}
				args = []string{"report", c.file, "-o", "r.html"}
				write(t, filepath.Join(dir, c.file), c.content)
			}
			if c.script != "" {
				args = []string{"run", "s.cope"}
				write(t, filepath.Join(dir, "s.cope"), strings.ReplaceAll(c.script, "FILE", c.file)+"\n")
			}
			args = append(args, "--memory", "200MB")
			took := limited(t, dir, c.input, 0, args...)
			if took > 300*time.Millisecond && c.input == "" {
				limited(t, dir, c.input, took/2, args...)
			}
		})
	}
}

// limited runs the command and returns how long it took; after some time it is interrupted, unless that is 0.
func limited(t *testing.T, dir, input string, interrupt time.Duration, args ...string) time.Duration {
	t.Helper()
	c := exec.Command("gonb-cope", args...)
	var out bytes.Buffer
	c.Dir, c.Stdin, c.Stdout, c.Stderr = dir, strings.NewReader(input), &out, &out
	begin := time.Now()
	try.To(c.Start())
	ended := make(chan error, 1)
	go func() { ended <- c.Wait() }()
	var interrupted time.Time
	memory := 0
	for running := true; running; {
		memory = max(memory, peak(c.Process.Pid))
		if interrupt > 0 && interrupted.IsZero() && time.Since(begin) > interrupt {
			interrupted = time.Now()
			_ = c.Process.Signal(os.Interrupt) // it may have ended
		}
		select {
		case <-ended:
			running = false
		case <-time.After(2 * time.Millisecond):
		}
	}
	took := time.Since(begin)
	if heard := time.Since(interrupted); !interrupted.IsZero() && heard > 2*time.Second { // half a second, on a machine that has nothing else to do
		t.Errorf("the interrupt was heard after %v", heard)
	}
	processor := c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	text := out.String()
	t.Logf("%d MB, %v: %.300s", memory, processor, text)
	if memory > 200 || processor > 5*time.Second {
		t.Errorf("%d MB and %v of processor time", memory, processor)
	}
	if strings.Contains(text, "goroutine ") || strings.Contains(text, "panic:") {
		t.Errorf("a trace: %.500s", text)
	}
	return took
}

// peak returns the most memory that a process has taken, in MB. What the system says at its end counts the process that started it.
func peak(pid int) (mb int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // 0 when it has ended
	if _, after, found := strings.Cut(string(status), "VmHWM:"); found {
		_, _ = fmt.Sscan(after, &mb)
	}
	return mb >> 10
}
