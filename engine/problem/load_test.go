package problem

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

var independent = kernels.Joint{Terms: []kernels.Term{{Scale: 1, Task: kernels.Identity{}, Arm: kernels.Identity{}}}}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	try.To(os.WriteFile(path, []byte(text), 0o600))
	return path
}

// Every wrong table is refused with file, line, column, and what was expected.
func TestLoadErrors(t *testing.T) {
	for _, c := range []struct{ name, table, want string }{
		{"empty file", "", "p.csv: no data: a table needs at least one row below its header"},
		{"header only", "task,arm,mean\n", "p.csv: no data: a table needs at least one row below its header"},
		{"no arm column", "task,mean\na,1\n", `p.csv:1: no column "arm"; the columns are task, mean`},
		{"unknown column", "task,arm,man\na,b,1\n", `p.csv:1: unknown column "man"; expected task, arm, mean, sd, reps, cost, or a name that begins with x_ (arm feature) or z_ (task feature)`},
		{"ragged", "task,arm,mean\na,b,1\na,c\n", "p.csv:3:1: this line has 2 values, but the header has 3. Add the missing values, or leave their cells empty"},
		{"quote", "task,arm,mean\na,\"b,1\n", "p.csv:2:8: this is not a table in CSV format, or a quotation mark is wrong here (extraneous or missing \" in quoted-field). Save the table again as CSV or XLSX"},
		{"text for a number", "task,arm,mean\na,b,one\n", `p.csv:2:5: column "mean" has no number, only texts such as "one". Name a column of measurements`},
		{"NaN", "task,arm,x_1\na,b,NaN\n", `p.csv:2:5: column "x_1": expected a finite number, got "NaN"`},
		{"infinity", "task,arm,x_1,mean\na,b,+Inf,1\n", `p.csv:2:5: column "x_1": expected a finite number, got "+Inf"`},
		{"empty cell", "task,arm,x_1\na,b,\n", `p.csv:2:5: column "x_1": expected a finite number, the cell is empty`},
		{"no task name", "task,arm,mean\n,b,1\n", `p.csv:2:1: column "task" has no value here. Every row needs its task, its arm and their features. Fill in the cell, or delete the row`},
		{"duplicate", "task,arm,mean\na,b,1\na,c,2\na,b,3\n", `p.csv:4:3: task "a", arm "b" appears twice, first in line 2; a table with the columns task, arm and mean has one row per arm`},
		{"task feature changes", "task,arm,z_1,mean\na,b,1,1\na,c,2,1\n", `p.csv:3:5: column "z_1" is "2" here but "1" in line 2. It must be equal in all rows of task "a"`},
		{"negative sd", "task,arm,mean,sd\na,b,1,-1\n", `p.csv:2:7: column "sd": a standard deviation cannot be negative, got -1`},
		{"zero sd", "task,arm,mean,sd\na,b,1,0\n", `p.csv: task "a", arm "b": the noise scale is 0, but it must be positive. Write noise="task" to pool it over the task, or give a number`},
		{"no cost", "task,arm,cost\na,b,1\na,c,\n", `p.csv:3:5: column "cost": expected a finite number, the cell is empty`},
		{"free", "task,arm,cost\na,b,0\n", `p.csv:2:5: column "cost": the cost of a pull must be a positive number, got 0`},
		{"no measurement", "task,arm,mean,reps\na,b,1,0\n", `p.csv:2:7: column "reps": expected a whole number of measurements from 1 to 1000000000, got 0`},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := write(t, "p.csv", c.table)
			p, err := Load(path, independent, LoadOptions{})
			if err == nil || p != nil {
				t.Fatalf("loaded %v, error %v; want an error and nothing", p, err)
			}
			if got := strings.ReplaceAll(err.Error(), path, "p.csv"); got != c.want {
				t.Errorf("error\n %s\nwant\n %s", got, c.want)
			}
			var data *DataError
			if !errors.As(err, &data) {
				t.Errorf("%T is not a DataError", err)
			}
		})
	}
	if _, err := Load("no/such/file.csv", independent, LoadOptions{}); err == nil || !strings.Contains(err.Error(), "no/such/file.csv") {
		t.Errorf("missing file: error %v does not name it", err)
	}
}

func TestLoadRewardsErrors(t *testing.T) {
	table := write(t, "p.csv", "task,arm,mean\na,b,1\na,c,2\n")
	for _, c := range []struct{ name, raw, want string }{
		{"unknown arm", "task,arm,rep,reward\na,z,1,1\n", `r.csv:2:3: task "a", arm "z" is not in the problem table`},
		{"rep twice", "task,arm,rep,reward\na,b,1,1\na,b,1,2\n", `r.csv:3:5: task "a", arm "b", rep "1" appears twice, first in line 2`},
		{"no reward", "task,arm,rep,reward\na,b,1,1\n", `r.csv: no reward of task "a", arm "c"`},
		{"another mean", "task,arm,rep,reward\na,b,1,1\na,c,1,5\n", `r.csv: task "a", arm "c": its 1 rewards have the mean 5, but the problem table has the mean 2. Leave out the column mean or rewards=`},
		{"not a number", "task,arm,rep,reward\na,b,1,x\n", `r.csv:2:7: column "reward": expected a finite number, got "x"`},
		{"no column", "task,arm,reward\na,b,1\n", `r.csv:1: no column "rep"; the columns are task, arm, reward`},
	} {
		path := write(t, "r.csv", c.raw)
		p, err := Load(table, independent, LoadOptions{Rewards: path})
		if err == nil || p != nil {
			t.Fatalf("%s: loaded %v, error %v", c.name, p, err)
		}
		if got := strings.ReplaceAll(err.Error(), path, "r.csv"); got != c.want {
			t.Errorf("%s: error\n %s\nwant\n %s", c.name, got, c.want)
		}
	}
}

// A byte order mark, tasks in pieces and unequal numbers of arms are fine.
func TestLoadOrder(t *testing.T) {
	path := write(t, "trial.csv", "\ufefftask,arm,x_1,mean\nb,1,0.5,1\na,1,1,2\nb,2,2,3\n")
	p := try.Of(Load(path, independent, LoadOptions{}))
	if p.Name != "trial" || p.V() != 2 || p.N() != 3 || p.Tasks.Names[0] != "b" || p.Mean[1] != 3 || p.Mean[2] != 2 {
		t.Errorf("name %q, tasks %v, means %v; want trial, b before a, 1 3 2", p.Name, p.Tasks.Names, p.Mean)
	}
	if len(p.Sources) != 1 || p.Sources[0].Rows != 3 || len(p.Sources[0].SHA256) != 64 {
		t.Errorf("sources %+v", p.Sources)
	}
}

// Costs stay with their arms, also where tasks are mixed in the file, and go with them.
func TestLoadCost(t *testing.T) {
	p := try.Of(Load(write(t, "p.csv", "task,arm,mean,cost\na,x,1,3\nb,x,2,5\na,y,3,0.5\n"), independent, LoadOptions{Noise: NoiseModel{Scales: []float64{1}}}))
	if got := fmt.Sprint(p.Cost, p.Only(1).Cost, p.RelativeCost()); got != "[3 0.5 5] [5] [1.0588235294117647 0.1764705882352941 1.7647058823529411]" {
		t.Errorf("costs %s", got)
	}
}
