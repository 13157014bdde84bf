package conformance

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
	"github.com/gonb-cope/gonb-cope/notebook/jupyter/notebook"
)

// page is a notebook that talks with the page it is on.
type page struct {
	name    string
	printed []string // on standard output, in order
	shown   string   // a script that reports whether the page shows what it should
}

// pages are GoNB's notebooks that talk with the page they are on, and what their cells
// must have printed or shown, in GoNB's own tests of them. There is a fourth, wasm: GoNB
// v0.11.4 looks for wasm_exec.js where Go kept it until release 1.23, so that %wasm
// fails under GoNB itself with the releases that this module needs.
var pages = []page{
	{name: "comms", printed: []string{"sent 1\ngot 2\nsent 2\ngot 3\nsent 3\ngot 4\nsent 4\nclosed\ndone", "ok", "No more."}},
	{name: "dom", shown: `[...document.querySelectorAll(".output_subarea")].filter(e => e.innerText.trim() === "ok").length > 1 &&
		[...document.querySelectorAll(".output_subarea")].some(e => e.innerText.split("This is a test!").length === 3)`},
	{name: "widgets", printed: []string{"clicked", "widget tested ok", "widget tested ok"}},
}

// Widgets and DOM of GoNB work through this kernel: their messages go both ways between a real page
// and a Go cell.
func TestPagesOfGoNB(t *testing.T) {
	warm(t)
	server := debianServer(t)
	module := goList(t, "{{.Dir}}", "github.com/janpfeifer/gonb")
	folder := t.TempDir()
	t.Setenv("GONB_GIT_ROOT", module)
	t.Setenv("GOCOVERDIR", t.TempDir())
	for _, p := range pages {
		nb := try.Of(notebook.Load(filepath.Join(module, "examples", "tests", p.name+".ipynb")))
		for try := range tries {
			book(t, folder, fmt.Sprintf("%s%d.ipynb", p.name, try), append([]notebook.Cell{code(pinning(t))}, nb.Cells...)...)
		}
	}
	address := serve(t, folder, server...)
	ctx := browse(t, 6*limit)
	for _, p := range pages {
		t.Run(p.name, func(t *testing.T) {
			var wrong string
			for try := range tries {
				w := classic.open(ctx, t, address, fmt.Sprintf("%s%d.ipynb", p.name, try))
				if wrong = p.talk(w); wrong == "" {
					w.picture(p.name)
					return
				}
				t.Logf("%d of %d: %s", try+1, tries, wrong)
			}
			t.Error(wrong)
		})
	}
}

// tries limits how often a notebook is opened: GoNB's notebooks have their own time limits, which a
// busy machine passes.
const tries = 3

// talk runs all cells and says what went wrong; "" when nothing did.
func (p page) talk(w window) string {
	w.do(w.runAll)
	if !within(limit, func() bool {
		cells := w.state()
		return idle(cells) && cells[len(cells)-1].Count > 0
	}) {
		return fmt.Sprintf("the end of all cells did not come within %v: %+v", limit, w.state())
	}
	var printed strings.Builder
	for i, c := range w.state() {
		if names := c.errors(); len(names) > 0 {
			return fmt.Sprintf("cell %d has the errors %v", i+1, names)
		}
		for _, o := range c.Outputs {
			if s, ok := o.Text.(string); ok && o.Type == "stream" {
				printed.WriteString(s)
			}
		}
	}
	rest := printed.String()
	for _, want := range p.printed {
		_, after, found := strings.Cut(rest, want+"\n")
		if !found {
			return fmt.Sprintf("the cells did not print %q, in order:\n%s", want, printed.String())
		}
		rest = after
	}
	if p.shown != "" && !within(limit, func() bool { return evaluate[bool](w, p.shown) }) {
		return fmt.Sprintf("the page did not show what it should within %v", limit)
	}
	return ""
}
