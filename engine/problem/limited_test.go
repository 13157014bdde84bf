package problem

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
)

// bytesOf returns options that read a table from memory.
func bytesOf(text string) LoadOptions {
	return LoadOptions{Read: func(string) ([]byte, error) { return []byte(text), nil }}
}

// A line of too many cells and a cell that is too long are refused with their lines before cells are made of them. Tables just below
// the limits are read.
func TestTableLimits(t *testing.T) {
	const head = "task,arm,mean\nu,a,1\n"
	for _, c := range []struct{ name, table, want string }{
		{"commas", head + strings.Repeat(",", 1<<20), "FILE:3: this line has more than 131072 columns"},
		{"commas in the header", strings.Repeat(",", 1<<20) + "\nu,a,1\n", "FILE:1: this line has more than 131072 columns"},
		{"commas above the header", strings.Repeat(",", 1<<20) + "\n" + head, ""},
		{"a long name", head + "u," + strings.Repeat("a", 1<<21) + ",2\n", "FILE:3: this cell has more than 1024 kB"},
		{"quotes without an end", head + "u,\"b,2\n" + strings.Repeat("u,c,3\n", 1<<20), "FILE:3: the quotation mark here begins a cell of more than 1024 kB"},
		{"a long name of quotes", head + "u,\"" + strings.Repeat(`""`, 1<<20) + "\",2\n", "FILE:3: the quotation mark here begins a cell"},
		{"a name of 1 MB", head + "u," + strings.Repeat("b", 1<<20) + ",2\n", ""},
		{"commas in quotes", head + "u,\"" + strings.Repeat(",", 1<<19) + "\",2\n", ""},
		{"quotes in quotes", head + "u,\"b\"\",\"\"c\",2\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Load("FILE", independent, bytesOf(c.table))
			if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.HasPrefix(got, c.want) {
				t.Errorf("error %.200s; want %s", got, c.want)
			}
			_, _ = Describe("FILE", bytesOf(c.table))
			_ = Columns([]byte(c.table))
			if _, err := LoadGram("FILE", bytesOf(c.table)); err == nil {
				t.Error("read as a Gram matrix")
			}
		})
	}
	var b bytes.Buffer
	b.WriteString("task,arm,mean")
	for k := range 100_000 {
		fmt.Fprintf(&b, ",x_%d", k)
	}
	b.WriteString("\nu,a,1" + strings.Repeat(",0", 100_000) + "\nu,b,2" + strings.Repeat(",1", 100_000) + "\n")
	if p, err := Load("FILE", independent, bytesOf(b.String())); err != nil || len(p.Arms.Columns) != 100_000 {
		t.Errorf("100,000 features: error %v", err)
	}
}

// Reading ends with its context, and with the memory that this allows.
func TestReadingEnds(t *testing.T) {
	table := "task,arm,mean\n" + strings.Repeat("u,a,1\n", 1_000_000)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for what, read := range map[string]func(opt LoadOptions) error{
		"a wide table": func(opt LoadOptions) error { _, err := Load("FILE", independent, opt); return err },
		"a long table": func(opt LoadOptions) error {
			opt.Long = &Long{Task: []string{"task"}, Arm: []string{"arm"}, Reward: "mean"}
			_, err := Load("FILE", independent, opt)
			return err
		},
		"its columns":   func(opt LoadOptions) error { _, err := Describe("FILE", opt); return err },
		"a Gram matrix": func(opt LoadOptions) error { _, err := LoadGram("FILE", opt); return err },
	} {
		opt := bytesOf(table)
		opt.Context = ended
		if err := read(opt); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v", what, err)
		}
		var data *DataError
		opt.Context = memlimit.Named(context.Background(), 1e6, "--memory 1MB")
		if err := read(opt); !errors.As(err, &data) || !strings.Contains(err.Error(), "left (--memory 1MB)") {
			t.Errorf("%s: error %v", what, err)
		}
	}
}
