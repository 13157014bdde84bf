package dsl

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/sim"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// The same arms with the means changed, so that the best arm says which file was read.
const (
	firstData  = "task,arm,mean\na,1,0.2\na,2,0.9\n"
	secondData = "task,arm,mean\na,1,0.9\na,2,0.2\n"
)

// rewritten puts a file instead of another at once, as editors do.
func rewritten(t *testing.T, path, text string) {
	t.Helper()
	try.To(os.WriteFile(path+".new", []byte(text), 0o600))
	try.To(os.Rename(path+".new", path))
}

// A file that is replaced while a sweep reads it changes none of its rows; in a later cell of a
// notebook, that it has changed is an error.
func TestDataChanges(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a.csv")
	rewritten(t, path, firstData)
	// The file changes after the first combination.
	s := NewSession(Options{Folder: folder, Rebind: true, Progress: func(a Activity) {
		if strings.HasPrefix(a.Label, "sweep") && a.Done > 0 {
			rewritten(t, path, secondData)
		}
	}})
	const again = "s = sweep(r, noise=(1..5)/10)\ns"
	values := valuesOf(t, s, "p = problem(\"a.csv\", kernel=identity(), noise=0.1)\nr = fc(p, delta=0.1)\n"+again)
	for _, row := range values[0].(sim.Sweep).Rows {
		if best := row.Result.Answers[0].Best; best != "2" {
			t.Errorf("noise %v: the best arm is %s; the row is of other data", row.Values, best)
		}
	}
	if sources := s.Sources(); len(sources) != 1 {
		t.Errorf("read %v, want one file", sources)
	}
	// The cause names the file, and the combination in which it was met.
	var errs Errors
	if _, err := evalText(s, again); !errors.As(err, &errs) || errs[0].Cause != path+": the file has changed since it was read. Run again the statement that reads it\nin the sweep with noise=0.1" {
		t.Errorf("in a later cell: error %v", err)
	}
	values, err := evalText(s, "p = problem(\"a.csv\", kernel=identity(), noise=0.1)\nr = fc(p, delta=0.1)\n"+again)
	if err != nil || values[0].(sim.Sweep).Rows[4].Result.Answers[0].Best != "1" {
		t.Errorf("read again: error %v", err)
	}
}

// A script does not write over what it reads, nor over itself, and reads nothing that its output
// is written to.
func TestOwnFiles(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"own.csv", "raw.csv", "fig-figure.pdf"} {
		rewritten(t, filepath.Join(folder, name), firstData)
	}
	if err := os.Symlink("own.csv", filepath.Join(folder, "link.csv")); err != nil {
		t.Skip("no links here: ", err)
	}
	// Two files behind one problem, and one whose name a figure for LaTeX would write.
	const before = "p = problem(\"own.csv\", kernel=identity(), noise=1, rewards=\"raw.csv\")\nq = problem(\"fig-figure.pdf\", kernel=identity(), noise=1)\nr = fc(p)\n"
	for src, want := range map[string]string{
		`save(r, "own.csv")`:                     `save: "own.csv" contains the data of a problem and is not overwritten`,
		`save(r, "./x/../own.csv")`:              `save: "./x/../own.csv" contains the data of a problem and is not overwritten`,
		`save(r, "link.csv")`:                    `save: "link.csv" contains the data of a problem and is not overwritten`,
		`save(r, "raw.csv")`:                     `save: "raw.csv" contains the data of a problem and is not overwritten`,
		`plot(r, file="fig.tex")`:                `plot: "fig.tex" contains the data of a problem and is not overwritten`,
		`save(r, "demo.txt")`:                    `save: "demo.txt" is the script itself`,
		`problem("out.html", kernel=identity())`: `problem: "out.html" is the output file`,
		`save(r, "other.csv"); problem("other.csv", kernel=identity())`: "", // a file that is written and read afterwards
	} {
		if strings.Contains(src, "/x/") {
			try.To(os.Mkdir(filepath.Join(folder, "x"), 0o700))
		}
		script, errs := Parse("demo.txt", before+src)
		if len(errs) == 0 {
			errs = script.Check(Options{Folder: folder, Script: filepath.Join(folder, "demo.txt"), Output: filepath.Join(folder, "out.html")})
		}
		if want == "" && len(errs) > 0 || want != "" && (len(errs) != 1 || errs[0].Message != want) {
			t.Errorf("%s: errors %v, want %s", src, errs, want)
		}
	}
	// A file that an earlier cell read is not overwritten either.
	s := NewSession(Options{Folder: folder, Rebind: true})
	must(t, s, `p = problem("own.csv", kernel=identity(), noise=1)`)
	script, _ := Parse("cell", `save(p, "own.csv")`)
	var errs Errors
	if _, err := s.Eval(context.Background(), script); !errors.As(err, &errs) || !strings.Contains(errs[0].Message, "contains the data") {
		t.Errorf("in a later cell: error %v", err)
	}
}

// A mistake in a kernel is shown under the kernel whatever the file is called, and a mistake in a
// file under that file.
func TestBlame(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"o":    "task,arm,x_1,mean\na,b,1,2\na,c,2,3\n", // a letter that messages have, too
		"raw":  "task,arm,rep,reward\na,b,1,2\na,c,1,many\n",
		"oops": "task,arm,mean\na,b,many\n",
	} {
		try.To(os.WriteFile(name, []byte(text), 0o600))
	}
	// Under the kernel, under rewards= and under the path, though a file has a single letter for a name.
	for _, c := range []struct{ call, want string }{
		{`problem("o", kernel=arm(rbf(dims=["x_2"])))`, "the kernel does not fit the problem"},
		{`problem("o", kernel=arm(linear()), rewards="raw")`, `cannot load "raw"`},
		{`problem("o", kernel=arm(linear()), rewards="none")`, `cannot load "none"`},
		{`problem("oops", kernel=arm(linear()), rewards="o")`, `cannot load "oops"`},
		{`problem("none", kernel=arm(linear()))`, `cannot load "none"`},
	} {
		_, err := evalText(NewSession(Options{}), "p = "+c.call)
		if wrong := (*Error)(nil); !errors.As(err, &wrong) || wrong.Message != c.want {
			t.Errorf("%s: got %v, want %s", c.call, err, c.want)
		}
	}
}
