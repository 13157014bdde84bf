package dsl

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/answer"
	"github.com/gonb-cope/gonb-cope/engine/campaign"
	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// folderWith returns a folder with a file of this content.
func folderWith(t *testing.T, name, content string) string {
	t.Helper()
	dir := t.TempDir()
	try.To(os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644))
	return dir
}

// Two sites, three settings on a logarithmic scale, blocks by day, counts of successes, and one loss that is missing.
const runsTable = `site,day,lr,kind,loss,n,ok
Gent,mon,0.001,a,1.0,10,3
Gent,tue,0.001,a,1.2,10,4
Gent,mon,0.01,a,0.5,10,9
Gent,tue,0.01,b,0.7,10,8
Gent,mon,0.1,b,1.5,12,1
Lyon,mon,0.001,a,2.0,10,2
Lyon,tue,0.01,a,1.4,11,6
Lyon,mon,0.01,b,1.3,10,7
Lyon,tue,0.1,b,,10,0
`

// TestRows: rows are chosen by a condition, columns computed, logarithms taken, successes counted, and one task needs no
// column.
// Each case checks what its arguments do to tasks, arms, features, means and rows.
func TestRows(t *testing.T) {
	dir := folderWith(t, "runs.csv", runsTable)
	for _, c := range []struct {
		name, script string
		check        func(*problem.Problem) bool
	}{
		{"a condition", `problem(data="runs.csv", task="site", arm="lr", reward="loss", where="site == 'Gent' and lr < 0.05")`,
			func(p *problem.Problem) bool { return p.V() == 1 && p.N() == 2 && p.Tasks.Names[0] == "Gent" }},
		{"a name by col", `problem(data="runs.csv", arm="lr", reward="loss", where="col('lr') > 0.005")`,
			func(p *problem.Problem) bool { return p.V() == 1 && p.N() == 2 && p.Tasks.Names[0] == "all" }},
		{"a computed column", `problem(data="runs.csv", task="site", arm="log10(lr)", reward="loss", kernel=arm(rbf(1)))`,
			func(p *problem.Problem) bool { return math.Abs(p.Arms.X[0][0]+3) < 1e-9 && len(p.Notes) > 0 }},
		{"a logarithm", `problem(data="runs.csv", task="site", arm="lr", log="lr", reward="loss", kernel=arm(rbf(1)))`,
			func(p *problem.Problem) bool { return p.Arms.X[0][0] == -3 && p.Arms.Value(0, 0) == 0.001 }},
		{"a scaled logarithm", `problem(data="runs.csv", task="site", arm="lr", log="lr", reward="loss", standardize=true, kernel=arm(rbf(1)))`,
			func(p *problem.Problem) bool {
				return math.Abs(p.Arms.X[0][1]-0.5) < 1e-12 && p.Arms.Value(0, 1) == 0.01
			}},
		{"counts", `problem(data="runs.csv", task="site", arm="lr", successes="ok", trials="n")`,
			func(p *problem.Problem) bool { return p.Mean[0] == 0.35 && p.Reps[0] == 20 }},
		{"blocks", `problem(data="runs.csv", task="site", arm="lr", reward="loss", blocks="day", goal="min", kernel=arm(rbf(1)))`,
			func(p *problem.Problem) bool {
				return len(p.Blocks) == 4 && len(p.Rows) == 8 && p.Rows[0].Reward == -1 && p.Rows[1].Block == 1 && p.Rows[7].Block == 2
			}},
		{"crossed blocks", `problem(data="runs.csv", task="site", arm="lr", reward="loss", crossed="day", goal="min", kernel=arm(rbf(1)))`,
			func(p *problem.Problem) bool {
				return len(p.Blocks) == 2 && len(p.Rows) == 8 && p.Rows[7].Block == 0 && len(p.Long.Crossed) == 1
			}},
		{"random effects", `problem(data="runs.csv", task="site", arm="lr", reward="loss", random=["day"], goal="min", kernel=arm(rbf(1)))`,
			func(p *problem.Problem) bool {
				return len(p.Blocks) == 0 && len(p.Levels) == 2 && p.Rows[1].Levels == 1 && p.Rows[7].Levels == 0 && p.Levels[1][0] == "tue"
			}},
	} {
		displays, err := evalText(NewSession(Options{Folder: dir}), c.script)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var p problem.Problem
		switch v := displays[0].(type) {
		case problem.Problem:
			p = v
		case *problem.Problem:
			p = *v
		default:
			t.Fatalf("%s: %T", c.name, v)
		}
		if !c.check(&p) {
			t.Errorf("%s: wrong problem: tasks %v, arms %v, features %v, means %v, counts %v, rows %v", c.name, p.Tasks.Names, p.Arms.Names, p.Arms.X, p.Mean, p.Reps, p.Rows)
		}
	}
	// a column whose name is a word of expr
	try.To(os.WriteFile(filepath.Join(dir, "in.csv"), []byte("in,y\n1,2\n2,3\n"), 0o600))
	// Conditions, computed columns, logarithms and counts that cannot be, each with the words that help.
	for script, want := range map[string]string{
		`problem(data="runs.csv", arm="lr", reward="loss", where="sit == 'Gent'")`:          `where="sit == 'Gent'": unknown name sit`,
		`problem(data="runs.csv", arm="lr", reward="loss", where="site == 'Rome'")`:         "holds for none of the 9 rows",
		`problem(data="runs.csv", arm="lr", reward="loss", where="lr")`:                     "neither true nor false",
		`problem(data="runs.csv", arm="lr", reward="loss", where="col('no') == 1")`:         `the table has no column "no"`,
		`problem(data="runs.csv", arm="lr", reward="loss", where="site == Gent")`:           `unknown name Gent; write a text in quotes, as 'Gent', and a column as one of site, day, lr`,
		`problem(data="runs.csv", arm="lr", reward="loss", where="lr > ")`:                  `where="lr > ": the condition is not complete`,
		`problem(data="runs.csv", arm="lr", reward="loss", where="site == none")`:           "a function is written without quotes",
		`problem(data="in.csv", arm="in", reward="y", where="in > 1")`:                      `"in" is not expected; the column in is written col("in")`,
		`problem(data="runs.csv", arm="log10(lrr)", reward="loss")`:                         `no column "log10(lrr)"`,
		`problem(data="runs.csv", arm="lr", log="kind", reward="loss")`:                     "log names a column of numbers",
		`problem(data="runs.csv", arm="lr", successes="ok")`:                                "need the columns successes and trials",
		`problem(data="runs.csv", arm="lr", successes="n", trials="ok")`:                    "number of successes from 0 to the 3",
		`problem(data="runs.csv", arm="lr")`:                                                "data needs reward",
		`problem(data="runs.csv", arm="lr", reward="loss", where="lr > 0 ? lr : 'x' + lr")`: `where=`,
		`problem(data="runs.csv", arm="lq", reward="loos")`:                                 `hint: did you mean "loss"?`,
	} {
		if _, err := evalText(NewSession(Options{Folder: dir}), script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", script, err, want)
		}
	}
}

// TestSheetsCompute: the table of a problem is a sheet of results of it, though columns are computed and rows are left out;
// a sheet with the names of the arms is one, too.
// The expected number of rows is the number of rows of Gent; the second sheet names the arms as the problem does.
func TestSheetsCompute(t *testing.T) {
	dir := folderWith(t, "runs.csv", runsTable)
	displays := try.Of(evalText(NewSession(Options{Folder: dir}),
		`problem(data="runs.csv", task="site", arm="log10(lr)", reward="loss", where="site == 'Gent'", kernel=arm(rbf(1)))`))
	p, ok := displays[0].(*problem.Problem)
	if !ok {
		t.Fatalf("%T", displays[0])
	}
	for _, c := range []struct {
		sheet string
		rows  int
	}{{runsTable, strings.Count(runsTable, "\nGent")}, {"site,log10(lr),loss\nGent,-2,1\nLyon,-2,1\n", 1}} {
		s, _ := try.Two(problem.ReadSheet(t.Context(), "sheet.csv", []byte(c.sheet), p.Long, []string{"task", "arm", "reward"}))
		if len(s.Rows) != c.rows || s.Rows[0].Text("task") != "Gent" || !slices.Contains(p.Arms.Names, s.Rows[0].Text("arm")) || slices.Contains(s.Columns, "lr") {
			t.Errorf("%d rows of %d, columns %q, the first of %q, %q, which is none of %q", len(s.Rows), c.rows, s.Columns, s.Rows[0].Text("task"),
				s.Rows[0].Text("arm"), p.Arms.Names)
		}
	}
}

// TestBestNeedsNoKernel: a script without a kernel, a noise law and an algorithm answers, and its problem can be
// simulated.
func TestBestNeedsNoKernel(t *testing.T) {
	dir := folderWith(t, "runs.csv", runsTable)
	displays := try.Of(evalText(NewSession(Options{Folder: dir}), `p = problem(data="runs.csv", task="site", arm=["lr", "kind"], reward="loss", goal="min", unmeasured="drop")
best(p, epsilon=0.1, next=3)
fb(p, budget=6, runs=2)`))
	a, ok := displays[0].(answer.Answer)
	if !ok || len(a.Picks) != 2 || len(a.Next) == 0 || a.Kernel == "" || a.Picks[0].Label == "" {
		t.Errorf("best gives %+v", displays[0])
	}
}

// TestCandidatesAlone: a table of candidates without a measurement, or with one, makes a problem and a protocol for every method that is
// there for campaigns; its answer and its simulation say that nothing is measured yet, and what to do.
func TestCandidatesAlone(t *testing.T) {
	const header = "reaction,ligand,base,yield\n"
	for name, table := range map[string]string{
		"none": header + "r1,L1,B1,\nr1,L1,B2,\nr1,L2,B1,\nr1,L2,B2,\nr2,L1,B1,\nr2,L1,B2,\nr2,L2,B1,\nr2,L2,B2,\n",
		"one":  header + "r1,L1,B1,52\nr1,L1,B2,\nr1,L2,B1,\nr1,L2,B2,\n",
	} {
		script := `p = problem(data="c.csv", task="reaction", arm=["ligand", "base"], reward="yield")` + "\n"
		for _, protocol := range []string{`protocol(p, budget=4, plate=4)`, `protocol(p, delta=0.1, epsilon=2, algorithm="CoBayesFC", plate=4, runs=0)`,
			`protocol(p, delta=0.1, epsilon=2, runs=0)`} {
			displays, err := evalText(NewSession(Options{Folder: folderWith(t, "c.csv", table)}), script+protocol)
			if err != nil {
				t.Errorf("%s: %s: %v", name, protocol, err)
			} else if p, ok := displays[len(displays)-1].(campaign.Protocol); !ok || !p.Problem.KernelFound {
				t.Errorf("%s: %s gives %+v", name, protocol, displays)
			}
		}
		wants := map[string]string{"fb(p, budget=8)": "cannot be simulated"}
		if name == "none" {
			wants["best(p)"] = "protocol(p, budget=N)"
		}
		for call, want := range wants {
			if _, err := evalText(NewSession(Options{Folder: folderWith(t, "c.csv", table)}), script+call); err == nil ||
				!strings.Contains(err.Error(), want) {
				t.Errorf("%s: %s: %v", name, call, err)
			}
		}
	}
	displays, err := evalText(NewSession(Options{Folder: folderWith(t, "arms.csv", "task,arm,x_a\na,b,1\na,c,2\n")}), `problem("arms.csv")`)
	if err != nil || len(displays) != 1 {
		t.Errorf("a table without means: %v", err)
	}
}

// TestHintOfOddNames: the condition that an error proposes can be pasted where column and word have quotes and backslashes.
// The name of the column has quotes and an apostrophe, and one cell is a word with a backslash.
func TestHintOfOddNames(t *testing.T) {
	dir := folderWith(t, "odd.csv", "arm,\"\"\"net\"\" o'clock\"\na,1\nb,2\na,1.5\na,3\nb,2.5\nc,2\nc,it's \\ 1\n")
	script := `p = problem(data="odd.csv", arm="arm", reward="\"net\" o'clock"`
	_, err := evalText(NewSession(Options{Folder: dir}), script+")")
	if err == nil {
		t.Fatal("a word among numbers is no error")
	}
	// The hint's proposal is used unchanged.
	_, condition, _ := strings.Cut(err.Error(), "If the measurement failed, write ")
	condition, _, _ = strings.Cut(condition, " (--failed")
	if _, err := evalText(NewSession(Options{Folder: dir}), script+", "+condition+")"); err != nil {
		t.Errorf("%s: %v", condition, err)
	}
}
