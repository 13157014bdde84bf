package dsl

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/kernels"
)

// A Gram matrix in a file is the table of its numbers, in the kernel's text as well, and its file
// is among the sources.
func TestTableFromFile(t *testing.T) {
	folder := t.TempDir()
	// With names in both directions and decimal commas; without names; a table of arms; and one that is not symmetric.
	for name, text := range map[string]string{
		"gram.csv": ";rome;oslo\nrome;1;0,5\noslo;0,5;2\n",
		"bare.csv": "2,0.5\n0.5,1\n",
		"arms.csv": "task,arm,x_a,mean\noslo,1,0,1\noslo,2,1,2\nrome,1,0,3\n",
		"bad.csv":  "1,0.5\n0.4,1\n",
	} {
		written(t, folder, name, text)
	}
	var told []string
	s := NewSession(Options{Folder: folder, Notice: func(line string) { told = append(told, line) }})
	must(t, s, `k = table("gram.csv")
l = table("bare.csv", names=["oslo", "rome"])
m = table("gram.csv", names=["oslo", "rome"])
w = table([[1, 0.5], [0.5, 2]], names=["rome", "oslo"])
p = problem("arms.csv", kernel=task(k) * arm(linear()), noise=1)
both = 2*task(l) + arm(table("bare.csv"))`)
	get := func(name string) any {
		v, _, _ := s.Value(name)
		return v
	}
	// The names may come from the file, from the script, or from both.
	k, w := get("k").(kernels.Table), get("w").(kernels.Table)
	if k.String() != w.String() || get("m").(kernels.Table).String() != w.String() {
		t.Errorf("read %v, want %v", k, w)
	}
	if l := get("l").(kernels.Table); !slices.Equal(l.Names, []string{"oslo", "rome"}) || l.Values[0][0] != 2 {
		t.Errorf("read %v", l)
	}
	p := get("p").(*problem.Problem)
	if gram, err := p.Kernel.TaskGram(t.Context(), p.Tasks); err != nil || gram.At(0, 0) != 2 || gram.At(1, 1) != 1 || gram.At(0, 1) != 0.5 {
		t.Errorf("task kernel %v, error %v", gram, err)
	}
	if len(told) != 1 || !strings.Contains(told[0], "semicolons") {
		t.Errorf("told %q, want how gram.csv was read, once", told)
	}
	// Files, names and kernels that do not fit.
	for src, want := range map[string]string{
		`x = table("bad.csv")`:                                                            `bad.csv:2:1: the matrix must be symmetric, but it has 0.4 here and 0.5 in line 1, column 3`,
		`x = table("gramm.csv")`:                                                          `did you mean "gram.csv"?`,
		`x = table("bare.csv", names=["oslo"])`:                                           `2 rows, but names= has 1`,
		`x = table("gram.csv", names=["oslo", "bergen"])`:                                 `no row is named "bergen". The rows are rome, oslo`,
		`x = problem("arms.csv", kernel=arm(table("gram.csv")), noise=1)`:                 `has no row for "1"; its names are rome, oslo`,
		`x = problem("arms.csv", kernel=task(rbf(table("gram.csv"))), noise=1)`:           "lengthscale is a kernel",
		`x = problem("arms.csv", kernel=task(table("gram.csv")) * arm(rbf(-1)), noise=1)`: "lengthscale is -1",
	} {
		if _, err := evalText(s, src); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", src, err, want)
		}
	}
	text := `task(table("`
	if _, _, words := s.Complete(text, len(text)); !slices.Contains(words, "gram.csv") {
		t.Errorf("completes %q, want the files", words)
	}
}

// madeAgain makes the protocol of a script, and again from what of it is recorded. It is an error where that is another one.
func madeAgain(t *testing.T, script string, opt Options) error {
	t.Helper()
	p, r, err := ReadProtocol(t.Context(), "days.cope", script, opt)
	if err != nil {
		return err
	}
	again, err := MakeProtocol(t.Context(), r)
	if err == nil && again.Fingerprint() != p.Fingerprint() {
		err = errors.New("made again it is another protocol")
	}
	return err
}

// A recorded file is found by its folder as well: two files of one name are two files.
func TestRecordedFilesOfOneName(t *testing.T) {
	folder := t.TempDir()
	try.To(os.Mkdir(filepath.Join(folder, "sub"), 0o700))
	written(t, folder, "gram.csv", "1,0.5\n0.5,1\n")
	written(t, folder, filepath.Join("sub", "gram.csv"), "2,0.25\n0.25,1\n")
	const script = `k = task(table("gram.csv", names=["oslo", "rome"])) * arm(linear())
l = task(table("sub/gram.csv", names=["oslo", "rome"])) * arm(linear())
p = problem("arms.csv", kernel=k + l, noise=1)
days = protocol(p, runs=0)
`
	written(t, folder, "arms.csv", "task,arm,x_a,mean\noslo,1,0,1\noslo,2,1,2\nrome,1,0,3\nrome,2,1,1\n")
	for _, inside := range []string{folder, ""} {
		text := script
		if inside == "" { // by absolute paths
			text = strings.NewReplacer(`("gram`, `("`+filepath.ToSlash(folder)+`/gram`, `("sub`, `("`+filepath.ToSlash(folder)+`/sub`,
				`("arms`, `("`+filepath.ToSlash(folder)+`/arms`).Replace(script)
		}
		if err := madeAgain(t, text, Options{Folder: inside}); err != nil {
			t.Errorf("below %q: %v", inside, err)
		}
	}
}

// A recorded file may lie beside the folder of the script, and a script may write its path in any way.
func TestRecordedFilesBesideTheFolder(t *testing.T) {
	root := t.TempDir()
	for _, folder := range []string{"scripts", "tables"} {
		try.To(os.Mkdir(filepath.Join(root, folder), 0o700))
	}
	written(t, root, filepath.Join("tables", "arms.csv"), "task,arm,x_a,mean\noslo,1,0,1\noslo,2,1,2\nrome,1,0,3\nrome,2,1,1\n")
	// The folder of the script is absolute, as in gonb-cope campaign start DIR /path/of/script.cope.
	for _, path := range []string{filepath.ToSlash(root) + "/tables/arms.csv", "../tables/arms.csv", "..//tables/./arms.csv"} {
		script := `days = protocol(problem("` + path + `", kernel=task(identity()) * arm(linear()), noise=1), runs=0)`
		if err := madeAgain(t, script, Options{Folder: filepath.Join(root, "scripts")}); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Files of one name below the folder and beside it are told apart where the script names them by absolute paths.
func TestRecordedFilesOfOneNameBeside(t *testing.T) {
	root := t.TempDir()
	folder := filepath.Join(root, "scripts")
	try.To(os.Mkdir(folder, 0o700))
	written(t, root, "gram.csv", "1,0.5\n0.5,1\n")
	written(t, folder, "gram.csv", "2,0.25\n0.25,1\n")
	written(t, folder, "arms.csv", "task,arm,x_a,mean\noslo,1,0,1\noslo,2,1,2\nrome,1,0,3\nrome,2,1,1\n")
	for _, paths := range [][2]string{{"gram.csv", "../gram.csv"}, {folder + "/gram.csv", root + "/gram.csv"}, {folder + "/gram.csv", "../gram.csv"},
		{"gram.csv", root + "/gram.csv"}} {
		script := `k = task(table("` + filepath.ToSlash(paths[0]) + `", names=["oslo", "rome"])) * arm(linear())
l = task(table("` + filepath.ToSlash(paths[1]) + `", names=["oslo", "rome"])) * arm(linear(bias=1))
days = protocol(problem("arms.csv", kernel=k + l, noise=1), runs=0)
`
		if err := madeAgain(t, script, Options{Folder: folder}); err != nil {
			t.Errorf("%v: %v", paths, err)
		}
	}
}
