package conformance

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/gonb-cope/gonb-cope/internal/base/try"
)

// front is a front end of Jupyter as a browser sees it. The scripts do what a click
// does; state is read from the page's own notebook, since a page may leave out cells
// that are scrolled away.
type front struct {
	name  string
	page  string // path of a notebook's page, before its name
	alone string // after its name, so that nothing else is open
	// ready reports whether the notebook is open and its kernel connected.
	ready string
	// cells are the code cells, as [{count, running, outputs}] with outputs of nbformat.
	cells string
	// The commands of the menus.
	runAll, interrupt, restart string
	confirm                    string // selector of the button that confirms a restart
	figure, bar                string // selectors of a figure and of a progress bar in an output
}

// classic is the Notebook server of Debian 12, version 6.
var classic = front{
	name:  "notebook",
	page:  "/notebooks/",
	ready: `!!(window.Jupyter && Jupyter.notebook && Jupyter.notebook._fully_loaded && Jupyter.notebook.kernel && Jupyter.notebook.kernel.is_connected())`,
	cells: `Jupyter.notebook.get_cells().filter(c => c.cell_type === "code" && c.get_text().trim()).map(c => ({
		count: typeof c.input_prompt_number === "number" ? c.input_prompt_number : 0,
		running: c.input_prompt_number === "*", outputs: c.output_area.toJSON()}))`,
	runAll:    `document.querySelector("#run_all_cells a, #run_all_cells").click()`,
	interrupt: `document.querySelector("#int_kernel a, #int_kernel").click()`,
	restart:   `document.querySelector("#restart_kernel a, #restart_kernel").click()`,
	confirm:   `.modal.in .modal-footer .btn-danger, .modal.show .modal-footer .btn-danger`,
	figure:    `.output_subarea figure img`,
	bar:       `.output_subarea progress`,
}

// The Notebook server of Debian runs the quickstart, shows what a long cell is doing, interrupts it
// and starts the kernel again.
func TestNotebookServer(t *testing.T) {
	warm(t)
	classic.drive(t, serve(t, shelf(t), debianServer(t)...))
}

// window is a notebook that is open in a front end.
type window struct {
	front
	t   *testing.T
	ctx context.Context
}

// open opens a notebook and waits for its kernel.
func (f front) open(ctx context.Context, t *testing.T, address, name string) window {
	t.Helper()
	w := window{front: f, t: t, ctx: ctx}
	try.To(chromedp.Do(ctx, chromedp.Navigate(address+f.page+name+f.alone)))
	w.await(name+" and its kernel", func() bool { return evaluate[bool](w, f.ready) })
	return w
}

// evaluate runs a script in a window's page.
func evaluate[T any](w window, script string) T {
	w.t.Helper()
	v, err := chromedp.Run(w.ctx, chromedp.Evaluate[T](script))
	if err != nil {
		w.picture("failed")
		w.t.Fatalf("%s: %v", script, err)
	}
	return v
}

// await waits for a condition and shows the page when it does not come.
func (w window) await(what string, holds func() bool) {
	w.t.Helper()
	if !within(limit, holds) {
		w.picture("failed")
		w.t.Fatalf("%s did not come within %v", what, limit)
	}
}

// within waits for a condition up to the limit, and reports whether it came.
func within(limit time.Duration, holds func() bool) bool {
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if holds() {
			return true
		}
	}
	return false
}

func (w window) do(script string) { evaluate[any](w, "("+script+", 0)") }

// present reports whether a selector finds something, and scrolls there.
func (w window) present(selector string) bool {
	quoted, _ := json.Marshal(selector)
	return evaluate[bool](w, fmt.Sprintf(`(e => { if (e) e.scrollIntoView({block: "center"}); return !!e; })(document.querySelector(%s))`, quoted))
}

// cellState is a code cell of the page.
type cellState struct {
	Count   int
	Running bool
	Outputs []struct {
		Type string `json:"output_type"`
		Name string `json:"ename"`
		Text any    // of a stream
		Data map[string]any
	}
}

func (w window) state() []cellState { return evaluate[[]cellState](w, w.cells) }

// errors returns the names of the errors in the outputs.
func (c cellState) errors() (names []string) {
	for _, o := range c.Outputs {
		if o.Type == "error" {
			names = append(names, o.Name)
		}
	}
	return names
}

// text returns the plain text of the outputs.
func (c cellState) text() string {
	var b strings.Builder
	for _, o := range c.Outputs {
		fmt.Fprintln(&b, o.Data["text/plain"])
	}
	return b.String()
}

// idle reports whether no cell runs or waits.
func idle(cells []cellState) bool {
	for _, c := range cells {
		if c.Running {
			return false
		}
	}
	return true
}

// picture writes a picture of the window into the folder GONB_COPE_PICTURES.
func (w window) picture(name string) {
	folder := os.Getenv("GONB_COPE_PICTURES")
	if folder == "" {
		return
	}
	time.Sleep(time.Second) // what scrolls and moves comes to rest: pictures are for people
	png, err := chromedp.Run(w.ctx, chromedp.CaptureScreenshot())
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, w.name+"-"+name+".png"), png, 0o644)
	}
	if err != nil {
		w.t.Errorf("picture %s: %v", name, err)
	}
}

// drive tests a front end.
func (f front) drive(t *testing.T, address string) {
	ctx := browse(t, 6*limit)
	t.Run("quickstart", func(t *testing.T) { f.open(ctx, t, address, "quickstart.ipynb").quickstart() })
	t.Run("long", func(t *testing.T) { f.open(ctx, t, address, "long.ipynb").long() })
}

// run runs all cells. A page that is just opened may not hear the first click.
func (w window) run() {
	w.t.Helper()
	counts := func() (out []int) {
		for _, c := range w.state() {
			out = append(out, c.Count)
		}
		return out
	}
	before := counts()
	w.await("cells that run", func() bool {
		w.do(w.runAll)
		return within(30*time.Second, func() bool { return !idle(w.state()) || !slices.Equal(counts(), before) })
	})
}

// quickstart runs all cells: none fails, and figures are seen.
func (w window) quickstart() {
	w.run()
	w.await("the end of all cells", func() bool {
		cells := w.state()
		return idle(cells) && cells[len(cells)-1].Count > 0
	})
	for i, c := range w.state() {
		if c.Count != i+1 || len(c.errors()) > 0 {
			w.t.Errorf("code cell %d has the number %d and the errors %v", i+1, c.Count, c.errors())
		}
	}
	w.await("a figure", func() bool { return w.present(w.figure) })
	w.picture("quickstart")
}

// long watches a long cell, interrupts it, starts the kernel again and runs again.
func (w window) long() {
	w.run()
	w.await("a progress bar", func() bool { return w.present(w.bar) })
	w.picture("progress")
	w.do(w.interrupt)
	var cells []cellState
	w.await("the end of the interrupted cell, and its error", func() bool { // which come on two channels, in any order
		cells = w.state()
		return idle(cells) && len(cells[1].errors()) > 0
	})
	if names := cells[1].errors(); len(names) != 1 || names[0] != "Interrupted" {
		w.t.Errorf("the interrupted cell has the errors %v", names)
	}
	if len(cells[2].Outputs) != 0 || cells[2].Count != 0 {
		w.t.Errorf("the cell after it was executed, or has a number as if it had been: %+v", cells[2])
	}
	w.present(w.bar)
	w.picture("interrupted")
	old := kernels()
	w.do(w.restart)
	w.await("the question whether to restart", func() bool { return w.present(w.confirm) })
	quoted, _ := json.Marshal(w.confirm)
	w.do(fmt.Sprintf("document.querySelector(%s).click()", quoted))
	w.await("the process of the new kernel", func() bool {
		now := kernels()
		return len(now) == len(old) && !slices.Equal(now, old)
	})
	w.await("the new kernel", func() bool { return evaluate[bool](w, w.ready) })
	w.run()
	w.await("the first result of the new kernel", func() bool {
		first := w.state()[0]
		return first.Count == 1 && strings.Contains(first.text(), "4,200")
	})
	w.await("a progress bar of the new kernel", func() bool { return w.present(w.bar) })
	w.picture("restarted")
	w.do(w.interrupt)
	w.await("the end of the second interrupt", func() bool { return idle(w.state()) })
}

// kernels returns the processes of this program's kernels that these tests have started, in order.
func kernels() (ids []string) {
	for _, p := range own() {
		if len(p.argv) > 1 && p.argv[1] == "kernel" {
			ids = append(ids, p.id)
		}
	}
	return ids
}
