package problem

import (
	"errors"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/kernels"
)

// Rows that come later are written below the first ones in the same format: separator, decimals, order of
// columns, lines above the header.
func TestAppend(t *testing.T) {
	for _, c := range []struct{ name, base, added, want string }{
		{"plain", "task,arm,x_a\nA,1,0\n", "task,arm,x_a\nA,2,0.5\n", "task,arm,x_a\nA,1,0\nA,2,0.5\n"},
		{"no end of line, other order, a mean that is not known", "task,arm,x_a,mean\nA,1,0,3", "x_a,arm,task\n7,2,A\n", "task,arm,x_a,mean\nA,1,0,3\nA,2,7,\n"},
		{"decimal commas below, points added", "task;arm;x_a\nA;1;0,25\n", "task,arm,x_a\nA,2,0.5\n", "task;arm;x_a\nA;1;0,25\nA;2;0,5\n"},
		{"points below, decimal commas added", "task,arm,x_a\nA,1,0.25\n", "task;arm;x_a\nA;2;0,5\n", "task,arm,x_a\nA,1,0.25\nA,2,0.5\n"},
		{"lines above the header, quotes", "Plan of Tuesday\n\ntask,arm,x_a\nA,1,0\n", "task,arm,x_a\n\"A\",\"b, c\",1\n", "Plan of Tuesday\n\ntask,arm,x_a\nA,1,0\nA,\"b, c\",1\n"},
		{"features of a task that is there", "task,arm,x_a,z_t\nA,1,0,20\nB,1,0,30\n", "task,arm,x_a\nB,2,1\n", "task,arm,x_a,z_t\nA,1,0,20\nB,1,0,30\nB,2,1,30\n"},
		{"a row that is there", "task,arm,x_a\nA,1,0\n", "task;arm;x_a\nA;1;0\nA;2;0,5\n", "task,arm,x_a\nA,1,0\nA,2,0.5\n"},
		{"capitals", "Task,Arm,x_a\nA,1,0\n", "task,arm,x_a\nA,2,0.5\n", "Task,Arm,x_a\nA,1,0\nA,2,0.5\n"},
	} {
		a, err := Append(t.Context(), "base.csv", []byte(c.base), "more.csv", []byte(c.added))
		if err != nil || string(a.Data) != c.want || a.Rows != 1 {
			t.Errorf("%s: %v\n%s\nwant\n%s", c.name, err, a.Data, c.want)
		}
	}
}

// Errors in added rows have their place in their own file.
func TestAppendErrors(t *testing.T) {
	const base = "task,arm,x_a,mean\nA,1,0,3\n"
	for _, c := range []struct{ added, want string }{
		{"task,arm,x_a,solvent\nA,2,1,DMF\n", `more.csv:1: column "solvent" is not in base.csv, which has the columns task, arm, x_a, mean`},
		{"task,arm\nA,2\n", `more.csv:1: no column "x_a"; the columns are task, arm`},
		{"task,arm,x_a\n", "more.csv: no data"},
		{"", "more.csv: no data"},
		{"task,arm,x_a\nA,1,0\n", "more.csv: all of its arms are in base.csv already"},
		{"task,arm,x_a\nA,2,0\nA,1,5\n", `more.csv:3:5: column "x_a" is "5" here but "0" in base.csv, which already has task "A", arm "1"`},
		{"task,arm,x_a\nA,2\n", "more.csv:2:1: this line has 2 values, but the header has 3. Add the missing values, or leave their cells empty"},
	} {
		_, err := Append(t.Context(), "base.csv", []byte(base), "more.csv", []byte(c.added))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.added, err, c.want)
		}
	}
	a, err := Append(t.Context(), "base.csv", []byte(base), "more.csv", []byte("task,arm,x_a\nA,2,1\nA,3,warm\n"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = Load("base.csv", kernels.Joint{}, LoadOptions{Read: func(string) ([]byte, error) { return a.Data, nil }})
	if e := (*DataError)(nil); !errors.As(a.Place(err), &e) || e.Path != "more.csv" || e.Line != 3 {
		t.Errorf("%v, want line 3 of more.csv", a.Place(err))
	}
	if err := errors.New("other"); a.Place(err) != err {
		t.Error("an error of something else is moved")
	}
}
