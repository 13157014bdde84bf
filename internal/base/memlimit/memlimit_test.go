package memlimit_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/memlimit"
)

// A need above what is left is an error that says the thing, its size, the limit and what would
// fit.
func TestClaim(t *testing.T) {
	ctx := memlimit.Named(context.Background(), 4e9, "the limit that was set")
	for _, c := range []struct {
		bytes float64
		power int
		fits  bool
	}{{1e6, 1, true}, {1e9, 1, true}, {1e12, 1, false}, {1e12, 2, false}} {
		err := memlimit.Claim(ctx, memlimit.Need{What: "the features", Bytes: c.bytes, Count: 1_000_000, Of: "arms", Power: c.power})
		if (err == nil) != c.fits {
			t.Errorf("%g bytes of 4e9: %v", c.bytes, err)
		}
		var refused *memlimit.Error
		if err == nil {
			continue
		}
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), "the features of 1000000 arms would take 1000.0 GB of memory, but only") ||
			!strings.Contains(err.Error(), "left (the limit that was set). About ") {
			t.Errorf("%v", err)
		}
		t.Log(err)
	}
}

// A machine has a limit if it can be found out, and its sentence names one.
func TestClaimWithoutASetting(t *testing.T) {
	err := memlimit.Claim(context.Background(), memlimit.Need{What: "the features", Bytes: 1e18, Count: 10, Of: "arms"})
	if err == nil {
		t.Skip("no limit is known here")
	}
	t.Log(err)
}

// Needs above 1 GB are reported, each one once; smaller ones and those that do not fit are not.
func TestListening(t *testing.T) {
	var told []string
	ctx := memlimit.Listening(memlimit.Named(context.Background(), 1e13, "the limit that was set"), func(s string) { told = append(told, s) })
	for _, n := range []memlimit.Need{
		{What: "the features", Bytes: 5e8, Count: 10, Of: "arms"},
		{What: "the features", Bytes: 2e9, Count: 10, Of: "arms"},
		{What: "the features", Bytes: 3e9, Count: 10, Of: "arms"},
		{What: "the design", Bytes: 1e15, Count: 10, Of: "arms"},
	} {
		if err := memlimit.Claim(ctx, n); err != nil && n.Bytes < 1e13 {
			t.Skip("the machine has less than 3 GB")
		}
	}
	if len(told) != 1 || told[0] != "2.0 GB of memory for the features of 10 arms" {
		t.Errorf("told %q", told)
	}
}

// A file may take memory by its size, unless the user states a limit or the machine has less.
func TestFile(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	for _, c := range []struct {
		name string
		ctx  context.Context
		file int // bytes
		need float64
		fits bool
	}{
		{"a small file", context.Background(), 1e4, 1.4e9, false},
		{"a small file, within half of the machine's memory", memlimit.Default(context.Background(), 1e12, "half"), 1e4, 1.4e9, false},
		{"a small file that needs little", context.Background(), 1e4, 5e8, true},
		{"a larger file", context.Background(), 1e6, 1.4e9, true},
		{"a stated limit", memlimit.Named(context.Background(), 1e12, "--memory 1TB"), 1e4, 1.4e9, true},
		{"a machine with less", memlimit.Default(context.Background(), 3e8, "half"), 1e4, 4e8, false},
	} {
		err := memlimit.Claim(memlimit.File(c.ctx, c.file), memlimit.Need{What: "the table", Bytes: c.need, Count: 1, Of: "rows"})
		if (err == nil) != c.fits {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}
