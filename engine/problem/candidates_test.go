package problem_test

import (
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

const tried = "model,lr,batch,acc\na,0.001,32,1\na,0.01,64,2\nb,0.01,32,3\nb,0.01,64,OOM\nb,0.1,64,5\n"

// considered reads the table tried with candidates; other files have the texts of files.
func considered(files map[string]string, candidates ...string) (*problem.Problem, error) {
	k, err := kernels.MulJoint(kernels.LiftTask(kernels.Identity{}), kernels.LiftArm(kernels.Identity{}))
	if err != nil {
		return nil, err
	}
	return problem.Load("runs.csv", k, problem.LoadOptions{
		Long: &problem.Long{Task: []string{"model"}, Arm: []string{"lr", "batch"}, Reward: "acc", Candidates: candidates},
		Read: func(path string) ([]byte, error) {
			if text, there := files[path]; there {
				return []byte(text), nil
			}
			return []byte(tried), nil
		},
	})
}

// Candidates are options without a measurement. They change neither the measurements nor the failed ones.
func TestCandidates(t *testing.T) {
	plain := try.Of(considered(nil))
	for _, x := range []struct {
		candidates []string
		files      map[string]string
		arms       []int // of each task
		has        string
	}{
		{nil, nil, []int{2, 3}, "lr=0.1, batch=64"},
		{[]string{"all"}, nil, []int{6, 6}, "lr=0.1, batch=32"},
		{[]string{"lr=0.001..0.1 log"}, nil, []int{34, 34}, "lr=0.00316, batch=32"}, // 17 values, and 0.01 is one of them
		{[]string{"batch=32..128 step 32"}, nil, []int{12, 12}, "lr=0.1, batch=96"},
		{[]string{"options.csv"}, map[string]string{"options.csv": "lr;batch\n0,5;32\n0,5;16\n"}, []int{4, 5}, "lr=0.5, batch=16"},
		{[]string{"options.csv"}, map[string]string{"options.csv": "model,lr,batch\nb,0.5,32\n"}, []int{2, 4}, "lr=0.5, batch=32"},
	} {
		p, err := considered(x.files, x.candidates...)
		if err != nil {
			t.Errorf("%q: %v", x.candidates, err)
			continue
		}
		for v, arms := range p.Groups() {
			if len(arms) != x.arms[v] {
				t.Errorf("%q: task %d has %d options, want %d", x.candidates, v, len(arms), x.arms[v])
			}
		}
		if p.ArmNamed(1, x.has) < 0 {
			t.Errorf("%q: no option %q in %q", x.candidates, x.has, p.Arms.Names)
		}
		if i := p.ArmNamed(1, "lr=0.01, batch=64"); p.Failed == nil || p.Failed[i] != 1 {
			t.Errorf("%q: the failed run is lost", x.candidates)
		}
		if p.Sources[0].Rows != 5 {
			t.Errorf("%q: the table has %d rows", x.candidates, p.Sources[0].Rows)
		}
		if len(p.Rows) != len(plain.Rows) {
			t.Errorf("%q: %d rows, want %d", x.candidates, len(p.Rows), len(plain.Rows))
		}
		for _, n := range p.Notes {
			if n.Kind == problem.NoteNoReward {
				t.Errorf("%q: candidates count as rows: %s", x.candidates, n)
			}
		}
	}
	if text := notesOf(plain); !strings.Contains(text, "3 of 6 combinations of lr, batch are in the table") {
		t.Errorf("the notes do not name the combinations: %s", text)
	}
}

// TestColumnsTogether: columns that always change together get a note instead of combinations that may not exist, and a copy of a
// used column is not reported as unused. Columns with another value at every option get no such note.
func TestColumnsTogether(t *testing.T) {
	k := try.Of(kernels.MulJoint(kernels.LiftTask(kernels.Identity{}), kernels.LiftArm(kernels.Identity{})))
	together := func(table string, arm ...string) *problem.Problem {
		return try.Of(problem.Load("t.csv", k, problem.LoadOptions{
			Long: &problem.Long{Arm: arm, Reward: "y"}, Read: func(string) ([]byte, error) { return []byte(table), nil }}))
	}
	for table, want := range map[string]string{
		"C,K,speed,y\n1,274,5,1\n2,275,5,2\n1,274,6,1\n2,275,6,3\n": `"C" and "K" always change together`,
		"C,K,speed,y\n1,3,5,1\n2,9,5,2\n7,4,6,1\n8,5,6,3\n":         "4 of 32 combinations of C, K, speed",
	} {
		p := together(table, "C", "K", "speed")
		if text := notesOf(p); !strings.Contains(text, want) || strings.Contains(text, "together") != strings.Contains(want, "together") {
			t.Errorf("%s: %s", table, text)
		}
	}
	copies := "C,C,z,y\n1,1,1,4\n2,2,1,5\n"
	p := together(copies, "C")
	if text := notesOf(p); !strings.Contains(text, "columns not used: z.") {
		t.Errorf("copies: %s", text)
	}
}

func notesOf(p *problem.Problem) string {
	var b strings.Builder
	for _, n := range p.Notes {
		b.WriteString(n.String() + "\n")
	}
	return b.String()
}

// Candidates of a table with decimal commas are written as its numbers are.
func TestCandidatesCommas(t *testing.T) {
	german := "ofen;temp;zeit;ausbeute\nA;150,5;1;40,25\nA;160,5;2;42,5\nB;150,5;2;38,5\nB;170,5;1;39,5\n"
	k := try.Of(kernels.MulJoint(kernels.LiftTask(kernels.Identity{}), kernels.LiftArm(kernels.Identity{})))
	for _, candidates := range []string{"all", "temp=150,5..170,5 step 2.5", "options.csv"} {
		p, err := problem.Load("versuch.csv", k, problem.LoadOptions{
			Long: &problem.Long{Task: []string{"ofen"}, Arm: []string{"temp", "zeit"}, Reward: "ausbeute", Candidates: []string{candidates}},
			Read: func(path string) ([]byte, error) {
				return []byte(map[string]string{"versuch.csv": german, "options.csv": "temp,zeit\n155.5,1\n"}[path]), nil
			},
		})
		if err != nil {
			t.Errorf("%q: %v", candidates, err)
			continue
		}
		if n := map[string]int{"all": 12, "options.csv": 6, "temp=150,5..170,5 step 2.5": 36}[candidates]; p.N() != n {
			t.Errorf("%q: %d options, want %d: %q", candidates, p.N(), n, p.Arms.Names)
		}
	}
}

// Mistakes in candidates have a message that says what to write.
func TestCandidatesMistakes(t *testing.T) {
	for candidates, want := range map[string]string{
		"rate=1..2":         `"rate" is not a column of arm`,
		"lr=1..x":           `"x" is not a number`,
		"lr=0..1 log":       "needs numbers above 0",
		"lr=2..1":           "the first number must be the lower one",
		"lr=1..2 step 0":    "the step must be above 0",
		"lr=0..1 step 1e-7": "more than 100000",
		"options.csv":       `no column "batch"`,
		"strange.csv":       `the task "c" has no row`,
	} {
		files := map[string]string{"options.csv": "lr\n1\n", "strange.csv": "model,lr,batch\nc,1,1\n"}
		if _, err := considered(files, candidates); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", candidates, err, want)
		}
	}
}

// A refinement halves the grid around an option, within the range.
func TestFiner(t *testing.T) {
	p, err := considered(nil, "lr=0.001..0.1 log")
	if err != nil || !p.Refinable() {
		t.Fatal(err, p.Refinable())
	}
	f := p.Finer([]int{p.ArmNamed(0, "lr=0.01, batch=64"), p.ArmNamed(1, "lr=0.1, batch=64")}, 1)
	text := string(f.CSV())
	for _, want := range []string{"a,0.00866,64", "a,0.01,64", "a,0.0115,64", "b,0.0866,64", "b,0.1,64"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no row %q in\n%s", want, text)
		}
	}
	if f.Rows != 6 {
		t.Errorf("%d rows", f.Rows)
	}
}
