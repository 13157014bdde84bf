package conformance

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/client"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// examples are GoNB's own notebooks that need no page of a browser. The other tests
// (comms, dom, wasm, widgets) run JavaScript in the notebook's page and wait for what
// it says: see pages_test.go.
var examples = []string{
	"tests/bash_script", "tests/capture", "tests/errors", "tests/functions", "tests/goflags", "tests/gonbui", "tests/gotest", "tests/gowork", "tests/hello",
	"tests/init", "tests/input_boxes", "tests/script", "tests/vartuple", "tests/writefile", "tutorial",
}

// pins are the modules that the examples import, at versions that this module knows:
// without them GoNB asks the network for the latest ones, which are not always the same.
var pins = []string{
	"github.com/janpfeifer/gonb", "github.com/pkg/errors", "golang.org/x/exp", "github.com/stretchr/testify", "github.com/ajstarks/svgo",
}

// leftOut lists the cells of GoNB's tutorial that two runs cannot agree on, or that need what a
// test lacks, by their index.
var leftOut = map[int]string{
	13: "random numbers", 15: "removes what the one before declares", 32: "random points", 34: "random points",
	17: "a progress bar, by the clock", 56: "counts seconds, by the clock",
	23: "a module from the network", 27: "a module from the network", 28: "a module from the network", 30: "a module from the network", 36: "a module from the network",
	49: "a widget, which needs a page and a hand",
	52: "times of files", 54: "times of files",
	64: "a checkout of GoNB in the home folder", 66: "a checkout of GoNB in the home folder",
}

// pinning returns a cell that puts the pins into GoNB's go.mod.
func pinning(t *testing.T) string {
	t.Helper()
	command := "!*go mod edit"
	for _, line := range strings.Fields(goList(t, "{{.Path}}@{{.Version}}", pins...)) {
		command += " -require=" + line
	}
	return command
}

// goList asks go list about modules of this module's graph.
func goList(t *testing.T, format string, modules ...string) string {
	t.Helper()
	out, err := exec.Command("go", append([]string{"list", "-m", "-f", format}, modules...)...).Output()
	if err != nil {
		t.Fatalf("go list -m: %v", err)
	}
	return strings.TrimSpace(string(out))
}

// GoNB's example notebooks give the same under this kernel as under GoNB.
func TestExamplesOfGoNB(t *testing.T) {
	warm(t)
	program(t, "bc", "bc")
	module := goList(t, "{{.Dir}}", "github.com/janpfeifer/gonb")
	preface := pinning(t)
	theirs := recorded(t)
	t.Cleanup(func() { theirs.write(t) })
	// where goflags.ipynb writes
	t.Cleanup(func() { _ = os.RemoveAll("/tmp/gonb_examples_test_goflags_cover") })
	for _, name := range examples {
		t.Run(name, func(t *testing.T) {
			nb := try.Of(notebook.Load(filepath.Join(module, "examples", name+".ipynb")))
			for i, why := range leftOut {
				if name == "tutorial" {
					t.Logf("cell %d is left out: %s", i+1, why)
					nb.Cells[i].Type = notebook.Raw
				}
			}
			own := outputsUnder(t, ourKernel, module, preface, nb)
			if diff := theirs.differs(t, name, own, func() []cellOutput { return outputsUnder(t, plainGoNB, module, preface, nb) }); diff != "" {
				t.Errorf("- under GoNB, + under this kernel\n%s", diff)
			}
			failed := slices.DeleteFunc(own, func(o cellOutput) bool { return o.Status == "ok" })
			t.Logf("%d cells, %d with an error", len(own), len(failed))
			if want := map[string]int{"tests/errors": 2, "tests/script": 1}[name]; len(failed) != want {
				t.Errorf("%d cells failed, want %d: %v", len(failed), want, failed)
			}
		})
	}
}

// cellOutput holds the output of a cell as far as two runs can agree on it.
type cellOutput struct {
	Status string
	Stdout []string `json:",omitempty"`
	Stderr []string `json:",omitempty"`
	Shown  []string `json:",omitempty"` // displays, in order
}

// outputsUnder executes the cells of a notebook with a kernel and answers what they ask.
func outputsUnder(t *testing.T, kernel, module, preface string, nb *notebook.Notebook) (all []cellOutput) {
	t.Helper()
	if kernel == plainGoNB {
		needGoNB(t)
	}
	spec := try.Of(client.Find(kernel))
	work := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 3*limit)
	defer cancel()
	env := map[string]string{"GONB_GIT_ROOT": module, "TEST_DIR": work + "/", "GOCOVERDIR": work, "TZ": "UTC"}
	maps.Copy(env, spec.Env)
	spec.Env = env
	k := try.Of(client.Start(ctx, spec, client.StartOptions{Dir: work}))
	defer k.Shutdown(context.Background())
	if reply, err := k.Execute(ctx, preface, client.ExecuteOptions{Silent: true}); err != nil || reply.Status != "ok" {
		t.Fatalf("%s under %s: %v %v", preface, kernel, reply, err)
	}
	for _, c := range nb.Cells {
		if c.Type == notebook.Code {
			all = append(all, execute(ctx, t, k, work, c.Source))
		}
	}
	return all
}

func execute(ctx context.Context, t *testing.T, k *client.Kernel, work, source string) cellOutput {
	t.Helper()
	if strings.Contains(source, "gonbui.Display") {
		// GoNB drops what a program displays last when it ends before GoNB has read it: of
		// 30 runs under GoNB alone, 4 lost something.
		source += "\ngonbui.Sync()"
	}
	var stdout, stderr strings.Builder
	var o cellOutput
	reply, err := k.Execute(ctx, source, client.ExecuteOptions{
		Timeout: limit,
		Input: func(string, bool) (string, error) {
			// GoNB asks first and then says who gets the answer: one that comes at once is lost
			time.Sleep(2 * time.Second)
			return "42", nil
		},
		Output: func(m *jupyter.Message) {
			var content struct {
				Name, Text string
				Data       map[string]any
			}
			if err := m.Decode(&content); err != nil {
				t.Error(err)
			}
			switch {
			case m.Header.Type == "stream" && content.Name == "stdout":
				stdout.WriteString(content.Text)
			case m.Header.Type == "stream":
				stderr.WriteString(content.Text)
			case content.Data != nil:
				o.Shown = append(o.Shown, shown(content.Data, work)...)
			}
		},
	})
	if err != nil {
		t.Fatalf("under %s: %s: %v", k.Spec.Name, source, err)
	}
	o.Status = reply.Status
	if o.Status == "error" {
		// GoNB shows an error as HTML besides, this kernel in the form of its errors.
		o.Shown = nil
	}
	o.Stdout, o.Stderr = normal(stdout.String(), work), normal(stderr.String(), work)
	if o.Status == "error" {
		// How a program ended is said by the error, and under GoNB in its text as well.
		o.Stderr = slices.DeleteFunc(o.Stderr, func(line string) bool { return strings.HasPrefix(line, "exit status ") })
	}
	switch {
	case strings.Contains(source, "cat go.mod"):
		// Cells under this kernel have more modules at hand, and this library; the rest of
		// go.mod is what the notebook made of it.
		o.Stdout = slices.DeleteFunc(o.Stdout, func(line string) bool { return !strings.Contains(line, "a.com/") })
	case strings.Contains(source, "%track"):
		// GoNB also watches the folders of this library, as of any module that lies in a folder.
		o.Shown = slices.DeleteFunc(o.Shown, func(line string) bool { return !strings.Contains(line, "TEMPORARY") })
	}
	return o
}

// shown returns the lines of a display, by media type. A text beside other forms is left out: GoNB
// gives none with HTML, this kernel always does.
func shown(data map[string]any, work string) (lines []string) {
	for media, v := range data {
		if media != "text/plain" || len(data) == 1 {
			lines = append(lines, media+":")
			lines = append(lines, normal(fmt.Sprint(v), work)...)
		}
	}
	slices.Sort(lines)
	return lines
}

// differences lists the texts on which two runs cannot agree, and their replacements.
var differences = []struct {
	pattern *regexp.Regexp
	stands  string
}{
	// GoNB's folder and module are named at random
	{regexp.MustCompile(`/tmp/gonb_[0-9a-f]{8}|gonb_[0-9a-f]{8}`), "GONB"},
	// mktemp of gowork.ipynb
	{regexp.MustCompile(`/tmp/gonb_tests_gowork_\w{8}`), "TEMPORARY"},
	{regexp.MustCompile(`\b\d+(\.\d+)?(ns|µs|ms|s)\b`), "TIME"}, // of go test
	{regexp.MustCompile(`\s+\d+(\.\d+)?\s+(ns/op)`), " TIME"},   // of benchmarks
	{regexp.MustCompile(`(?m)^cpu: .*$`), "cpu: CPU"},
	// how often they were run
	{regexp.MustCompile(`(Benchmark\w+)-?\d*\s+\d+`), "$1 COUNT"},
	{regexp.MustCompile(`\d{4}/\d{2}/\d{2} \d{2}:\d{2}:\d{2}`), "DATE"}, // of package log
	// what GoNB calls a blank identifier
	{regexp.MustCompile(`_~\d+`), "UNNAMED"},
	{regexp.MustCompile(`0x[0-9a-f]+`), "ADDRESS"}, // in stack traces
}

// goRoot returns the folder of the Go release.
var goRoot = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return "unknown GOROOT"
	}
	return strings.TrimSpace(string(out))
})

// normal returns a text in lines without what two runs cannot agree on.
func normal(text, work string) []string {
	here, _ := os.Getwd() // of this package; tests never leave it
	text = strings.NewReplacer(work, "WORK", here, "HERE", os.TempDir(), "/tmp", goRoot(), "GOROOT", os.Getenv("GOMODCACHE"), "GOMODCACHE").Replace(text)
	for _, d := range differences {
		text = d.pattern.ReplaceAllString(text, d.stands)
	}
	return strings.Split(strings.TrimRight(text, "\n"), "\n")
}
