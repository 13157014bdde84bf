package dsl

import (
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
)

// longScript reads a long table.
const longScript = `p = problem(data="runs.csv", task="machine", arm=["temp", "speed"], reward="y", kernel=task(identity()) * arm(linear()))
p`

// Semicolons and decimal commas, a column that the script does not use, and one arm in both tasks.
const longTable = "machine;temp;speed;y;note\nA;150;1;1,5;x\nA;150;1;2,5;x\nA;180;2;3;\nA;180;2;4;\nB;150;1;7;\nB;150;1;8;\n"

// The notes on a long table are shown once, however often a sweep evaluates the definition again.
func TestLongData(t *testing.T) {
	folder := t.TempDir()
	written(t, folder, "runs.csv", longTable)
	var told []string
	s := NewSession(Options{Folder: folder, Notice: func(line string) { told = append(told, line) }})
	must(t, s, longScript)
	if len(told) > 0 {
		t.Errorf("told %q, which the problem that is displayed shows", told)
	}
	// The sweep evaluates the definition again for each noise.
	s = NewSession(Options{Folder: folder, Notice: func(line string) { told = append(told, line) }})
	must(t, s, strings.TrimSuffix(longScript, "\np")+"\nr = fb(p, budget=4, runs=1)\ns = sweep(r, noise=[1, 2])")
	if len(told) != 4 || !strings.HasSuffix(told[0], "decimal commas") || !strings.Contains(told[1], "columns not used: note.") || !strings.Contains(told[2], "2 of 4 combinations of temp, speed") || !strings.HasPrefix(told[3], "the kernel has full rank on these 3 arms") {
		t.Errorf("told %q, want how columns are separated, which are ignored, which combinations are missing, and that the kernel rules nothing out", told)
	}
	v, _, _ := s.Value("p")
	p := v.(*problem.Problem)
	if !slices.Equal(p.Arms.Names, []string{"temp=150, speed=1", "temp=180, speed=2", "temp=150, speed=1"}) || !slices.Equal(p.Mean, []float64{2, 3.5, 7.5}) {
		t.Errorf("arms %q, means %v", p.Arms.Names, p.Mean)
	}
}

// Parquet is read where CSV is: what a sweep wrote names its columns and gives a problem.
func TestParquetData(t *testing.T) {
	folder := t.TempDir()
	s := NewSession(Options{Folder: folder})
	// The file is written by one script and read by another, in one session.
	must(t, s, `r = fb(paper(case=1), budget=20, runs=2)
save(sweep(r, case=[1, 2], gap=[0.1, 0.2]), "s.parquet")`)
	must(t, s, `p = problem(data="s.parquet", task="case", arm="gap", reward="rounds", kernel=task(identity()) * arm(linear()))`)
	v, _, _ := s.Value("p")
	if p := v.(*problem.Problem); p.V() != 2 || !slices.Equal(p.Arms.Names, []string{"gap=0.1", "gap=0.2", "gap=0.1", "gap=0.2"}) || p.Sources[0].Rows != 4 {
		t.Errorf("%d tasks, arms %q, sources %v", p.V(), p.Arms.Names, p.Sources)
	}
	text := `problem(data="s.parquet", task="ca`
	if _, _, words := s.Complete(text, len(text)); !slices.Equal(words, []string{"case"}) {
		t.Errorf("completes %q, want case", words)
	}
}

// A column may be called col, as the function that reads other columns by their names is.
func TestColumnCalledCol(t *testing.T) {
	folder := t.TempDir()
	written(t, folder, "runs.csv", "col,dose,y\n1,1,2\n2,1,3\n3,1,4\n2,2,5\n3,2,6\n")
	s := NewSession(Options{Folder: folder})
	must(t, s, `p = problem(data="runs.csv", arm="dose", reward="y", where="col > 1", kernel=task(identity()) * arm(linear()))`)
	v, _, _ := s.Value("p")
	if p := v.(*problem.Problem); !slices.Equal(p.Mean, []float64{3.5, 5.5}) {
		t.Errorf("means %v, want 3.5 and 5.5 of the rows with col above 1", p.Mean)
	}
}
