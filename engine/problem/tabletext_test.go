package problem

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// Texts that would spoil outputs, cells of a table that hold no number, and names that only look
// alike are refused with their places.
func TestTableTexts(t *testing.T) {
	const composed, apart = "caf\u00e9", "cafe\u0301"
	for _, c := range []struct{ name, table, want string }{
		{"Latin-1", "task,arm,mean\ncaf\xe9,b,1\n", "p.csv:2:1: not UTF-8; save the file as UTF-8"},
		{"Latin-1 in the header", "task,arm,x_\xe9\na,b,1\n", `p.csv:1: column "x_�": not UTF-8; save the file as UTF-8`},
		{"ESC", "task,arm,mean\na,\x1b]0;x\x07,1\n", "p.csv:2:3: the control character U+001B is part of the value; remove it"},
		{"NUL", "task,arm,mean\na,b\x00c,1\n", "p.csv:2:3: the control character U+0000 is part of the value; remove it"},
		{"underscore", "task,arm,mean\na,b,1_000\n", `p.csv:2:5: column "mean": expected a finite number in decimal digits, got "1_000"`},
		{"hexadecimal", "task,arm,mean\na,b,0x1p-2\n", `p.csv:2:5: column "mean": expected a finite number in decimal digits, got "0x1p-2"`},
		{"large feature", "task,arm,x_1,mean\na,b,-1e300,1\n", `p.csv:2:5: column "x_1": numbers must be 0, or of a size from 1e-100 to 1e100, got -1e+300`},
		{"large sd", "task,arm,mean,sd\na,b,1,1e300\n", `p.csv:2:7: column "sd": numbers must be 0, or of a size from 1e-100 to 1e100, got 1e+300`},
		{"small sd", "task,arm,mean,sd\na,b,1,1e-300\n", `p.csv:2:7: column "sd": numbers must be 0, or of a size from 1e-100 to 1e100, got 1e-300`},
		{"half a measurement", "task,arm,mean,reps\na,b,1,1.5\n", `p.csv:2:7: column "reps": expected a whole number of measurements from 1 to 1000000000, got 1.5`},
		{"more measurements than there can be", "task,arm,mean,reps\na,b,1,1e10\n", `p.csv:2:7: column "reps": expected a whole number of measurements from 1 to 1000000000, got 1e+10`},
		{"tasks that look alike", "task,arm,mean\n" + composed + ",b,1\n" + apart + ",b,1\n", `p.csv:3:1: "café" looks like the name in line 2 but has other characters: U+0065 here and U+00E9 there. Write both names alike`},
		{"arms that look alike", "task,arm,mean\na," + apart + ",1\nb," + composed + ",1\n", `p.csv:3:3: "café" looks like the name in line 2 but has other characters: U+00E9 here and U+0065 there. Write both names alike`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, "p.csv", c.table)
			p, err := Load(path, independent, LoadOptions{})
			if err == nil || p != nil {
				t.Fatalf("loaded %v, error %v; want an error and nothing", p, err)
			}
			got := strings.ReplaceAll(strings.ReplaceAll(err.Error(), path, "p.csv"), apart, composed)
			if got != c.want {
				t.Errorf("error\n %s\nwant\n %s", got, c.want)
			}
		})
	}
}

// Raw rewards that write a name in other characters than the table say so.
func TestRewardsThatLookAlike(t *testing.T) {
	table := write(t, "p.csv", "task,arm,mean\na,caf\u00e9,1\n")
	raw := write(t, "r.csv", "task,arm,rep,reward\na,cafe\u0301,1,1\n")
	_, err := Load(table, independent, LoadOptions{Rewards: raw})
	if err == nil || !strings.Contains(err.Error(), "r.csv:2:3: ") || !strings.Contains(err.Error(), "looks like the name in "+table+":2") {
		t.Errorf("error %v; want the places of both names", err)
	}
}

// Problems that Go code makes have such names no more than problems of files.
func TestNamesOfProblems(t *testing.T) {
	for name, want := range map[string]string{
		"a\x1b[2J": `problem "p": the name "a\x1b[2J" has the control character U+001B in it`,
		"caf\xe9":  `problem "p": the name "caf\xe9" is not UTF-8`,
	} {
		tasks, _ := kernels.NewPoints(nil, []string{name}, nil)
		arms, _ := kernels.NewPoints(nil, []string{"b"}, nil)
		if _, err := New("p", tasks, arms, []int{0}, independent, []float64{1}, nil); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

// The caller gives the text.
func TestLoadReads(t *testing.T) {
	opt := LoadOptions{Read: func(path string) ([]byte, error) {
		if path != "p.csv" {
			return nil, fmt.Errorf("%s: %w", path, context.Canceled)
		}
		return []byte("task,arm,mean\na,b,1\n"), nil
	}}
	p, err := Load("p.csv", independent, opt)
	if err != nil || p.N() != 1 || p.Sources[0].Path != "p.csv" {
		t.Errorf("%v, error %v", p, err)
	}
	opt.Rewards = "r.csv"
	if _, err := Load("p.csv", independent, opt); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want the one of reading", err)
	}
}
