package gonb

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// needGo skips, or fails where everything must be there, without the go command.
func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		if os.Getenv("GONB_COPE_REQUIRE_ALL") == "1" {
			t.Fatal("the go command is missing")
		}
		t.Skip("the go command is missing")
	}
}

// Two kernels that start at once both get tools that run, and leave nothing else.
func TestProvision(t *testing.T) {
	needGo(t)
	if testing.Short() {
		t.Skip("builds GoNB")
	}
	cache := t.TempDir()
	t.Setenv("GONB_COPE_TOOLS", cache)
	t.Setenv("GOFLAGS", "-mod=vendor") // must not matter
	if _, err := Cached(); !errors.Is(err, ErrNotBuilt) {
		t.Fatalf("Cached before the build: %v", err)
	}
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			var said []string
			tools, err := Provision(context.Background(), func(line string) { said = append(said, line) })
			if err != nil {
				t.Error(err)
				return
			}
			if len(said) == 0 {
				t.Error("nothing was said about the build")
			}
			out, err := exec.Command(tools.GoNB, "-V").CombinedOutput()
			// the tag v0.11.4 says v0.11.1
			if err != nil || !strings.Contains(string(out), "v0.11.") {
				t.Errorf("gonb -V: %s, %v", out, err)
			}
			goimports := exec.Command(tools.GoImports)
			goimports.Stdin = strings.NewReader("package p\nfunc f() { fmt.Println() }\n")
			if out, err := goimports.CombinedOutput(); err != nil || !strings.Contains(string(out), `import "fmt"`) {
				t.Errorf("goimports: %s, %v", out, err)
			}
		})
	}
	group.Wait()
	entries, err := os.ReadDir(cache)
	if err != nil || len(entries) != 1 {
		t.Fatalf("the cache has %v, want one folder (%v)", entries, err)
	}
	tools := try.Of(Provision(context.Background(), func(line string) { t.Errorf("what is there is built again: %s", line) }))
	// A folder that lost a file is built again.
	try.To(os.Remove(tools.GoImports))
	if tools, err = Provision(context.Background(), func(string) {}); err != nil || !runnable(tools.GoImports) {
		t.Fatalf("after goimports was removed: %v", err)
	}
}

func TestProvisionErrors(t *testing.T) {
	needGo(t)
	t.Run("no go", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		if _, err := Provision(context.Background(), func(string) {}); !errors.Is(err, ErrNoGo) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no download", func(t *testing.T) {
		cache := t.TempDir()
		t.Setenv("GONB_COPE_TOOLS", cache)
		t.Setenv("GOMODCACHE", t.TempDir())
		t.Setenv("GOPROXY", "off")
		_, err := Provision(context.Background(), func(string) {})
		if err == nil || !strings.Contains(err.Error(), "module lookup disabled") || !strings.Contains(err.Error(), "gonb-cope doctor --build") {
			t.Errorf("got %v", err)
		}
		if left, _ := os.ReadDir(cache); len(left) > 0 {
			t.Errorf("a failed build left %v", left)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		t.Setenv("GONB_COPE_TOOLS", t.TempDir())
		t.Setenv("GOCACHE", t.TempDir()) // so that there is something to interrupt
		ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
		defer cancel()
		if _, err := Provision(ctx, func(string) {}); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

func TestFindSource(t *testing.T) {
	here := try.Of(filepath.Abs("../.."))
	t.Setenv("GONB_COPE_SOURCE", "")
	// the last: where this was compiled from
	for _, start := range []string{".", "../../notebooks", t.TempDir()} {
		m, err := FindSource(context.Background(), start)
		if err != nil || m.Source != here || m.Path != modulePath {
			t.Errorf("from %s: %+v, %v; want %s", start, m, err, here)
		}
	}
	other := t.TempDir()
	try.To(os.WriteFile(filepath.Join(other, "go.mod"), []byte("module "+modulePath+"\n"), 0o600))
	if m, err := FindSource(context.Background(), filepath.Join(other)); err != nil || m.Source != other {
		t.Errorf("from another checkout: %+v, %v; want %s", m, err, other)
	}
	t.Setenv("GONB_COPE_SOURCE", other)
	if m, err := FindSource(context.Background(), "."); err != nil || m.Source != other {
		t.Errorf("GONB_COPE_SOURCE: %+v, %v; want %s", m, err, other)
	}
	t.Setenv("GONB_COPE_SOURCE", t.TempDir())
	if _, err := FindSource(context.Background(), "."); err == nil || !strings.Contains(err.Error(), "GONB_COPE_SOURCE") {
		t.Errorf("GONB_COPE_SOURCE without go.mod: %v", err)
	}
}

// A program that imports this library, figures and GoNB's own package builds in the
// module of the cells with nothing to ask: no network, and go.mod and go.sum unchanged.
func TestCellModule(t *testing.T) {
	needGo(t)
	if testing.Short() {
		t.Skip("compiles a program")
	}
	m := try.Of(FindSource(context.Background(), "."))
	dir := t.TempDir()
	try.To(m.WriteCellModule(dir))
	const program = `package main

import (
	"fmt"

	"github.com/gonb-cope/gonb-cope/engine/problem"
	"github.com/janpfeifer/gonb/gonbui"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/plot"
)

func main() {
	p, err := problem.PaperCase(1, 0.1)
	fmt.Println(p.Name, err, gonbui.IsNotebook, mat.NewDense(1, 2, nil).RawMatrix().Cols, plot.New() != nil)
}
`
	try.To(os.WriteFile(filepath.Join(dir, "main.go"), []byte(program), 0o600))
	t.Setenv("GOPROXY", "off")
	t.Setenv("GONB_DIR", "")
	// GoNB builds cells as go does by default, and -mod=mod would complete go.sum.
	for _, flags := range []string{"-mod=readonly", "-mod=mod"} {
		run := exec.Command("go", "run", ".")
		run.Dir = dir
		run.Env = append(os.Environ(), "GOFLAGS="+flags)
		out, err := run.CombinedOutput()
		if want := "paper case 1, gap 0.1 <nil> false 2 true\n"; err != nil || string(out) != want {
			t.Errorf("%s: %q, %v; want %q", flags, out, err, want)
		}
	}
	sum, err1 := os.ReadFile(filepath.Join(dir, "go.sum"))
	own, err2 := os.ReadFile("../../go.sum")
	if err1 != nil || err2 != nil || string(sum) != string(own) {
		t.Errorf("go had to complete go.sum (%v, %v)", err1, err2)
	}
}

// Replacements of the source hold for cells too, with their folders made absolute.
func TestCellModuleReplacements(t *testing.T) {
	source := t.TempDir()
	goMod := "module " + modulePath + "\n\ngo 1.26.0\n\nrequire example.com/a v1.0.0\n\nreplace example.com/a v1.0.0 => ../a\n\nreplace example.com/b => example.com/c v1.2.3\n"
	for name, text := range map[string]string{"go.mod": goMod, "go.sum": ""} {
		try.To(os.WriteFile(filepath.Join(source, name), []byte(text), 0o600))
	}
	text, _ := try.Two(Module{Path: modulePath, Source: source}.CellModule("cells"))
	for _, want := range []string{
		"module cells\n", "go 1.26.0\n", "example.com/a v1.0.0\n", modulePath + " v0.0.0\n",
		"replace (\n\t" + modulePath + " => " + source + "\n",
		"\texample.com/a v1.0.0 => " + filepath.Join(filepath.Dir(source), "a") + " \n", "\texample.com/b  => example.com/c v1.2.3\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

func TestImportsOf(t *testing.T) {
	for _, c := range []struct {
		name, cell string
		want       []string
	}{
		{"single", `import "fmt"`, []string{"fmt"}},
		{"group with names", "import (\n\tf \"fmt\"\n\t. \"gonum.org/v1/plot\" // figures\n\n\t_ `embed`\n)\n", []string{"fmt", "gonum.org/v1/plot", "embed"}},
		{"after other declarations", "func f() {}\nimport \"os\"\nvar x = 1\nimport m \"math\"", []string{"os", "math"}},
		{"on one line", `import "a"; import ("b"; "c")`, []string{"a", "b", "c"}},
		{"twice", "import \"fmt\"\nimport \"fmt\"", []string{"fmt"}},
		{"commands", "!go version \\\n import \"no\"\n%env A=import\nimport \"fmt\"\n%%\nfmt.Println(`import \"no\"`) // import \"no\"", []string{"fmt"}},
		{"hidden commands", "//gonb:%%writefile x.go\nimport \"no\"", nil},
		{"other program", "%%bash\nimport \"no\"", nil},
		{"broken code", "import \"fmt\"\n%%\nx := ((( 'a\nimport", []string{"fmt"}},
		{"broken import", "import 3\nimport (\"a\" 7 \"b\")\nimport \"c\"", []string{"a", "c"}},
		{"empty", "", nil},
	} {
		if got := ImportsOf(c.cell); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestPinned(t *testing.T) {
	needGo(t)
	m := try.Of(FindSource(context.Background(), "."))
	imports := try.Of(m.Imports(context.Background()))
	for path, want := range map[string]bool{
		"fmt": true, "net/http": true, "C": true, "nosuchpackage": false,
		modulePath + "/engine": true, modulePath + "/nosuch": false,
		"gonum.org/v1/gonum/mat": true, "gonum.org/v1/plot/vg": true, "gonum.org/v1/gonum/nosuch": false,
		"github.com/janpfeifer/gonb/gonbui": true, "github.com/janpfeifer/gonb/gonbui/widgets": true,
		// Its module is required, but what it imports is not: GoNB's figures by Plotly.
		"github.com/janpfeifer/gonb/gonbui/plotly": false,
		"example.com/unknown":                      false,
	} {
		if got := imports.Pinned(path); got != want {
			t.Errorf("%s: %v, want %v", path, got, want)
		}
	}
}

func TestResets(t *testing.T) {
	for cell, want := range map[string]bool{"%reset": true, "import \"fmt\"\n//gonb:%reset go.mod\n": true, "// %reset": false, "%resetting": false} {
		if Resets(cell) != want {
			t.Errorf("%q: %v, want %v", cell, !want, want)
		}
	}
}

// Prebuild leaves nothing cold, and Cold sees an empty build cache.
func TestPrebuild(t *testing.T) {
	needGo(t)
	if testing.Short() {
		t.Skip("compiles programs")
	}
	m := try.Of(FindSource(context.Background(), "."))
	try.To(m.Prebuild(context.Background(), func(string) {}))
	if cold, err := m.Cold(context.Background()); err != nil || cold > 0 {
		t.Errorf("%d packages are cold after Prebuild, %v", cold, err)
	}
	t.Setenv("GOCACHE", t.TempDir())
	if cold, err := m.Cold(context.Background()); err != nil || cold < 50 {
		t.Errorf("%d packages are cold in an empty cache, %v", cold, err)
	}
	folder := try.Of(m.cells())
	defer os.RemoveAll(folder)
	if cold, err := ColdIn(context.Background(), folder, nil, "unicode/utf8"); err != nil || cold < 1 || cold > 20 {
		t.Errorf("%d packages are cold for one that imports nothing, %v", cold, err)
	}
}
